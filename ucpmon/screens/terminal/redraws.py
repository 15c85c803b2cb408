"""The sure way: a terminal emulator, read whenever a redraw is complete.

A redraw has no end of its own. Where the stream has a clock, it is complete when nothing has come for ``QUIET_US``;
programs pause between redraws, not within. Without a clock it is taken to end where the cursor goes back to a row that
the redraw has addressed before, or above its top: a guess, since programs may move up within one.
"""

from __future__ import annotations

import re

from ucpmon.screens.forms import MOST_IN_VAIN, Found, RedrawnRows, learn_rows
from ucpmon.screens.grammar import FIGURES, Line, Screen, read_row, unreadable
from ucpmon.screens.tables import Tables
from ucpmon.screens.terminal.emulators import Emulator
from ucpmon.screens.terminal.escapes import ALTERNATE_OFF, ALTERNATE_ON, MODE, split_held

QUIET_US = 50_000
# Programs that hide the cursor or take the keypad give it back when a redraw, or they, are done.
_AT_REST = ("\x1b[?25h", "\x1b[?1l")
_ROW_ADDRESS = re.compile(r"\x1b\[(?:(\d{0,5})(?:;\d*)?[Hfd]|(\d{0,5})[AF])")


class TerminalScreens:
    """Screens of a stream that addresses the terminal."""

    def __init__(
        self, emulator: Emulator, last: list[str] | None = None, forms: bool = True, tables: Tables | None = None
    ) -> None:
        self._tables = tables or Tables()
        self.repeated = 0
        self.dropped = 0
        self._emulator = emulator
        self._shown = [""] * emulator.rows
        self._used = 0
        self._known: RedrawnRows | None = None
        self._in_vain = 0 if forms else MOST_IN_VAIN
        self._last = last
        self._t_us: int | None = None
        self._drawing = False
        self._at_rest = False
        self._held = ""
        self._top, self._low, self._row = 0, 0, 1
        self._addressed: set[int] = set()
        self._emitted_none = last is None

    def preload(self, drawn: str) -> None:
        """Start from what is on the screen already."""
        self._emulator.feed(drawn)
        self._row = self._emulator.cursor_row() + 1

    def feed(self, text: str, t_us: int | None, out: list[Found]) -> str | None:
        """Take text; the rest of it where the program has left the alternate screen, else ``None``."""
        self.tick(t_us, out)
        text, self._held = split_held(self._held + text)
        left = ALTERNATE_OFF.search(text) if MODE in text else None
        now, rest = (text[: left.start()], text[left.end() :] + self._held) if left else (text, None)
        if t_us is None:
            self._feed_without_clock(now, out)
        else:
            self._draw(now)
        self._t_us = t_us
        if left:
            self._emit(out, leaving=True)
        return rest

    def tick(self, t_us: int | None, out: list[Found]) -> None:
        """Nothing has come until now: was that long enough for the redraw to be complete?"""
        if self._drawing and t_us is not None and self._t_us is not None and t_us - self._t_us >= QUIET_US:
            self._emit(out)

    def resize(self, rows: int, cols: int) -> None:
        self._emulator.resize(rows, cols)
        self._shown = [""] * rows
        self._used, self._known = 0, None

    def finish(self, out: list[Found], broken: bool = False) -> None:
        """The stream is over. A redraw that nothing proves complete is dropped, but for the only one there is.

        ``broken``: more was to come, so nothing does.
        """
        self._at_rest = self._at_rest and not broken
        if not self._drawing:
            return
        last: list[Found] = []
        only, self._known = self._emitted_none, None
        self._emit(last, leaving=self._at_rest)
        if self._at_rest or only:
            screens = (screen for screen in last if isinstance(screen, Screen))
            out.extend(screen if self._at_rest else self._cut_off(screen) for screen in screens)
        else:
            self.dropped += len(last)

    def _cut_off(self, screen: Screen) -> Screen:
        """The row in which the cursor still is may hold half a figure."""
        y = self._emulator.cursor_row()
        row = self._shown[y] if y < len(self._shown) else ""
        lines = [unreadable(line.text) if line.text and line.text in row else line for line in screen.lines]
        return screen._replace(lines=lines, cut=True)

    def _draw(self, text: str) -> None:
        if not text:
            return
        entered = ALTERNATE_ON.search(text) if MODE in text else None
        if entered:
            # The alternate screen is blank; not every emulator has one.
            text = f"{text[: entered.start()]}\x1b[H\x1b[2J{text[entered.end() :]}"
        self._emulator.feed(text)
        self._drawing = True
        self._at_rest = text.endswith(_AT_REST)

    def _feed_without_clock(self, text: str, out: list[Found]) -> None:
        at = seen = 0
        for address in _ROW_ADDRESS.finditer(text):
            self._reach(self._row + text.count("\n", seen, address.start()))
            seen = address.end()
            row = max(1, self._row - int(address[2] or 1)) if address[0][-1] in "AF" else int(address[1] or 1)
            above = row <= self._top and self._low > self._top
            if above or (row < self._row and row in self._addressed):
                self._draw(text[at : address.start()])
                self._emit(out)
                at = address.start()
                self._top = self._low = row
                self._addressed.clear()
            self._addressed.add(row)
            self._top = min(self._top or row, row)
            self._reach(row)
        self._reach(self._row + text.count("\n", seen))
        self._draw(text[at:])

    def _reach(self, row: int) -> None:
        """The cursor is in ``row`` (from 1): addressed, or come to by printing lines."""
        self._row = row
        self._low = max(self._low, row)

    def _emit(self, out: list[Found], leaving: bool = False) -> None:
        """Read the rows that changed; a screen that shows the same as the last one is none.

        ``leaving``: the program is on its way out, and may blank its last row before it goes.
        """
        self._drawing = False
        changed = self._changes()
        shown = self._shown[: self._used]
        if self._known and not self._known.take(changed, shown):
            self._known = None
        lines = [] if self._known else self._read(shown)
        figures = self._known or any(line.kind in FIGURES for line in lines)
        if not figures or (leaving and not any(self._shown[y] for y in changed)):
            return
        if shown == self._last:
            self.repeated += 1
            return
        self._last = shown
        self._emitted_none = False
        clipped = self._used == self._emulator.rows
        if self._known:
            self._in_vain = 0
            out.append(self._known.read(self._t_us, clipped))
        else:
            lines = self._tables.settle(lines)
            out.append(Screen(self._t_us, lines, clipped=clipped))
            self._learn(lines)

    def _read(self, shown: list[str]) -> list[Line]:
        lines = [read_row(text, self._emulator.cols) for text in shown]
        if self._tables.bare or any(list(map(self._tables.turns_bare, lines))):
            return [self._tables.read(text) for text in shown]
        return lines

    def _changes(self) -> list[int]:
        """The rows that are not what they were."""
        shown = self._shown
        changed = self._emulator.update(shown)
        if changed and changed[-1] >= self._used - 1:
            self._used = next((y + 1 for y in range(len(shown) - 1, -1, -1) if shown[y]), 0)
        return changed

    def _learn(self, lines: list[Line]) -> None:
        """Redraws of the same form are read by what changes in them. Forms that never fit are not worth learning."""
        if self._in_vain >= MOST_IN_VAIN:
            return
        self._in_vain += 1
        self._known = learn_rows(lines, self._emulator.cols, self._tables)
