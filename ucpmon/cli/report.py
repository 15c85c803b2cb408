"""``ucpmon report``: what a run says, for people who were not there."""

from __future__ import annotations

from pathlib import Path

import typer

from ucpmon.cli.common import keep_apart, output_for, say, written
from ucpmon.errors import UsageError
from ucpmon.text import printable


def report(
    runs: list[Path] = typer.Argument(..., metavar="RUN…", help="run.csv, run.cast or any saved capture."),
    output: Path | None = typer.Option(
        None, "-o", "--output", help="report.html or report.md; - is Markdown on stdout. Default: report.html."
    ),
    one_row: bool = typer.Option(False, "--row", help="Print one line a run, for a model card; write no file."),
    ddr: Path | None = typer.Option(
        None, "--ddr", metavar="FILE", help="hrut_ddr's CSV or tables: true DDR bandwidth."
    ),
    ddr_at: str | None = typer.Option(
        None, "--ddr-at", metavar="LABEL", help="The mark of the run on which its first row falls."
    ),
    busy: float = typer.Option(5.0, min=0, max=100, metavar="PCT", help="A core is busy from this load on."),
    title: str = typer.Option("", help="The title of the page."),
    force: bool = typer.Option(False, "--force", help="Overwrite an output that exists."),
) -> None:
    """Report runs as one HTML file (charts included, no network needed), as Markdown, or as one line each."""
    from ucpmon.neighbours.hrut_ddr import read_ddr
    from ucpmon.report import form_of, render, row, subject
    from ucpmon.runs.reader import read_run

    if ddr and len(runs) > 1:
        raise UsageError("--ddr belongs to one run", "report each run with its own")
    form, target = form_of(output), None if one_row else output_for(output, force, "report.html")
    keep_apart([target] if target else [], [*runs, ddr])
    truth = read_ddr(ddr) if ddr else None
    subjects = [subject(read_run(run), truth, ddr_at, busy) for run in runs]
    if target is None:
        for of in subjects:
            typer.echo(printable(f"{of.run.name}: {row(of)}" if len(runs) > 1 else row(of), "\n"))
        return
    with written(target) as stream:
        stream.write(render(subjects, form, title).encode("utf-8", "replace"))
    if str(target) != "-":
        say(f"wrote {target}")
