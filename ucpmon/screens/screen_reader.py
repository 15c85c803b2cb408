"""Chunks → screens. One reader for every stream: fast while it can be, emulated when it must be."""

from __future__ import annotations

import codecs
from collections.abc import Callable

from ucpmon.records import Chunk
from ucpmon.screens.forms import Found
from ucpmon.screens.printed import TextScreens
from ucpmon.screens.tables import Tables
from ucpmon.screens.terminal.emulators import Emulator, make_emulator
from ucpmon.screens.terminal.redraws import TerminalScreens

__all__ = ["ScreenReader"]

# An emulator keeps every cell: a size that no terminal has, in a damaged capture, must not fill the memory.
_MOST_ROWS, _MOST_COLS = 1000, 2000


class ScreenReader:
    """Feed it a stream's chunks in order; it gives back each screen once, when it is complete.

    ``rows`` and ``cols`` are the terminal's; ``emulator`` makes another than the default one (tests compare them).
    ``always_emulate`` leaves out the fast way, for comparison; without ``forms`` every screen comes with its lines, and
    none is read by the form of those before it.
    """

    def __init__(
        self,
        rows: int,
        cols: int,
        emulator: Callable[[int, int], Emulator] = make_emulator,
        always_emulate: bool = False,
        forms: bool = True,
    ) -> None:
        self.rows, self.cols = rows, cols = _within(rows, cols)
        self.emulated = False
        self.inferred = False
        self._make = emulator
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._forms = forms
        self._tables = Tables()
        self._text = TextScreens(rows, cols, forms, self._tables)
        self._terminal: TerminalScreens | None = None
        self._retired: list[TextScreens | TerminalScreens] = []
        if always_emulate:
            self._emulate()

    def carry_over(self, before: ScreenReader) -> None:
        """Count on from the reader of the stream before this one."""
        self._retired = before._parts()
        self.emulated = before.emulated
        self.inferred = before.inferred

    @property
    def paged(self) -> bool:
        """Whether the stream redraws a terminal: then a refresh that changes nothing is no screen."""
        return self.emulated or self._text.paged

    @property
    def repeated(self) -> int:
        """Redraws that showed the same as the one before: no row of the run."""
        return sum(part.repeated for part in self._parts())

    @property
    def dropped(self) -> int:
        """Redraws whose end never came."""
        return sum(part.dropped for part in self._parts())

    def feed(self, chunk: Chunk) -> list[Found]:
        out: list[Found] = []
        # Recorders that have no terminal write that it has no rows and columns: that says nothing of the screen.
        if chunk.size and all(chunk.size):
            self._resize(*chunk.size)
        text: str | None = self._decoder.decode(chunk.data)
        if not text:
            self._tick(chunk.t_us, out)
        while text:
            if self._terminal:
                text = self._terminal.feed(text, chunk.t_us, out)
                if text is not None:
                    self._retire(self._terminal)
                    self._terminal, self._text = None, TextScreens(self.rows, self.cols, self._forms, self._tables)
            else:
                text = self._text.feed(text, chunk.t_us, out)
                if text is not None:
                    self._text.flush(out)
                    self.inferred = self.inferred or chunk.t_us is None
                    self._emulate()
        return out

    def finish(self, broken: bool = False) -> list[Found]:
        """The stream is over: what its last screen still gives. ``broken``: more was to come."""
        out: list[Found] = []
        (self._terminal or self._text).finish(out, broken)
        return out

    def _tick(self, t_us: int | None, out: list[Found]) -> None:
        if self._terminal:
            self._terminal.tick(t_us, out)

    def _resize(self, rows: int, cols: int) -> None:
        self.rows, self.cols = rows, cols = _within(rows, cols)
        self._text.resize(rows, cols)
        if self._terminal:
            self._terminal.resize(rows, cols)

    def _emulate(self) -> None:
        """Go on with an emulator, from what the text way has shown so far."""
        drawn, last = self._text.snapshot()
        self._terminal = TerminalScreens(self._make(self.rows, self.cols), last, self._forms, self._tables)
        self._terminal.preload(drawn)
        self._retire(self._text)
        self.emulated = True

    def _retire(self, part: TextScreens | TerminalScreens) -> None:
        if part.repeated or part.dropped:
            self._retired.append(part)

    def _parts(self) -> list[TextScreens | TerminalScreens]:
        return [*self._retired, self._terminal or self._text]


def _within(rows: int, cols: int) -> tuple[int, int]:
    return min(rows, _MOST_ROWS), min(cols, _MOST_COLS)
