"""A block that was read once, as one pattern that reads the same block with other figures.

A monitor prints the same lines for hours: between two blocks of a log only figures and processes change. ``learn``
makes a pattern of a block's lines, strict enough that whatever it matches would read the same line by line; a region
of a log is then read by the regular-expression engine at once, instead of line by line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import accumulate, repeat
from typing import Any, NamedTuple

from ucpmon.grammar import BARS, HEAP, LOADS, RATES, Heap, Kind, Line, Section, read_line
from ucpmon.metrics import size_of
from ucpmon.model import ProcessRow

_NUMBER = r"([\d.]+)"
_STRICT_LOAD = re.compile(r"\d{1,3}(?:\.\d{1,6})?")
_STRICT_RATE = re.compile(r"\d{1,9}(?:\.\d{1,6})?")
_STRICT_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,6})?)([KMGTkmgt]?)")
_PROCESS_LINES = rf"((?:[{BARS}] *\d{{1,10}} [^\n]*\n)*)"
_PROCESSES = re.compile(
    rf"^[{BARS}] *(\d{{1,10}}) +(\S+(?: \S+)*?) +([\d.]+[KMGT]?) +([\d.]+[KMGT]?) *[{BARS}]?$", re.MULTILINE
)
_MOST_TOKENS = 1 << 16
_MOST_TABLES = 1 << 12
# Lines below the process table's title between which its rows may stand.
_MOST_TAIL = 12


class _Tokens(dict[str, Any]):
    """Printed figure → number, remembered; KeyError for a text that is none."""

    def __missing__(self, token: str) -> Any:
        if len(self) > _MOST_TOKENS:
            self.clear()
        self[token] = number = self._convert(token)
        return number

    def _convert(self, token: str) -> Any:
        raise NotImplementedError


class _Loads(_Tokens):
    def _convert(self, token: str) -> Any:
        if not _STRICT_LOAD.fullmatch(token):
            raise KeyError(token)
        return float(token)


class _Rates(_Tokens):
    def __init__(self, factor: float) -> None:
        self._factor = factor

    def _convert(self, token: str) -> Any:
        if not _STRICT_RATE.fullmatch(token):
            raise KeyError(token)
        number = float(token) if "." in token else int(token)
        return number if self._factor == 1.0 else round(number * self._factor, 3)


class _Sizes(_Tokens):
    def _convert(self, token: str) -> Any:
        return _printed(token)[0]


class _Quanta(_Tokens):
    def _convert(self, token: str) -> Any:
        return _printed(token)[1]


def _printed(token: str) -> tuple[int, int]:
    found = _STRICT_SIZE.fullmatch(token)
    if not found:
        raise KeyError(token)
    return size_of(found[1], found[2])


_loads, _sizes, _quanta = _Loads(), _Sizes(), _Quanta()
_bytes = _sizes.__getitem__
# A named tuple's own constructor is Python code, and takes twice as long.
_process_row = partial(tuple.__new__, ProcessRow)
_rates: dict[float, _Rates] = {}


def _steps(texts: Sequence[str]) -> Sequence[int]:
    """The resolution of each printed size, or the one that all of them have."""
    first = texts[0]
    joined = "".join(texts)
    # Sizes of a column have one number of decimals (see ``_size``): the same letter is the same step.
    if first[-1].isalpha() and joined.count(first[-1]) == len(texts):
        return (_quanta[first],)
    return list(map(_quanta.__getitem__, texts))


class Batch(NamedTuple):
    """Blocks of one layout, read at once; the lists hold an entry for each block."""

    t_us: int | None
    layout: Layout
    numbers: list[tuple[float, ...]]
    quanta: list[dict[str, int]]
    processes: list[tuple[ProcessRow, ...]]


class _Field(NamedTuple):
    """A figure of a line: where it stands, its column, how it reads; ``constant`` where the pattern holds its text."""

    start: int
    end: int
    column: str
    pattern: str
    tokens: _Tokens
    constant: tuple[int, int] | None = None


class Layout:
    """See the module. ``head`` begins the first line; ``seen`` are the keys by which the framer knows the block."""

    def __init__(self, lines: Sequence[Line], fields: Sequence[Sequence[_Field]], seen: frozenset[object]) -> None:
        self.seen = seen
        first = lines[0]
        self.head = first.text[: fields[0][0].start].rstrip() + " "
        tail = next(i for i, line in enumerate(lines) if line.section is Section.PROCESS) + 1
        parts = []
        for i, (line, of_line) in enumerate(zip(lines, fields, strict=True)):
            parts.append(_pattern(line.text, of_line) + r"\n")
            if i + 1 >= tail:
                parts.append(_PROCESS_LINES)
        # The next block must begin in earnest: a line that only resembles an IP row still belongs to this one.
        again = _pattern(first.text, [f._replace(pattern=_STRICT_LOAD.pattern) for f in fields[0]])
        self.pattern = re.compile("^" + "".join(parts) + f"(?={again}\n)", re.MULTILINE)
        self._fields = [f for of_line in fields for f in of_line if f.column]
        self.columns = tuple(f.column for f in self._fields)
        self.size_columns = tuple(f.column for f in self._fields if f.tokens is _sizes)
        self.noise = sum(line.kind is Kind.NOISE for line in lines)
        self.understood = len(lines) - self.noise
        self._first_process = sum(not f.constant for f in self._fields)
        self._quanta: dict[tuple[int, ...], dict[str, int]] = {}
        self._known: dict[str, tuple[ProcessRow, ...]] = {}

    def read(self, rows: list[tuple[str, ...]], t_us: int | None) -> Batch:
        """What was printed → numbers. Raises KeyError where a text is no figure or a line no process row."""
        printed = list(zip(*rows, strict=True))
        figures, processes = iter(printed), printed[self._first_process :]
        numbers: list[Iterable[float]] = []
        quanta: list[Sequence[int]] = []
        for field in self._fields:
            if field.constant:
                numbers.append(repeat(field.constant[0], len(rows)))
                quanta.append((field.constant[1],))
                continue
            texts = next(figures)
            numbers.append(map(field.tokens.__getitem__, texts))
            if field.tokens is _sizes:
                quanta.append(_steps(texts))
        steps = self._resolution(quanta, len(rows))
        return Batch(t_us, self, list(zip(*numbers, strict=True)), steps, self._processes(processes, len(rows)))

    def _resolution(self, quanta: list[Sequence[int]], rows: int) -> list[dict[str, int]]:
        """The resolution of each row's sizes; rows with the same ones share one dict."""
        if all(len(steps) == 1 for steps in quanta):
            return [self._shared(tuple(steps[0] for steps in quanta))] * rows
        each = [steps if len(steps) == rows else repeat(steps[0], rows) for steps in quanta]
        return [self._shared(key) for key in zip(*each, strict=True)]

    def _shared(self, key: tuple[int, ...]) -> dict[str, int]:
        found = self._quanta.get(key)
        if found is None:
            found = self._quanta[key] = dict(zip(self.size_columns, key, strict=True))
        return found

    def _processes(self, columns: list[tuple[str, ...]], rows: int) -> list[tuple[ProcessRow, ...]]:
        """The process rows of each block; most blocks repeat those of the one before."""
        used = [column for column in columns if any(column)]
        if not used:
            return [()] * rows
        texts = used[0] if len(used) == 1 else list(map("".join, zip(*used, strict=True)))
        known = self._known
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            if len(known) > _MOST_TABLES:
                known.clear()
                new = list(dict.fromkeys(texts))
            known.update(zip(new, _tables(new), strict=True))
        return [known[text] for text in texts]


def learn(lines: Sequence[Line], seen: frozenset[object], fixed_totals: bool = True) -> Layout | None:
    """The layout of a block, or ``None`` where it is none to rely on: unknown lines, no process table, no IP first.

    ``fixed_totals``: the totals of the heaps belong to the layout, since they hardly ever change.
    """
    section, scale, tail = Section.IP, 1.0, 0
    kept: list[Line] = []
    fields: list[list[_Field]] = []
    for line in lines:
        if line.kind is Kind.TITLE:
            section, scale = line.section, line.scale
        if section is Section.PROCESS:
            if line.process:
                continue
            tail += 1
        of_line = _fields(line, section, scale, fixed_totals)
        if of_line is None:
            return None
        kept.append(line)
        fields.append(of_line)
    columns = [f.column for of_line in fields for f in of_line if f.column]
    usable = kept and kept[0].kind is Kind.LOADS and 0 < tail <= _MOST_TAIL and len(set(columns)) == len(columns)
    return Layout(kept, fields, seen) if usable else None


def _fields(line: Line, section: Section, scale: float, fixed_totals: bool) -> list[_Field] | None:
    """The figures of a line; ``None`` where it does not belong into its section or is printed in an odd way."""
    if line.kind is Kind.LOADS:
        return _load_fields(line)
    if line.kind in (Kind.NOISE, Kind.TITLE):
        return None if "\r" in line.text else []
    if line.kind is Kind.ROW and section is Section.DDR and line.rates:
        return _rate_fields(line, scale)
    if line.kind is Kind.ROW and section is Section.ION and line.heap:
        return _heap_fields(line, line.heap, fixed_totals)
    return None


def _flat(line: Line) -> tuple[str, int, int]:
    """The text with its bars blanked out, and where its content begins and ends."""
    flat = re.sub(f"[{BARS}]", " ", line.text)
    return flat, len(flat) - len(flat.lstrip()), len(flat.rstrip())


def _load_fields(line: Line) -> list[_Field] | None:
    flat, start, end = _flat(line)
    spans = [m.span(2) for m in LOADS.finditer(flat, start, end)]
    if len(spans) != len(line.loads):
        return None
    return [_Field(a, b, c, _NUMBER, _loads) for (a, b), (c, _) in zip(spans, line.loads, strict=True)]


def _rate_fields(line: Line, scale: float) -> list[_Field] | None:
    flat, start, end = _flat(line)
    spans = [m.span(3) for m in RATES.finditer(flat, start, end)]
    if len(spans) != len(line.rates):
        return None
    factors = [unit or scale for _, _, unit in line.rates]
    return [
        _Field(a, b, c, _NUMBER, _rates.setdefault(factor, _Rates(factor)))
        for (a, b), (c, _, _), factor in zip(spans, line.rates, factors, strict=True)
    ]


def _heap_fields(line: Line, heap: Heap, fixed_totals: bool) -> list[_Field] | None:
    flat, start, end = _flat(line)
    found = HEAP.fullmatch(flat, start, end)
    if found is None:
        return None
    spans = [(found.start(i), found.end(i + 1) if found[i + 1] else found.end(i)) for i in (2, 5, 8)]
    if any(" " in flat[a:b] for a, b in spans):
        return None
    if heap.name.lower() == "total":
        return [_Field(a, b, "", r"[\d.]+[KMGTkmgt]?", _sizes) for a, b in spans]
    fields = [_Field(a, b, c, _size(flat[a:b]), _sizes) for (a, b), (c, _, _) in zip(spans, heap.figures, strict=True)]
    if fixed_totals:
        total = fields[0]
        text = re.escape(flat[total.start : total.end])
        fields[0] = total._replace(pattern=text, constant=heap.figures[0][1:])
    return fields


def _size(printed: str) -> str:
    """A size with as many decimals as this one, and any letter."""
    number = printed.rstrip("KMGTkmgt")
    decimals = len(number) - number.find(".") - 1 if "." in number else 0
    return rf"(\d+\.\d{{{decimals}}}[KMGTkmgt]?)" if decimals else r"(\d+[KMGTkmgt]?)"


def _pattern(text: str, fields: Sequence[_Field]) -> str:
    """``text`` to the letter, but for its figures and the blanks beside them, which give way to them."""
    parts, at = [], 0
    for field in fields:
        parts += [_literal(text[at : field.start], after=at > 0, before=True), field.pattern]
        at = field.end
    return "".join([*parts, _literal(text[at:], after=at > 0, before=False)])


def _literal(text: str, after: bool, before: bool) -> str:
    left = " *" if after else re.escape(text[: len(text) - len(text.lstrip(" "))])
    core = text.strip(" ")
    right = " +" if before and text.endswith(" ") else re.escape(text[len(text.rstrip(" ")) :])
    if not core:
        return " +" if before else left
    return left + re.escape(core) + right


def _tables(texts: Sequence[str]) -> Iterable[tuple[ProcessRow, ...]]:
    """The rows of each text. No text is empty: as many rows as texts are one each."""
    found = _process_rows("".join(texts))
    if len(found) == len(texts) and all(texts):
        return zip(found, strict=True)
    ends = list(accumulate(text.count("\n") for text in texts))
    return [tuple(found[a:b]) for a, b in zip([0, *ends], ends, strict=False)]


def _process_rows(text: str) -> list[ProcessRow]:
    """The rows of a text that is process rows only. Raises KeyError where a line is none."""
    found = _PROCESSES.findall(text)
    if len(found) != text.count("\n"):
        return [_process(line) for line in text[:-1].split("\n")]
    if not found:
        return []
    pids, names, rss, hbmem = zip(*found, strict=True)
    return list(map(_process_row, zip(map(int, pids), names, map(_bytes, rss), map(_bytes, hbmem), strict=True)))


def _process(line: str) -> ProcessRow:
    row = read_line(line).process
    if row is None:
        raise KeyError(line)
    return row
