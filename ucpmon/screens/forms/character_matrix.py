"""Blocks of equal size on top of each other: a matrix of characters, compared and cut column by column.

Tables are padded: from one refresh to the next a figure changes within its own columns and nothing else moves. What
may not change is compared for hundreds of blocks in one operation, which takes no time beside matching a pattern.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple

from ucpmon.records import ProcessRow
from ucpmon.screens.figures import Texts, sizes
from ucpmon.screens.forms.block_form import Batch, Belows, Form, new_process
from ucpmon.screens.forms.line_patterns import Field, may_touch, process_fields
from ucpmon.screens.grammar import Section, read_line

if TYPE_CHECKING:
    from numpy import ndarray

    Cells = ndarray[Any, Any]

_BLANK = ord(" ")


class _Zone(NamedTuple):
    """Blanks and figures between two texts that stay: how many figures, and whether blanks stay before and behind."""

    start: int
    end: int
    fields: int
    apart: bool
    behind: bool


class BlockMatrix:
    """``form`` reads the first lines of each block; the others stay like those of ``below`` but for their sizes."""

    def __init__(self, form: Form, below: str) -> None:
        self._form = form
        self.below = below
        self._read = form.below.read(below)
        under = form.below.lines(map(read_line, below.split("\n")[1:]))
        texts = [line.text for line in (*form.lines, *under)]
        sizes_of = [process_fields(line) for line in under]
        fields = [*form.fields, *sizes_of]
        # A row that is printed in an odd way is read as it stands, and stays.
        self._vary = [bool(found) for line, found in zip(under, sizes_of, strict=True) if line.row_in(Section.PROCESS)]
        self._text = "\n".join(texts) + "\n"
        self._zones = list(_zones(texts, fields))
        self._arrays: tuple[Any, Any] | None = None

    def read(self, text: str, t_us: int | None) -> Batch | None:
        """Read blocks of this size; ``None`` where one differs in more than its figures.

        Raises KeyError where another text stands in the place of a figure.
        """
        size = len(self._text)
        # Arrays of characters lose the NULs at the end of a text.
        if len(text) % size or "\0" in text:
            return None
        cells = _matrix(text, size)
        same = (cells == cells[0]).all(axis=0)
        wanted, stays = self._arrays = self._arrays or self._template()
        if not (same & (cells[0] == wanted))[stays].all():
            return None
        alike, inked, printed = same.tolist(), (cells != _BLANK).any(axis=0).tolist(), []
        for zone in self._zones:
            spans = list(_spans(inked, zone))
            if len(spans) != zone.fields or _touches(zone, spans):
                return None
            printed += [_texts(cells[:, a:b] if False in alike[a:b] else cells[:1, a:b]) for a, b in spans]
        count, figures = len(cells), self._form.printed
        return self._form.read(printed[:figures], self._under(printed[figures:], count), t_us)

    def _template(self) -> tuple[Any, Any]:
        """The characters of a block, and which of them must stay."""
        import numpy as np

        stays: ndarray[Any, Any] = np.ones(len(self._text), bool)
        for zone in self._zones:
            stays[zone.start : zone.end] = False
        return _matrix(self._text, len(self._text))[0], stays

    def _under(self, printed: Sequence[Texts], count: int) -> Belows:
        """``printed`` are, row by row, the resident sizes and those in hbmem."""
        processes, understood, noise, unknown = self._read
        texts = iter(printed)
        columns = [
            _rows(row, next(texts), next(texts), count) if varies else repeat(row, count)
            for row, varies in zip(processes, self._vary, strict=True)
        ]
        rows = zip(*columns, strict=True) if columns else repeat((), count)
        return Belows(rows, [understood] * count, [noise] * count, [unknown] * count)


def _rows(row: ProcessRow, rss: Texts, hbmem: Texts, count: int) -> Iterator[ProcessRow]:
    """A row of the process table with other sizes."""
    figures = [sizes.read(texts) for texts in (rss, hbmem)]
    if all(len(column) == 1 for column in figures):
        return repeat(row._replace(rss_bytes=figures[0][0], hbmem_bytes=figures[1][0]), count)
    columns = (column if len(column) == count else repeat(column[0], count) for column in figures)
    return map(new_process, zip(repeat(row.pid), repeat(row.process), *columns))


def _zones(lines: Sequence[str], fields: Sequence[Sequence[Field]]) -> Iterator[_Zone]:
    at = 0
    for line, of_line in zip(lines, fields, strict=True):
        last: _Zone | None = None
        for field in of_line:
            if field.constant:
                continue
            start = at + len(line[: field.start].rstrip(" "))
            end = at + len(line) - len(line[field.end :].lstrip(" "))
            if last and start < last.end:
                last = last._replace(end=end, fields=last.fields + 1, behind=not may_touch(line[field.end :]))
                continue
            if last:
                yield last
            last = _Zone(start, end, 1, line[start - at] == " ", not may_touch(line[field.end :]))
        if last:
            yield last
        at += len(line) + 1


def _matrix(text: str, size: int) -> Cells:
    """A row for each block, a column for each character."""
    import numpy as np

    encoding, of_character = ("ascii", np.uint8) if text.isascii() else ("utf-32-le", np.uint32)
    cells: Cells = np.frombuffer(text.encode(encoding), of_character).reshape(-1, size)
    return cells


def _spans(inked: list[bool], zone: _Zone) -> Iterator[tuple[int, int]]:
    """The runs of columns that are not blank in every block: with as many of them as figures, each is one figure's."""
    start = None
    for i in range(zone.start, zone.end + 1):
        ink = i < zone.end and inked[i]
        if ink and start is None:
            start = i
        elif not ink and start is not None:
            yield start, i
            start = None


def _touches(zone: _Zone, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether a figure reaches the text before or behind it, and is no figure any more."""
    return (zone.apart and spans[0][0] == zone.start) or (zone.behind and spans[-1][1] == zone.end)


def _texts(cells: Cells) -> Texts:
    kind = f"{'S' if cells.itemsize == 1 else 'U'}{cells.shape[1]}"
    texts: Texts = cells.copy().view(kind).ravel().tolist()
    return texts
