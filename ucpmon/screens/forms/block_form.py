"""A block that was read once, as a form that reads the same block with other figures.

A monitor prints the same lines for hours: between two refreshes only figures and processes change. A form says which
lines stay and where their figures stand, strictly enough that whatever fits it would read the same line by line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import repeat
from typing import Any, NamedTuple

from ucpmon.records import ProcessRow, Sample
from ucpmon.screens.figures import Texts, sizes, sizes_and_steps, steps
from ucpmon.screens.forms.line_patterns import Field, fields_of
from ucpmon.screens.forms.process_table import Below, BelowReader
from ucpmon.screens.grammar import FIGURES, Kind, Line, Screen, Section, in_sections
from ucpmon.screens.tables import Tables


class Batch(NamedTuple):
    """Blocks of one form, read at once: their samples, and for each block what these say of its lines.

    The samples are made as they are taken, once: of one that nobody keeps nothing is left for the collector to visit.
    """

    samples: Iterator[Sample]
    understood: Sequence[int]
    noise: Sequence[int]
    unknown: Sequence[Sequence[str]]


Found = Screen | Sample | Batch
"""What becomes of a stream: lines to be read, or what was read already."""
# A named tuple's own constructor is Python code; a million times, that is a third of the work.
new_sample = partial(tuple.__new__, Sample)
new_process = partial(tuple.__new__, ProcessRow)


class Belows(NamedTuple):
    """What ``Below`` says, with an entry for each block."""

    processes: Iterable[tuple[ProcessRow, ...]]
    understood: Sequence[int]
    noise: Sequence[int]
    unknown: Sequence[tuple[str, ...]]


class Form:
    """``lines`` reach as far as the last title or figure, ``fields`` are their figures; see ``learn``."""

    def __init__(self, lines: Sequence[Line], fields: Sequence[Sequence[Field]], tables: Tables) -> None:
        self.lines = lines
        self.fields = fields
        each = [field for of_line in fields for field in of_line]
        self.printed = sum(not field.constant for field in each)
        self.columns = tuple(field.column for field in each if field.column)
        self.sizes = tuple(field.column for field in each if field.column and field.figures is sizes)
        noise = sum(line.kind is Kind.NOISE for line in lines)
        unknown = tuple(line.text for line in lines if line.kind is Kind.UNKNOWN)
        self.below = BelowReader(self.processes, tables, Below((), len(lines) - noise - len(unknown), noise, unknown))
        self._quanta: dict[tuple[int, ...], dict[str, int]] = {}
        self._plan = [
            (sizes_and_steps if f.column in self.sizes else f.figures, f.column in self.sizes, f.column, f.constant)
            for f in each
        ]

    @property
    def processes(self) -> bool:
        """Whether a process table follows."""
        return self.lines[-1].begins is Section.PROCESS

    def read(self, printed: Sequence[Texts], below: Belows, t_us: int | None) -> Batch:
        """What was printed → numbers: ``printed`` has the texts of each figure that is not constant.

        Where all blocks have the same text, it may be there once. Raises KeyError where a text is no figure.
        """
        count = len(below.noise)
        numbers: list[Iterable[Any]] = []
        quanta: list[Sequence[int]] = []
        texts = iter(printed)
        for field in (f for of_line in self.fields for f in of_line):
            printed_so = [field.constant] if field.constant else next(texts)
            found = field.figures.read(printed_so)
            if field.column:
                numbers.append(found if len(found) == count else repeat(found[0], count))
            if field.column in self.sizes:
                quanta.append(steps(printed_so))
        alike = map(repeat, (t_us, False, False, self.columns))
        rows = zip(*alike, zip(*numbers, strict=True), self._resolution(quanta, count), *below, strict=False)
        return Batch(map(new_sample, rows), below.understood, below.noise, below.unknown)

    def read_one(self, printed: Iterable[str], below: str, t_us: int | None) -> Sample:
        """What was printed in one block, which is read with less ado."""
        numbers: list[float] = []
        steps: list[int] = []
        texts = iter(printed)
        for figures, is_size, column, constant in self._plan:
            found = figures[constant or next(texts)]
            if is_size:
                numbers.append(found[0])
                steps.append(found[1])
            elif column:
                numbers.append(found)
        processes, *lines = self.below.read(below)
        figures_of = self.columns, tuple(numbers), self.quanta(tuple(steps)), processes
        return new_sample((t_us, False, False, *figures_of, *lines))

    def quanta(self, steps: tuple[int, ...]) -> dict[str, int]:
        """The resolution of each size; screens with the same ones share one dict."""
        found = self._quanta.get(steps)
        if found is None:
            found = self._quanta[steps] = dict(zip(self.sizes, steps, strict=True))
        return found

    def _resolution(self, quanta: list[Sequence[int]], count: int) -> list[dict[str, int]]:
        if all(len(steps) == 1 for steps in quanta):
            return [self.quanta(tuple(steps[0] for steps in quanta))] * count
        each = [steps if len(steps) == count else repeat(steps[0], count) for steps in quanta]
        return [self.quanta(steps) for steps in zip(*each, strict=True)]


def learn(lines: Sequence[Line], tables: Tables | None = None, fixed_totals: bool = True) -> Form | None:
    """The form of a block, or ``None`` where it is none to rely on: a row in the wrong section, a column twice.

    ``fixed_totals``: the totals of the heaps belong to the form, since they hardly ever change.
    """
    tables = tables or Tables()
    if not tables.certain:
        return None
    kept = lines[: _fixed(lines)]
    fields: list[list[Field]] = []
    for line, section, scale in in_sections(kept):
        of_line = fields_of(line, section, scale, fixed_totals)
        if of_line is None:
            return None
        fields.append(of_line)
    columns = [f.column for of_line in fields for f in of_line if f.column]
    return Form(kept, fields, tables) if columns and len(set(columns)) == len(columns) else None


def _fixed(lines: Sequence[Line]) -> int:
    """How many lines there are down to the last title or figure that is no process."""
    count = 0
    for i, (line, section, _) in enumerate(in_sections(lines), 1):
        if line.kind in FIGURES and (section is not Section.PROCESS or line.kind is Kind.TITLE):
            count = i
    return count
