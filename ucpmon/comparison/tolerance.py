"""How much a statistic may change from base to new: ``carveout_used_bytes.peak>+5%``."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from ucpmon.comparison.budget import limit_value
from ucpmon.errors import UsageError
from ucpmon.runs.frames import metric_columns
from ucpmon.runs.reader import Run
from ucpmon.statistics.summary import series, statistic
from ucpmon.statistics.weights import row_seconds

_RULE = re.compile(
    r"(?P<metric>[^<>]+)\.(?P<statistic>p\d+(?:\.\d+)?|[A-Za-z_]\w*)\s*(?P<op>[<>])\s*"
    r"(?P<sign>[+-])(?P<amount>\d+(?:\.\d+)?)\s*(?P<unit>\S*)"
)


@dataclass(frozen=True)
class Allowance:
    """Fails when the change is beyond ``sign amount``; ``unit`` is ``%`` (of the base) or one of the metric's."""

    pattern: str
    statistic: str
    op: str
    sign: int
    amount: str
    unit: str
    text: str


@dataclass(frozen=True)
class Outcome:
    """An allowance on one metric: means over the runs of each side, in the metric's unit.

    ``relative`` is the change as a share of the base, ``None`` where the base is 0: growth from nothing is beyond every
    share. ``failed`` is ``None``, and the figures are, where the metric is not in every run.
    """

    name: str
    column: str
    rule: str
    base: float | None
    new: float | None
    relative: float | None
    failed: bool | None


def allowance(text: str) -> Allowance:
    """Reads one ``--fail-on``. Raises UsageError."""
    found = _RULE.fullmatch(text.strip())
    if not found:
        raise UsageError(
            f"--fail-on {text!r} is not a condition", "write 'carveout_used_bytes.peak>+5%' or '….mean<-20M'"
        )
    statistic(found["statistic"])
    sign = -1 if found["sign"] == "-" else 1
    return Allowance(
        found["metric"].strip(), found["statistic"], found["op"], sign, found["amount"], found["unit"], text
    )


def outcomes(rule: Allowance, base: Sequence[Run], new: Sequence[Run]) -> Iterator[Outcome]:
    """The rule on every metric that its pattern matches in any run; one missing outcome where there is none."""
    every = dict.fromkeys(c for run in (*base, *new) for c in metric_columns(run.frame))
    matched = [rule.pattern] if rule.pattern in every else [c for c in every if fnmatchcase(c, rule.pattern)]
    for column in matched or [rule.pattern]:
        yield _outcome(rule, column, _value(rule, column, base), _value(rule, column, new))


def _value(rule: Allowance, column: str, runs: Sequence[Run]) -> float | None:
    found = []
    for run in runs:
        data = series(run.frame, column, row_seconds(run.frame, run.info)) if column in run.frame else None
        if data is None or data.empty:
            return None
        found.append(statistic(rule.statistic)(data))
    return math.fsum(found) / len(found)


def _outcome(rule: Allowance, column: str, base: float | None, new: float | None) -> Outcome:
    name = f"{column}.{rule.statistic}"
    if base is None or new is None:
        return Outcome(name, column, rule.text, base, new, None, None)
    change = new - base
    if rule.unit == "%":
        seen, limit = _share(change, base), float(rule.amount) / 100
    else:
        seen, limit = change, limit_value(rule.amount + rule.unit, column)
    limit *= rule.sign
    failed = seen > limit if rule.op == ">" else seen < limit
    return Outcome(name, column, rule.text, base, new, change / abs(base) if base else None, failed)


def _share(change: float, base: float) -> float:
    if base:
        return change / abs(base)
    return math.copysign(math.inf, change) if change else 0.0
