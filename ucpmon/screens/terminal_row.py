"""One row of a terminal that is being printed: text over text, with the controls that stay in the row."""

from __future__ import annotations

import re

from ucpmon.screens.terminal.escapes import number

# The ranges of East Asian wide and full-width characters and of emoji, which take two cells.
_WIDE = (
    "[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f"
    "\uff00-\uff60\uffe0-\uffe6\U0001f300-\U0001f64f\U0001f900-\U0001f9ff\U00020000-\U0003fffd]"
)
_WIDE_ONE = re.compile(_WIDE)
# Stands for the second cell of a wide character, so that a place in a row's text is a column.
FILLER = "\0"
# Stands for "erase to the end of the row" inside a text; a terminal ignores it too.
ERASE = "\x01"
# A NUL behind a wide character is its filler.
_CONTROL = re.compile(rf"[\x01-\x1f\x7f]|(?<!{_WIDE})\0")
# A row that never ends must not grow with the stream.
LONGEST_ROW = 8192


def widen(text: str) -> str:
    """One character a cell: what ``TerminalRow`` is given. A terminal ignores NUL, so it can be the filler."""
    return _WIDE_ONE.sub(lambda wide: wide[0] + FILLER, text.replace(FILLER, ""))


class TerminalRow:
    """``text`` is what stands in the row, ``column`` where the next character goes."""

    __slots__ = ("column", "text")

    def __init__(self) -> None:
        self.text = ""
        self.column = 0

    def begin(self, text: str = "") -> None:
        self.text = text
        self.column = 0

    def put(self, text: str) -> None:
        if "\r" in text or "\b" in text or "\t" in text or ERASE in text:
            self._put_controls(text)
        elif self.column == len(self.text):
            self.text = (self.text + text)[:LONGEST_ROW]
            self.column = len(self.text)
        else:
            end = self.column + len(text)
            line = self.text.ljust(self.column)
            self.text = (line[: self.column] + text + line[end:])[:LONGEST_ROW]
            self.column = min(end, LONGEST_ROW)

    def _put_controls(self, text: str) -> None:
        at = 0
        for control in _CONTROL.finditer(text):
            if control.start() > at:
                self.put(text[at : control.start()])
            at = control.end()
            if control[0] == "\r":
                self.column = 0
            elif control[0] == "\b":
                self.column = max(0, self.column - 1)
            elif control[0] == ERASE:
                self.erase_right()
            elif control[0] == "\t":
                self.put(" " * (8 - self.column % 8))
        if at < len(text):
            self.put(text[at:])

    def edit(self, parameters: str, final: str) -> bool:
        """Obey one of the sequences K C D G P X @; false where the row is too long for it."""
        line, column, count = self.text, self.column, number(parameters)
        if count > LONGEST_ROW:
            return False
        if final == "C":
            self.column = min(column + count, LONGEST_ROW)
        elif final == "D":
            self.column = max(0, column - count)
        elif final == "G":
            self.column = count - 1
        else:
            self.text = _edited(line.ljust(column), column, final, parameters, count)
        return True

    def erase_right(self) -> None:
        self.text = self.text[: self.column]


def _edited(line: str, column: int, final: str, parameters: str, count: int) -> str:
    if final == "K":
        whole = {"1": " " * (column + 1) + line[column + 1 :], "2": ""}
        return whole.get(parameters, line[:column])
    if final == "P":
        return line[:column] + line[column + count :]
    blanks = " " * count
    return (line[:column] + blanks + line[column + (count if final == "X" else 0) :])[:LONGEST_ROW]
