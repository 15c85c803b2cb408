"""What a run must keep to: rules from the command line or from a budget file."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ucpmon.errors import UcpmonError, UsageError
from ucpmon.metrics import RATE_UNITS, metric, parse_size
from ucpmon.statistics.quality import FIGURES
from ucpmon.statistics.summary import statistic

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# The statistic is what follows the last dot; p99.9 has one of its own, and so may a heap's name.
_TARGET = re.compile(r"(?P<metric>.+)\.(?P<statistic>p\d+(?:\.\d+)?|[A-Za-z_]\w*)")
_REQUIRE = re.compile(r"(?P<target>[^<>=]+?)\s*(?P<op>>=|<=|==|>|<)\s*(?P<limit>.+)")
_NUMBER = re.compile(r"([+-]?\d+(?:\.\d*)?(?:e[+-]?\d+)?)\s*(.*)", re.IGNORECASE)
_SECTIONS = {"max": "<=", "min": ">=", "require": ""}


@dataclass(frozen=True)
class Rule:
    """``target op limit``, where ``limit`` is text whose unit depends on the metric that is met.

    ``pattern`` names run.csv columns (``*``, ``?`` and ``[…]`` match as in a shell) and ``statistic`` one of theirs;
    for a figure of the run's quality ``pattern`` is its name and ``statistic`` is empty.
    """

    pattern: str
    statistic: str
    op: str
    limit: str
    origin: str

    @property
    def target(self) -> str:
        return f"{self.pattern}.{self.statistic}" if self.statistic else self.pattern


DEFAULTS = tuple(
    Rule(name, "", "<=", limit, "default") for name, limit in (("cut", "0"), ("gap_pct", "0"), ("unknown_pct", "1"))
)
"""What a run must be before anything else it says is believed; a rule of one's own on the same figure replaces it."""


def bound(option: str, text: str) -> Rule:
    """The rule of ``--max TARGET=LIMIT`` or ``--min``. Raises UsageError."""
    target, equals, limit = text.rpartition("=")
    if not equals or not target.strip() or not limit.strip():
        raise UsageError(f"--{option} {text!r} is not a limit", f"write --{option} 'bpu0_load_pct.p95=90'")
    return _rule(target, _SECTIONS[option], limit, f"--{option}")


def requirement(text: str) -> Rule:
    """The rule of ``--require 'screens>=50'``. Raises UsageError."""
    found = _REQUIRE.fullmatch(text.strip())
    if not found:
        raise UsageError(f"--require {text!r} is not a condition", "write --require 'screens>=50' (>=, <=, >, <, ==)")
    return _rule(found["target"], found["op"], found["limit"], "--require")


def read_budget(path: Path) -> list[Rule]:
    """The rules of a TOML file with the tables ``max``, ``min`` and ``require``.

    Raises UsageError where it cannot be read, is no TOML, says something that is no rule, or no rule at all: a gate
    that lets everything through.
    """
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}", "name a budget file that can be read") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not a TOML file", str(error)) from error
    rules = [rule for section, table in content.items() for rule in _section(path, section, table)]
    if not rules:
        raise UsageError(f"{path} holds no limit", "write some under [max], [min] or [require]")
    return rules


def _section(path: Path, section: str, table: Any) -> Iterator[Rule]:
    if section not in _SECTIONS or not isinstance(table, Mapping):
        raise UsageError(f"{path}: {section!r} is not a table of a budget", f"the tables are {', '.join(_SECTIONS)}")
    for target, limit in _flat(table):
        if isinstance(limit, bool) or not isinstance(limit, (int, float, str)):
            raise UsageError(f"{path}: {section}.{target} is not a limit", 'write a number or a text such as "400M"')
        yield _entry(path, section, target, str(limit))


def _entry(path: Path, section: str, target: str, limit: str) -> Rule:
    try:
        if _SECTIONS[section]:
            return _rule(target, _SECTIONS[section], limit, str(path))
        found = _REQUIRE.fullmatch(f"{target}{limit.strip()}")
        if not found:
            raise UsageError(f"{target} = {limit!r} is no condition", f'write {target} = ">=50" (>=, <=, >, <, ==)')
        return _rule(found["target"], found["op"], found["limit"], str(path))
    except UsageError as error:
        raise UsageError(f"{path}: {section}: {error.message}", error.hint) from error


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """TOML reads ``bpu0_load_pct.p95 = 90`` as a table in a table; here it is one name."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def _rule(target: str, op: str, limit: str, origin: str) -> Rule:
    target, limit = target.strip(), limit.strip()
    if target in FIGURES:
        return Rule(target, "", op, _checked(limit, target), origin)
    found = _TARGET.fullmatch(target)
    if not found:
        raise UsageError(
            f"{target!r} names no statistic", f"write METRIC.p95, METRIC.peak…, or one of {', '.join(FIGURES)}"
        )
    statistic(found["statistic"])
    return Rule(found["metric"], found["statistic"], op, _checked(limit, target), origin)


def _checked(limit: str, target: str) -> str:
    found = _NUMBER.fullmatch(limit)
    if not found or not math.isfinite(float(found[1])):
        raise UsageError(f"{limit!r} is not a limit for {target}", "write a number, 90%, 400M or 800MiB/s")
    return limit


def limit_value(limit: str, column: str) -> float:
    """A limit's number in the unit of ``column`` (a metric's or a figure's). Raises UsageError on a wrong unit."""
    found = metric(column)
    unit = found.unit if found else ""
    number, suffix = _NUMBER.fullmatch(limit).groups()  # type: ignore[union-attr]
    if not suffix:
        return float(number)
    if unit == "bytes":
        return _size(limit, column)
    if unit == "MiB/s" and suffix.lower() in RATE_UNITS:
        return float(number) * RATE_UNITS[suffix.lower()]
    if suffix == "%" and (unit == "%" or column.endswith("_pct")):
        return float(number)
    raise UsageError(f"{limit!r} does not fit {column}", f"its unit is {unit or 'a bare number'}")


def _size(limit: str, column: str) -> float:
    try:
        return float(parse_size(limit)[0])
    except UcpmonError as error:
        raise UsageError(f"{limit!r} is not a limit for {column}", error.hint) from error
