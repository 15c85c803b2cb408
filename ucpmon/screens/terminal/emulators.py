"""Two terminal emulators behind one face: pyte, always there, and the hundred times faster avt."""

from __future__ import annotations

import importlib.util
import os
from typing import Protocol


class Emulator(Protocol):
    rows: int
    cols: int

    def feed(self, text: str) -> None:
        """Draw; an exception of the emulator never ends a stream."""

    def update(self, shown: list[str]) -> list[int]:
        """Bring the texts of the rows up to date, without trailing blanks; which of them changed, from the top."""

    def cursor_row(self) -> int:
        """The index of the row in which the cursor is."""

    def resize(self, rows: int, cols: int) -> None: ...


class AvtEmulator:
    name = "avt"

    def __init__(self, rows: int, cols: int) -> None:
        import avt

        self.rows, self.cols = rows, cols
        self.errors = 0
        self._vt = avt.Vt(cols, rows, 0)
        self._dirty: list[int] = list(range(rows))

    def feed(self, text: str) -> None:
        try:
            changed, _ = self._vt.feed_str(text)
            self._dirty = sorted({*self._dirty, *changed}) if self._dirty else changed
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException:  # noqa: BLE001 - a panic inside the library is no Exception; the rest goes on
            self.errors += 1

    def update(self, shown: list[str]) -> list[int]:
        row, dirty, self._dirty, changed = self._vt.__getitem__, self._dirty, [], []
        for y in dirty:
            text = row(y).text.rstrip()
            if text != shown[y]:
                shown[y] = text
                changed.append(y)
        return changed

    def cursor_row(self) -> int:
        return int(self._vt.cursor.row)

    def resize(self, rows: int, cols: int) -> None:
        self.rows, self.cols = rows, cols
        self._vt.resize(cols, rows)
        self._dirty = list(range(rows))


def make_emulator(rows: int, cols: int) -> Emulator:
    """avt where the extra ``fast`` is installed, else pyte. ``UCPMON_EMULATOR=pyte`` asks for the second."""
    wanted = os.environ.get("UCPMON_EMULATOR", "")
    if wanted != "pyte" and importlib.util.find_spec("avt"):
        return AvtEmulator(rows, cols)
    # Its tables take as much memory as all the rest of a recorder: a stream that needs no emulator goes without.
    from ucpmon.screens.terminal.pyte_emulator import PyteEmulator

    return PyteEmulator(rows, cols)
