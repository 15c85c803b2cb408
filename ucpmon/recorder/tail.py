"""The last words of a program."""

from __future__ import annotations

import re

_KEEP = 4096
# Whoever moves about the screen begins a new line wherever that leads.
_MOVE = re.compile(r"\x1b\[[0-?]*[HfJdhl]")
_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[()].|.)|[\x00-\x08\x0b-\x1f]")
_TABLE = "|+│─┌└├"


class Tail:
    """Keeps the end of what a program has printed."""

    def __init__(self) -> None:
        self._data = b""

    def add(self, data: bytes) -> None:
        if data:
            self._data = (self._data + data)[-_KEEP:]

    def text(self) -> str:
        """What is kept, without escape sequences."""
        text = self._data.decode("utf-8", "replace").replace("\r\n", "\n")
        return _ESCAPE.sub("", _MOVE.sub("\n", text))

    def last_line(self) -> str:
        """The last line that says something, where it is no row of a table: a message, then."""
        lines = [line.strip() for line in self.text().splitlines() if line.strip()]
        last = lines[-1] if lines else ""
        return "" if last[:1] in _TABLE or last[-1:] in _TABLE else last[:200]
