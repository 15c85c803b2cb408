"""Plain aligned tables for a terminal: no frame, two spaces between columns, readable in a log and by ``awk``."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from ucpmon.cli.common import printable


def table(header: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    """``rows`` under ``header``, the columns whose numbers are in ``right`` aligned to the right."""
    lines = [[printable(str(cell)).replace("\n", "\\n") for cell in row] for row in (header, *rows)]
    widths = [max(_width(row[i]) for row in lines) for i in range(len(header))]
    return "\n".join(_line(row, widths, right) for row in lines)


def _line(row: Sequence[str], widths: Sequence[int], right: Sequence[int]) -> str:
    cells = (_pad(cell, width, i in right) for i, (cell, width) in enumerate(zip(row, widths, strict=True)))
    return "  ".join(cells).rstrip()


def _pad(cell: str, width: int, right: bool) -> str:
    space = " " * (width - _width(cell))
    return space + cell if right else cell + space


def _width(text: str) -> int:
    """Terminal columns: a wide East Asian character takes two, a combining one none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
