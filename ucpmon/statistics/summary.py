"""Statistics of one metric over time: a value weighs as many seconds as it held."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property

import numpy as np
import pandas as pd

from ucpmon.errors import UsageError
from ucpmon.metrics import metric

BUSY_PCT = 5.0
"""A core is busy while its load is at least this, unless the caller says otherwise: idle cores print 0.0 to 1."""

_PERCENTILE = re.compile(r"p(\d{1,2}(?:\.\d+)?|100)")
_CORE = re.compile(r"([a-z_]+?)(\d+)")


@dataclass(frozen=True)
class Series:
    """What was printed of one metric: ``values``, the ``seconds`` each held, the time ``at_s`` of each (s from the
    start); float64 of one length, without the rows on which the metric is missing."""

    values: np.ndarray
    seconds: np.ndarray
    at_s: np.ndarray

    @cached_property
    def _order(self) -> np.ndarray:
        order: np.ndarray = np.argsort(_ranks(self.values), kind="stable")
        return order

    @cached_property
    def _cumulated(self) -> np.ndarray:
        sums: np.ndarray = np.cumsum(self.seconds[self._order])
        return sums

    @property
    def empty(self) -> bool:
        return not len(self.values)

    def mean(self) -> float:
        """Σ value × seconds ÷ Σ seconds."""
        return float(np.average(self.values, weights=self.seconds))

    def least(self) -> float:
        """The smallest value."""
        return float(self.values.min())

    def peak(self) -> float:
        """The largest value."""
        return float(self.values.max())

    def first(self) -> float:
        """The first value that was printed."""
        return float(self.values[0])

    def last(self) -> float:
        """The last value that was printed."""
        return float(self.values[-1])

    def median(self) -> float:
        """The 50th percentile."""
        return self.percentile(50)

    def percentile(self, q: float) -> float:
        """The smallest printed value that was not exceeded during ``q`` % of the time."""
        total = self._cumulated[-1]
        place = np.searchsorted(self._cumulated, total * q / 100 * (1 - 1e-12))
        return float(self.values[self._order[min(int(place), len(self.values) - 1)]])

    def std(self) -> float:
        """Square root of the time-weighted mean of the squared deviations from the mean."""
        return float(np.sqrt(np.average((self.values - self.mean()) ** 2, weights=self.seconds)))

    def peak_at_s(self) -> float:
        """When the largest value was first seen."""
        return float(self.at_s[int(np.argmax(self.values))])

    def least_at_s(self) -> float:
        """When the smallest value was first seen."""
        return float(self.at_s[int(np.argmin(self.values))])

    def busy_pct(self, threshold: float = BUSY_PCT) -> float:
        """Percent of the time with a value of at least ``threshold``."""
        return float(100 * self.seconds[self.values >= threshold].sum() / self.seconds.sum())

    def busy_mean(self, threshold: float = BUSY_PCT) -> float:
        """Mean while the value is at least ``threshold``; 0 where it never was."""
        busy = self.values >= threshold
        return float(np.average(self.values[busy], weights=self.seconds[busy])) if self.seconds[busy].any() else 0.0


def _ranks(values: np.ndarray) -> np.ndarray:
    """What sorts as ``values`` do: of noise in few figures their places among these, which sort in a quarter."""
    if np.count_nonzero(np.diff(values)) > len(values) / 8:
        ranks, figures = pd.factorize(values, sort=True)
        if len(figures) <= 1 << 16:
            places: np.ndarray = ranks.astype("uint16")
            return places
    return values


def series(frame: pd.DataFrame, column: str, seconds: np.ndarray) -> Series:
    """The series of a column of a screens frame; ``seconds`` as from ``weights.row_seconds``."""
    values = frame[column].to_numpy(dtype="float64")
    there = ~np.isnan(values)
    if there.all():
        return Series(values, seconds, frame["elapsed_s"].to_numpy())
    held = seconds[there]
    # Rows that share one moment hold no time; where only such rows have the metric, each counts the same.
    held = held if held.any() else np.ones(len(held))
    return Series(values[there], held, frame["elapsed_s"].to_numpy()[there])


STATISTICS: dict[str, Callable[[Series], float]] = {
    "mean": Series.mean,
    "min": Series.least,
    "peak": Series.peak,
    "max": Series.peak,
    "median": Series.median,
    "std": Series.std,
    "first": Series.first,
    "last": Series.last,
    "busy_pct": Series.busy_pct,
    "busy_mean": Series.busy_mean,
}
"""The statistics that have a name; beside them every percentile: ``p50``, ``p95``, ``p99.9``."""


def statistic(name: str) -> Callable[[Series], float]:
    """The function of a statistic's name. Raises UsageError, naming the possible ones, where there is none."""
    found = _PERCENTILE.fullmatch(name)
    if found:
        quantile = float(found[1])
        return lambda s: s.percentile(quantile)
    if name not in STATISTICS:
        near = get_close_matches(name, [*STATISTICS, "p50", "p95", "p99"], 1)
        guess = f"did you mean {near[0]}? " if near else ""
        raise UsageError(f"there is no statistic {name!r}", f"{guess}possible are {', '.join(STATISTICS)}, p0 to p100")
    return STATISTICS[name]


@dataclass(frozen=True)
class Summary:
    """The usual statistics of one metric, in its own unit; ``busy_*`` are of loads (``None`` elsewhere)."""

    column: str
    mean: float
    minimum: float
    p50: float
    p95: float
    peak: float
    peak_at_s: float
    last: float
    busy_pct: float | None = None
    busy_mean: float | None = None


def summary(frame: pd.DataFrame, column: str, seconds: np.ndarray, busy_threshold: float = BUSY_PCT) -> Summary | None:
    """The summary of a column; ``None`` where it was never printed."""
    data = series(frame, column, seconds)
    if data.empty:
        return None
    found = metric(column)
    load = found is not None and found.kind == "load"
    return Summary(
        column=column,
        mean=data.mean(),
        minimum=data.least(),
        p50=data.percentile(50),
        p95=data.percentile(95),
        peak=data.peak(),
        peak_at_s=data.peak_at_s(),
        last=data.last(),
        busy_pct=data.busy_pct(busy_threshold) if load else None,
        busy_mean=data.busy_mean(busy_threshold) if load else None,
    )


@dataclass(frozen=True)
class Imbalance:
    """How unevenly the cores of one kind (``bpu``) were loaded.

    ``spread_pct`` is the time-weighted mean of busiest − idlest core, in percentage points. ``ratio`` is the busiest
    core's mean load over the mean of all cores (1 is even, the number of cores is one core only; 0 with no load).
    """

    kind: str
    cores: tuple[str, ...]
    spread_pct: float
    ratio: float
    busiest: str
    idlest: str


def imbalances(frame: pd.DataFrame, seconds: np.ndarray) -> list[Imbalance]:
    """Of each kind of core of which the run has several; rows on which a core is missing are left out."""
    found = (_imbalance(kind, columns, frame, seconds) for kind, columns in core_groups(list(frame.columns)).items())
    return [i for i in found if i is not None]


def core_groups(columns: list[str]) -> dict[str, list[str]]:
    """Load columns by kind of core: ``{"bpu": ["bpu0_load_pct", "bpu1_load_pct"]}``, kinds of one core too."""
    groups: dict[str, list[str]] = {}
    for column in columns:
        found = metric(column)
        core = _CORE.fullmatch(found.subject) if found and found.kind == "load" else None
        if core:
            groups.setdefault(core[1], []).append(column)
    return groups


def _imbalance(kind: str, columns: list[str], frame: pd.DataFrame, seconds: np.ndarray) -> Imbalance | None:
    loads = frame[columns].to_numpy(dtype="float64")
    there = ~np.isnan(loads).any(axis=1) & (seconds > 0)
    if len(columns) < 2 or not there.any():
        return None
    loads, held = loads[there], seconds[there]
    means = np.average(loads, axis=0, weights=held)
    subjects = tuple(c.removesuffix("_load_pct") for c in columns)
    return Imbalance(
        kind=kind,
        cores=subjects,
        spread_pct=float(np.average(loads.max(axis=1) - loads.min(axis=1), weights=held)),
        ratio=float(means.max() / means.mean()) if means.any() else 0.0,
        busiest=subjects[int(means.argmax())],
        idlest=subjects[int(means.argmin())],
    )
