"""``ucpmon replay``: any saved capture → a run."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import typer

from ucpmon.cli.common import choose_output, choose_run, expand, keep_apart, say
from ucpmon.cli.progress_bar import progress_bar
from ucpmon.errors import InputError, UsageError
from ucpmon.text import parse_duration


def replay(
    captures: list[str] = typer.Argument(
        metavar="CAPTURE…", help="Saved captures of any kind, or globs; - reads standard input."
    ),
    output: str | None = typer.Option(None, "-o", "--output", help="The run's CSV; - prints it. Default: run.csv."),
    force: bool = typer.Option(False, "--force", help="Overwrite an existing output."),
    join: bool = typer.Option(False, "--join", help="One run of all captures, in order of time."),
    timing: Path | None = typer.Option(None, "--timing", help="The timing file of a script typescript."),
    tz: str | None = typer.Option(None, "--tz", help="Zone of stamps that name none, such as Asia/Shanghai."),
    start: str | None = typer.Option(None, "--start", help="When a capture without a wall clock began, in ISO form."),
    interval: str | None = typer.Option(
        None, "--interval", help="Time between screens where no clock says it: 1000, 500ms, 2s."
    ),
    strict: bool = typer.Option(False, "--strict", help="Exit with 4 where a capture is damaged."),
    to_cast: Path | None = typer.Option(None, "--to-cast", help="Also write the capture as an asciicast v2."),
) -> None:
    """Turn saved captures into runs, with no board at hand."""
    from ucpmon.captures.timestamps import start_of

    sources = expand(captures)
    if len(sources) > 1 and not join and (output or to_cast):
        raise UsageError("one output was named for several captures", "add --join, or leave the output out")
    clock = {
        "timing": timing,
        "tz": tz,
        "start_us": start_of(start, tz),
        "interval_us": _interval(interval) if interval else None,
    }
    for group in [sources] if join else [[source] for source in sources]:
        _replay(group, output, force, strict, to_cast, clock)


def _interval(text: str) -> int:
    from ucpmon.monitor.options import INTERVAL_MS, check_range

    interval_us = parse_duration(text, "--interval", bare_unit="ms")
    check_range("--interval", interval_us // 1000, INTERVAL_MS, " ms")
    return interval_us


def _replay(
    group: list[Path | None],
    output: str | None,
    force: bool,
    strict: bool,
    to_cast: Path | None,
    clock: Mapping[str, Any],
) -> None:
    from ucpmon.captures import open_capture
    from ucpmon.runs import RunFiles
    from ucpmon.runs.replay import replay, summary

    with ExitStack() as stack:
        if output == "-":
            files = RunFiles(Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ucpmon-"))) / "run.csv")
        else:
            files = choose_run(Path(output) if output else None, force, replay=True)
        cast = choose_output(to_cast, force, "run.cast") if to_cast else None
        keep_apart([*files.tables(), *([cast] if cast else [])], group)
        opened = [stack.enter_context(open_capture(source, **clock)) for source in group]
        with progress_bar(opened[0].name) as progress:
            info = replay(opened, files, ["ucpmon", *sys.argv[1:]], progress, cast)
        if output == "-":
            sys.stdout.write(files.csv.read_text(encoding="utf-8"))
    for warning in info["warnings"]:
        say(f"warning: {warning}")
    say(f"{'' if output == '-' else f'wrote {files.csv}: '}{summary(info)}")
    if strict and any(capture.damage for capture in opened):
        raise InputError(f"{opened[0].name} is damaged", "leave --strict out to accept what was recovered")
