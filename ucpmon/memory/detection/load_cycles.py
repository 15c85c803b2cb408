"""Where a series of memory levels shows a model being loaded, running and being released."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ucpmon.memory.detection.segments import Course, Scale
from ucpmon.memory.detection.settling import RELEASED, Settling, is_release, leave
from ucpmon.statistics.change_points import Cuts, Piece

# A change of less than this share of the whole range is not looked at.
_NOTICED = 0.02
# A life has fewer pieces than this, unless its work moves the level.
_MOST_PIECES = 12
# So many rows are compared on each side of a change.
_NEAR = 3
# A series that peaks more often while it runs is at work: the peaks are no models.
_MOST_PEAKS = 4
# A change of less than this share of the level it starts from is no model's.
_LEAST = 0.05
# A level is reached at most so many rows behind where the lines that fit best meet.
_SLIP = 3


@dataclass(frozen=True)
class Cycle:
    """One model's life, as indices of rows: the first row of each phase, ``None`` where it was not seen.

    ``load`` equals ``run`` where loading took less than a row; ``run`` is ``None`` when the series ends before the
    level settles; ``release`` when the memory is never given back. ``end`` is one past the last row of this model's
    phases. ``before`` is the first row of its baseline and one past the last: that can end before the load, where this
    model took the place of another. ``stacked``: it came on top of another model, whose level is its baseline.
    """

    before: tuple[int, int] | None
    load: int | None
    run: int | None
    release: int | None
    end: int
    stacked: bool = False

    def later(self, rows: int) -> Cycle:
        """The same life, of a series that starts so many rows earlier."""
        before = (self.before[0] + rows, self.before[1] + rows) if self.before else None
        load, run, release = (None if r is None else r + rows for r in (self.load, self.run, self.release))
        return Cycle(before, load, run, release, self.end + rows, self.stacked)


def read(times: np.ndarray, values: np.ndarray, course: Course) -> list[Cycle]:
    """The lives that the course of a series shows, in order."""
    return _Reader(times, values, course).read()


class _Reader:
    """Reads from left to right. Its methods return the index of the first piece that they have not read."""

    def __init__(self, times: np.ndarray, values: np.ndarray, course: Course) -> None:
        self.times, self.values, self.course = times, values, course
        self.floor = max(min(min(p.start, p.stop) for p in course.pieces), float(values.min()))
        self.out: list[Cycle] = []

    def read(self) -> list[Cycle]:
        at = self._first()
        while at < len(self.course):
            at = self._load(at) if self.course.rises(at - 1) else at + 1
        return self.out

    def _first(self) -> int:
        """Read a life that was under way when the series starts."""
        start, least = self.course[0].start, self.course.scale.least
        if self.course.is_low(0, self.floor, float(self.values.max())) or start < self.floor + 2 * least:
            return 1
        settled = Settling(self.course, 0, self.floor).settled(0) if self.course.drops(0) else 0
        return self._run(None, 0 if settled else None, settled, self.floor)

    def _load(self, first: int) -> int:
        """Read the life whose load begins with piece ``first``."""
        base = self.course[first - 1].stop
        return self._run(first - 1, first, Settling(self.course, first, base).settled(first), base)

    def _run(self, before: int | None, load: int | None, run: int, base: float, stacked: bool = False) -> int:
        """Read on from the piece ``run``, the first one of running."""
        height = self.course[run].start
        if height - base < _LEAST * height:
            return run + 1
        after = leave(self.course, run, base)
        if after < len(self.course) and is_release(self.course, after, base + RELEASED * (height - base)):
            self._add(before, load, run, after, self._idle_end(after), stacked)
            return after + 1
        self._add(before, load, run, None, after, stacked)
        return self._next_model(after, before, base, height) if after < len(self.course) else after

    def _next_model(self, first: int, before: int | None, base: float, height: float) -> int:
        """A load while a model runs: where the level ends no higher than before, that model made room for it."""
        settled = Settling(self.course, first, base).settled(first)
        if self.course[settled].start > height + self.course.scale.least:
            return self._run(first - 1, first, settled, self.course[first - 1].stop, True)
        return self._run(before, first, settled, base)

    def _idle_end(self, release: int) -> int:
        """One past the last piece of a released phase."""
        after = release + 1
        while after < len(self.course) and not self.course.rises(after - 1):
            after += 1
        return after

    def _add(
        self, before: int | None, load: int | None, run: int, release: int | None, end: int, stacked: bool
    ) -> None:
        """Pieces are cut where lines fit best; rows tell to the row where a level was left and where it was reached."""
        rows = [p.first for p in self.course.pieces] + [len(self.values)]
        load_row = None if load is None else 0 if before is None and load == 0 else self._left(load - 1, rows[load])
        run_row: int | None = rows[run] if load is None else self._reached(run, rows[run], load_row or 0)
        if load is not None and release is None and not self._has_settled(run, end):
            run_row = None
        release_row = None if release is None else self._left(release - 1, rows[release])
        own_idle = load is not None and before == load - 1
        idle = None if before is None else (rows[before], load_row if own_idle and load_row else rows[before + 1])
        self.out.append(Cycle(idle, load_row, run_row, release_row, rows[end], stacked))

    def _has_settled(self, run: int, end: int) -> bool:
        """Whether what was never released is long enough, and level enough, to be more than a stage of loading."""
        rows = self.course[end - 1].end - self.course[run].first
        return rows > 2 and not self.course.is_ramp(run, self.course[run - 1].stop)

    def _left(self, at: int, row: int) -> int:
        """The first row, near ``row``, that is off the line of piece ``at``."""
        first = self.course[at].first
        while row - 1 > first and not self._on(at, row - 1, at):
            row -= 1
        while row + 1 < len(self.values) and self._on(at, row, at):
            row += 1
        return row

    def _reached(self, at: int, row: int, least: int) -> int:
        """The first row, near ``row`` and not before ``least``, from which on the series lies on the line of ``at``."""
        piece = self.course[at]
        while row > least and self._on(at, row - 1, at - 1):
            row -= 1
        later = next((r for r in range(row, min(row + _SLIP, piece.end)) if self._on(at, r, at - 1)), row)
        return max(row, later)

    def _on(self, at: int, row: int, edge: int) -> bool:
        """Whether a row lies on the line of piece ``at``, within its noise and within half of the jump at ``edge``."""
        piece, scale = self.course[at], self.course.scale
        jump = abs(self.course.jump(edge)) if 0 <= edge < len(self.course) - 1 else 0.0
        noise = min(6 * piece.noise, jump / 2) if jump > scale.least else 6 * piece.noise
        tolerance = max(1.01 * scale.step, noise, 0.01 * scale.least)
        return bool(abs(self.values[row] - piece.at(float(self.times[row]))) <= tolerance)


def cycles(times: np.ndarray, values: np.ndarray, step: float, least: float) -> list[Cycle]:
    """The models' lives in a series (s, bytes; one length, no NaN), in order; empty where nothing was loaded.

    ``step`` is the coarsest step in which the values were printed, ``least`` the smallest change worth a phase.
    """
    if len(values) < 3:
        return []
    own = float(np.ptp(values))
    scale = Scale(max(_NOTICED * own, 1.5 * step, least), noise_of(values), step)
    cuts = Cuts(times, values)
    found = cuts.pieces(scale.material)
    while _is_busy(found, own) and scale.material < own / 4:
        # Its work moves the level all the time: what counts must be larger than that.
        scale = replace(scale, least=1.5 * scale.material)
        found = cuts.pieces(scale.material)
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
