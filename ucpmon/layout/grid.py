"""A terminal's screen in a known form: a redraw changes a few rows, and only those are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from ucpmon.grammar import Kind, read_line
from ucpmon.layout.fields import Field, pattern_of, process_fields
from ucpmon.layout.figures import Figures, sizes, step
from ucpmon.layout.form import Form, new_sample
from ucpmon.model import ProcessRow, Sample

Changes = Sequence[tuple[int, str]]
"""Rows that are not what they were, from the top: their index and their text."""
_process_row = partial(tuple.__new__, ProcessRow)


class _Place(NamedTuple):
    """How a figure is read, where it goes among the numbers, and where the resolution of a heap's size goes."""

    figures: Figures
    number: int
    size: int | None = None


class _Single(NamedTuple):
    """A row with one figure, which most are: what stands before and after it, to be compared without a pattern."""

    before: str
    after: str
    figures: Figures
    number: int


class _Several(NamedTuple):
    match: Callable[[str], re.Match[str] | None]
    places: Sequence[_Place]


class Grid:
    """``form`` says what stands where; ``rows`` are the texts of the screen, as many as are in use.

    Raises KeyError where there is a row that the form does not know.
    """

    def __init__(self, form: Form, rows: Sequence[str]) -> None:
        self._form = form
        self._above = len(form.lines)
        # Behind the columns come a place for totals, which are no value, and the sizes of the processes.
        self._numbers: list[float] = [0.0] * (len(form.columns) + 1)
        self._steps = [0] * len(form.sizes)
        self._places = list(_places(form))
        self._single: dict[int, _Single] = {}
        self._several: dict[int, _Several] = {}
        for line, fields, places in zip(form.lines, form.fields, self._places, strict=True):
            self._enter(places, [line.text[field.start : field.end] for field in fields])
        self._unknown = {y: line.text for y, line in enumerate(form.lines) if line.kind is Kind.UNKNOWN}
        self._rows: tuple[ProcessRow, ...] = ()
        self._process_sizes: list[float] = []
        self._read_below(rows)

    def take(self, changes: Changes, rows: Sequence[str]) -> bool:
        """Read what changed; false where the screen has another form now, and this grid is of no more use."""
        single, several, numbers, others = self._single, self._several, self._numbers, []
        try:
            for y, text in changes:
                if y in single:
                    before, after, figures, number = single[y]
                    if not (text.startswith(before) and text.endswith(after)):
                        return False
                    numbers[number] = figures[text[len(before) : len(text) - len(after)]]
                elif y in several and (found := several[y].match(text)):
                    self._enter(several[y].places, found.groups())
                else:
                    others.append((y, text))
            return not others or self._take_others(others, rows)
        except KeyError:
            return False

    def read(self, t_us: int | None, clipped: bool) -> Sample:
        """The screen as it stands."""
        form = self._form
        _, understood, noise, unknown = self._below
        if self._unknown:
            unknown = (*self._unknown.values(), *unknown[len(self._unknown) :])
        numbers, quanta = tuple(self._numbers[: len(form.columns)]), form.quanta(tuple(self._steps))
        figures = form.columns, numbers, quanta, self._processes()
        return new_sample((t_us, clipped, clipped, *figures, understood, noise, unknown))

    def _processes(self) -> tuple[ProcessRow, ...]:
        now = self._numbers[len(self._form.columns) + 1 :]
        if now != self._process_sizes:
            self._process_sizes, each = now, iter(now)
            self._rows = tuple(_process_row((row.pid, row.process, next(each), next(each))) for row in self._rows)
        return self._rows

    def _enter(self, places: Sequence[_Place], texts: Sequence[str]) -> None:
        numbers, steps = self._numbers, self._steps
        for (figures, number, size), text in zip(places, texts, strict=True):
            numbers[number] = figures[text]
            if size is not None:
                steps[size] = step(text)

    def _take_others(self, changes: Changes, rows: Sequence[str]) -> bool:
        """Rows that change for the first time, that have no figures, or of the process table other rows than before."""
        for y, text in changes:
            known = y in self._several
            if not known and self._learn(y):
                return self.take(changes, rows)
            if y >= self._above:
                self._read_below(rows)
                return True
            if known or not self._is_like(y, text):
                return False
        return True

    def _learn(self, y: int) -> bool:
        """Know from now on how to read a row; whether it has figures."""
        if y < self._above:
            text, fields, places = self._form.lines[y].text, self._form.fields[y], self._places[y]
        else:
            text, fields, places = self._process(y)
        if len(fields) == 1 and places[0].size is None:
            start, end, figures = fields[0].start, fields[0].end, places[0].figures
            before = text[:start].rstrip(" ") + " " * text[:start].endswith(" ")
            self._single[y] = _Single(before, text[end:].lstrip(" "), figures, places[0].number)
        elif fields:
            self._several[y] = _Several(re.compile(pattern_of(text, fields)).fullmatch, places)
        return bool(fields)

    def _process(self, y: int) -> tuple[str, list[Field], list[_Place]]:
        """The two sizes of a process row, as ``_reader`` takes them."""
        line = self._under[y - self._above] if y - self._above < len(self._under) else read_line("")
        first = len(self._form.columns) + 1 + 2 * sum(bool(above.process) for above in self._under[: y - self._above])
        return line.text, process_fields(line), [_Place(sizes, first), _Place(sizes, first + 1)]

    def _is_like(self, y: int, text: str) -> bool:
        """Whether a row without figures still counts for what it did."""
        kind = read_line(text).kind
        if y in self._unknown:
            self._unknown[y] = text
        return kind is self._form.lines[y].kind and kind in (Kind.NOISE, Kind.UNKNOWN)

    def _read_below(self, rows: Sequence[str]) -> None:
        self._under = [read_line(row) for row in rows[self._above :]]
        self._below = self._form.below.read_lines(self._under)
        self._rows = self._below.processes
        self._process_sizes = [size for row in self._rows for size in (row.rss_bytes, row.hbmem_bytes)]
        self._numbers[len(self._form.columns) + 1 :] = self._process_sizes
        self._several = {y: reader for y, reader in self._several.items() if y < self._above}


def _places(form: Form) -> Iterator[list[_Place]]:
    number = {column: i for i, column in enumerate(form.columns)}
    size = {column: i for i, column in enumerate(form.sizes)}
    for of_line in form.fields:
        yield [_Place(f.figures, number.get(f.column, len(number)), size.get(f.column)) for f in of_line]
