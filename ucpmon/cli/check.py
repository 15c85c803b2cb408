"""``ucpmon check``: a run against a budget, for people and for CI."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ucpmon.cli.common import say
from ucpmon.cli.tables import table
from ucpmon.errors import Exit
from ucpmon.text import format_seconds

if TYPE_CHECKING:
    from ucpmon.comparison.check import Finding

_RESULT = {True: "ok", False: "FAILED", None: "MISSING"}


def check(
    run: Path = typer.Argument(..., metavar="RUN", help="run.csv, run.cast or any saved capture."),
    maximum: list[str] = typer.Option(
        [],
        "--max",
        metavar="METRIC.STAT=LIMIT",
        help="At most: 'bpu0_load_pct.p95=90', 'carveout_used*.peak=400M'. May be repeated.",
    ),
    minimum: list[str] = typer.Option(
        [], "--min", metavar="METRIC.STAT=LIMIT", help="At least: 'carveout_free*.min=64M'. May be repeated."
    ),
    require: list[str] = typer.Option(
        [], "--require", metavar="CONDITION", help="A condition: 'screens>=50'. May be repeated."
    ),
    budget: Path | None = typer.Option(
        None, "--budget", metavar="FILE", help="A TOML file of limits: tables max, min and require."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print the findings as JSON."),
) -> None:
    """Check a run against limits: exit 1 when one is broken, 4 when a metric is missing.

    A run with gaps, cut screens or more than 1 % unknown lines fails too; --max gap_pct=5 allows more.
    """
    from ucpmon.comparison.budget import bound, read_budget, requirement
    from ucpmon.comparison.check import check as judge
    from ucpmon.comparison.check import verdict
    from ucpmon.runs.reader import read_run

    rules = [bound("max", m) for m in maximum] + [bound("min", m) for m in minimum] + [requirement(r) for r in require]
    rules += read_budget(budget) if budget else []
    loaded = read_run(run)
    found = judge(loaded.frame, loaded.info, rules)
    passed = verdict(found)
    if as_json:
        typer.echo(json.dumps({"run": str(run), "passed": passed, "findings": [asdict(f) for f in found]}, indent=2))
    else:
        typer.echo(table(("CHECK", "LIMIT", "SEEN", "WORST AT", "RESULT"), [_row(f) for f in found], right=(1, 2, 3)))
    raise typer.Exit(_concluded(found, passed))


def _row(finding: Finding) -> Sequence[str]:
    limit = "" if finding.limit is None else f"{finding.op} {_shown(finding, finding.limit)}"
    seen = "–" if finding.seen is None else _shown(finding, finding.seen)
    at = "" if finding.at_s is None else format_seconds(finding.at_s)
    return finding.name, limit, seen, at, _RESULT[finding.passed]


def _shown(finding: Finding, value: float) -> str:
    from ucpmon.metrics import format_value

    percent = finding.statistic == "busy_pct" or finding.column.endswith("_pct")
    return f"{value:.1f} %" if percent else format_value(finding.column, value)


def _concluded(found: Sequence[Finding], passed: bool | None) -> Exit:
    missing = [f.name for f in found if f.passed is None]
    if missing:
        say(f"ucpmon: the run has no {missing[0]}: see its columns in the first line of run.csv")
    broken = sum(f.passed is False for f in found)
    if broken:
        say(f"ucpmon: {broken} of {len(found)} checks failed")
    return Exit.NOT_UNDERSTOOD if missing else Exit.OK if passed else Exit.FAILED
