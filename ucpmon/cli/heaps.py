"""``ucpmon heaps``: exact memory per heap and process, from the ION debug files."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from ucpmon.cli.common import say


def heaps(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE…]", help="Saved debug files; - is standard input. Without any: this board's own."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Show the exact bytes of every heap and process, from the ION debug files.

    The files are those under /sys/kernel/debug/ion/heaps and /clients, as saved by cat, in any mixture.
    """
    from ucpmon.cli.heaps_view import heaps_text, remarks
    from ucpmon.heaps import to_json
    from ucpmon.heaps.files import read_board, read_files

    dump = read_files(files) if files else read_board()
    for remark in remarks(dump):
        say(f"ucpmon: {remark}")
    typer.echo(json.dumps(to_json(dump), indent=1) if as_json else heaps_text(dump))
