"""What one printed line can be, whatever stands around it.

A line of the monitor is a row of cells between bars. Its meaning depends on the section it stands in (a heap may be
named ``512`` and so may a process), so a line is read once into everything it could be; ``parser`` decides by
section, ``screen`` finds the borders of a refresh. Reading depends on the text alone: results are cached by it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from ucpmon.metrics import DECIMALS, RATE_UNITS, SIZE, heap_columns, load_column, size_of
from ucpmon.records import ProcessRow


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


class Heap(NamedTuple):
    """A heap row: its name, and for total, used and free the column, the bytes and the resolution in bytes."""

    name: str
    figures: tuple[tuple[str, int, int], ...]

    @property
    def is_total(self) -> bool:
        """Whether this is the row under the heaps that adds them up."""
        return self.name.lower() == "total"


class Line(NamedTuple):
    """One printed line and everything it could be.

    ``loads`` are (column, percent) pairs; ``rates`` are (column, number, MiB/s per unit, or 0.0 where no unit was
    printed); ``scale`` is the unit of a DDR title in MiB/s.
    """

    text: str
    kind: Kind
    section: Section = Section.IP
    scale: float = 1.0
    loads: tuple[tuple[str, float], ...] = ()
    rates: tuple[tuple[str, float, float], ...] = ()
    heap: Heap | None = None
    process: ProcessRow | None = None


# Names of the module: members of an enum are five times slower to look up.
_LOADS, _TITLE, _ROW = Kind.LOADS, Kind.TITLE, Kind.ROW
_IP_ROWS, _DDR, _ION, _PROCESSES = Section.IP, Section.DDR, Section.ION, Section.PROCESS


def in_sections(lines: Iterable[Line]) -> Iterator[tuple[Line, Section, float]]:
    """Each line with the section that it stands in, and the unit of that section's title in MiB/s.

    A title begins its section; an IP row needs no title and ends every other section.
    """
    section, scale = _IP_ROWS, 1.0
    for line in lines:
        kind = line.kind
        if kind is _TITLE:
            section, scale = line.section, line.scale
        elif kind is _LOADS:
            section = _IP_ROWS
        yield line, section, scale


def belongs(line: Line, section: Section) -> bool:
    """Whether a row means something in the section that it stands in."""
    if line.kind is not _ROW:
        return False
    if section is _ION:
        return line.heap is not None
    if section is _PROCESSES:
        return line.process is not None
    return section is _DDR and bool(line.rates)


class Screen(NamedTuple):
    """One refresh of the monitor: its lines as read, and whether they are all there."""

    t_us: int | None
    lines: list[Line]
    cut: bool = False
    clipped: bool = False
    """The last terminal row is in use: more may have been drawn below it."""


BARS = "|│┃║¦"
_BAR = re.compile(f"[{BARS}]")
BAR_SET = frozenset(BARS)
_DIGIT = re.compile(r"\d")

# Names of the hardware blocks that `-e` knows, and of their neighbours on the chip; the printed names are not certain.
_IP = r"(?:bpu|dsp|gdc|stitch|pym|isp|jpu|vpu|cpu|gpu|vin|vse|ynr|cim)(?:[ _-]?(?:core[ _-]?)?\d{1,2}|_\w{1,12})?"
LOAD = rf"\d{{1,3}}{DECIMALS}"
RATE = rf"\d{{1,9}}{DECIMALS}"
LOADS = re.compile(rf"({_IP})(?:\s*[:=]\s*|\s+)({LOAD})(?:\s*%)?(?=\s|$)\s*", re.IGNORECASE)
_IP_NAME, _LOAD_ALONE, _SIZE_ALONE = (re.compile(p, re.IGNORECASE) for p in (_IP, LOAD, SIZE))
# A name that we do not know is a load only where the printed figure says so itself.
_PERCENT = re.compile(rf"([A-Za-z][\w/.-]{{0,30}})(?:\s*[:=]\s*|\s+)({LOAD})\s*%", re.IGNORECASE)

_UNIT = "|".join(re.escape(u) for u in RATE_UNITS)
RATES = re.compile(
    rf"(?:ddr\s+)?(read|write)(?:\s+(?:bw|bandwidth))?(?:\s*\(({_UNIT})\))?(?:\s*[:=]\s*|\s+)"
    rf"({RATE})(?:\s*({_UNIT}))?(?=\s|$)\s*",
    re.IGNORECASE,
)
_RATE_COLUMNS = {"read": "ddr_read_mibps", "write": "ddr_write_mibps"}
_RATE_ALONE = re.compile(RATE)
HEAP = re.compile(rf"(\S+(?: \S+)*?)\s*:?\s+{SIZE}\s+{SIZE}\s+{SIZE}", re.IGNORECASE)
_PROCESS = re.compile(rf"(\d{{1,10}})\s+(\S.*?)\s+{SIZE}\s+{SIZE}", re.IGNORECASE | re.DOTALL)
_TITLES = (
    (re.compile(r"\bddr\s*band\s?width\b", re.IGNORECASE), Section.DDR),
    (re.compile(r"\bion\s+(?:mem(?:ory)?\s+)?info", re.IGNORECASE), Section.ION),
    (re.compile(r"\bproc(?:ess)?\s+mem(?:ory)?\b", re.IGNORECASE), Section.PROCESS),
)
_TITLE_UNIT = re.compile(rf"[(\[]\s*({_UNIT})\s*[)\]]", re.IGNORECASE)
_LOG = re.compile(r"\s*\[[^\]]*\]")

# No table is wider; the patterns above are not linear in the length of a line.
_LONGEST = 1000
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
    for cached in (_ip_column, _load_word, _size_word):
        cached.cache_clear()


def unreadable(text: str) -> Line:
    """A line whose end is missing: it counts, but none of its figures may be trusted."""
    return Line(text, Kind.UNKNOWN if any(c.isdigit() for c in text) else Kind.NOISE)


def _read(text: str) -> Line:
    raw = _cells(text)
    if raw is None:
        return Line(text, Kind.NOISE if _is_noise(text) else Kind.UNKNOWN)
    if not _DIGIT.search(raw):
        return _title(text, raw) or Line(text, Kind.NOISE)
    flat = _BAR.sub(" ", raw).strip() if _BAR.search(raw) else raw
    return (
        _plain(text, flat.split())
        or _loads(text, flat)
        or _figures(text, raw, flat)
        or _title(text, flat)
        or Line(text, Kind.UNKNOWN)
    )


def _plain(text: str, words: list[str]) -> Line | None:
    """The rows that most monitors print, word by word: what the patterns below would say, at a third of the time."""
    if len(words) == 2:
        return _plain_pair(text, *words)
    if len(words) != 4:
        return None
    sizes = [_size_word(word) for word in words[1:]]
    if sizes[1] is None or sizes[2] is None or words[0].endswith(":"):
        return None
    heap = process = None
    if sizes[0] is not None:
        heap = Heap(words[0], tuple((c, *size) for c, size in zip(heap_columns(words[0]), sizes, strict=True) if size))
    if words[0].isdecimal() and len(words[0]) <= 10:
        process = ProcessRow(int(words[0]), words[1], sizes[1][0], sizes[2][0])
    return Line(text, Kind.ROW, heap=heap, process=process) if heap or process else None


def _plain_pair(text: str, name: str, figure: str) -> Line | None:
    column, load = _ip_column(name), _load_word(figure)
    if column is not None and load is not None:
        return Line(text, Kind.LOADS, loads=((column, load),))
    rate = _RATE_COLUMNS.get(name.lower())
    if rate is not None and _RATE_ALONE.fullmatch(figure):
        return Line(text, Kind.ROW, rates=((rate, number_of(figure), 0.0),))
    return None


@lru_cache(maxsize=1024)
def _ip_column(word: str) -> str | None:
    return load_column(word) if _IP_NAME.fullmatch(word) else None


@lru_cache(maxsize=1 << 14)
def _load_word(word: str) -> float | None:
    return float(word) if _LOAD_ALONE.fullmatch(word) else None


@lru_cache(maxsize=1 << 16)
def _size_word(word: str) -> tuple[int, int] | None:
    found = _SIZE_ALONE.fullmatch(word)
    return size_of(found[1], found[2]) if found else None


def _cells(text: str) -> str | None:
    """What stands between the outer bars of a row; ``None`` for a line that is no row."""
    row = text.strip()
    if row[:1] not in BAR_SET or len(text) > _LONGEST:
        return None
    return row[1:-1].strip() if row[-1] in BAR_SET and len(row) > 1 else row[1:].strip()


def _is_noise(text: str) -> bool:
    return _LOG.match(text) is not None or not any(c.isalnum() for c in text)


def _pairs(pattern: re.Pattern[str], flat: str) -> list[re.Match[str]]:
    """The matches that make up the whole of ``flat``; none where anything else stands in it."""
    found, at = [], 0
    while at < len(flat):
        match = pattern.match(flat, at)
        if match is None:
            return []
        found.append(match)
        at = match.end()
    return found


def _loads(text: str, flat: str) -> Line | None:
    pairs = [(m[1], m[2]) for m in _pairs(LOADS, flat)]
    if not pairs and (match := _PERCENT.fullmatch(flat)):
        pairs = [(match[1], match[2])]
    if not pairs:
        return None
    return Line(text, Kind.LOADS, loads=tuple((load_column(n.replace(" ", "")), float(v)) for n, v in pairs))


def _figures(text: str, raw: str, flat: str) -> Line | None:
    rates = tuple(_rate(m) for m in _pairs(RATES, flat))
    heap = HEAP.fullmatch(flat)
    process = None
    if flat[0].isdecimal():
        # A process may have a bar in its name: the row is tried as printed before its bars count as cell borders.
        process = _PROCESS.fullmatch(raw) or _PROCESS.fullmatch(flat)
    if not (rates or heap or process):
        return None
    return Line(text, Kind.ROW, rates=rates, heap=heap and _heap(heap), process=process and _process(process))


def _rate(match: re.Match[str]) -> tuple[str, float, float]:
    unit = match[4] or match[2]
    return _RATE_COLUMNS[match[1].lower()], number_of(match[3]), RATE_UNITS[unit.lower()] if unit else 0.0


def number_of(printed: str) -> float:
    """A bandwidth as it was printed: a whole number stays one."""
    return float(printed) if "." in printed else int(printed)


def in_mibps(number: float, factor: float) -> float:
    """A printed bandwidth whose unit is ``factor`` MiB/s; as it was printed where that is the unit."""
    return number if factor == 1.0 else round(number * factor, 3)


def _heap(match: re.Match[str]) -> Heap:
    name = match[1].rstrip(" :")
    sizes = (size_of(match[i], match[i + 1]) for i in (2, 5, 8))
    return Heap(name, tuple((c, value, quantum) for c, (value, quantum) in zip(heap_columns(name), sizes, strict=True)))


def _process(match: re.Match[str]) -> ProcessRow:
    return ProcessRow(int(match[1]), match[2], size_of(match[3], match[4])[0], size_of(match[6], match[7])[0])


def _title(text: str, flat: str) -> Line | None:
    for pattern, section in _TITLES:
        if pattern.search(flat):
            unit = _TITLE_UNIT.search(flat)
            return Line(text, Kind.TITLE, section, RATE_UNITS[unit[1].lower()] if unit else 1.0)
    return None
