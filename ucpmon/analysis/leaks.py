"""Whether a level grows while nothing new is loaded, how fast, and what growth would have been noticed.

The evidence is asked of the means of equally long blocks of time, not of single rows: their increments must be
positive with a one-sided Student t test at ``LEVEL``. Increments are what a step, a random walk or a sawtooth fails:
one step makes one increment and the others zero, so that their spread is as large as their mean. Beside that the growth
must be a few printed steps, go on to the end, and never be given back.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ucpmon.analysis.levels import FREE, Track
from ucpmon.analysis.resolution import printed_quanta

LEAK, NONE, STEPS, SHORT = "leak", "no leak seen", "grows in steps", "too little data"
LEVEL = 0.0005
PAGE = 4096
"""Memory is handed out in pages of this many bytes: no level grows in finer steps, however fine it is printed."""
WARM_UP = 0.1
"""Share of the time at the start that is not judged: caches fill, buffers are allocated once."""
LEAST_ROWS = 8
_MOST_ROWS = 360
_BLOCKS = ((60, 12), (30, 9), (12, 6), (0, 5))
# Student's t: one-sided LEVEL and two-sided 5 %, by degrees of freedom (NIST handbook 1.3.6.7.2 for the latter).
_T_EVIDENCE = {3: 12.924, 4: 8.610, 7: 5.041, 10: 4.587}
_T_INTERVAL = {3: 3.182, 4: 2.776, 7: 2.365, 10: 2.228}
_SURROGATES = 48
_FOUND = 0.97
"""Share of simulated leaks that must be found at a slope that is claimed; above 90 %, for the next run differs."""


@dataclass(frozen=True)
class Growth:
    """How one level moved from ``start_s`` to ``end_s`` (warm-up left out).

    ``verdict`` is ``leak``, ``no leak seen``, ``grows in steps`` or ``too little data``. ``slope`` and its 95 %
    interval ``low``..``high`` are in bytes per second, of the least-squares line; ``r2`` is its share of the variance.
    ``smallest`` is the slowest steady growth, in bytes per second, that would have been called a leak in at least 90 %
    of runs like this one; ``None`` where it is not known. ``level`` is the line's value at ``start_s``, in bytes.
    """

    subject: str
    kind: str
    source: str
    verdict: str
    start_s: float
    end_s: float
    rows: int
    slope: float = 0.0
    low: float = 0.0
    high: float = 0.0
    r2: float = 0.0
    level: float = 0.0
    smallest: float | None = None
    full_at_s: float | None = None


def growth(subject: str, kind: str, track: Track, capacity: float = np.inf) -> Growth:
    """The growth of a level; ``track`` holds the rows of one running phase, with its warm-up.

    ``kind`` says what it is (``used``, ``hbmem``, ``rss``). Rows from where the level reaches ``capacity`` (bytes)
    on are left out: a full heap cannot grow.
    """
    full = np.flatnonzero(track.values >= capacity)
    full_at = float(track.times[full[0]]) if len(full) and capacity > 0 else None
    judged = _judged(track if full_at is None else track.where(track.times < full_at))
    span = (float(judged.times[0]), float(judged.times[-1])) if len(judged.times) else (0.0, 0.0)
    short = Growth(subject, kind, track.source, SHORT, *span, len(judged.times), full_at_s=full_at)
    if len(judged.times) < LEAST_ROWS or np.ptp(judged.times) <= 0:
        return short
    series = _Series.of(judged)
    line = series.line()
    verdict = series.verdict()
    smallest = None if verdict == LEAK else series.smallest()
    return Growth(
        subject, kind, track.source, verdict, *span, len(judged.times),
        line.slope, line.slope - line.half, line.slope + line.half, line.r2, line.level, smallest, full_at,
    )  # fmt: skip


def _judged(track: Track) -> Track:
    if not len(track.times):
        return track
    start, end = float(track.times[0]), float(track.times[-1] + track.seconds[-1])
    return track.where((track.times >= start + WARM_UP * (end - start)) & (track.seconds > 0))


@dataclass(frozen=True)
class _Line:
    slope: float
    half: float
    r2: float
    level: float


@dataclass(frozen=True)
class _Series:
    """``values`` at the middles ``times`` of the time that each held, with the weights and printed steps of each."""

    times: np.ndarray
    weights: np.ndarray
    values: np.ndarray
    step: float
    grows_coarser: bool
    """Whether it was printed itself; of ``total − free`` a shrinking figure was."""
    blocks: np.ndarray
    """(blocks, rows): row weights of each block of time; each row sums to 1."""

    @classmethod
    def of(cls, track: Track) -> _Series:
        times, weights = track.times + track.seconds / 2, track.seconds
        values = track.values
        if len(times) > _MOST_ROWS:
            times, weights, values = _thinned(times, weights, values)
        step = max(2 * float(track.change_error.max()), PAGE)
        return cls(times, weights, values, step, track.source != FREE, _blocks(times, weights))

    def verdict(self) -> str:
        means = self.values[None, :] @ self.blocks.T
        if bool(self._is_leak(means)[0]):
            return LEAK
        rise = float(means[0, -1] - means[0, 0])
        steps = np.diff(means[0])
        noise = float(np.median(np.abs(steps)))
        return STEPS if rise > max(3 * self.step, 6 * noise) and rise > 0.7 * float(np.ptp(means)) else NONE

    def _is_leak(self, means: np.ndarray) -> np.ndarray:
        """For each row of (series, blocks) whether its growth is steady."""
        centres = self.blocks @ self.times
        # Increments per equal time: rows may stand unevenly.
        steps = np.diff(means, axis=1) * (np.ptp(centres) / (len(centres) - 1) / np.diff(centres))
        count = steps.shape[1]
        mean, rise = steps.mean(axis=1), means[:, -1] - means[:, 0]
        error = steps.std(axis=1, ddof=1) / np.sqrt(count)
        lost = (np.maximum.accumulate(means, axis=1) - means).max(axis=1)
        last = steps[:, -(count // 3) :].mean(axis=1)
        found: np.ndarray = (
            (mean > _T_EVIDENCE[count - 1] * error)
            & (rise >= 3 * self.step)
            & (rise > 0)
            & (lost <= 0.25 * rise)
            & (last >= 0.4 * mean)
            & (steps.max(axis=1) <= 3.2 * mean)
        )
        return found

    def line(self) -> _Line:
        x, y, w = self.times, self.values, self.weights / self.weights.sum()
        x0, y0 = float((w * x).sum()), float((w * y).sum())
        sxx, sxy = float((w * (x - x0) ** 2).sum()), float((w * (x - x0) * (y - y0)).sum())
        syy = float((w * (y - y0) ** 2).sum())
        slope = sxy / sxx
        left = y - y0 - slope * (x - x0)
        # Rows depend on their neighbours; block means hardly do.
        centres, means = self.blocks @ x, self.blocks @ left
        spread = float(((centres - centres.mean()) ** 2).sum())
        free = len(means) - 2
        error = np.sqrt(float((means**2).sum()) / free / spread)
        half = _T_INTERVAL[len(means) - 2] * error + self.step / float(np.ptp(x))
        r2 = 1.0 - float((w * left**2).sum()) / syy if syy > 0 else 0.0
        return _Line(slope, float(half), max(0.0, r2), y0 + slope * (float(x[0]) - x0))

    def smallest(self) -> float | None:
        """The smallest slope at which series like this one, with that slope added and printed again, are leaks.

        Like this one: its rows moved around in time, forwards and backwards; its noise, steps and sawtooth stay.
        """
        unit = max(self.step, float(np.ptp(self.values))) / float(np.ptp(self.times))
        slopes = unit * np.geomspace(0.25, 50, 48)
        alike = self._surrogates()
        found = np.array([self._found(alike, s) for s in slopes])
        good = np.flatnonzero(np.minimum.accumulate(found[::-1])[::-1] >= _FOUND)
        return float(slopes[good[0]] * 1.1) if len(good) else None

    def _found(self, alike: np.ndarray, slope: float) -> float:
        series = alike + slope * (self.times - self.times[0])
        # A level that grows past 1024M is printed in steps of 0.1G.
        steps = np.maximum(self.step, printed_quanta(series)) if self.grows_coarser else self.step
        series = np.round(series / steps) * steps
        return float(self._is_leak(series @ self.blocks.T).mean())

    def _surrogates(self) -> np.ndarray:
        rng = np.random.default_rng(20251)
        n = len(self.values)
        shifts = rng.integers(0, n, _SURROGATES)
        rows = [np.roll(self.values[:: -1 if i % 2 else 1], int(k)) for i, k in enumerate(shifts)]
        series: np.ndarray = np.array(rows) + rng.uniform(-0.5, 0.5, (len(rows), 1)) * self.step
        return series


def _thinned(times: np.ndarray, weights: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weighted means over at most ``_MOST_ROWS`` equal spans of time."""
    edges = np.linspace(times[0], times[-1], _MOST_ROWS + 1)
    places = np.clip(np.searchsorted(edges, times, side="right") - 1, 0, _MOST_ROWS - 1)
    total = np.bincount(places, weights, _MOST_ROWS)
    full = total > 0
    x = np.bincount(places, weights * times, _MOST_ROWS)[full] / total[full]
    y = np.bincount(places, weights * values, _MOST_ROWS)[full] / total[full]
    return x, total[full], y


def _blocks(times: np.ndarray, weights: np.ndarray) -> np.ndarray:
    count = next(blocks for rows, blocks in _BLOCKS if len(times) >= rows)
    edges = np.linspace(times[0], times[-1], count + 1)
    places = np.clip(np.searchsorted(edges, times, side="right") - 1, 0, count - 1)
    matrix = np.zeros((count, len(times)))
    matrix[places, np.arange(len(times))] = weights
    sums = matrix.sum(axis=1, keepdims=True)
    if (sums <= 0).any():
        # Rows stand too unevenly for blocks of time (a gap): blocks of equally many rows then.
        matrix = np.zeros((count, len(times)))
        matrix[np.arange(len(times)) * count // len(times), np.arange(len(times))] = weights
        sums = matrix.sum(axis=1, keepdims=True)
    shares: np.ndarray = matrix / sums
    return shares
