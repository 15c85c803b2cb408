"""Whether a level grows while nothing new is loaded, how fast, and what growth would have been noticed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ucpmon.memory.levels import FREE, Track
from ucpmon.memory.smallest_leak import smallest_leak
from ucpmon.memory.steady_growth import LEAST_ROWS, Window, steady_part, thinned, until_full
from ucpmon.statistics.standard_error import MOST_R, autocorrelation
from ucpmon.statistics.student import upper_quantile

LEAK, NONE, STEPS, SHORT = "leak", "no leak seen", "grows in steps", "too little data"
PAGE = 4096
"""Memory is handed out in pages of this many bytes: no level grows in finer steps, however fine it is printed."""
WARM_UP = 0.1
"""Share of the time at the start that is not judged: caches fill, buffers are allocated once."""
_EACH_SIDE = 0.025
"""Probability of a true slope above, and as much of one below, the interval that is given."""
_BY_CHANCE = 3.0
"""Correlations of independent rows stay within this, divided by the root of their number."""


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

    @property
    def title(self) -> str:
        """``carveout used``, ``infer (812) rss``."""
        return f"{self.subject} {self.kind}"


def growth(subject: str, kind: str, track: Track, capacity: float = np.inf) -> Growth:
    """The growth of a level; ``track`` holds the rows of one running phase, with its warm-up.

    ``kind`` says what it is (``used``, ``hbmem``, ``rss``). Rows from where the level reaches ``capacity`` (bytes)
    on are left out: a full heap cannot grow.
    """
    judged = _judged(track)
    end = until_full(judged.values, capacity)
    full_at = float(judged.times[end]) if end < len(judged.times) else None
    short = Growth(subject, kind, track.source, SHORT, *_span(judged), end, full_at_s=full_at)
    if end < LEAST_ROWS or float(np.ptp(judged.times[:end])) <= 0:
        return short
    times, weights, values, steps = _rows(judged)
    window = Window.of(times, weights)
    leak = steady_part(window, values, steps, capacity)
    rows = leak or slice(0, until_full(values, capacity))
    part, step = window.part(rows) or window, float(steps[rows].max())
    line = _Line.of(part, values[rows], step)
    return replace(
        short,
        verdict=LEAK if leak else _steps_or_none(part, values[rows], step),
        smallest=None if leak else smallest_leak(window, values, steps, capacity, track.source != FREE),
        slope=line.slope,
        low=line.slope - line.half,
        high=line.slope + line.half,
        r2=line.r2,
        level=line.at(float(times[0])),
    )


def _judged(track: Track) -> Track:
    if not len(track.times):
        return track
    start, end = float(track.times[0]), float(track.times[-1] + track.seconds[-1])
    return track.where((track.times >= start + WARM_UP * (end - start)) & (track.seconds > 0))


def _span(track: Track) -> tuple[float, float]:
    return (float(track.times[0]), float(track.times[-1])) if len(track.times) else (0.0, 0.0)


def _rows(track: Track) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Times, weights, values and steps: a value stands at the middle of the time that it held."""
    steps = np.maximum(2 * track.change_error, PAGE)
    return thinned(track.times + track.seconds / 2, track.seconds, track.values, steps)


def _steps_or_none(window: Window, values: np.ndarray, step: float) -> str:
    means = window.blocks @ values
    rise, noise = float(means[-1] - means[0]), float(np.median(np.abs(np.diff(means))))
    return STEPS if rise > max(3 * step, 6 * noise) and rise > 0.7 * float(np.ptp(means)) else NONE


def _wander(left: np.ndarray, weights: np.ndarray, step: float) -> float:
    """The standard error of a mean of rows that resemble the ones before for longer than a block; 0 where they do not.

    ``left`` is the distance of each row from the line, in bytes, ``weights`` have sum 1. What rounding to ``step``
    makes of it is not counted.
    """
    count, variance = len(left), float((weights * left**2).sum()) - step**2 / 12
    r = autocorrelation(left) if variance > 0 else 0.0
    if r <= _BY_CHANCE / np.sqrt(count):
        return 0.0
    # The line takes two degrees of freedom, and with them a part of what the rows have in common.
    r = min(r + (2 + 4 * r) / count, MOST_R)
    worth = max(count * (1 - r) / (1 + r), 3.0)
    return float(np.sqrt(variance / (1 - 2 / worth) / count * (1 + r) / (1 - r)))


@dataclass(frozen=True)
class _Line:
    """The weighted least-squares line through (``x``, ``y``), ``half`` its slope's 95 % interval to each side."""

    x: float
    y: float
    slope: float
    half: float
    r2: float

    @classmethod
    def of(cls, window: Window, values: np.ndarray, step: float) -> _Line:
        times, w = window.times, window.weights / window.weights.sum()
        x, y = float((w * times).sum()), float((w * values).sum())
        slope = float((w * (times - x) * (values - y)).sum()) / float((w * (times - x) ** 2).sum())
        left = values - y - slope * (times - x)
        # The interval is that of the means of blocks: rows depend on their neighbours.
        centres, means = window.blocks @ times, window.blocks @ left
        free = len(means) - 2
        error = float(np.sqrt((means**2).sum() / free / ((centres - centres.mean()) ** 2).sum()))
        error = max(error, _wander(left, w, step) / float(np.sqrt((w * (times - x) ** 2).sum())))
        spread = float((w * (values - y) ** 2).sum())
        r2 = max(0.0, 1.0 - float((w * left**2).sum()) / spread) if spread > 0 else 0.0
        # Rounding bends a line by up to half a step at both ends, however many rows there are.
        return cls(x, y, slope, upper_quantile(_EACH_SIDE, free) * error + step / window.seconds, r2)

    def at(self, seconds: float) -> float:
        return self.y + self.slope * (seconds - self.x)
