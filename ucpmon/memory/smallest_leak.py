"""The smallest leak that would have been seen: found by adding slopes to the series itself and judging again."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ucpmon.memory.steady_growth import Window, steady_part
from ucpmon.metrics import GIB
from ucpmon.statistics.resolution import printed_quanta

_SURROGATES = 40
_FOUND = 0.97
"""Share of the series with a leak added in which it must be found; above the 90 % claimed, for the next run differs."""
_RATIO = 1.5
_REFINEMENTS = 3


def smallest_leak(
    window: Window, values: np.ndarray, steps: np.ndarray, capacity: float, printed_itself: bool
) -> float | None:
    """Bytes per second of the slowest steady growth that is found in at least 90 % of series like this one.

    Like this one: its rows moved around in time, forwards and backwards, so that its noise, steps and sawtooth stay;
    the slope is added and the sum is rounded as it would be printed. Every faster growth must be found too, up to one
    that fills the heap. ``printed_itself`` is false of a difference: as it grows it is not printed more coarsely.
    ``None`` where no slope is found often enough.
    """
    step = float(steps.max())
    unit = max(step, float(np.ptp(values))) / window.seconds
    # A level that grows past 1024M is printed in steps of 0.1G: slopes go on to where that is no hindrance.
    most = max(50 * unit, (2 * GIB if printed_itself else 0) / window.seconds)
    most = min(most, (capacity - float(values.max())) / window.seconds)
    alike, ramp = _alike(values, step), window.times - window.times[0]

    def seen(slope: float) -> bool:
        return _most_are_found(window, alike + slope * ramp, step, capacity, printed_itself)

    slope = _least(seen, unit / 4, most)
    # Of few rows the noise is known less well.
    return None if slope is None else slope * (1.1 + 8 / len(values))


def _least(seen: Callable[[float], bool], low: float, high: float) -> float | None:
    """The smallest slope that is seen, coming down from ``high``, within a few percent."""
    if high <= low or not seen(high):
        return None
    good = high
    while good > low and seen(good / _RATIO):
        good /= _RATIO
    bad = good / _RATIO
    for _ in range(_REFINEMENTS):
        middle = float(np.sqrt(good * bad))
        good, bad = (middle, bad) if seen(middle) else (good, middle)
    return good


def _most_are_found(window: Window, series: np.ndarray, step: float, capacity: float, printed_itself: bool) -> bool:
    """Whether a share of ``_FOUND`` of the series, as they would be printed, grow steadily."""
    steps = np.maximum(step, printed_quanta(series)) if printed_itself else np.full(series.shape, step)
    printed = np.round(series / steps) * steps
    # The first is the series as it was: if the leak is missed in that, the claim would be plainly wrong.
    if steady_part(window, printed[0], steps[0], capacity) is None:
        return False
    simple = (steps.max(axis=1) == steps.min(axis=1)) & (printed.max(axis=1) < capacity)
    found = window.are_steady(printed[simple], steps[simple].max(axis=1, initial=step))
    # The others take long, one by one: not one more is looked at than is needed to know.
    possible = len(series) - int((~found).sum())
    for i in np.flatnonzero(~simple):
        if possible / len(series) < _FOUND:
            break
        possible -= steady_part(window, printed[i], steps[i], capacity) is None
    return possible / len(series) >= _FOUND


def _alike(values: np.ndarray, step: float) -> np.ndarray:
    """Series of the same rows in another order, each off by a part of a printed step; shape (series, rows).

    The first is the series as it was.
    """
    rng = np.random.default_rng(20251)
    shifts = [0, *rng.integers(0, len(values), _SURROGATES - 1)]
    rows = [np.roll(values[:: -1 if i % 2 else 1], int(k)) for i, k in enumerate(shifts)]
    series: np.ndarray = np.array(rows) + rng.uniform(-0.5, 0.5, (len(rows), 1)) * step
    return series
