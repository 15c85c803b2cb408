"""For how many seconds each row's value holds: the weights of every statistic over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

_NOMINAL_S = 1.0
"""The monitor's own default interval: the last resort where nothing else tells one."""

_BY_SIGNAL = ("(SIGINT)", "(SIGTERM)", "(SIGHUP)")


def row_seconds(frame: pd.DataFrame, info: Mapping[str, Any]) -> np.ndarray:
    """Seconds that each row of a screens frame holds, float64 of shape (rows,).

    ``info`` is the run's run.json: a value ends at a gap (``quality.gaps``) or a stall, where nobody knows it. The last
    holds until the recording was ended: a terminal's silence means that nothing changed.
    """
    times, unknown = frame["elapsed_s"].to_numpy(), unknown_spans(info.get("quality") or {})
    seconds = hold_seconds(times, unknown, asked_interval(info))
    end = watched_until(info)
    if len(times) and end is not None and not any(stop > times[-1] for _, stop in unknown):
        seconds[-1] = max(seconds[-1], end - times[-1])
    return seconds


def watched_until(info: Mapping[str, Any]) -> float | None:
    """When a recording of a live monitor was ended as wanted, in seconds; ``None`` where it was not, or is not known.

    A monitor that died, froze or could no longer be reached did not say until when its last figures held.
    """
    ended = str(info.get("ended") or "")
    wanted = (
        ended in ("duration reached", "count reached") or ended.endswith(_BY_SIGNAL) or ended.startswith("the workload")
    )
    ends = [m["elapsed_s"] for m in info.get("markers") or () if m.get("label") == f"ucpmon: {ended}"]
    return float(ends[-1]) if wanted and ends and ends[-1] is not None else None


def unknown_spans(quality: Mapping[str, Any]) -> list[tuple[float, float]]:
    """Gaps and stalls of ``run.json``'s quality as (start, end) in seconds, in order of start."""
    spans = [*(quality.get("gaps") or []), *(quality.get("stalls") or [])]
    return sorted((float(start), float(end)) for start, end in spans)


def asked_interval(info: Mapping[str, Any]) -> float | None:
    """The refresh interval that was asked for, in seconds; ``None`` where it is not known."""
    asked = info.get("interval_s") or ((info.get("quality") or {}).get("interval") or {}).get("asked_s")
    return float(asked) if asked and float(asked) > 0 else None


def hold_seconds(
    elapsed_s: np.ndarray, gaps: Sequence[tuple[float, float]] = (), interval_s: float | None = None
) -> np.ndarray:
    """Seconds from each row to the next, but never across one of ``gaps``; float64, same shape as ``elapsed_s``.

    The last row, and a row at whose own time a gap starts, hold for ``interval_s``, or for the median interval where
    that is shorter or is all that is known. Rows of one moment (no clock at all) share the time equally.
    """
    times = np.asarray(elapsed_s, dtype="float64")
    steps = np.maximum(np.diff(times), 0.0)
    usual = typical_step(steps, interval_s)
    if not steps.any():
        return np.full(len(times), usual)
    seconds: np.ndarray = np.append(steps, usual)
    for start, end in gaps:
        _cut_at(seconds, times, start, end, usual)
    return seconds


def typical_step(steps: np.ndarray, interval_s: float | None) -> float:
    """Seconds for which a row without a successor holds."""
    known = steps[steps > 0]
    candidates = [float(np.median(known))] if len(known) else []
    return min([*candidates, *([interval_s] if interval_s else [])], default=_NOMINAL_S)


def _cut_at(seconds: np.ndarray, times: np.ndarray, start: float, end: float, usual: float) -> None:
    row = int(np.searchsorted(times, start, side="right")) - 1
    if row < 0 or times[row] >= end or seconds[row] <= start - times[row]:
        return
    seconds[row] = start - times[row] or min(usual, seconds[row])
