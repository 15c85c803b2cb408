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
    def ends(self) -> Any:
        """(k,) one past the last point of each column."""
        return self.starts + self.counts

    @cached_property
    def hold(self) -> Any:
        """(n,) seconds for which each point's value holds."""
        return np.diff(self.t, append=self.t[-1:])

    def keep(self, y: Any) -> Any:
        """The points to draw of ``y`` (n,): each column's first, last, lowest, highest, and its outermost NaN.

        So every peak survives, and so does every break of the line, however short.
        """
        absent = np.isnan(y)
        gaps = absent.any()
        kept = [*self._outermost(~absent), *self._outermost(absent)] if gaps else [self.starts, self.ends - 1]
        for extreme in (np.fmin, np.fmax):
            found = extreme.reduceat(y, self.starts)
            kept.append(self._outermost(y == np.repeat(found, self.counts))[0])
        return np.unique(np.concatenate(kept))

    def means(self, y: Any) -> Any:
        """(k,) the average of ``y`` over the time that its values hold, per column; NaN where there is none."""
        present = ~np.isnan(y)
        whole = present.all()
        weight = self.hold if whole else np.where(present, self.hold, 0.0)
        total = np.add.reduceat((y if whole else np.where(present, y, 0.0)) * weight, self.starts)
        time = np.add.reduceat(weight, self.starts)
        return np.divide(total, time, out=np.full(len(total), np.nan), where=time > 0)

    def average(self, y: Any) -> float:
        """The average of ``y`` over the time that its values hold; over its points where they hold for none."""
        present = ~np.isnan(y)
        values, weight = (y, self.hold) if present.all() else (y[present], self.hold[present])
        return float(np.average(values, weights=weight if weight.any() else None))

    def _outermost(self, chosen: Any) -> tuple[Any, Any]:
        """The first and the last of the points ``chosen`` (n,) in each column that has any."""
        points: Any = np.flatnonzero(chosen)
        before: Any = np.searchsorted(points, self.starts)
        after: Any = np.searchsorted(points, self.ends)
        there = before < after
        return points[before[there]], points[after[there] - 1]
