"""``ucpmon memory``: what a model takes of the reserved memory, whether it leaks, whether another would fit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from ucpmon.errors import Exit


def memory(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="run.csv, run.cast or any saved capture.")],
    process: Annotated[str, typer.Option(help="Only this process: a name or a pid.", show_default=False)] = "",
    phase: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=START..END",
            help="Correct a phase: baseline, loading, running or released, as in running=30s..2m. May be repeated.",
        ),
    ] = None,
    need: Annotated[str, typer.Option(help="Would so much more fit? 7.4G, 512M.", show_default=False)] = "",
    heap: Annotated[
        str, typer.Option(help="With --need: the heap that is tried first. Default: carveout.", show_default=False)
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> int:
    """Show the memory before, while and after a model ran, of every heap and process; leaks; room for more.

    Exit code 1 where --need does not fit for sure.
    """
    from ucpmon.cli.memory_view import memory_text
    from ucpmon.memory.fit import fit, parse_need
    from ucpmon.memory.measurement import memory as memory_of
    from ucpmon.memory.phases import parse_phase
    from ucpmon.runs.reader import read_run
    from ucpmon.statistics.quality import doubts, quality

    given = [parse_phase(text) for text in phase or []]
    wanted = parse_need(need, heap)
    data = read_run(run)
    report = memory_of(data, phases=given, process=process or None)
    answer = fit(wanted, report.heaps, heap or None) if wanted is not None else None
    if as_json:
        typer.echo(json.dumps({"run": str(run), **report.as_dict(), "fit": answer and answer.as_dict()}, indent=1))
    else:
        noted = doubts(quality(data.frame, data.info), data.info)
        typer.echo(memory_text(data.name, report, answer, noted))
    return int(Exit.OK if answer is None or answer.ok else Exit.FAILED)
