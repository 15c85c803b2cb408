"""A line that was read once: where its figures stand, and the pattern of the same line with other figures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ucpmon.metrics import SIZE
from ucpmon.screens.forms.figures import UNIT, Figures, loads, rates, sizes
from ucpmon.screens.grammar import BAR_SET, BARS, HEAP, LOAD, LOADS, RATES, Heap, Kind, Line, Section, belongs

_NUMBER = r"([\d.]+)"
_BARS = re.compile(f"[{BARS}]")
_WHOLE_SIZE = re.compile(SIZE, re.IGNORECASE)
_SIZE = rf"([\d.]+{UNIT})"
_PROCESS = re.compile(rf"[{BARS}] *\d{{1,10}} +\S+(?: \S+)*? +{_SIZE} +{_SIZE} *[{BARS}]?")


class Field(NamedTuple):
    """A figure of a line: where it stands, its column, how it reads; ``constant`` is its text where that stays.

    The row of totals has figures without a column: they must be there, and are no value.
    """

    start: int
    end: int
    column: str
    pattern: str
    figures: Figures
    constant: str = ""


def fields_of(line: Line, section: Section, scale: float, fixed_totals: bool) -> list[Field] | None:
    """The figures of a line; ``None`` where it does not belong into its section or is printed in an odd way."""
    if line.kind is Kind.LOADS:
        return _load_fields(line)
    if line.kind in (Kind.NOISE, Kind.TITLE, Kind.UNKNOWN):
        return None if "\r" in line.text else []
    if not belongs(line, section):
        return None
    if section is Section.DDR:
        return _rate_fields(line, scale)
    return _heap_fields(line, line.heap, fixed_totals) if section is Section.ION and line.heap else None


def process_fields(line: Line) -> list[Field]:
    """The two sizes of a process row, which have no column; none where it is no such row, or an odd one."""
    found = _PROCESS.fullmatch(line.text) if line.process else None
    return [Field(*found.span(i), "", _SIZE, sizes) for i in (1, 2)] if found else []


def pattern_of(text: str, fields: Sequence[Field]) -> str:
    """``text`` to the letter, but for its figures and the blanks beside them, which give way to them."""
    parts, at = [], 0
    for field in fields:
        parts += [_literal(text[at : field.start], after=at > 0, before=True), field.pattern]
        at = field.end
    return "".join([*parts, _literal(text[at:], after=at > 0, before=False)])


def strict_loads(text: str, fields: Sequence[Field]) -> str:
    """The pattern of an IP row that can be nothing else, without groups."""
    return pattern_of(text, [f._replace(pattern=LOAD) for f in fields])


def _flat(line: Line) -> tuple[str, int, int]:
    """The text with its bars blanked out, and where its content begins and ends."""
    flat = _BARS.sub(" ", line.text)
    return flat, len(flat) - len(flat.lstrip()), len(flat.rstrip())


def _load_fields(line: Line) -> list[Field] | None:
    flat, start, end = _flat(line)
    spans = [m.span(2) for m in LOADS.finditer(flat, start, end)]
    if len(spans) != len(line.loads):
        return None
    return [Field(a, b, c, _NUMBER, loads) for (a, b), (c, _) in zip(spans, line.loads, strict=True)]


def _rate_fields(line: Line, scale: float) -> list[Field] | None:
    flat, start, end = _flat(line)
    spans = [m.span(3) for m in RATES.finditer(flat, start, end)]
    if len(spans) != len(line.rates):
        return None
    factors = [unit or scale for _, _, unit in line.rates]
    return [
        Field(a, b, c, _NUMBER, rates(factor))
        for (a, b), (c, _, _), factor in zip(spans, line.rates, factors, strict=True)
    ]


def _heap_fields(line: Line, heap: Heap, fixed_totals: bool) -> list[Field] | None:
    flat, start, end = _flat(line)
    found = HEAP.fullmatch(flat, start, end)
    if found is None:
        return None
    printed = [(i, _WHOLE_SIZE.match(flat, i)) for i in map(found.start, (2, 5, 8))]
    spans = [(i, i + len(size[0].rstrip())) for i, size in printed if size]
    if any(" " in flat[a:b] for a, b in spans):
        return None
    if heap.is_total:
        return [Field(a, b, "", _SIZE, sizes) for a, b in spans]
    fields = [Field(a, b, c, _size(flat[a:b]), sizes) for (a, b), (c, _, _) in zip(spans, heap.figures, strict=True)]
    if fixed_totals:
        total = flat[fields[0].start : fields[0].end]
        fields[0] = fields[0]._replace(pattern=re.escape(total), constant=total)
    return fields


def _size(printed: str) -> str:
    """A size with as many decimals as this one, and any unit."""
    decimals = sum(map(str.isdecimal, printed.partition(".")[2]))
    return rf"(\d+\.\d{{{decimals}}}{UNIT})" if decimals else rf"(\d+{UNIT})"


def may_touch(text: str) -> bool:
    """Whether a figure may reach as far as this text behind it: a bar, a unit that does so already, nothing at all."""
    behind = text.lstrip(" ")
    return not behind or behind[0] in BAR_SET or behind == text


def _literal(text: str, after: bool, before: bool) -> str:
    core = text.strip(" ")
    left = re.escape(text[: len(text) - len(text.lstrip(" "))])
    if after:
        left = " *" if may_touch(text) else " +"
    right = " +" if before and text.endswith(" ") else re.escape(text[len(text.rstrip(" ")) :])
    if not core:
        return " +" if before else left
    return left + re.escape(core) + right
