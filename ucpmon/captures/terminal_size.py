"""The terminal's size, where nobody wrote it down: the largest row and column that a stream reaches."""

from __future__ import annotations

import re

from wcwidth import wcwidth

_MOST = 1000
# A program that asks for its terminal's size moves far beyond the corner: no such number is a size.
_ABSURD = 900
_REGION = re.compile(rb"\x1b\[\d+;\d+r")
_TOKEN = re.compile(rb"\x1b\[([0-9;]{0,40})([A-Za-z`])|(\n)|(\r)|\x1b[^\[]|\x1b\[[^A-Za-z`]*[@-~]?|([^\x00-\x1f\x7f]+)")


class _Cursor:
    def __init__(self) -> None:
        self.row = self.col = 1
        self.rows = self.cols = 1
        self.bottom = 0
        self.addressed = False

    def reach(self) -> None:
        self.rows = max(self.rows, self.row)
        self.cols = max(self.cols, self.col - 1)

    def control(self, numbers: list[int], final: bytes) -> None:
        first = numbers[0] or 1
        second = (numbers[1] if len(numbers) > 1 else 1) or 1
        if max(first, second) > _ABSURD:
            return
        if final in b"Hf":
            self.row, self.col, self.addressed = first, second, True
        elif final == b"d":
            self.row, self.addressed = first, True
        elif final in b"G`":
            self.col = first
        elif final in b"ABCD":
            self._move(first, final)
        elif final == b"r" and len(numbers) > 1:
            self.bottom = max(self.bottom, second)
        self.rows = max(self.rows, self.row)
        self.cols = max(self.cols, self.col)

    def _move(self, by: int, final: bytes) -> None:
        self.addressed = self.addressed or final == b"A"
        row, col = {b"A": (-by, 0), b"B": (by, 0), b"C": (0, by), b"D": (0, -by)}[final]
        self.row, self.col = max(1, self.row + row), max(1, self.col + col)


def infer_size(head: bytes) -> tuple[int, int] | None:
    """(rows, columns) that the screen must have had, by the first bytes of a terminal's stream.

    A scrolling region names the last row. ``None`` for text that addresses no cursor: it needs no screen.
    """
    cursor = _Cursor()
    for found in _TOKEN.finditer(head):
        numbers, final, newline, carriage, text = found.groups()
        if text:
            cursor.col += _cells(text.decode("utf-8", "ignore"))
        elif newline:
            cursor.row += 1
        elif carriage:
            cursor.reach()
            cursor.col = 1
        elif final:
            cursor.reach()
            cursor.control([int(n or 0) for n in numbers.split(b";")[:4]], final)
    cursor.reach()
    if not cursor.addressed:
        return None
    return min(max(cursor.rows, cursor.bottom), _MOST), min(cursor.cols, _MOST)


def names_a_region(head: bytes) -> bool:
    """Whether the program sets a scrolling region: it knows the terminal's size, and fills it."""
    return _REGION.search(head) is not None


def _cells(text: str) -> int:
    return len(text) if text.isascii() else sum(max(0, wcwidth(c)) for c in text)
