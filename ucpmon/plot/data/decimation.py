"""Fewer points for the same picture: what a column of pixels shows of a long series."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Columns:
    """Points in time order, put into columns of equal time.

    ``t`` (n,) seconds, not falling; ``starts`` (k,) the first point of each column that has any.
    """

    t: Any
    starts: Any

    @classmethod
    def of(cls, t: Any, low: float, high: float, count: int) -> Columns:
        """``t`` in ``count`` columns from ``low`` to ``high``; what lies outside counts to the outermost."""
        edges = np.linspace(low, high, count + 1)[1:-1]
        starts = np.unique(np.append(0, np.searchsorted(t, edges)))
        return cls(t, starts[starts < len(t)])

    @cached_property
    def counts(self) -> Any:
        return np.diff(np.append(self.starts, len(self.t)))

    @cached_property
    def column(self) -> Any:
        """(n,) the column of each point."""
        return np.repeat(np.arange(len(self.starts)), self.counts)

    @cached_property
    def hold(self) -> Any:
        """(n,) seconds for which each point's value holds."""
        return np.diff(self.t, append=self.t[-1:])

    def keep(self, y: Any) -> Any:
        """The points to draw of ``y`` (n,): each column's first, last, lowest, highest, and its outermost NaN.

        So every peak survives, and so does every break of the line, however short.
        """
        absent = np.isnan(y)
        present = ~absent
        kept = [self._outermost(present), self._outermost(absent)]
        for extreme in (np.fmin, np.fmax):
            found = extreme.reduceat(y, self.starts)
            kept.append(self._first(np.flatnonzero(y == np.repeat(found, self.counts))))
        return np.unique(np.concatenate(kept))

    def means(self, y: Any) -> Any:
        """(k,) the average of ``y`` over the time that its values hold, per column; NaN where there is none."""
        present = ~np.isnan(y)
        weight = np.where(present, self.hold, 0.0)
        total = np.add.reduceat(np.where(present, y, 0.0) * weight, self.starts)
        time = np.add.reduceat(weight, self.starts)
        return np.divide(total, time, out=np.full(len(total), np.nan), where=time > 0)

    def average(self, y: Any) -> float:
        """The average of ``y`` over the time that its values hold; over its points where they hold for none."""
        present = ~np.isnan(y)
        weight = self.hold[present]
        return float(np.average(y[present], weights=weight if weight.any() else None))

    def _first(self, points: Any) -> Any:
        column = self.column[points]
        return points[np.diff(column, prepend=-1) > 0]

    def _outermost(self, chosen: Any) -> Any:
        points = np.flatnonzero(chosen)
        column = self.column[points]
        return points[(np.diff(column, prepend=-1) > 0) | (np.diff(column, append=len(self.starts)) > 0)]
