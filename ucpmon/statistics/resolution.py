"""How finely a size was printed, and figures that carry it.

The monitor prints one decimal and a unit: ``1016.1M`` is known to ±0.05 MiB, ``1.0G`` to ±51 MiB only. A figure's
``error_bytes`` is half of that step; errors of a sum or a difference add up (the worst case, not a deviation).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ucpmon.metrics import GIB, KIB, MIB, TIB, format_bytes

_LETTERS = (TIB, GIB, MIB, KIB)


@dataclass(frozen=True)
class Figure:
    """A number of bytes (or bytes per second) ± ``error_bytes``, and what it was read from.

    ``source`` is ``used``, ``total − free`` or ``heap dumps`` for a heap, ``hbmem`` or ``rss`` for a process.
    """

    bytes: float
    error_bytes: float
    source: str


def figure_text(found: Figure | None) -> str:
    """``310.4 ±0.05 MiB``: a figure and its uncertainty in one unit; without the latter where it is exact.

    ``–`` where there is none.
    """
    if found is None:
        return "–"
    if found.error_bytes < 2:
        return format_bytes(found.bytes)
    # The largest unit that the figure fills, and in which its uncertainty can be read.
    size, least = max(abs(found.bytes), 10 * found.error_bytes), found.error_bytes
    units = (("GiB", GIB), ("MiB", MIB), ("KiB", KIB))
    unit, scale = next(((u, s) for u, s in units if size >= s * 0.99995 and least >= s * 0.005), ("B", 1))
    error = found.error_bytes / scale
    digits = 2 if error < 0.995 else 1 if error < 9.95 else 0
    value = 0.0 if abs(found.bytes) < scale / 20 else found.bytes / scale
    return f"{value:,.1f} ±{error:.{digits}f} {unit}"


def inferred_quanta(values: np.ndarray) -> np.ndarray:
    """The step, in bytes, in which each value was printed, judged by the value itself: float64, same shape.

    A value that is a whole number of tenths of its natural unit (the largest that fits) was printed in tenths of it;
    one that is not was printed finer. A zero is printed as such only when nothing at all is used: its step is 1.
    """
    data = np.asarray(values, dtype="float64")
    # Levels stand still for long: each stretch of one value is judged once.
    firsts = np.flatnonzero(np.append(True, data[1:] != data[:-1])) if len(data) else np.arange(0)
    steps: np.ndarray = np.repeat(_steps_of(data[firsts]), np.diff(firsts, append=len(data)))
    return steps


def _steps_of(data: np.ndarray) -> np.ndarray:
    steps: np.ndarray = np.ones(data.shape)
    undecided = np.isfinite(data) & (data >= KIB)
    for scale in _LETTERS:
        for parts in (10, 100):
            fits = undecided & (data >= scale * 0.99995) & _is_multiple(data, scale / parts)
            steps[fits] = scale / parts
            undecided &= ~fits
    return steps


def _is_multiple(data: np.ndarray, step: float) -> np.ndarray:
    whole: np.ndarray = np.abs(np.round(np.round(data / step) * step) - data) < 0.75
    return whole


def printed_quanta(values: np.ndarray) -> np.ndarray:
    """The step in which the monitor would print each value: a tenth of its largest unit, 1 below 1 KiB."""
    data = np.abs(np.asarray(values, dtype="float64"))
    steps: np.ndarray = np.ones(data.shape)
    for scale in reversed(_LETTERS):
        steps = np.where(data >= scale, scale / 10, steps)
    return steps


def row_quanta(column: str, screens: np.ndarray, values: np.ndarray, info: Mapping[str, Any]) -> np.ndarray:
    """The step, in bytes, of each row of a size column: from run.json's ``resolution``, else judged by the values.

    ``screens`` and ``values`` have one length. Rows before the first noted screen take the first noted step.
    """
    runs: Sequence[Sequence[float]] = (info.get("resolution") or {}).get(column) or []
    if not runs:
        return inferred_quanta(values)
    firsts = np.array([run[0] for run in runs])
    steps = np.array([run[1] for run in runs], dtype="float64")
    quanta: np.ndarray = steps[np.maximum(np.searchsorted(firsts, screens, side="right") - 1, 0)]
    return quanta
