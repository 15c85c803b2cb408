"""The long table of processes as one series per process."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ucpmon.plot.data.steps import Steps, plausible


@dataclass(frozen=True)
class ProcessSeries:
    """``sizes`` (m,) bytes at the places ``rows`` (m,) among the ``count`` drawn rows of a run."""

    pid: int
    name: str
    rows: Any
    sizes: Any
    count: int
    peak: float

    @property
    def who(self) -> str:
        return f"{self.name} ({self.pid})"

    def values(self) -> Any:
        """(count,) bytes; NaN where the process was not listed."""
        full = np.full(self.count, np.nan)
        full[self.rows] = self.sizes
        return full


def process_series(
    table: pd.DataFrame, steps: Steps, column: str, names: Collection[str] | None = None
) -> list[ProcessSeries]:
    """A series per pid and name (a pid that another name uses again is another process), highest peak first.

    ``table`` are the processes of the run whose screens are ``steps``; of ``names`` alone where they are given.
    """
    if not len(table) or not len(steps.rows):
        return []
    row, known = _rows_of(steps, table["screen"].to_numpy())
    if names is not None:
        known &= table["process"].isin(list(names)).to_numpy()
    row, table = row[known], table[known]
    sizes = plausible(table[column].to_numpy(dtype="float64"))
    groups = table.groupby(["pid", "process"], sort=False).indices
    found = [_series(pid, name, row[at], sizes[at], len(steps.rows)) for (pid, name), at in groups.items()]
    return sorted(found, key=lambda p: -p.peak)


def _rows_of(steps: Steps, screens: Any) -> tuple[Any, Any]:
    """For each process row its place among the drawn rows, and whether it is there at all."""
    own = steps.frame["screen"].to_numpy()[steps.rows]
    order = np.argsort(own, kind="stable")
    at = order[np.searchsorted(own, screens, sorter=order).clip(max=len(own) - 1)]
    return at, own[at] == screens


def _series(pid: Any, name: Any, rows: Any, sizes: Any, count: int) -> ProcessSeries:
    seen = sizes[~np.isnan(sizes)]
    return ProcessSeries(int(pid), str(name), rows, sizes, count, float(seen.max()) if len(seen) else 0.0)
