"""A table's rows as steps: a value holds until the next row, and where it ends before that nothing is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

# No figure of a monitor comes near it: a damaged table's 1e300 would make every other line flat.
_BEYOND = 1e18
Spans = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Steps:
    """The rows of ``frame`` inside a window of time.

    ``rows`` are their places in the frame, the one before the window too where its value still holds. ``t`` (n,) and
    ``take`` (n,) are the corners of the steps: ``take`` is the place in ``rows``, or −1 where nothing is known.
    """

    frame: Any
    rows: Any
    t: Any
    take: Any

    def column(self, name: str) -> Any:
        """(n,) the values of a column at ``t``; NaN where it has none."""
        return self.at(plausible(self.frame[name].to_numpy(dtype="float64")[self.rows]))

    def at(self, values: Any) -> Any:
        """(n,) ``values`` (one per row) at ``t``."""
        return np.where(self.take < 0, np.nan, values[self.take]) if len(values) else np.full(len(self.t), np.nan)


def plausible(values: Any) -> Any:
    """``values`` without those that no monitor prints."""
    return np.where(np.abs(values) < _BEYOND, values, np.nan)


def steps_of(frame: Any, seconds: Any, shift: float = 0.0, window: tuple[float, float] = (-np.inf, np.inf)) -> Steps:
    """The frame's rows as steps, ``shift`` seconds later than their ``elapsed_s``, clipped to ``window``.

    ``seconds`` is for how long each row's value holds, as from ``ucpmon.statistics.weights``.
    """
    times = frame["elapsed_s"].to_numpy(dtype="float64") + shift
    order = _in_time(times)
    rows = order[_window(times[order], seconds[order], *window)]
    t, take = _corners(times[rows], seconds[rows])
    return Steps(frame, rows, np.clip(t, *window), take)


def _in_time(times: Any) -> Any:
    """The rows that have a time, in order of it."""
    rows = np.flatnonzero(~np.isnan(times))
    return rows[np.argsort(times[rows], kind="stable")] if np.any(np.diff(times[rows]) < 0) else rows


def _window(at: Any, hold: Any, low: float, high: float) -> slice:
    """The rows inside, and the one before them if its value still holds when the window begins."""
    first, last = np.searchsorted(at, low, "right"), np.searchsorted(at, high, "right")
    if first and at[first - 1] + hold[first - 1] > low:
        first -= 1
    return slice(first, last)


def _corners(at: Any, hold: Any) -> tuple[Any, Any]:
    """The rows, a break wherever a value ends before the next row comes, and the end of the last value."""
    if not len(at):
        return at, np.empty(0, dtype="int64")
    ends = at + hold
    broken = np.flatnonzero(ends[:-1] < at[1:] - 1e-9)
    t: Any = np.insert(at, broken + 1, ends[broken])
    take: Any = np.insert(np.arange(len(at)), broken + 1, -1)
    return np.append(t, ends[-1]), np.append(take, take[-1])
