"""A run against its rules: what was seen, when it was worst, and whether that is allowed."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import pandas as pd

from ucpmon.comparison.budget import DEFAULTS, Rule, limit_value
from ucpmon.errors import UsageError
from ucpmon.metrics import metric
from ucpmon.runs.frames import metric_columns
from ucpmon.statistics.quality import figures, quality
from ucpmon.statistics.summary import Series, series, statistic
from ucpmon.statistics.weights import row_seconds

_COMPARE = {"<=": operator.le, ">=": operator.ge, "==": operator.eq, "<": operator.lt, ">": operator.gt}


@dataclass(frozen=True)
class Finding:
    """One rule on one metric (or figure of quality).

    ``seen`` and ``limit`` are in the metric's unit; ``seen`` and ``passed`` are ``None`` where the run does not have
    the metric. ``at_s`` is the moment that speaks most against the rule, ``None`` where there is no such moment.
    """

    name: str
    column: str
    statistic: str
    op: str
    limit: float | None
    seen: float | None
    passed: bool | None
    at_s: float | None
    origin: str


def check(frame: pd.DataFrame, info: Mapping[str, Any], rules: Sequence[Rule]) -> list[Finding]:
    """Every rule, and the default ones that ``rules`` does not replace, on a run (screens frame and run.json).

    A pattern that no metric matches, and a metric that was never printed, gives a finding that is missing
    (``passed`` is ``None``). Raises UsageError where a limit's unit is not the metric's.
    """
    own = {rule.pattern for rule in rules if not rule.statistic}
    every = [*rules, *(rule for rule in DEFAULTS if rule.pattern not in own)]
    noted, seconds = figures(quality(frame, info)), row_seconds(frame, info)
    cache: dict[str, Series] = {}

    def data_of(column: str) -> Series:
        if column not in cache:
            cache[column] = series(frame, column, seconds)
        return cache[column]

    found: list[Finding] = []
    for rule in every:
        if rule.statistic:
            found.extend(_metric_findings(rule, metric_columns(frame), data_of))
        else:
            found.append(_judged(rule, rule.pattern, noted[rule.pattern], None))
    return found


def verdict(found: Sequence[Finding]) -> bool | None:
    """True: all kept; False: one broken; ``None``: one could not be judged, whatever the others say."""
    if any(finding.passed is None for finding in found):
        return None
    return all(finding.passed for finding in found)


def _metric_findings(rule: Rule, columns: Sequence[str], data_of: Any) -> Iterator[Finding]:
    matched = [rule.pattern] if rule.pattern in columns else [c for c in columns if fnmatchcase(c, rule.pattern)]
    for column in matched:
        _refuse_busy_of_no_load(rule, column)
        data = data_of(column)
        if data.empty:
            yield _judged(rule, column, None, None)
        else:
            yield _judged(rule, column, statistic(rule.statistic)(data), _worst(rule, data))
    if not matched:
        yield Finding(rule.target, rule.pattern, rule.statistic, rule.op, None, None, None, None, rule.origin)


def _refuse_busy_of_no_load(rule: Rule, column: str) -> None:
    found = metric(column)
    if rule.statistic.startswith("busy_") and found and found.kind != "load":
        raise UsageError(f"{rule.statistic} is a statistic of loads", f"{column} is none")


def _worst(rule: Rule, data: Series) -> float | None:
    if rule.op == "==":
        return None
    return data.peak_at_s() if rule.op in ("<=", "<") else data.least_at_s()


def _judged(rule: Rule, column: str, seen: float | None, at_s: float | None) -> Finding:
    limit = limit_value(rule.limit, _unit_column(rule, column))
    passed = None if seen is None else bool(_COMPARE[rule.op](seen, limit))
    name = f"{column}.{rule.statistic}" if rule.statistic else column
    return Finding(name, column, rule.statistic, rule.op, limit, seen, passed, at_s, rule.origin)


def _unit_column(rule: Rule, column: str) -> str:
    """A share of the time is in percent, whatever the metric's own unit."""
    return "busy_pct" if rule.statistic == "busy_pct" else column
