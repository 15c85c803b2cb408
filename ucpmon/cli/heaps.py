"""``ucpmon heaps``: exact memory per heap and process, from the ION debug files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from ucpmon.cli.common import say
from ucpmon.cli.record_options import option
from ucpmon.errors import UsageError
from ucpmon.monitor.options import ION_HEAPS


def heaps(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE…]", help="Saved debug files; - is standard input. Without any: the board's own."),
    ] = None,
    host: Annotated[str, typer.Option(metavar="USER@BOARD", help="Read there, over ssh.", show_default=False)] = "",
    port: int | None = option("port"),
    identity: Path | None = option("identity"),
    ssh_option: list[str] = option("ssh_option"),
    sudo: Annotated[bool, typer.Option("--sudo", help="Read them by sudo, without a password.")] = False,
    heaps_dir: Annotated[str, typer.Option(help="Where the board has them.")] = ION_HEAPS,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Show the exact bytes of every heap and process, from the ION debug files.

    The files are those under /sys/kernel/debug/ion/heaps and /clients, as saved by cat, in any mixture.
    """
    from ucpmon.cli.heaps_view import heaps_text, remarks
    from ucpmon.heaps import to_json
    from ucpmon.heaps.dump_file import read_files
    from ucpmon.heaps.live import read_board
    from ucpmon.monitor.link import Local
    from ucpmon.monitor.ssh import Ssh

    if files and host:
        raise UsageError("FILE and --host are two sources", "name one of them")
    if files:
        dump = read_files(files)
    else:
        link = Ssh(host, port, identity, tuple(ssh_option), sudo) if host else Local(sudo)
        dump = read_board(link, heaps_dir)
    for remark in remarks(dump):
        say(f"ucpmon: {remark}")
    typer.echo(json.dumps(to_json(dump), indent=1) if as_json else heaps_text(dump))
