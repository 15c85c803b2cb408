"""pyte as an emulator: pure Python, always there."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from operator import itemgetter
from typing import ClassVar

import pyte

# The text of a pyte cell: the first field of its tuple.
_DATA = itemgetter(0)


@lru_cache(maxsize=4096)
def _cell(attributes: pyte.screens.Char, character: str) -> pyte.screens.Char:
    return attributes._replace(data=character)


class _Screen(pyte.Screen):  # type: ignore[misc]
    """pyte's screen and the sequences that it lacks but terminals' programs send."""

    _drawn = " "

    def draw(self, data: str) -> None:
        plain = data.isascii() and data.isprintable() and not self.charset and self.g0_charset is pyte.charsets.LAT1_MAP
        if plain and self.cursor.x + len(data) <= self.columns and pyte.modes.IRM not in self.mode:
            self._draw_plain(data)
        else:
            super().draw(data)
        self._drawn = data[-1:] or self._drawn

    def _draw_plain(self, data: str) -> None:
        """What ``draw`` does to one row, without measuring every character: most of a monitor's text."""
        x, y, attributes = self.cursor.x, self.cursor.y, self.cursor.attrs
        cells = self.buffer[y]
        for at, character in enumerate(data, x):
            cells[at] = _cell(attributes, character)
        self.cursor.x = x + len(data)
        self.dirty.add(y)

    def repeat(self, count: int = 1) -> None:
        super().draw(self._drawn * min(count or 1, self.columns * self.lines))

    def scroll_up(self, count: int = 1) -> None:
        self._scroll(count, self.delete_lines)

    def scroll_down(self, count: int = 1) -> None:
        self._scroll(count, self.insert_lines)

    def _scroll(self, count: int, move: Callable[[int], None]) -> None:
        x, y = self.cursor.x, self.cursor.y
        self.cursor.y = self.margins.top if self.margins else 0
        move(min(count or 1, self.lines))
        self.cursor.x, self.cursor.y = x, y


class _Stream(pyte.Stream):  # type: ignore[misc]
    csi: ClassVar[dict[str, str]] = {
        **pyte.Stream.csi,
        "b": "repeat",
        "S": "scroll_up",
        "T": "scroll_down",
        "`": "cursor_to_column",
        "s": "save_cursor",
        "u": "restore_cursor",
    }
    events = pyte.Stream.events | set(csi.values())


class PyteEmulator:
    name = "pyte"

    def __init__(self, rows: int, cols: int) -> None:
        self.rows, self.cols = rows, cols
        self.errors = 0
        self._screen = _Screen(cols, rows)
        self._stream = _Stream(self._screen)

    def feed(self, text: str) -> None:
        try:
            self._stream.feed(text)
        except Exception:  # noqa: BLE001 - pyte raises TypeError, IndexError… on odd sequences; the rest goes on
            self.errors += 1
            self._stream = _Stream(self._screen)

    def update(self, shown: list[str]) -> list[int]:
        dirty = sorted(y for y in self._screen.dirty if y < self.rows)
        self._screen.dirty.clear()
        return [y for y in dirty if self._update_row(y, shown)]

    def _update_row(self, y: int, shown: list[str]) -> bool:
        before, shown[y] = shown[y], self._row(y)
        return before != shown[y]

    def _row(self, y: int) -> str:
        # All in C, and only as far as something was drawn: twenty times faster than pyte's `display`, which measures
        # every character of every row.
        cells = self._screen.buffer[y]
        used = max(cells, default=-1) + 1
        if used < 2:
            return "".join(cells[x].data for x in range(used)).rstrip()
        return "".join(map(_DATA, itemgetter(*range(used))(cells))).rstrip()

    def cursor_row(self) -> int:
        return int(self._screen.cursor.y)

    def resize(self, rows: int, cols: int) -> None:
        self.rows, self.cols = rows, cols
        self._screen.resize(rows, cols)
