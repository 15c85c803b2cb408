"""A line that was read once: where its figures stand, and the pattern of the same line with other figures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ucpmon.screens.figures import LOAD, NUMBER_ALIKE, SIZE_ALIKE, Figures, in_mibps, loads, pattern_like, rates, sizes
from ucpmon.screens.grammar import BAR_SET, Figure, Kind, Line, Section, placed


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
    if line.kind in (Kind.NOISE, Kind.TITLE, Kind.UNKNOWN):
        return None if "\r" in line.text else []
    row = placed(line).row_in(section)
    if row is None or row.process or _is_odd(line, row.figures):
        return None
    fields = [_field(line.text, figure, scale) for figure in row.figures]
    if not all(_reads_so(line.text, field, figure, scale) for field, figure in zip(fields, row.figures, strict=True)):
        return None
    if fixed_totals:
        for i, (field, figure) in enumerate(zip(fields, row.figures, strict=True)):
            if figure.stays:
                total = line.text[field.start : field.end]
                fields[i] = field._replace(pattern=re.escape(total), constant=total)
    return fields


def process_fields(line: Line) -> list[Field]:
    """The two sizes of a process row, which have no column; none where it is no such row, or an odd one."""
    row = placed(line).row_in(Section.PROCESS)
    if row is None or _is_odd(line, row.figures):
        return []
    return [Field(figure.start, figure.end, "", SIZE_ALIKE, sizes) for figure in row.figures]


def _is_odd(line: Line, figures: Sequence[Figure]) -> bool:
    """Whether a figure stands apart from its unit: then it can't be told by blanks from what is beside it."""
    return any(" " in line.text[f.start : f.end] for f in figures)


def _reads_so(text: str, field: Field, figure: Figure, scale: float) -> bool:
    """Whether the figure's reader, which sees its text alone, says what was read in the line."""
    try:
        number = field.figures[text[field.start : field.end]]
    except KeyError:
        return False
    said = figure.number if figure.factor is None else in_mibps(figure.number, figure.factor or scale)
    return bool(number == said)


def _field(text: str, figure: Figure, scale: float) -> Field:
    start, end, column = figure.start, figure.end, figure.column
    if figure.step:
        return Field(start, end, column, pattern_like(text[start:end]) if column else SIZE_ALIKE, sizes)
    figures = loads if figure.factor is None else rates(figure.factor or scale)
    return Field(start, end, column, NUMBER_ALIKE, figures)


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
