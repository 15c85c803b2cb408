"""Lines → blocks: one refresh has no delimiter of its own, its content tells where it ends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from ucpmon.screens.grammar import (
    BARS,
    FIGURES,
    Kind,
    Line,
    Screen,
    Section,
    in_sections,
    read_line,
    unreadable,
)
from ucpmon.screens.tables import Tables
from ucpmon.screens.terminal_row import TerminalRow

# Names of the module: members of an enum are five times slower to look up.
_LOADS, _TITLE = Kind.LOADS, Kind.TITLE
_CLOSING = tuple(BARS + "+┘╯╝┛")


class Tail(NamedTuple):
    """The borders at the end of a block: above its process rows (``None`` where it has none) and below all rows."""

    above: int | None
    below: int


def tail_of(lines: Sequence[Line]) -> Tail:
    """The tail of a block; borders that open the next block count with those that close this one."""
    above, below, rows = 0, 0, False
    for line, section, _ in in_sections(lines):
        if line.kind is _TITLE:
            above = below = 0
        elif section is Section.PROCESS and line.row_in(section):
            above, below, rows = above if rows else below, 0, True
        elif line.kind in FIGURES:
            below = 0
        else:
            below += _is_border(line.text)
    return Tail(above if rows else None, below)


def _is_border(text: str) -> bool:
    text = text.strip()
    return bool(text) and not any(c.isalnum() for c in text)


class Sink(Protocol):
    """Where screens go: a list of them, or of them and other things."""

    def append(self, screen: Screen, /) -> None: ...

    def extend(self, screens: Iterable[Screen], /) -> None: ...


class BlockFramer:
    """Cuts a stream of lines where a new refresh begins.

    A block ends before the first line that can only belong to the next one: an IP that it already has, an IP row after
    another section, a section title it already has, or one that stands earlier in the order of a refresh. Where a
    page is known to begin and end elsewhere (``paged``), only repetition counts: the order is then the program's own.
    """

    def __init__(self, tables: Tables | None = None) -> None:
        self.tables = tables or Tables()
        self.paged = False
        self._framed = False
        self._lines: list[Line] = []
        self._t_us: int | None = None
        self._reset()
        self._before: frozenset[object] = frozenset()
        # The last whole block: its lines, or its text where it was read past this framer.
        self._last: Sequence[Line] | str = ()
        self._opening: int | None = None
        self._followed: set[tuple[int, int]] = set()

    def _reset(self) -> None:
        self._section = Section.IP
        self._seen: set[object] = set()
        self._has_loads = False

    @property
    def lines(self) -> list[Line]:
        """The lines of the block that is still open."""
        return self._lines

    def ends_before(self, line: Line) -> bool:
        """Whether this line is an IP row that would begin a new block."""
        begins = not self._lines or self._section is not Section.IP or self._repeats(line)
        return line.kind is _LOADS and begins

    @property
    def seen(self) -> frozenset[object]:
        """The keys of the last whole block."""
        return self._before

    @property
    def expects_processes(self) -> bool:
        """Whether a block without a process table, now, would be one that lost it."""
        return Section.PROCESS in self._before or Section.PROCESS in self._seen

    def skip(self, seen: frozenset[object], last: str) -> None:
        """Blocks with these keys were read past this framer; ``last`` is the text of the last one."""
        self._before = seen
        self._last = last

    def push(self, line: Line, t_us: int | None, out: Sink) -> None:
        """Take the next line; the block that it ends, if any, goes to ``out``."""
        kind, begins = line.kind, line.begins
        if not self._framed and self._turns_bare(line, t_us, out):
            return
        if kind is _LOADS:
            if (self._section is not Section.IP and not self.paged) or self._repeats(line):
                out.append(self._end())
            self._has_loads = True
        elif begins is not None:
            if begins in self._seen or self._steps_back(begins):
                out.append(self._end())
            self._followed.add((self._section, begins))
            self._seen.add(begins)
        if begins is not None:
            self._section = begins
        for section, _, keys, _, _ in line.rows:
            if keys and section is self._section:
                self._seen.update(keys)
        if self.paged or kind in FIGURES:
            self._t_us = t_us
        self._lines.append(line)

    def _turns_bare(self, line: Line, t_us: int | None, out: Sink) -> bool:
        """Whether this line shows that the tables have no borders: then it is read again with what came before it."""
        bare = self.tables.turns_bare(line)
        self._framed = bare or line.kind in FIGURES
        if not bare:
            return False
        texts = [before.text for before in (*self._lines, line)]
        self._lines = []
        self._reset()
        for text in texts:
            self.push(self.tables.read(text), t_us, out)
        return True

    def push_last(self, row: TerminalRow, t_us: int | None, out: Sink) -> bool:
        """Take a last line without a line end; whether it is whole."""
        text = row.text
        whole = self._is_whole(text) and row.column >= len(text)
        if text:
            self.push(self.tables.read(text) if whole else unreadable(text), t_us, out)
            row.begin()
        return whole

    def _is_whole(self, text: str) -> bool:
        """Whether an unended line has its last character: it closes the frame at the width of a line above it."""
        closes = text[-1:] in _CLOSING and any(len(text) == len(line.text) for line in self._lines)
        return not text or closes

    def end(self, complete: bool, checked: bool = False) -> list[Screen]:
        """End the open block where a page or the stream ends: one screen, or none where there are no lines.

        ``complete`` says that its last line is whole, else it is cut. ``checked``: nothing says that more was not to
        come; it is cut too where it lacks what the block before it had. A first block is trusted when it goes as far
        as the process table.
        """
        if not self._lines:
            return []
        lacking = self._lacks() if checked else False
        ended = self._end()
        return [ended._replace(cut=ended.cut or not complete or lacking)]

    def _lacks(self) -> bool:
        if self._before:
            return not self._before <= self._seen or tail_of(self._lines).below < self._closing()
        return Section.PROCESS not in self._seen

    def _closing(self) -> int:
        """How many borders must close the open block, by those of the block before; in a log, less the opening ones."""
        last = [read_line(text) for text in self._last.split("\n")] if isinstance(self._last, str) else self._last
        before, now = tail_of(last), tail_of(self._lines)
        below = before.below - (0 if self.paged else self._opening or 0)
        if now.above is None:
            return below + (before.above or 0)
        return below if before.above is not None else min(1, below)

    def _end(self) -> Screen:
        # In mid-stream only a lost tail tells a cut from heaps or IPs that really went away.
        cut = not self.paged and Section.PROCESS in self._before and Section.PROCESS not in self._seen
        ended = Screen(self._t_us, self.tables.settle(self._lines), cut and bool(self._seen))
        if self._seen and not cut:
            self._before = frozenset(self._seen)
            self._last = self._lines
            if self._opening is None:
                self._opening = tail_of(self._lines[::-1]).below
        self._lines = []
        self._reset()
        return ended

    def _repeats(self, line: Line) -> bool:
        return not self._seen.isdisjoint(line.rows[0].keys)

    def _steps_back(self, section: Section) -> bool:
        if self.paged or section > self._section:
            return False
        # With IP rows at the head of every refresh they are the border; the order of the titles is not certain then.
        return not self._has_loads or (section, self._section) in self._followed
