"""What stands below the last title of a block: process rows, borders, and whatever else is printed there.

Tables grow and shrink, so this part has no form of its own: its lines are read one by one, and whole texts remembered,
since most blocks repeat that of the one before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ucpmon.records import ProcessRow
from ucpmon.screens.grammar import Kind, Line, Section, read_line
from ucpmon.screens.tables import Tables

_MOST_TEXTS = 1 << 12
_MOST_LINES = 1 << 10


class Below(NamedTuple):
    """The process rows of a block, how many of its lines are understood and noise, and which are unknown."""

    processes: tuple[ProcessRow, ...]
    understood: int
    noise: int
    unknown: tuple[str, ...]


class BelowReader:
    """Reads such texts, each line with its line end before it.

    ``titled``: the last title is that of the process table. ``above``: what the lines above count for.
    """

    def __init__(self, titled: bool, tables: Tables, above: Below) -> None:
        self._titled = titled
        self._tables = tables
        self._above = above
        self._known: dict[str, Below] = {}

    def read(self, text: str) -> Below:
        """Raises KeyError where a line belongs into another section."""
        found = self._known.get(text)
        if found is None:
            if len(self._known) >= _MOST_TEXTS:
                self._known.clear()
            found = self._known[text] = self.read_lines(self.lines(map(read_line, text.split("\n")[1:])))
        return found

    def lines(self, lines: Iterable[Line]) -> list[Line]:
        """What these lines mean in a process table."""
        return self._tables.below(lines)

    def read_lines(self, lines: Sequence[Line]) -> Below:
        """Raises KeyError where a line belongs into another section."""
        processes, unknown = [], list(self._above.unknown)
        noise = self._above.noise
        for line in lines:
            row = line.row_in(Section.PROCESS) if self._titled else None
            if row and row.process:
                processes.append(row.process)
            elif line.kind is Kind.UNKNOWN:
                unknown.append(line.text)
            elif line.kind is Kind.NOISE:
                noise += 1
            else:
                raise KeyError(line.text)
        if len(lines) > _MOST_LINES:
            raise KeyError(lines[-1].text)
        return Below(tuple(processes), self._above.understood + len(processes), noise, tuple(unknown))
