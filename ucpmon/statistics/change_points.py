"""A noisy series → straight pieces: where a level jumps or a slope changes."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import pairwise

import numpy as np

_MOST_PIECES = 160
_LEAST_SLOPED = 3


@dataclass(frozen=True)
class Piece:
    """Rows ``first`` to ``end`` (not included) lie along a line from ``low_s``, ``start`` to ``high_s``, ``stop``.

    ``start`` and ``stop`` are in the unit of the series, ``noise`` is the median distance of a row from the line.
    """

    first: int
    end: int
    start_s: float
    stop_s: float
    start: float
    stop: float
    noise: float

    @property
    def seconds(self) -> float:
        return self.stop_s - self.start_s

    @property
    def change(self) -> float:
        return self.stop - self.start

    @property
    def slope(self) -> float:
        return self.change / self.seconds if self.seconds > 0 else 0.0

    def at(self, seconds: np.ndarray | float) -> np.ndarray | float:
        """The line's value at a time; a piece of one row is flat."""
        return self.start + self.slope * (seconds - self.start_s)


class Cuts:
    """Where a series is best cut, each part of it asked only once.

    ``times`` (s, rising) and ``values`` have one length of at least 1 and hold no NaN.
    """

    def __init__(self, times: np.ndarray, values: np.ndarray) -> None:
        self.times, self.values = times, values
        self._splits: dict[tuple[int, int], tuple[float, int, int, int]] = {}
        self._errors: dict[tuple[int, int], float] = {}

    def pieces(self, material: float) -> list[Piece]:
        """The straight pieces of the series, in order: binary segmentation with a line fitted to each piece.

        A split is kept where it explains a change of ``material`` (in the unit of the values) or more.
        """
        if np.ptp(self.values) < material:
            return [_piece(self.times, self.values, 0, len(self.values))]
        edges = self._pruned(self._crumbled(self._settled(self._segmented(material)), material), material)
        return [_piece(self.times, self.values, a, b) for a, b in pairwise(edges)]

    def _segmented(self, material: float) -> list[int]:
        """The edges that explain most, each found between those before it."""
        waiting = [self._best_split(0, len(self.values))]
        bounds = {0, len(self.values)}
        while waiting and len(bounds) < _MOST_PIECES:
            gain, first, cut, end = heappop(waiting)
            if -gain < material**2 / 2:
                break
            bounds.add(cut)
            for part in ((first, cut), (cut, end)):
                heappush(waiting, self._best_split(*part))
        return sorted(bounds)

    def _settled(self, edges: list[int]) -> list[int]:
        """Each edge at its best place between its neighbours: the first were cut before the others were known."""
        for _ in range(2):
            for i in range(1, len(edges) - 1):
                edges[i] = self._best_split(edges[i - 1], edges[i + 1])[2]
        return edges

    def _crumbled(self, edges: list[int], material: float) -> list[int]:
        """Short pieces that fit badly, row by row: no single cut betters 0, 70, 212, for two rows have no slope."""
        out = edges[:1]
        for first, end in pairwise(edges):
            bad = end - first <= 2 * _LEAST_SLOPED and self._error(first, end) >= material**2 / 2
            out += range(first + 1, end + 1) if bad else [end]
        return out

    def _pruned(self, edges: list[int], material: float) -> list[int]:
        """The edges without those that the later ones made needless."""
        kept = edges[:1]
        for i in range(1, len(edges) - 1):
            apart = self._error(kept[-1], edges[i]) + self._error(edges[i], edges[i + 1])
            if self._error(kept[-1], edges[i + 1]) - apart >= material**2 / 2:
                kept.append(edges[i])
        return [*kept, edges[-1]]

    def _error(self, first: int, end: int) -> float:
        """The squared error of the line through these rows."""
        if (first, end) not in self._errors:
            x, y = self.times[first:end] - self.times[first], self.values[first:end] - self.values[first]
            sums = [np.cumsum(part)[-1:] for part in (x, y, x * x, x * y, y * y)]
            self._errors[first, end] = float(_line_errors(np.array([float(len(x))]), *sums)[0])
        return self._errors[first, end]

    def _best_split(self, first: int, end: int) -> tuple[float, int, int, int]:
        """(−gain, first, cut, end) of the split of these rows that lowers the squared error most."""
        if (first, end) not in self._splits:
            self._splits[first, end] = _best_split(self.times, self.values, first, end)
        return self._splits[first, end]


def _best_split(times: np.ndarray, values: np.ndarray, first: int, end: int) -> tuple[float, int, int, int]:
    if end - first < 2:
        return 0.0, first, end, end
    x, y = times[first:end] - times[first], values[first:end] - values[first:end].mean()
    x = x / (x[-1] or 1.0)
    left = _errors(x, y)
    right = _errors(1.0 - x[::-1], y[::-1])[::-1]
    total = left[:-1] + right[1:]
    cut = int(np.argmin(total))
    return -(left[-1] - float(total[cut])), first, first + cut + 1, end


def _errors(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Squared error of the line (of one or two, the level) through the first 1, 2, 3… points; same shape."""
    n = np.arange(1.0, len(x) + 1)
    return _line_errors(n, *(np.cumsum(part) for part in (x, y, x * x, x * y, y * y)))


def _line_errors(
    n: np.ndarray, sx: np.ndarray, sy: np.ndarray, sxx: np.ndarray, sxy: np.ndarray, syy: np.ndarray
) -> np.ndarray:
    """Squared errors of lines through ``n`` points of which these are the sums; the last three are written over."""
    sxx -= sx * sx / n
    sxy -= sx * sy / n
    syy -= sy * sy / n
    # Of points this close together a slope is rounding error, not a slope; through a few points any line runs.
    sloped = (sxx > 1e-12 * n) & (n >= _LEAST_SLOPED)
    steep = np.divide(sxy * sxy, sxx, out=np.zeros(len(n)), where=sloped)
    errors: np.ndarray = np.maximum(syy - np.minimum(steep, syy), 0.0)
    return errors


def _piece(times: np.ndarray, values: np.ndarray, first: int, end: int) -> Piece:
    x, y = times[first:end], values[first:end]
    middle = x.mean()
    spread = float(((x - middle) ** 2).sum())
    sloped = spread > 0 and end - first >= _LEAST_SLOPED
    slope = float(((x - middle) * (y - y.mean())).sum()) / spread if sloped else 0.0
    line = y.mean() + slope * (x - middle)
    noise = float(np.median(np.abs(y - line)))
    return Piece(first, end, float(x[0]), float(x[-1]), float(line[0]), float(line[-1]), noise)
