"""Where a series of memory levels shows a model being loaded, running and being released."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ucpmon.analysis.segments import Piece, pieces

# Below this share of a model's own height above its base, its memory counts as given back.
_RELEASED = 0.35
# A rise while a model runs is another model's from this share of its height on, and a step in its work below.
_ANOTHER = 0.3
# A change of less than this share of the level it starts from is no model's.
_LEAST = 0.05
# A series that peaks more often while it runs is at work: the peaks are no models.
_MOST_PEAKS = 4


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


def cycles(times: np.ndarray, values: np.ndarray, step: float, least: float) -> list[Cycle]:
    """The models' lives in a series (s, bytes; one length, no NaN), in order; empty where nothing was loaded.

    ``step`` is the coarsest step in which the values were printed, ``least`` the smallest change worth a phase.
    """
    if len(values) < 3:
        return []
    steps = np.diff(values)
    noise = 1.4826 * float(np.median(np.abs(steps - np.median(steps)))) / np.sqrt(2)
    material = max(0.02 * float(np.ptp(values)), 2 * step, 6 * noise, least)
    found = pieces(times, values, material)
    if len(found) < 2:
        return []
    return _without_peaks(_Reader(times, values, step, material, found).read())


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


class _Reader:
    """Reads pieces from left to right: idle, loading, running, released, idle…"""

    def __init__(self, times: np.ndarray, values: np.ndarray, step: float, material: float, found: list[Piece]) -> None:
        self.times, self.values, self.step, self.material, self.pieces = times, values, step, material, found
        self.floor = min(min(p.start, p.stop) for p in found)
        self.settled: dict[tuple[int, int, float], int] = {}
        self.out: list[Cycle] = []

    def read(self) -> list[Cycle]:
        at = self._first()
        while at < len(self.pieces):
            at = self._load(at) if self._rises(at - 1) else at + 1
        return self.out

    def _first(self) -> int:
        """Read a life that was under way when the series starts; the index of the first piece after it."""
        start = self.pieces[0]
        if self._low(start, self.floor, float(self.values.max())) or start.start < self.floor + 2 * self.material:
            return 1
        settled = self._settle(0, 0, self.floor) if self._drops(0) else 0
        return self._run(None, 0 if settled else None, settled, self.floor)

    def _load(self, first: int) -> int:
        """Read the life whose load begins with piece ``first``; the index of the first piece after it."""
        base = self.pieces[first - 1]
        return self._run(first - 1, first, self._settle(first, first, base.stop), base.stop)

    def _run(self, before: int | None, load: int | None, run: int, base: float, stacked: bool = False) -> int:
        """Read on from the piece ``run``, the first one of running."""
        height = self.pieces[run].start
        after = run + 1
        if height - base < _LEAST * height:
            return after
        while after < len(self.pieces):
            if self._is_release(after, base + _RELEASED * (height - base)):
                self._add(before, load, run, after, self._idle_end(after), stacked)
                return after + 1
            if self._jump(after - 1) >= max(self.material, _ANOTHER * (height - base)):
                self._add(before, load, run, None, after, stacked)
                return self._next_model(after, before, base, height)
            after += 1
        self._add(before, load, run, None, after, stacked)
        return after

    def _next_model(self, first: int, before: int | None, base: float, height: float) -> int:
        """A load while a model runs: where the level ends no higher than before, that model made room for it."""
        settled = self._settle(first, first, base)
        if self.pieces[settled].start > height + self.material:
            return self._run(first - 1, first, settled, self.pieces[first - 1].stop, True)
        return self._run(before, first, settled, base)

    def _is_release(self, at: int, low: float) -> bool:
        """Whether the memory is given back with piece ``at``: at once, or along a slope that ends low."""
        here = self.pieces[at]
        if here.start <= low:
            return True
        falls = here.change <= -self.material and here.stop <= low
        return falls and at + 1 < len(self.pieces) and self.pieces[at + 1].start <= low

    def _idle_end(self, release: int) -> int:
        """One past the last piece of a released phase."""
        after = release + 1
        while after < len(self.pieces) and not self._rises(after - 1):
            after += 1
        return after

    def _settle(self, at: int, first: int, base: float) -> int:
        """The piece in which a load that began with piece ``first`` has settled, looking from piece ``at`` on."""
        key = at, first, base
        if key not in self.settled:
            last = at + 1 == len(self.pieces) or self._low(self.pieces[at + 1], base, self.pieces[at].stop)
            stays = last or not self._is_stage(at, first, base)
            self.settled[key] = at if stays else self._settle(at + 1, first, base)
        return self.settled[key]

    def _is_stage(self, at: int, first: int, base: float) -> bool:
        """Whether piece ``at`` is still a stage of loading, judged by what follows it."""
        here = self.pieces[at]
        lasts = self._seconds(at)
        if self._rises(at):
            settled = self._settle(at + 1, at + 1, base)
            rest = self.pieces[settled].start_s - self.pieces[at + 1].start_s
            return lasts < 3 * rest or lasts < 0.2 * self._seconds(settled)
        settled = self._settle(at + 1, first, base)
        follows = self.pieces[settled].start_s + self._seconds(settled) - self.pieces[at + 1].start_s
        if self._drops(at):
            # What only loading needed is given back: a peak is shorter than what follows it, if that was seen whole.
            patience = 5.0 if settled + 1 == len(self.pieces) else 2.0
            so_far = here.start_s - self.pieces[first].start_s
            return lasts <= patience * follows and (at == first or lasts <= max(so_far, 0.2 * follows))
        return self._is_ramp(at, base) and lasts <= 2 * follows

    def _is_ramp(self, at: int, base: float) -> bool:
        """Whether piece ``at`` climbs from near the base, steeper than what was before it."""
        here = self.pieces[at]
        climbs = here.change >= self.material and here.start - base <= 0.5 * (here.stop - base)
        return climbs and (at == 0 or here.slope > 4 * abs(self.pieces[at - 1].slope))

    def _rises(self, at: int) -> bool:
        return self._jump(at) >= self.material or self._is_ramp(at + 1, self.pieces[at].stop)

    def _drops(self, at: int) -> bool:
        return self._jump(at) <= -self.material or self.pieces[at].change <= -self.material

    def _jump(self, at: int) -> float:
        """How far the level jumps up between piece ``at`` and the next."""
        return self.pieces[at + 1].start - self.pieces[at].stop

    def _low(self, piece: Piece, base: float, height: float) -> bool:
        return piece.start <= base + max(0.05 * (height - base), self.material)

    def _seconds(self, at: int) -> float:
        """From this piece's first row to the next one's."""
        last = at + 1 == len(self.pieces)
        return (self.pieces[at].stop_s if last else self.pieces[at + 1].start_s) - self.pieces[at].start_s

    def _add(
        self, before: int | None, load: int | None, run: int, release: int | None, end: int, stacked: bool
    ) -> None:
        """Pieces are cut where lines fit best; rows tell to the row where a level was left and where it was reached."""
        rows = [p.first for p in self.pieces] + [len(self.values)]
        load_row = None if load is None else 0 if before is None and load == 0 else self._left(load - 1, rows[load])
        run_row: int | None = rows[run] if load is None else self._reached(run, rows[run], load_row or 0)
        if load is not None and run + 1 == len(self.pieces) and not self._has_settled(run):
            run_row = None
        release_row = None if release is None else self._left(release - 1, rows[release])
        idle = None if before is None else (rows[before], min(rows[before + 1], load_row or rows[before + 1]))
        self.out.append(Cycle(idle, load_row, run_row, release_row, rows[end], stacked))

    def _has_settled(self, last: int) -> bool:
        """Whether the last piece is long enough, and level enough, to be more than a stage of loading."""
        return self.pieces[last].end - self.pieces[last].first > 2 and not self._is_ramp(
            last, self.pieces[last - 1].stop
        )

    def _left(self, at: int, row: int) -> int:
        """The first row, near ``row``, that is off the line of piece ``at``."""
        piece = self.pieces[at]
        while row - 1 > piece.first and not self._on(piece, row - 1):
            row -= 1
        while row + 1 < len(self.values) and self._on(piece, row):
            row += 1
        return row

    def _reached(self, at: int, row: int, least: int) -> int:
        """The first row, near ``row`` and not before ``least``, from which on the series lies on the line of ``at``."""
        piece = self.pieces[at]
        while row > least and self._on(piece, row - 1):
            row -= 1
        while row + 1 < (piece.first + piece.end) // 2 and not self._on(piece, row):
            row += 1
        return row

    def _on(self, piece: Piece, row: int) -> bool:
        tolerance = max(1.01 * self.step, 6 * piece.noise, 0.01 * self.material)
        return abs(float(self.values[row] - piece.at(float(self.times[row])))) <= tolerance
