"""``ucpmon compare``: is this run worse than that one, or is it chance?"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ucpmon.cli.common import say
from ucpmon.cli.tables import table
from ucpmon.errors import Exit, UsageError
from ucpmon.metrics import format_value, label_of

if TYPE_CHECKING:
    from ucpmon.comparison.compare import Difference
    from ucpmon.comparison.tolerance import Outcome


def compare(
    runs: list[Path] = typer.Argument(..., metavar="RUN…", help="The base run, then the new ones."),
    base: list[Path] = typer.Option(
        [], "--base", metavar="RUN", help="A base run; may be repeated. The arguments are then all new runs."
    ),
    fail_on: list[str] = typer.Option(
        [], "--fail-on", metavar="CONDITION", help="Exit with 1 where 'carveout_used_bytes.peak>+5%'. May be repeated."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print the differences as JSON."),
) -> None:
    """Compare runs metric by metric (and phase by phase between shared marks), and say which differences are real.

    One BASE and one NEW are judged by how they vary within themselves, several by the spread from run to run.
    """
    from ucpmon.comparison.compare import compare as differences
    from ucpmon.comparison.compare import judged_by
    from ucpmon.comparison.tolerance import allowance, outcomes
    from ucpmon.runs.reader import read_run

    rules = [allowance(text) for text in fail_on]
    before, after = _sides(runs, base)
    old, new = [read_run(path) for path in before], [read_run(path) for path in after]
    found = differences(old, new)
    results = [o for rule in rules for o in outcomes(rule, old, new)]
    if as_json:
        sides = {"base": [str(p) for p in before], "new": [str(p) for p in after], "judged_by": judged_by(old, new)}
        lists = {"differences": [asdict(d) for d in found], "fail_on": [asdict(o) for o in results]}
        typer.echo(json.dumps({**sides, **lists}, indent=2))
    else:
        typer.echo(_table([d for d in found if d.change != 0]))
        still = sum(d.change == 0 for d in found)
        if still:
            say(f"{still} figures are exactly the same on both sides")
        say(f"judged by {judged_by(old, new)}")
    raise typer.Exit(_concluded(results))


def _sides(runs: Sequence[Path], base: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    if base:
        return list(base), list(runs)
    if len(runs) < 2:
        raise UsageError("compare needs two runs", "ucpmon compare BASE NEW, or --base BASE… NEW…")
    return [runs[0]], list(runs[1:])


def _table(found: Sequence[Difference]) -> str:
    wide = _lines(found, interval=True)
    room = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    fits = room is None or max(map(len, wide.splitlines())) <= room
    return wide if fits else _lines(found, interval=False)


def _lines(found: Sequence[Difference], interval: bool) -> str:
    phases = len({d.phase for d in found}) > 1
    header = ("METRIC", *(["PHASE"] if phases else []), "BASE", "NEW", "CHANGE", *(["95 % INTERVAL"] * interval), "")
    rows = []
    for d in found:
        name = d.column if interval else label_of(d.column)
        rows.append((name, *([d.phase] if phases else []), *_figures(d, interval)))
    return table(header, rows, right=tuple(range(1 + phases, len(header) - 1)))


def _figures(d: Difference, interval: bool) -> Sequence[str]:
    base, new = ("–" if v is None else format_value(d.column, v) for v in (d.base, d.new))
    verdict = {"same": "", "unknown": "too few rows"}.get(d.verdict, d.verdict)
    return base, new, _share(d, d.change), *([_interval(d)] * interval), verdict


def _share(d: Difference, change: float | None) -> str:
    """A change as a share of the base, or as it is where the base is nothing."""
    if change is None:
        return ""
    if not d.base:
        return f"{'+' if change > 0 else ''}{format_value(d.column, change)}"
    return f"{100 * change / d.base:+.1f} %"


def _interval(d: Difference) -> str:
    if d.low is None or d.high is None or d.low == d.high:
        return ""
    if d.base and max(-d.low, d.high) > abs(d.base):
        return "beyond ±100 %"
    return f"{_share(d, d.low)} .. {_share(d, d.high)}"


def _concluded(results: Sequence[Outcome]) -> Exit:
    for outcome in results:
        if outcome.failed is None:
            say(f"ucpmon: {outcome.rule}: {outcome.name} is not in every run")
        elif outcome.failed:
            share = "" if outcome.relative is None else f" ({100 * outcome.relative:+.1f} %)"
            say(f"ucpmon: {outcome.rule}: {outcome.name} went from {outcome.base:g} to {outcome.new:g}{share}")
    if any(o.failed is None for o in results):
        return Exit.NOT_UNDERSTOOD
    return Exit.FAILED if any(o.failed for o in results) else Exit.OK
