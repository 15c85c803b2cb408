"""What one printed line can be, whatever stands around it.

A line of the monitor is a row of cells between bars. Its meaning depends on the section it stands in (a heap may be
named ``512`` and so may a process), so a line is read once into everything it could be; ``parser`` decides by
section, ``screen`` finds the borders of a refresh. Reading depends on the text alone: results are cached by it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import IntEnum
from functools import lru_cache, partial
from itertools import islice
from typing import NamedTuple

from ucpmon.metrics import IP_NAMES, RATE_UNITS, SIZE, heap_columns, load_column, size_of
from ucpmon.records import ProcessRow
from ucpmon.screens.figures import LOAD, RATE, SIZE_UNIT, adds_up, number_of


class Section(IntEnum):
    """The parts of a refresh, in the order in which the monitor most probably prints them."""

    IP = 0
    DDR = 1
    ION = 2
    PROCESS = 3


class Kind(IntEnum):
    NOISE = 0
    LOADS = 1
    TITLE = 2
    ROW = 3
    UNKNOWN = 4


FIGURES = (Kind.LOADS, Kind.TITLE, Kind.ROW)
"""The lines that say what a screen shows; the others are what stands around them."""


class Figure(NamedTuple):
    """A printed figure: what it says, and from where to where it stands in its line (see ``placed``).

    ``column`` is its column in run.csv, empty where it has none. ``step`` is the resolution of a size in bytes, and 0
    for what is no size. ``factor`` is the unit of a rate in MiB/s, 0.0 where that is the one of the section's title,
    and ``None`` for what is no rate. ``stays``: it hardly ever changes.
    """

    column: str
    number: float
    step: int = 0
    factor: float | None = None
    stays: bool = False
    start: int = -1
    end: int = -1


# A named tuple's own constructor is Python code, and most lines have three figures.
_figure = partial(tuple.__new__, Figure)


class Row(NamedTuple):
    """What a line says where it stands in ``section``.

    ``keys`` are what a refresh has once: a second one begins the next, and one that is missing was cut away. ``sure``
    is false where any program's table may have such a row.
    """

    section: Section
    figures: tuple[Figure, ...]
    keys: tuple[str, ...] = ()
    process: ProcessRow | None = None
    sure: bool = True


class Line(NamedTuple):
    """One printed line, and the rows it could be: one for each section in which it means something.

    ``begins`` is the section that begins with it: that of a title, or of an IP row, which needs none; ``scale`` is the
    unit in MiB/s that holds from there on. Of a line that is not ``whole`` no figure may be trusted. An ``odd`` one may
    mean more, or something else, than it says by itself (see ``tables``). ``beside`` is what
    stands in the box at the right of this one.
    """

    text: str
    kind: Kind
    begins: Section | None = None
    scale: float = 1.0
    rows: tuple[Row, ...] = ()
    whole: bool = True
    odd: bool = False
    beside: tuple[Line, ...] = ()

    def row_in(self, section: Section) -> Row | None:
        """What it says in this section; ``None`` where it does not belong there."""
        for row in self.rows:
            if row.section is section:
                return row
        return None


_Size = tuple[int, int]
"""Bytes, and the resolution in bytes."""
_Span = tuple[int, int]
_NOWHERE: Sequence[_Span] = ((-1, -1),) * 3
# Names of the module: members of an enum are five times slower to look up.
_LOADS, _TITLE, _ROW = Kind.LOADS, Kind.TITLE, Kind.ROW
_IP_ROWS, _DDR, _ION, _PROCESSES = Section.IP, Section.DDR, Section.ION, Section.PROCESS


def in_sections(lines: Iterable[Line]) -> Iterator[tuple[Line, Section, float]]:
    """Each line with the section that it stands in, and the unit of that section's title in MiB/s."""
    section, scale = _IP_ROWS, 1.0
    for line in lines:
        if line.begins is not None:
            section, scale = line.begins, line.scale
        yield line, section, scale


class Screen(NamedTuple):
    """One refresh of the monitor: its lines as read, and whether they are all there."""

    t_us: int | None
    lines: list[Line]
    cut: bool = False
    clipped: bool = False
    """The last terminal row is in use: more may have been drawn below it."""


BARS = "|│┃║¦"
_BAR = re.compile(f"[{BARS}]")
BLANKED = dict.fromkeys(map(ord, BARS), " ")
BAR_SET = frozenset(BARS)
_DIGIT = re.compile(r"\d")

_IP = rf"(?:{'|'.join(IP_NAMES)})(?:[ _-]?(?:core[ _-]?)?\d{{1,2}}|_\w{{1,12}})?"
IP = re.compile(rf"(?:{'|'.join(IP_NAMES)})(?:[_-]?core)?[_-]?\d{{0,2}}(?:[_.-]\w{{1,12}})?", re.IGNORECASE)
"""The name of an IP, of a core or of a channel of one, as one word."""
_IP_FIRST = re.compile(rf"((?:{'|'.join(IP_NAMES)})\d{{1,2}}(?:[_.-]\w{{1,12}})?)\b\W*\s.*\d", re.IGNORECASE)
_IP_INDEXED = re.compile(rf"(?:{'|'.join(IP_NAMES)})\d{{1,2}}(?:[_.-]\w{{1,12}})?:?", re.IGNORECASE)
_GROUP = re.compile(
    rf"({'|'.join(IP_NAMES)})s?(?:\s+cores?)?\s*(load\w*|usage|util\w*|ratio|busy|负载|使用率|利用率)?"
    r"\s*([(\[（]\s*%\s*[)\]）])?\W*",
    re.IGNORECASE,
)
_LOADS_ROW = re.compile(rf"({_IP})(?:\s*[:=]\s*|\s+)({LOAD})(?:\s*%)?(?=\s|$)\s*", re.IGNORECASE)
_IP_NAME, _LOAD_ALONE, _SIZE_ALONE = (re.compile(p, re.IGNORECASE) for p in (_IP, LOAD, SIZE))
# A name that we do not know is a load only where the printed figure says so itself.
_PERCENT = re.compile(rf"([A-Za-z][\w/.-]{{0,30}})(?:\s*[:=]\s*|\s+)({LOAD})\s*%", re.IGNORECASE)

_UNIT = "|".join(re.escape(u) for u in RATE_UNITS)
_RATES = re.compile(
    rf"(?:ddr\s+)?(read|write)(?:\s+(?:bw|bandwidth))?(?:\s*\(({_UNIT})\))?(?:\s*[:=]\s*|\s+)"
    rf"({RATE})(?:\s*({_UNIT}))?(?=\s|$)\s*",
    re.IGNORECASE,
)
_RATE_COLUMNS = {"read": "ddr_read_mibps", "write": "ddr_write_mibps"}
_RATE_ALONE = re.compile(RATE)
_HEAP = re.compile(rf"(\S+(?: \S+)*?)\s*:?\s+{SIZE}\s+{SIZE}\s+{SIZE}", re.IGNORECASE)
_PROCESS = re.compile(rf"(\d{{1,10}})\s+(\S.*?)\s+{SIZE}\s+{SIZE}", re.IGNORECASE | re.DOTALL)
_TITLE_WORDS = (
    (r"ddr\s*band\s?width\b", Section.DDR),
    (r"ion\s+(?:mem(?:ory)?\s+)?info", Section.ION),
    (r"proc(?:ess)?\s+mem(?:ory)?\b", Section.PROCESS),
)
_TITLES = tuple((re.compile(rf"\b{words}", re.IGNORECASE), section) for words, section in _TITLE_WORDS)
_BARE_TITLE = re.compile(
    rf"\W*(?:{'|'.join(words for words, _ in _TITLE_WORDS)})(?:\s+info)?\W*(?:(?:{_UNIT}|{SIZE_UNIT})\W*)?",
    re.IGNORECASE,
)
_TITLE_UNIT = re.compile(rf"[(\[]\s*({_UNIT})\s*[)\]]", re.IGNORECASE)
_TITLE_SIZE = re.compile(rf"[(（\[]\s*(?=\w)(?:{SIZE_UNIT})\s*[)）\]]", re.IGNORECASE)
_LOG = re.compile(r"\s*\[[^\]]*\]")

# No table is wider; the patterns above are not linear in the length of a line.
_LONGEST = 1000
_MOST_BARS = 16
_CACHE_LINES = 1 << 13
_cache: dict[str, Line] = {}


def read_line(text: str) -> Line:
    """Read one line (without its line end)."""
    line = _cache.get(text)
    if line is None:
        if len(_cache) >= _CACHE_LINES:
            _cache.clear()
        line = _cache[text] = _read(text)
    return line


def read_row(text: str, cols: int) -> Line:
    """Read a row of a terminal. One that reaches the edge, and does not end there by itself, may go on beyond it."""
    return read_line(text) if len(text) < cols or text[-1] in BAR_SET else unreadable(text)


def forget() -> None:
    """Empty every cache of what was read."""
    _cache.clear()
    for cached in (_ip_column, _load_word, _size_word, group_of, ips_of, bare_title):
        cached.cache_clear()


@lru_cache(maxsize=1024)
def bare_title(text: str) -> Section | None:
    """The section that begins with a line that is its title and nothing else, without any bar."""
    if not _BARE_TITLE.fullmatch(text) or _BAR.search(text):
        return None
    line = _title(text, text)
    return line.begins if line else None


def read_bare(text: str) -> Line:
    """Read a line of a table without borders: as if it had some."""
    return read_line(f"|{text}|") if text.strip() and text.lstrip()[0] not in BAR_SET else read_line(text)


def unreadable(text: str) -> Line:
    """A line whose end is missing: it counts, but none of its figures may be trusted."""
    return Line(text, Kind.UNKNOWN if any(c.isdigit() for c in text) else Kind.NOISE, whole=False)


def placed(line: Line) -> Line:
    """The line with the places of its figures, which only those who learn from it ask for."""
    lost = any(figure.start < 0 for row in line.rows for figure in row.figures)
    return line._replace(rows=_rows(_cells(line.text))) if lost else line


class Cells(NamedTuple):
    """What stands between the outer bars of a line: from where to where, and the line with its bars blanked out."""

    text: str
    flat: str
    start: int
    end: int


def _cells(text: str) -> Cells:
    flat = text.translate(BLANKED)
    return Cells(text, flat, len(flat) - len(flat.lstrip()), len(flat.rstrip()))


def _read(text: str) -> Line:
    if text.lstrip()[:1] not in BAR_SET or len(text) > _LONGEST:
        return Line(text, Kind.NOISE if _is_noise(text) else Kind.UNKNOWN)
    line = _read_box(text)
    may_be_two = line.kind not in (_LOADS, _ROW) or not line.rows[0].figures
    return (may_be_two and _boxes(text)) or line


def _read_box(text: str) -> Line:
    if not _DIGIT.search(text):
        return _title(text, text) or _ip_line(_cells(text)) or Line(text, Kind.NOISE)
    if rows := _plain(_words(text)):
        return _row_line(text, rows)
    cells = _cells(text)
    if rows := _rows(cells):
        return _row_line(text, rows)
    return _title(text, cells.flat) or _ip_line(cells) or Line(text, Kind.UNKNOWN, odd=True)


def _boxes(text: str) -> Line | None:
    """A line of two boxes side by side, each with a table of its own."""
    bars = _BAR.finditer(text, len(text) - len(text.lstrip()) + 1, len(text.rstrip()) - 1)
    for bar in islice(bars, _MOST_BARS):
        right = _read_box(text[bar.start() :])
        if right.kind is not _TITLE and not (right.kind is _ROW and right.rows[0].section is not _DDR):
            continue
        left = _read_box(text[: bar.end()])
        if left.kind in FIGURES and right.begins != left.begins:
            return left._replace(text=text, odd=True, beside=(right,))
    return None


def _ip_line(cells: Cells) -> Line | None:
    """A line about IPs that needs others to be understood: a name with several figures, or names alone.

    It begins the IP section, and what it names is there once in a refresh.
    """
    text = cells.flat[cells.start : cells.end]
    if found := _IP_FIRST.match(text):
        return Line(cells.text, _LOADS, _IP_ROWS, 1.0, (Row(_IP_ROWS, (), (load_column(found[1]),)),), odd=True)
    if group_of(text) or len(ips_of(text)) > 1:
        return Line(cells.text, _LOADS, _IP_ROWS, 1.0, (Row(_IP_ROWS, (), (" ".join(text.split()),)),), odd=True)
    return None


@lru_cache(maxsize=1024)
def group_of(text: str) -> str:
    """The IP whose cores are listed below such a line: ``BPU Load (%)``."""
    found = _GROUP.fullmatch(text.translate(BLANKED).strip())
    return found[1].lower() if found and (found[2] or found[3]) else ""


@lru_cache(maxsize=1024)
def ips_of(text: str) -> tuple[str, ...]:
    """The IPs that a line names side by side, where it says nothing else."""
    words = text.translate(BLANKED).split()
    names = words[1:] if words and words[0].lower() in ("ip", "core", "name") else words
    return tuple(names) if all(map(IP.fullmatch, names)) and len(set(names)) == len(names) else ()


def _row_line(text: str, rows: tuple[Row, ...]) -> Line:
    first = rows[0]
    if first.section is _IP_ROWS:
        return Line(text, _LOADS, _IP_ROWS, 1.0, rows, True, not first.sure)
    odd = (
        first.section is _ION and len(first.figures) == 3 and not adds_up(*((f.number, f.step) for f in first.figures))
    )
    return Line(text, _ROW, None, 1.0, rows, True, odd)


def _rows(cells: Cells) -> tuple[Row, ...]:
    """What the line says in each section. An IP row means the same wherever it stands."""
    loads = _loads(cells)
    return (loads,) if loads else tuple(row for read in ROWS if (row := read(cells)))


def _words(text: str) -> list[str]:
    """The words of a row between two bars, or before none."""
    words = text.split()
    if len(words) < 3 or words[0] not in BAR_SET:
        return []
    return words[1:-1] if words[-1] in BAR_SET else words[1:]


def _plain(words: list[str]) -> tuple[Row, ...]:
    """The rows that most monitors print: what ``_rows`` would say but for the places, at a third of the time."""
    if len(words) == 2:
        return _plain_pair(*words)
    if len(words) != 4 or words[0].endswith(":"):
        return ()
    name, *sizes = words
    first, second, third = map(_size_word, sizes)
    if second is None or third is None or _BAR.search(name + sizes[0]):
        return ()
    rows: tuple[Row, ...] = ()
    if first is not None and not _is_no_heap(name, sizes[0]):
        rows = (_heap_row(name, (first, second, third)),)
    if name.isdecimal() and len(name) <= 10:
        rows = (*rows, _process_row(name, words[1], (second, third)))
    return rows


def _plain_pair(name: str, figure: str) -> tuple[Row, ...]:
    column, load = _ip_column(name), _load_word(figure)
    if column is not None and load is not None:
        return (Row(_IP_ROWS, (Figure(column, load),), (column,)),)
    rate = _RATE_COLUMNS.get(name.lower())
    if rate is not None and _RATE_ALONE.fullmatch(figure):
        return (Row(_DDR, (Figure(rate, number_of(figure), 0, 0.0),)),)
    return ()


@lru_cache(maxsize=1024)
def _ip_column(word: str) -> str | None:
    return load_column(word) if _IP_NAME.fullmatch(word) else None


@lru_cache(maxsize=1 << 14)
def _load_word(word: str) -> float | None:
    return float(word) if _LOAD_ALONE.fullmatch(word) else None


@lru_cache(maxsize=1 << 16)
def _size_word(word: str) -> _Size | None:
    found = _SIZE_ALONE.fullmatch(word)
    return size_of(found[1], found[2]) if found else None


def _is_noise(text: str) -> bool:
    return _LOG.match(text) is not None or not any(c.isalnum() for c in text)


def _pairs(pattern: re.Pattern[str], cells: Cells) -> list[re.Match[str]]:
    """The matches that make up the whole of a line; none where anything else stands in it."""
    found, at = [], cells.start
    while at < cells.end:
        match = pattern.match(cells.flat, at, cells.end)
        if match is None:
            return []
        found.append(match)
        at = match.end()
    return found


def _loads(cells: Cells) -> Row | None:
    pairs = _pairs(_LOADS_ROW, cells)
    sure = bool(pairs)
    if not pairs and (alone := _PERCENT.fullmatch(cells.flat, cells.start, cells.end)):
        pairs = [alone]
    if not pairs:
        return None
    figures = tuple(_at(m.span(2), load_column(m[1].replace(" ", "")), float(m[2])) for m in pairs)
    return Row(_IP_ROWS, figures, tuple(figure.column for figure in figures), None, sure)


def _rates(cells: Cells) -> Row | None:
    figures = tuple(_rate(m) for m in _pairs(_RATES, cells))
    return Row(_DDR, figures) if figures else None


def _rate(match: re.Match[str]) -> Figure:
    unit = match[4] or match[2]
    factor = RATE_UNITS[unit.lower()] if unit else 0.0
    return _at(match.span(3), _RATE_COLUMNS[match[1].lower()], number_of(match[3]), factor=factor)


def _heap(cells: Cells) -> Row | None:
    found = _HEAP.fullmatch(cells.flat, cells.start, cells.end)
    if found is None or _is_no_heap(found[1], cells.flat[found.start(2) : found.start(5)].rstrip()):
        return None
    return _heap_row(found[1].rstrip(" :"), *_sizes(found, (2, 5, 8)))


def _is_no_heap(name: str, total: str) -> bool:
    """Whether three figures are no heap: those of an IP, or such as lack a unit that no byte has decimals for."""
    if total[-1].isalpha():
        return False
    return _IP_INDEXED.fullmatch(name) is not None or ("." in total and float(total) != 0)


def _process(cells: Cells) -> Row | None:
    if not cells.flat[cells.start].isdecimal():
        return None
    # A process may have a bar in its name: the row is tried as printed before its bars count as cell borders.
    texts = cells.text, cells.flat
    found = next((m for text in texts if (m := _PROCESS.fullmatch(text, cells.start, cells.end))), None)
    return _process_row(found[1], found[2], *_sizes(found, (3, 6))) if found else None


ROWS: tuple[Callable[[Cells], Row | None], ...] = _rates, _heap, _process
"""The rows that mean something in their own section only."""


def _at(span: _Span, column: str, number: float, factor: float | None = None) -> Figure:
    return Figure(column, number, 0, factor, False, *span)


def _sizes(match: re.Match[str], groups: Sequence[int]) -> tuple[list[_Size], list[_Span]]:
    """The sizes whose number is one of these groups, and their unit letter the next; where they stand."""
    printed = [(match.start(i), _SIZE_ALONE.match(match.string, match.start(i))) for i in groups]
    spans = [(start, start + len(size[0].rstrip())) for start, size in printed if size]
    return [size_of(match[i], match[i + 1]) for i in groups], spans


def _heap_row(name: str, sizes: Sequence[_Size], spans: Sequence[_Span] = _NOWHERE) -> Row:
    """A row that adds the heaps up is no heap: its figures are there, and are no value."""
    total, used, free = heap_columns(name) if name.lower() != "total" else ("", "", "")
    figures = (
        _figure((total, *sizes[0], None, total != "", *spans[0])),
        _figure((used, *sizes[1], None, False, *spans[1])),
        _figure((free, *sizes[2], None, False, *spans[2])),
    )
    return Row(_ION, figures, (name,))


def _process_row(pid: str, name: str, sizes: Sequence[_Size], spans: Sequence[_Span] = _NOWHERE) -> Row:
    rss, hbmem = sizes
    figures = _figure(("", *rss, None, False, *spans[0])), _figure(("", *hbmem, None, False, *spans[1]))
    return Row(_PROCESSES, figures, (), ProcessRow(int(pid), name, rss[0], hbmem[0]))


def _title(text: str, flat: str) -> Line | None:
    for pattern, section in _TITLES:
        if pattern.search(flat):
            unit = _TITLE_UNIT.search(flat)
            odd = _TITLE_SIZE.search(flat) is not None or _DIGIT.search(flat) is not None
            return Line(text, _TITLE, section, RATE_UNITS[unit[1].lower()] if unit else 1.0, odd=odd)
    return None


def title_end(text: str) -> int:
    """Where the words of a title end in a line; 0 where there are none."""
    flat = text.translate(BLANKED)
    return next((found.end() for pattern, _ in _TITLES if (found := pattern.search(flat))), 0)
