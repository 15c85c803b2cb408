"""The lines of the page: columns of the placed runs, thinned to what the picture can show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ucpmon.metrics import label_of
from ucpmon.plot.data.decimation import Columns
from ucpmon.plot.data.place import EXACT, Placed
from ucpmon.plot.data.steps import Steps

DENSE = 3
"""Rows per column of the picture from which the average is drawn over the range."""


@dataclass(frozen=True)
class Curve:
    """One line: ``t``/``y`` keep every peak and break; ``peak`` and ``average`` (over time) are of all its rows.

    ``mean_t``/``mean_y`` average it per column of the picture, where its rows are denser than those.
    """

    column: str
    label: str
    run: int
    t: Any
    y: Any
    peak: float
    average: float
    mean_t: Any = None
    mean_y: Any = None

    @property
    def dense(self) -> bool:
        return self.mean_y is not None


class Curves:
    """Gives columns of the placed runs as curves, ``count`` columns of time between ``limits``."""

    def __init__(
        self, placed: Sequence[Placed], limits: tuple[float, float], count: int, clean: Callable[[str], str]
    ) -> None:
        self.placed, self.clean = placed, clean
        self._limits, self._count = limits, count
        self._columns: dict[int, Columns] = {}

    def of_column(self, column: str) -> list[Curve]:
        """The column in each run that has it and has a value in it."""
        return [
            curve
            for run, placed in enumerate(self.placed)
            for table in placed.tables
            if column in table.frame.columns
            for curve in self._thin(run, column, label_of(column), table, table.column(column))
        ]

    def exact(self, heap: str) -> list[Curve]:
        """The heap's exact bytes, where the run has them."""
        return self.of_column(heap + EXACT)

    def of_rows(self, run: int, column: str, label: str, values: Any) -> list[Curve]:
        """``values``, one per drawn row of the run's screens, as a curve; none where there is no value."""
        table = self.placed[run].steps
        return self._thin(run, column, label, table, table.at(values))

    def _thin(self, run: int, column: str, label: str, table: Steps, y: Any) -> list[Curve]:
        if np.isnan(y).all():
            return []
        columns = self._columns.setdefault(id(table), Columns.of(table.t, *self._limits, self._count))
        figures = float(np.nanmax(y)), columns.average(y)
        if len(y) <= DENSE * self._count:
            return [Curve(column, self.clean(label), run, columns.t, y, *figures)]
        keep = columns.keep(y)
        mean_t, mean_y = columns.t[columns.starts], columns.means(y)
        return [Curve(column, self.clean(label), run, columns.t[keep], y[keep], *figures, mean_t, mean_y)]
