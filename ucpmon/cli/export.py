"""``ucpmon export``: a run for other tools."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from ucpmon.cli.common import keep_apart, output_for, say, written
from ucpmon.errors import UsageError


def export(
    run: Path = typer.Argument(..., metavar="RUN", help="run.csv, run.cast or any saved capture."),
    to: str = typer.Option(..., "--to", metavar="FORMAT", help="parquet, jsonl, csv-long or perfetto."),
    output: Path | None = typer.Option(
        None, "-o", "--output", help="The file to write; - is stdout. Default: named like the run."
    ),
    table: str = typer.Option("screens", help="What Parquet and JSON lines hold: screens, processes, heaps or marks."),
    force: bool = typer.Option(False, "--force", help="Overwrite an output that exists."),
) -> None:
    """Write a run as Parquet, JSON lines, a row-per-value CSV, or counters for Perfetto.

    Units are in Parquet's metadata; Perfetto's counters stand on the wall clock, beside a UCP trace.
    """
    from ucpmon.export import FORMATS, check_request
    from ucpmon.export import export as write
    from ucpmon.export.perfetto import has_clock
    from ucpmon.runs.reader import read_run

    check_request(to, table)
    target = output_for(output, force, f"{run.stem}{FORMATS[to]}")
    keep_apart([target], [run])
    _refuse_binary_terminal(to, target)
    loaded = read_run(run)
    with written(target) as stream:
        write(loaded, to, stream, table)
    if to == "perfetto" and not has_clock(loaded.frame):
        say("ucpmon: the run knows no wall clock: its counters start at 0, not beside another trace")
    if str(target) != "-":
        say(f"wrote {target}")


def _refuse_binary_terminal(to: str, target: Path) -> None:
    if to == "parquet" and str(target) == "-" and sys.stdout.isatty():
        raise UsageError("Parquet is binary", "redirect the output, or name a file with -o")
