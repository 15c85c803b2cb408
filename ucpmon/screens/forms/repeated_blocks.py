"""Regions of a log that are blocks of one form: a matrix of characters where they are aligned, else one pattern."""

from __future__ import annotations

import re

from ucpmon.records import Sample
from ucpmon.screens.forms.block_form import Batch, Belows, Form
from ucpmon.screens.forms.character_matrix import BlockMatrix
from ucpmon.screens.forms.line_patterns import pattern_of, strict_loads

# Fewer blocks are as quickly read by the pattern, and a recorder needs no numpy.
_MATRIX_OF = 16


class RepeatedBlocks:
    """``head`` begins the first line of each block; ``seen`` are the keys by which the framer knows such a block."""

    def __init__(self, form: Form, seen: frozenset[object]) -> None:
        self.form = form
        self.seen = seen
        texts = [line.text for line in form.lines]
        self.head = texts[0][: form.fields[0][0].start].rstrip() + " "
        # The next block must begin in earnest: a line that only resembles an IP row still belongs to this one.
        again = strict_loads(texts[0], form.fields[0]) + r"\n"
        lines = r"\n".join(pattern_of(*line) for line in zip(texts, form.fields, strict=True))
        below = rf"((?:\n(?!{re.escape(self.head)})[^\n]*)*)"
        self._again = re.compile(again)
        self._pattern = re.compile(rf"^{lines}{below}\n(?={again})", re.MULTILINE)
        self._width = sum(len(text) + 1 for text in texts)
        self._matrix: BlockMatrix | None = None

    def read(self, text: str, first: int, last: int, t_us: int | None) -> Batch | Sample | None:
        """The blocks from ``first`` to ``last``, both at the head of one; ``None`` where one of them does not fit."""
        if not self._again.match(text, last):
            return None
        try:
            return self._aligned(text, first, last, t_us) or self._matched(text, first, last, t_us)
        except KeyError:
            return None

    def _aligned(self, text: str, first: int, last: int, t_us: int | None) -> Batch | None:
        size = text.find("\n" + self.head, first) + 1 - first
        if last - first < _MATRIX_OF * size or size < self._width:
            return None
        blocks = text[first:last]
        found = self._matrix.read(blocks, t_us) if self._matrix else None
        below = blocks[self._width - 1 : size - 1]
        if not found and not (self._matrix and self._matrix.below == below):
            self._matrix = BlockMatrix(self.form, below)
            found = self._matrix.read(blocks, t_us)
        return found

    def _matched(self, text: str, first: int, last: int, t_us: int | None) -> Batch | Sample | None:
        blocks = 1 + text.count("\n" + self.head, first, last)
        found = self._pattern.findall(text, first, text.find("\n", last) + 1)
        # Each match begins at a head and ends before one: as many matches as heads leave nothing out.
        if len(found) != blocks:
            return None
        if blocks == 1:
            return self.form.read_one(found[0][:-1], found[0][-1], t_us)
        *printed, below = zip(*found, strict=True)
        each = zip(*map(self.form.below.read, below), strict=True)
        return self.form.read(printed, Belows(*each), t_us)
