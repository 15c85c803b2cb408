"""A row of a table, read by the columns that its header names, or by what its figures say of themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from ucpmon.metrics import heap_columns, peak_column, size_of
from ucpmon.records import ProcessRow
from ucpmon.screens.figures import number_of
from ucpmon.screens.grammar import IP, Figure, Row, Section, placed, read_line, title_end
from ucpmon.screens.tables.arithmetic import Order
from ucpmon.screens.tables.headers import Column, Header, frequency_unit, header_role, rate_unit, size_unit
from ucpmon.screens.tables.words import Word, words_of

_CORE = re.compile(r"(?:core|#|id)?[_#-]?(\d{1,2})", re.IGNORECASE)
_SUFFIXES = {
    "load": "_load_pct",
    "avg": "_load_avg_pct",
    "max": "_load_max_pct",
    "freq": "_freq_mhz",
    "temp": "_temp_c",
}
_MOST_PERCENT = 100.0


class Table(NamedTuple):
    """What a row is read by: its header and the unit of its title, where there are such.

    ``group`` is the IP whose cores are listed, ``across`` the names above a row of figures.
    """

    section: Section
    header: Header | None = None
    unit: str | None = None
    group: str = ""
    across: tuple[str, ...] = ()

    @property
    def is_attested(self) -> bool:
        return not (self.header or self.unit is not None or self.group or self.across)

    def read(self, text: str, orders: frozenset[Order] = frozenset()) -> Row | None:
        """The row that a line is; ``None`` where it is none, or where its figures cannot be told apart."""
        return read_cells(self, text, orders)


@lru_cache(maxsize=1 << 13)
def read_cells(table: Table, text: str, orders: frozenset[Order]) -> Row | None:
    words = words_of(text)
    if not words:
        return None
    if table.section is Section.IP:
        return _ip_row(table, text, words)
    if table.section is Section.DDR:
        return _ddr_row(table, text, words)
    if table.section is Section.ION:
        return _heap_row(table, text, words, orders)
    return _process_row(table, text, words)


def assign(columns: Sequence[Column], words: Sequence[Word], text: str = "") -> list[tuple[Column, Word]]:
    """Each word with its column: in order where there are as many, else by the place on the line; none where neither
    tells. Words too many belong to the name, which may have blanks.
    """
    more = len(words) - len(columns)
    at = next((i for i, column in enumerate(columns) if column.role == "name"), None)
    if more > 0 and at is not None:
        joined = words[at : at + more + 1]
        start, end = joined[0].start, joined[-1].end
        words = [*words[:at], Word(text[start:end], start, end), *words[at + more + 1 :]]
    if more >= 0:
        return list(zip(columns, words, strict=True)) if len(words) == len(columns) else []
    nearest = [min(range(len(columns)), key=lambda i: _apart(columns[i], word)) for word in words]
    if sorted(set(nearest)) != nearest:
        return []
    return [(columns[i], word) for i, word in zip(nearest, words, strict=True)]


def _apart(column: Column, word: Word) -> int:
    """How far a word is from the name of a column; less than 0 where they overlap."""
    return max(column.start, word.start) - min(column.end, word.end)


# -- IPs


def _ip_row(table: Table, text: str, words: Sequence[Word]) -> Row | None:
    if table.across:
        figures = tuple(_across(table.across, words))
    elif table.header:
        figures = tuple(_by_header(table, table.header, words, text))
    else:
        figures = tuple(_by_itself(table.group, words))
    columns = [figure.column for figure in figures]
    if not figures or len(set(columns)) < len(columns):
        return None
    return Row(Section.IP, figures, tuple(columns))


def _across(names: Sequence[str], words: Sequence[Word]) -> Iterator[Figure]:
    role = "load"
    if words[0].number == "":
        role, words = header_role(words[0].text, Section.IP) or "", words[1:]
    if len(words) == len(names) and role in _SUFFIXES:
        for name, word in zip(names, words, strict=True):
            yield from _ip_figure(name, role, word, "")


def _by_header(table: Table, header: Header, words: Sequence[Word], text: str) -> Iterator[Figure]:
    cells = assign(header.columns, words, text)
    name = next((word.text.replace(" ", "") for column, word in cells if column.role == "name"), "")
    ip = _ip_name(name, table.group)
    for column, word in cells if ip else ():
        if column.role in _SUFFIXES:
            yield from _ip_figure(ip or "", column.role or "", word, column.unit)


def _by_itself(group: str, words: Sequence[Word]) -> Iterator[Figure]:
    """Names, each with figures that say by their unit or by a word before them what they are."""
    name = _ip_name(words[0].text, group)
    begin = 0
    for i in range(1, len(words) + 1):
        after = _ip_name(words[i].text, "") if i < len(words) else None
        if after or i == len(words):
            if name is None:
                return
            yield from _told_by_unit(name, words[begin + 1 : i])
            name, begin = after, i


def _told_by_unit(name: str, words: Sequence[Word]) -> Iterator[Figure]:
    """A figure without a word before it is a load where it is the only percentage, or the only one without a unit."""
    key: str | None = None
    said: list[tuple[str, Word]] = []
    loads: list[Word] = []
    for word in words:
        if not word.number:
            key = header_role(word.text.strip("()[]"), Section.IP)
            if key is None and word.text not in _BETWEEN:
                return
            continue
        if key is not None:
            said.append((key, word))
        elif frequency_unit(word.unit) is not None:
            said.append(("freq", word))
        elif _is_degrees(word.unit):
            said.append(("temp", word))
        else:
            loads.append(word)
        key = None
    percent = [word for word in loads if word.unit == "%"] or loads
    if len(percent) == 1:
        said.append(("load", percent[0]))
    for role, word in said:
        if role in _SUFFIXES:
            yield from _ip_figure(name, role, word, "")


_BETWEEN = ("@", "%", ",", ";", "/", "at")


def _is_degrees(unit: str) -> bool:
    return unit.upper().strip("°") in ("C", "℃")


def _ip_figure(name: str, role: str, word: Word, unit: str) -> Iterator[Figure]:
    """A figure of an IP, where it can be one of its kind."""
    if not word.number or word.is_nothing:
        return
    number, column = float(word.number), name.lower() + _SUFFIXES[role]
    if role == "freq":
        factor = frequency_unit(word.unit or unit or "MHz")
        if factor is not None:
            yield Figure(column, number_of(word.number), 0, factor, False, word.start, word.end)
    elif role == "temp":
        if (not word.unit or _is_degrees(word.unit)) and number < 200:
            yield Figure(column, number, 0, None, False, word.start, word.end)
    elif word.unit in ("", "%") and number <= _MOST_PERCENT:
        yield Figure(column, number, 0, None, False, word.start, word.end)


def _ip_name(word: str, group: str) -> str | None:
    """The name of the IP that a word is, or the core of a group."""
    text = word.rstrip(":")
    if group and (core := _CORE.fullmatch(text)):
        return f"{group}{core[1]}"
    return text if IP.fullmatch(text) else None


# -- DDR


def _ddr_row(table: Table, text: str, words: Sequence[Word]) -> Row | None:
    end = title_end(text)
    if table.header and not end:
        figures = tuple(_rates_by_header(table.header, words))
    else:
        figures = tuple(_rates_by_word([word for word in words if word.start >= end]))
    columns = {figure.column for figure in figures}
    return Row(Section.DDR, figures) if figures and len(columns) == len(figures) else None


def _rates_by_word(words: Sequence[Word]) -> Iterator[Figure]:
    """``Read 15838 Write 1908 MiB/s``: a unit behind the last figure is that of those without one."""
    last = words[-1].text.strip("()[]") if words else ""
    common = rate_unit(last)
    key: str | None = None
    for word in words:
        if word.number and key in ("read", "write", "total"):
            factor = rate_unit(word.unit) if word.unit else common or 0.0
            if factor is not None:
                yield Figure(f"ddr_{key}_mibps", number_of(word.number), 0, factor, False, word.start, word.end)
            key = None
        elif not word.number:
            key = header_role(word.text.strip("()[]"), Section.DDR)


def _rates_by_header(header: Header, words: Sequence[Word]) -> Iterator[Figure]:
    cells = assign(header.columns, words)
    name = next((word.text.rstrip(":").lower() for column, word in cells if column.role == "name"), "")
    whole = name in ("", "ddr") or header_role(name, Section.DDR) == "total"
    for column, word in cells:
        if column.role not in ("read", "write", "total") or not word.number or (column.role == "total" and not whole):
            continue
        factor = rate_unit(word.unit or column.unit) if word.unit or column.unit else 0.0
        if factor is not None:
            port = "" if whole else f"{name}_"
            printed = f"ddr_{port}{column.role}_mibps"
            yield Figure(printed, number_of(word.number), 0, factor, False, word.start, word.end)


# -- heaps


def _heap_row(table: Table, text: str, words: Sequence[Word], orders: frozenset[Order]) -> Row | None:
    if table.header:
        cells = {column.role or "": (column, word) for column, word in assign(table.header.columns, words, text)}
        name = cells.get("name", (None, words[0]))[1].text
        sized = {role: (word, column.unit) for role, (column, word) in cells.items() if role in _HEAP_ROLES}
    else:
        attested = placed(read_line(text)).row_in(Section.ION)
        first = next((i for i, word in enumerate(words) if attested and word.start == attested.figures[0].start), 1)
        name = text[words[0].start : words[first - 1].end]
        sized = {role: (word, "") for role, word in _by_order(words[first:], orders).items()}
    name = name.rstrip(" :")
    if name[:1].isdecimal() and not name.isdecimal():
        return None
    figures = tuple(
        _size_figure(_heap_column(name, role), word, unit, table.unit, role == "total" and name.lower() != "total")
        for role, (word, unit) in sized.items()
    )
    kept = tuple(figure for figure in figures if figure is not None)
    return Row(Section.ION, kept, (name,)) if kept else None


_HEAP_ROLES = ("total", "used", "free", "peak")


def _by_order(words: Sequence[Word], orders: frozenset[Order]) -> dict[str, Word]:
    """The figures that the arithmetic of all heaps tells: the total, and what is used where its order is attested."""
    if len(words) == 2 and all(word.number for word in words):
        return {"used": words[0], "total": words[1]}
    if len(words) == 3 and not orders:
        return dict(zip(("total", "used", "free"), words, strict=True))
    if len(orders) != 1:
        return {}
    ((total, one, other),) = orders
    return {"total": words[total]} | ({"used": words[one], "free": words[other]} if total == 0 else {})


def _heap_column(name: str, role: str) -> str:
    """The column of a heap's figure; none of a row that adds the heaps up."""
    columns = dict(zip(_HEAP_ROLES, (*heap_columns(name), peak_column(name)), strict=True))
    return columns[role] if name.lower() != "total" else ""


def _size_figure(column: str, word: Word, unit: str, common: str | None, stays: bool = False) -> Figure | None:
    """A size in the unit that it, its column or its section has; none where it has decimals of no unit."""
    printed = word.unit or unit
    letter = size_unit(printed) if printed else common
    if not word.number or (printed and letter is None) or (letter is None and word.decimals and float(word.number)):
        return None
    value, step = size_of(word.number, letter)
    return Figure(column, value, step, None, stays, word.start, word.end)


# -- processes


def _process_row(table: Table, text: str, words: Sequence[Word]) -> Row | None:
    columns = table.header.columns if table.header else _PROCESS_COLUMNS
    cells = {column.role: (column, word) for column, word in assign(columns, words, text) if column.role}
    if not {"pid", "name", "rss", "hbmem"} <= set(cells) or not cells["pid"][1].text.isdecimal():
        return None
    rss, hbmem = (_size_figure("", cells[role][1], cells[role][0].unit, table.unit) for role in ("rss", "hbmem"))
    if rss is None or hbmem is None:
        return None
    process = ProcessRow(int(cells["pid"][1].text), cells["name"][1].text, int(rss.number), int(hbmem.number))
    return Row(Section.PROCESS, (rss, hbmem), (), process)


_PROCESS_COLUMNS = tuple(Column(role, "", 0, 0) for role in ("pid", "name", "rss", "hbmem"))
