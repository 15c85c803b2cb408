"""The long table of processes as one series per process."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from ucpmon.plot.data.place import Placed
from ucpmon.plot.data.steps import plausible


@dataclass(frozen=True)
class ProcessSeries:
    """``sizes`` (m,) bytes at the places ``rows`` (m,) among the ``count`` rows of a placed run."""

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


def process_series(placed: Placed, column: str, names: Collection[str]) -> list[ProcessSeries]:
    """A series per pid and name (a pid that another name uses again is another process), highest peak first."""
    table = placed.run.processes
    if not len(table) or not len(placed.steps.rows) or not names:
        return []
    row, known = _rows_of(placed, table["screen"].to_numpy())
    known &= table["process"].isin(list(names)).to_numpy()
    row, table = row[known], table[known]
    sizes = plausible(table[column].to_numpy(dtype="float64"))
    groups = table.groupby(["pid", "process"], sort=False).indices
    found = [_series(pid, name, row[at], sizes[at], len(placed.steps.rows)) for (pid, name), at in groups.items()]
    return sorted(found, key=lambda p: -p.peak)


def _rows_of(placed: Placed, screens: Any) -> tuple[Any, Any]:
    """For each process row its place among the drawn rows, and whether it is there at all."""
    own = placed.run.frame["screen"].to_numpy()[placed.steps.rows]
    order = np.argsort(own, kind="stable")
    at = order[np.searchsorted(own, screens, sorter=order).clip(max=len(own) - 1)]
    return at, own[at] == screens


def _series(pid: Any, name: Any, rows: Any, sizes: Any, count: int) -> ProcessSeries:
    seen = sizes[~np.isnan(sizes)]
    return ProcessSeries(int(pid), str(name), rows, sizes, count, float(seen.max()) if len(seen) else 0.0)
