"""``ucpmon doctor``: what a capture is, what was understood of it, and what is likely wrong."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from ucpmon.cli.common import choose_output, expand, keep_apart, say
from ucpmon.errors import Exit


def doctor(
    capture: str = typer.Argument(metavar="CAPTURE", help="A saved capture of any kind; - reads standard input."),
    timing: Path | None = typer.Option(None, "--timing", help="The timing file of a script typescript."),
    tz: str | None = typer.Option(None, "--tz", help="Zone of stamps that name none, such as Asia/Shanghai."),
    anonymize: Path | None = typer.Option(
        None, "--anonymize", metavar="OUT", help="Write a small sample to share: no process names, hosts or paths."
    ),
    force: bool = typer.Option(False, "--force", help="Overwrite an existing sample."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON instead of text."),
) -> int:
    """Say what a capture is and why little of it was understood; make a sample of it that can be shared.

    Exit code 4 where no screen of the monitor is in it.
    """
    from ucpmon.captures import open_capture
    from ucpmon.cli.doctor_view import doctor_text, shared_text
    from ucpmon.doctor import anonymize as write_sample
    from ucpmon.doctor import diagnose

    source = expand([capture])[0]
    if anonymize is not None:
        out = choose_output(anonymize, force, "")
        keep_apart([out], [source])
        with open_capture(source, timing=timing, tz=tz) as opened:
            say(shared_text(out, write_sample(opened, out)))
        return int(Exit.OK)
    with open_capture(source, timing=timing, tz=tz) as opened:
        found = diagnose(opened)
    typer.echo(json.dumps(found.as_dict(), indent=1, ensure_ascii=False) if as_json else doctor_text(found))
    return int(Exit.OK if found.screens else Exit.NOT_UNDERSTOOD)
