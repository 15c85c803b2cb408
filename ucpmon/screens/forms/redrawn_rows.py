"""A terminal's screen or page in a known form: a redraw changes a few rows, and only those are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise

from ucpmon.records import ProcessRow, Sample
from ucpmon.screens.figures import Figures, sizes_and_steps
from ucpmon.screens.forms.block_form import Form, learn, new_process, new_sample
from ucpmon.screens.forms.line_patterns import Field, may_touch, pattern_of, process_fields
from ucpmon.screens.grammar import BAR_SET, Kind, Line, Section, read_row
from ucpmon.screens.tables import Tables

# Forms that never fit again are not worth learning: after so many in vain every line is read anew.
MOST_IN_VAIN = 64
# Plain tuples: those with names take three times as long to unpack, and they are unpacked for every row.
_Place = tuple[Figures, int, int | None]
"""How a figure is read, where it goes among the numbers, and where the resolution of a heap's size goes."""
_Single = tuple[str, str, int, int, Figures, int]
"""A row with one figure, which most are: what stands before and after it, from where to where it is, how it is read."""
_Several = tuple[str, str, int, int, Sequence[_Place]]
"""Figures with nothing but blanks between them."""
_Pattern = tuple[Callable[[str], re.Match[str] | None], Sequence[_Place]]
"""Any other row."""


class RedrawnRows:
    """``form`` says what stands where; ``rows`` are the screen's, as many as are in use, ``cols`` is its width.

    Raises KeyError where there is a row that the form does not know.
    """

    def __init__(self, form: Form, rows: Sequence[str], cols: int) -> None:
        self._form = form
        self._cols = cols
        self._above = len(form.lines)
        # Behind the columns come a place for totals, which are no value, and the sizes of the processes.
        self._numbers: list[float] = [0.0] * (len(form.columns) + 1)
        # Behind the resolutions of the heaps' sizes comes a place for those of processes, which nobody asks for.
        self._steps = [0] * (len(form.sizes) + 1)
        self._places = list(_places(form))
        self._single: dict[int, _Single] = {}
        self._several: dict[int, _Several] = {}
        self._patterns: dict[int, _Pattern] = {}
        for line, fields, places in zip(form.lines, form.fields, self._places, strict=True):
            self._enter(places, [line.text[field.start : field.end] for field in fields])
        self._unknown = {y: line.text for y, line in enumerate(form.lines) if line.kind is Kind.UNKNOWN}
        self._rows: tuple[ProcessRow, ...] = ()
        self._process_sizes: list[float] = []
        self._read_below(rows)

    def take(self, changed: Sequence[int], rows: Sequence[str]) -> bool:
        """Read the rows that changed, also those that are gone; from the top.

        False where the screen has another form now, and these readers of rows are of no more use.
        """
        single, numbers, others = self._single, self._numbers, []
        used = len(rows)
        try:
            for y in changed:
                text = rows[y] if y < used else ""
                if y in single:
                    before, after, start, end, figures, number = single[y]
                    if not (text.startswith(before) and text.endswith(after)):
                        return False
                    numbers[number] = figures[text[start:end]]
                elif not self._take_several(y, text):
                    others.append(y)
            return not others or self._take_others(others, rows)
        except KeyError:
            return False

    def read(self, t_us: int | None, clipped: bool) -> Sample:
        """The screen as it stands."""
        form = self._form
        _, understood, noise, unknown = self._below
        if self._unknown:
            unknown = (*self._unknown.values(), *unknown[len(self._unknown) :])
        numbers, quanta = tuple(self._numbers[: len(form.columns)]), form.quanta(tuple(self._steps[:-1]))
        figures = form.columns, numbers, quanta, self._processes()
        return new_sample((t_us, clipped, clipped, *figures, understood, noise, unknown))

    def _processes(self) -> tuple[ProcessRow, ...]:
        now = self._numbers[len(self._form.columns) + 1 :]
        if now != self._process_sizes:
            self._process_sizes, each = now, iter(now)
            self._rows = tuple(new_process((row.pid, row.process, next(each), next(each))) for row in self._rows)
        return self._rows

    def _take_several(self, y: int, text: str) -> bool:
        texts: Sequence[str] = ()
        if y in self._several:
            before, after, start, end, places = self._several[y]
            if text.startswith(before) and text.endswith(after):
                texts = text[start:end].split()
        elif y in self._patterns:
            match, places = self._patterns[y]
            found = match(text)
            texts = found.groups() if found else ()
        if not texts or len(texts) != len(places):
            return False
        self._enter(places, texts)
        return True

    def _enter(self, places: Sequence[_Place], texts: Sequence[str]) -> None:
        numbers, steps = self._numbers, self._steps
        for (figures, number, size), text in zip(places, texts, strict=True):
            if size is None:
                numbers[number] = figures[text]
            else:
                numbers[number], steps[size] = figures[text]

    def _take_others(self, changed: Sequence[int], rows: Sequence[str]) -> bool:
        """Rows that change for the first time, that have no figures, or of the process table other rows than before."""
        for y in changed:
            known = y in self._several or y in self._patterns
            if not known and self._learn(y):
                return self.take(changed, rows)
            if y >= self._above:
                self._read_below(rows)
                return True
            if known or y >= len(rows) or not self._is_like(y, rows[y]):
                return False
        return True

    def _learn(self, y: int) -> bool:
        """Know from now on how to read a row; whether it has figures."""
        if y < self._above:
            text, fields, places = self._form.lines[y].text, self._form.fields[y], self._places[y]
        else:
            text, fields, places = self._process(y)
        if fields:
            self._keep(y, text, fields, places)
        return bool(fields)

    def _keep(self, y: int, text: str, fields: Sequence[Field], places: Sequence[_Place]) -> None:
        before, after = text[: fields[0].start], text[fields[-1].end :]
        before = before.rstrip(" ") + " " * before.endswith(" ")
        after = " " * (not may_touch(after)) + after.lstrip(" ")
        around = before, after, len(before), -len(after)
        gaps = [text[one.end : next_one.start] for one, next_one in pairwise(fields)]
        closed = after[-1:] in BAR_SET
        figures, number, size = places[0]
        if not closed or any(gap.strip(" ") or not gap for gap in gaps):
            within = "" if closed else f"(?!.{{{self._cols}}})"
            self._patterns[y] = re.compile(within + pattern_of(text, fields)).fullmatch, places
        elif len(places) == 1 and size is None:
            self._single[y] = *around, figures, number
        else:
            self._several[y] = *around, places

    def _process(self, y: int) -> tuple[str, list[Field], list[_Place]]:
        """The two sizes of a process row, as ``_keep`` takes them."""
        at = y - self._above
        line = self._under[at] if at < len(self._under) else read_row("", self._cols)
        before = sum(bool(above.row_in(Section.PROCESS)) for above in self._under[:at])
        first = len(self._form.columns) + 1 + 2 * before
        return line.text, process_fields(line), [(sizes_and_steps, first, -1), (sizes_and_steps, first + 1, -1)]

    def _is_like(self, y: int, text: str) -> bool:
        """Whether a row without figures still counts for what it did."""
        kind = read_row(text, self._cols).kind
        if y in self._unknown:
            self._unknown[y] = text
        return kind is self._form.lines[y].kind and kind in (Kind.NOISE, Kind.UNKNOWN)

    def _read_below(self, rows: Sequence[str]) -> None:
        self._under = self._form.below.lines(read_row(row, self._cols) for row in rows[self._above :])
        self._below = self._form.below.read_lines(self._under)
        self._rows = self._below.processes
        self._process_sizes = [size for row in self._rows for size in (row.rss_bytes, row.hbmem_bytes)]
        self._numbers[len(self._form.columns) + 1 :] = self._process_sizes
        self._several = {y: reader for y, reader in self._several.items() if y < self._above}
        self._patterns = {y: reader for y, reader in self._patterns.items() if y < self._above}


def learn_rows(lines: Sequence[Line], cols: int, tables: Tables) -> RedrawnRows | None:
    """How to read what changes on a screen, or ``None`` where its form is none to rely on."""
    form = learn(lines, tables, fixed_totals=False)
    with suppress(KeyError):
        return RedrawnRows(form, [line.text for line in lines], cols) if form else None
    return None


def _places(form: Form) -> Iterator[list[_Place]]:
    number = {column: i for i, column in enumerate(form.columns)}
    size = {column: i for i, column in enumerate(form.sizes)}
    for of_line in form.fields:
        yield [
            (sizes_and_steps, number[f.column], size[f.column])
            if f.column in size
            else (f.figures, number.get(f.column, len(number)), None)
            for f in of_line
        ]
