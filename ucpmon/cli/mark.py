"""``ucpmon mark``: name a moment of a recording in progress."""

from __future__ import annotations

from pathlib import Path

import typer

from ucpmon.cli.common import say


def mark(
    run: Path = typer.Argument(..., metavar="RUN", help="The run.csv that is being recorded."),
    label: str = typer.Argument(..., metavar="LABEL", help="What happens now, as it should stand in charts."),
) -> None:
    """Mark this moment in a recording that is in progress."""
    from ucpmon.runs.marks import mark_live
    from ucpmon.text import format_duration

    done = mark_live(run, label)
    say(f"marked {format_duration(round(done.t_us or 0, -5))} into {run.name}: {done.label}")
