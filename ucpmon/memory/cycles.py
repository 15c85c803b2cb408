"""Where a series of memory levels shows a model being loaded, running and being released."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np

from ucpmon.memory.reading import Cycle, read
from ucpmon.memory.segments import Course, Scale
from ucpmon.statistics.change_points import Piece, pieces

# A change of less than this share of the whole range is not looked at.
_NOTICED = 0.02
# A life has fewer pieces than this, unless its work moves the level.
_MOST_PIECES = 12
# So many rows are compared on each side of a change.
_NEAR = 3
# A series that peaks more often while it runs is at work: the peaks are no models.
_MOST_PEAKS = 4


def cycles(times: np.ndarray, values: np.ndarray, step: float, least: float) -> list[Cycle]:
    """The models' lives in a series (s, bytes; one length, no NaN), in order; empty where nothing was loaded.

    ``step`` is the coarsest step in which the values were printed, ``least`` the smallest change worth a phase.
    """
    if len(values) < 3:
        return []
    own = float(np.ptp(values))
    scale = Scale(max(_NOTICED * own, 1.5 * step, least), noise_of(values), step)
    found = pieces(times, values, scale.material)
    while _is_busy(found, own) and scale.material < own / 4:
        # Its work moves the level all the time: what counts must be larger than that.
        scale = replace(scale, least=1.5 * scale.material)
        found = pieces(times, values, scale.material)
    lives = _without_peaks(read(times, values, Course(found, scale))) if len(found) > 1 else []
    starts = [0, *(c.end if c.release is None else c.release for c in lives)]
    lives = [c for c, idle in zip(lives, starts, strict=False) if _stands_out(c, values, idle)]
    return [_closer(c, times, values, step, least) for c in lives] if len(lives) > 1 else lives


def _stands_out(cycle: Cycle, values: np.ndarray, idle_row: int) -> bool:
    """Whether the model moved the level by more than it moves when nothing is loaded, which is from ``idle_row`` on."""
    start = cycle.load if cycle.load is not None else cycle.run or 0
    if cycle.before:
        idle = values[min(idle_row, cycle.before[0]) : cycle.before[1]]
        top = values[start if cycle.run is None else cycle.run :][:_NEAR]
        height = float(np.median(top) - np.median(idle[-_NEAR:]))
    elif cycle.release is not None:
        idle = values[cycle.release : cycle.end]
        height = float(np.median(values[start : cycle.release][-_NEAR:]) - np.median(idle[:_NEAR]))
    else:
        return True
    return height >= 1.5 * float(np.percentile(idle, 95) - np.percentile(idle, 5))


def noise_of(values: np.ndarray) -> float:
    """The spread of one row around its neighbours, as a standard deviation; jumps and slopes hardly count."""
    steps = np.diff(values)
    return 1.4826 * float(np.median(np.abs(steps - np.median(steps)))) / math.sqrt(2)


def _is_busy(found: list[Piece], own: float) -> bool:
    """Whether there are more pieces than lives can have, by the number of times that the level comes down."""
    floor = min(p.start for p in found) + 0.1 * own
    visits = sum(a.start <= floor < b.start for a, b in pairwise(found))
    return len(found) > _MOST_PIECES * (visits + 1)


def _closer(cycle: Cycle, times: np.ndarray, values: np.ndarray, step: float, least: float) -> Cycle:
    """A life read again by itself: beside a much larger one, what a small one does is easily overlooked."""
    first = min(r for r in (cycle.before and cycle.before[0], cycle.load, cycle.run) if r is not None)
    part = slice(first, cycle.end)
    if float(np.ptp(values[part])) > 0.5 * float(np.ptp(values)):
        return cycle
    again = cycles(times[part], values[part], step, least)
    return again[0].later(first) if len(again) == 1 and not cycle.stacked else cycle


def _without_peaks(found: list[Cycle]) -> list[Cycle]:
    """Lives that only replaced each other, without a release between them, as one where there are many of them."""
    merged: list[Cycle] = []
    for cycle in found:
        last = merged[-1] if merged else None
        if last and last.release is None and not cycle.stacked:
            merged[-1] = Cycle(last.before, last.load, last.run, cycle.release, cycle.end, last.stacked)
        else:
            merged.append(cycle)
    return merged if len(found) - len(merged) >= _MOST_PEAKS else found
