"""Plain aligned tables for a terminal: no frame, two spaces between columns, readable in a log and by ``awk``."""

from __future__ import annotations

from collections.abc import Sequence

from ucpmon.text import printable

_NO_LIMIT = 1_000_000
"""Columns: a table is never folded, so that each of its rows stays one line."""


def table(header: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    """``rows`` under ``header``, the columns whose numbers are in ``right`` aligned to the right."""
    # 40 ms to import: only who prints a table pays.
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2), pad_edge=False)
    for number in range(len(header)):
        grid.add_column(justify="right" if number in right else "left", no_wrap=True)
    for row in (header, *rows):
        grid.add_row(*(Text(printable(str(cell))) for cell in row))
    console = Console(width=_NO_LIMIT, color_system=None)
    with console.capture() as captured:
        console.print(grid)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())
