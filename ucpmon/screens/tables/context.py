"""What lines mean together: a row says what its header, its title and the rows before it let it say.

``grammar`` reads a line for itself, by what is attested. Where a screen differs from that (columns in another order,
units that stand in a header, IPs side by side, two boxes next to each other) ``Tables.settle`` gives each line the one
meaning that it has there, or none. What a stream has shown once is remembered: a header that is printed once holds
on, and the order of a heap's figures is told by all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from ucpmon.screens.grammar import (
    BAR_SET,
    FIGURES,
    Kind,
    Line,
    Section,
    bare_title,
    group_of,
    ips_of,
    read_bare,
    read_line,
)
from ucpmon.screens.tables.arithmetic import Orders, fitting_of, orders_that_fit, sizes_of
from ucpmon.screens.tables.columns import Table, read_cells
from ucpmon.screens.tables.headers import Header, header_of, title_unit

# A member of an enum is looked up through its class: five times as slow as a name of the module.
_NOISE = Kind.NOISE


class Tables:
    """What the tables of a stream have shown so far."""

    def __init__(self) -> None:
        self.orders = Orders()
        self._headers: dict[Section, Header] = {}
        self._units: dict[Section, str] = {}
        self._bare_titles: set[Section] = set()
        self._framed = False

    @property
    def bare(self) -> bool:
        """Whether the tables of this stream have no borders: two of their titles stood alone, and no row had bars."""
        return len(self._bare_titles) > 1

    def read(self, text: str) -> Line:
        """Read one line (without its line end)."""
        return read_bare(text) if self.bare else read_line(text)

    def turns_bare(self, line: Line) -> bool:
        """Whether this line shows that the stream has no borders: what came before it is to be read again."""
        if self.bare or self._framed:
            return False
        if line.kind in FIGURES:
            self._framed = True
        elif section := bare_title(line.text):
            self._bare_titles.add(section)
        return self.bare

    @property
    def is_plain(self) -> bool:
        """Whether nothing was seen that gives lines another meaning than the attested one."""
        return not self._headers and not self._units and self.orders.attested

    @property
    def certain(self) -> bool:
        """Whether the next screen will be read as the last one was, if it shows the same lines."""
        return self.orders.certain and not self.bare

    def settle(self, lines: list[Line]) -> list[Line]:
        """The lines of one screen, each with what it means there and nothing else.

        Two boxes side by side become one under the other.
        """
        self.orders.note(lines)
        if self.is_plain and not self._are_odd(lines):
            return lines
        self.orders.learn(lines)
        settled = [line for box in _boxes(lines) for line in self._settle(box)]
        return settled if any(map(_is_sign, settled)) else [_unknown(line) for line in settled]

    def _are_odd(self, lines: Sequence[Line]) -> bool:
        """Whether a line may change what others mean, or may mean more than it says by itself."""
        for line in lines:
            if line.kind is _NOISE:
                if _renames(line.text):
                    return True
            elif line.odd and line.whole:
                known = self.orders.contradictions
                if not (line.rows and known.intersection(line.rows[0].keys)):
                    return True
        return False

    def below(self, lines: Iterable[Line]) -> list[Line]:
        """Lines of the process table and of what stands below it. Raises KeyError where a header changes."""
        found = list(lines)
        plain = self.is_plain
        for line in found:
            header = _header(line, Section.PROCESS) if line.kind is _NOISE else None
            if header and (header.has_strangers or self._headers.get(header.section) != self._kept(header)):
                raise KeyError(line.text)
        return found if plain else list(self._settle(found, Section.PROCESS))

    def _settle(self, lines: Sequence[Line], section: Section = Section.IP) -> Iterator[Line]:
        group: str = ""
        across: tuple[str, ...] = ()
        for line in lines:
            if line.begins is not None:
                section, group, across = line.begins, group_of(line.text), _across(line.text)
            if line.kind is Kind.TITLE:
                self._take_unit(section, title_unit(line.text))
            elif header := _header(line, section):
                self._enter(header)
                yield line._replace(kind=Kind.UNKNOWN) if header.has_strangers else line
                continue
            yield self._row(line, section, group, across)

    def _take_unit(self, section: Section, letter: str | None) -> None:
        if letter is None:
            self._units.pop(section, None)
        else:
            self._units[section] = letter

    def _enter(self, header: Header) -> None:
        if kept := self._kept(header):
            self._headers[header.section] = kept
        else:
            self._headers.pop(header.section, None)

    @staticmethod
    def _kept(header: Header) -> Header | None:
        """What is remembered of a header: nothing where it says no more than is attested."""
        return None if header.is_attested else header

    def _row(self, line: Line, section: Section, group: str, across: tuple[str, ...]) -> Line:
        """A line as a row of the section's table."""
        names_others = line.kind is Kind.LOADS and (group_of(line.text) or _across(line.text))
        if line.kind is Kind.NOISE or names_others or not line.whole:
            return line
        table = Table(section, self._headers.get(section), self._units.get(section), group, across)
        by_sum = section is Section.ION and not table.header
        orders = self.orders.of(orders_that_fit(line)[0]) if by_sum else frozenset()
        attested = line.row_in(section)
        if table.is_attested and not orders and attested and attested.figures:
            return line
        row = table.read(line.text, orders)
        if row is None:
            return line if line.kind is Kind.TITLE else _unknown(line)
        return line._replace(kind=line.kind if line.begins is not None else Kind.ROW, rows=(row,))


def _across(text: str) -> tuple[str, ...]:
    names = ips_of(text)
    return names if len(names) > 1 else ()


@lru_cache(maxsize=1 << 12)
def _renames(text: str) -> bool:
    """Whether a line is a header that says more than is attested."""
    header = header_of(text, Section.IP) if text.lstrip()[:1] in BAR_SET else None
    return header is not None and not header.is_attested


def _header(line: Line, section: Section) -> Header | None:
    if line.kind is not Kind.NOISE or line.text.lstrip()[:1] not in BAR_SET:
        return None
    return header_of(line.text, section)


def _is_sign(line: Line) -> bool:
    """Whether a line shows that this is a screen of the monitor at all."""
    return line.kind is Kind.TITLE or (line.kind is Kind.LOADS and bool(line.rows) and line.rows[0].sure)


def _unknown(line: Line) -> Line:
    return line if line.kind is Kind.NOISE else line._replace(kind=Kind.UNKNOWN, rows=())


def forget() -> None:
    """Empty every cache of what was read."""
    for cached in (_renames, header_of, read_cells, fitting_of, sizes_of):
        cached.cache_clear()


def _boxes(lines: Sequence[Line]) -> list[Sequence[Line]]:
    """The lines of each box, where boxes stand side by side."""
    bars = {line.text.index(line.beside[0].text) for line in lines if line.beside}
    if not bars:
        return [lines]
    at = min(bars)
    left, right = [], []
    for line in lines:
        if line.whole and line.text[at : at + 1] in BAR_SET and at < len(line.text) - 1:
            left.append(read_line(line.text[: at + 1]))
            right.append(read_line(line.text[at:]))
        else:
            left.append(line)
    return [left, right]
