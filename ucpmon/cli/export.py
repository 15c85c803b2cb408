"""``ucpmon export``: a run for other tools."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from ucpmon.cli.common import check_writable, choose_output, say, written
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
    from ucpmon.runs import read_run

    check_request(to, table)
    if output == Path("-"):
        _refuse_binary_terminal(to)
    else:
        output = check_writable(choose_output(output, force, f"{run.stem}{FORMATS[to]}"))
    loaded = read_run(run)
    with written(output) as stream:
        write(loaded, to, stream, table)
    if to == "perfetto" and not has_clock(loaded.frame):
        say("ucpmon: the run knows no wall clock: its counters start at 0, not beside another trace")
    if str(output) != "-":
        say(f"wrote {output}")


def _refuse_binary_terminal(to: str) -> None:
    if to == "parquet" and sys.stdout.isatty():
        raise UsageError("Parquet is binary", "redirect the output, or name a file with -o")
