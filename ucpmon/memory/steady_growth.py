"""Whether series grow steadily: the evidence that a leak needs.

It is asked of the means of equally long blocks of time, not of single rows: their increments must be positive by a
one-sided Student t test at ``LEVEL``. A step makes one large increment and leaves the others near zero, so that their
spread is as large as their mean; a random walk, whose neighbouring means share a part of it, passes
up to twice in a thousand times; a sawtooth takes back what it gave.
Beside that the growth must be a few printed steps, go on to the end, not be given back, and come in no single block.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ucpmon.statistics.student import upper_quantile

LEVEL = 0.0005
"""Probability with which the mean of independent increments around zero passes the test."""
LEAST_ROWS = 8
_MOST_ROWS = 360
_BLOCKS = ((60, 12), (30, 9), (12, 6), (0, 5))
# The last third must go on at this share of the mean rate: what fills up slows down.
_STILL = 0.6


@dataclass(frozen=True)
class Window:
    """The rows of series of one length: the middle of the ``times`` that each row held (s), its ``weights`` (s).

    ``blocks`` has shape (blocks, rows): the weights of the rows in each block of time, with sum 1.
    """

    times: np.ndarray
    weights: np.ndarray
    blocks: np.ndarray

    @classmethod
    def of(cls, times: np.ndarray, weights: np.ndarray) -> Window:
        return cls(times, weights, _blocks(times, weights))

    @property
    def seconds(self) -> float:
        return float(np.ptp(self.times))

    def part(self, rows: slice) -> Window | None:
        """The window of some of the rows; ``None`` where they are too few to judge."""
        times = self.times[rows]
        if len(times) < LEAST_ROWS or float(np.ptp(times)) <= 0:
            return None
        return self if len(times) == len(self.times) else Window.of(times, self.weights[rows])

    def are_steady(self, series: np.ndarray, printed: np.ndarray) -> np.ndarray:
        """Which of ``series``, shape (series, rows), grow steadily; ``printed`` is the coarsest step of each."""
        means = series @ self.blocks.T
        centres = self.blocks @ self.times
        # Increments per equal time: rows may stand unevenly.
        steps = np.diff(means, axis=1) * (np.ptp(centres) / (len(centres) - 1) / np.diff(centres))
        count = steps.shape[1]
        mean, rise = steps.mean(axis=1), means[:, -1] - means[:, 0]
        error = steps.std(axis=1, ddof=1) / np.sqrt(count)
        lost = (np.maximum.accumulate(means, axis=1) - means).max(axis=1)
        found: np.ndarray = (
            (mean > upper_quantile(LEVEL, count - 1) * error)
            & (rise > 0)
            & (rise >= 3 * printed)
            & (lost <= 0.25 * rise)
            & (steps[:, -(count // 3) :].mean(axis=1) >= _STILL * mean)
            & (steps.max(axis=1) <= 3.2 * mean)
        )
        return found


def steady_part(window: Window, values: np.ndarray, steps: np.ndarray, capacity: float) -> slice | None:
    """The rows in which one series grows steadily; ``None`` where it does not.

    All rows are tried, and the longest stretch of those that were printed finest; none from where ``capacity`` is
    reached: a full heap cannot grow. ``values`` and ``steps`` (bytes) have the length of the window.
    """
    end = until_full(values, capacity)
    for rows in (slice(0, end), finest_stretch(steps[:end])):
        part = window.part(rows)
        if part and part.are_steady(values[None, rows], steps[rows].max(keepdims=True))[0]:
            return rows
    return None


def until_full(values: np.ndarray, capacity: float) -> int:
    """The number of rows before the level reaches ``capacity``."""
    full = values >= capacity
    return int(full.argmax()) if full.any() else len(values)


def finest_stretch(steps: np.ndarray) -> slice:
    """The longest run of rows with the smallest step."""
    if not len(steps):
        return slice(0, 0)
    finest = np.concatenate([[False], steps <= steps.min(), [False]])
    edges = np.flatnonzero(finest[1:] != finest[:-1])
    starts, ends = edges[::2], edges[1::2]
    longest = int((ends - starts).argmax())
    return slice(int(starts[longest]), int(ends[longest]))


def thinned(
    times: np.ndarray, weights: np.ndarray, values: np.ndarray, steps: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The same series in at most 360 rows: weighted means over equal spans of time, the coarsest step of each."""
    if len(times) <= _MOST_ROWS:
        return times, weights, values, steps
    edges = np.linspace(times[0], times[-1], _MOST_ROWS + 1)
    places = np.clip(np.searchsorted(edges, times, side="right") - 1, 0, _MOST_ROWS - 1)
    total = np.bincount(places, weights, _MOST_ROWS)
    full = total > 0
    x = np.bincount(places, weights * times, _MOST_ROWS)[full] / total[full]
    y = np.bincount(places, weights * values, _MOST_ROWS)[full] / total[full]
    coarsest = np.zeros(_MOST_ROWS)
    np.maximum.at(coarsest, places, steps)
    return x, total[full], y, coarsest[full]


def _blocks(times: np.ndarray, weights: np.ndarray) -> np.ndarray:
    rows = np.arange(len(times))
    count = next(blocks for least, blocks in _BLOCKS if len(times) >= least)
    edges = np.linspace(times[0], times[-1], count + 1)
    matrix = np.zeros((count, len(times)))
    matrix[np.clip(np.searchsorted(edges, times, side="right") - 1, 0, count - 1), rows] = weights
    if (matrix.sum(axis=1) <= 0).any():
        # A gap leaves a block of time without rows: blocks of equally many rows then.
        matrix = np.zeros((count, len(times)))
        matrix[rows * count // len(times), rows] = weights
    shares: np.ndarray = matrix / matrix.sum(axis=1, keepdims=True)
    return shares
