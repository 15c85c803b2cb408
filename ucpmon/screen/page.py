"""A page: a screen that is printed from its first row on, over what stood there before."""

from __future__ import annotations

from ucpmon.grammar import read_line, unreadable
from ucpmon.layout import Found
from ucpmon.model import Screen
from ucpmon.screen.blocks import BlockFramer
from ucpmon.screen.row import ERASE, FILLER, Row, widen

# A page that never ends must not grow with the stream.
MOST_LINES = 4096
_BLANK = " " + ERASE


class Page:
    """Prints rows and hands them to ``framer``; ``row`` is the one that is being printed."""

    def __init__(self, framer: BlockFramer, row: Row, rows: int, cols: int) -> None:
        self.rows, self.cols = rows, cols
        self.repeated = 0
        self.dropped = 0
        self.touched = False
        self.last: list[str] | None = None
        self._framer = framer
        self._row = row
        self._printed: list[str] = []
        self._old: list[str] = []
        self._blocks = 0

    def begin(self, keep: bool) -> None:
        """``keep``: what was shown before is still there, under what will be printed."""
        self._old = self._old if keep else []
        self._printed = []
        self.touched = False
        self._blocks = 0
        self._begin_row()

    def take(self, lines: list[str], plain: bool, t_us: int | None, out: list[Found]) -> None:
        """Print whole lines. ``plain``: none of them goes back or has tabulators."""
        if plain and not self._old and self._fits(lines):
            self._fresh_rows(lines, t_us, out)
            return
        for line in lines:
            if not (plain and self._whole_row(line, t_us, out)):
                self._row.put(line)
                self.newline(t_us, out)

    def newline(self, t_us: int | None, out: list[Found]) -> None:
        self._push_row(self._row.text, t_us, out)
        self._begin_row()

    def erase_below(self) -> None:
        self._old = self._old[: len(self._printed)]

    def shown(self) -> tuple[list[str], list[str]]:
        """What stands above the row that is being printed, and below it."""
        return self._printed, self._old[len(self._printed) + 1 :]

    def end(self, t_us: int | None, out: list[Found]) -> None:
        """The page was left for another: all of it was shown."""
        if not self.touched:
            return
        for text in [self._row.text, *self._old[len(self._printed) + 1 :]]:
            if text:
                self._push_row(text, t_us, out)
        self._show(self._framer.end(complete=True), out)

    def finish(self, t_us: int | None, out: list[Found], broken: bool) -> None:
        """The stream is over: a page that is not whole is no screen, unless it is the only one."""
        if not self.touched:
            return
        if self.last is not None and self._is_begun_again(self.last):
            again = self._printed + [self._row.text] * bool(self._row.text) == self.last
            self.repeated += again
            self.dropped += not again
            return
        overprinted = not any(self._old[len(self._printed) + 1 :])
        shown: list[Screen] = []
        whole = self._framer.push_last(self._row, t_us, shown) and overprinted and not broken
        shown += self._framer.end(whole, checked=True)
        if not any(screen.cut for screen in shown) or self._blocks or self.last is None:
            self._show(shown, out)
        else:
            self.dropped += len(shown)

    def _fits(self, lines: list[str]) -> bool:
        return len(self._printed) + len(lines) < MOST_LINES and max(map(len, lines)) <= self.cols

    def _fresh_rows(self, lines: list[str], t_us: int | None, out: list[Found]) -> None:
        """Rows of a cleared page: nothing stands under them."""
        already, push, printed = len(out), self._framer.push, self._printed
        for line in lines:
            text = line.replace(FILLER, "").rstrip(_BLANK)
            push(read_line(text), t_us, out)
            printed.append(text)
        self._blocks += len(out) - already

    def _whole_row(self, line: str, t_us: int | None, out: list[Found]) -> bool:
        """Print a line over a whole row at once; false where something of the row would show beside it."""
        under = self._row.text
        erased = line.endswith(ERASE)
        if (under and not erased) or len(line) > self.cols or len(self._printed) >= MOST_LINES:
            return False
        text = (line[:-1] if erased else line).replace(FILLER, "").rstrip()
        already = len(out)
        self._framer.push(read_line(text), t_us, out)
        self._blocks += len(out) - already
        self._printed.append(text)
        self._begin_row()
        return True

    def _push_row(self, text: str, t_us: int | None, out: list[Found]) -> None:
        already = len(out)
        wrapped = len(text) > self.cols
        for at in range(0, max(1, len(text)), self.cols):
            piece = text[at : at + self.cols].replace(FILLER, "").rstrip()
            self._framer.push(unreadable(piece) if wrapped else read_line(piece), t_us, out)
            if len(self._printed) < MOST_LINES:
                self._printed.append(piece)
        if len(self._framer.lines) > MOST_LINES:
            out.extend(self._framer.end(complete=True))
        self._blocks += len(out) - already

    def _begin_row(self) -> None:
        row = len(self._printed)
        under = self._old[row] if row < len(self._old) else ""
        self._row.begin(under if under.isascii() else widen(under))

    def _is_begun_again(self, last: list[str]) -> bool:
        """Whether the open page is so far the last one over again: it says nothing new."""
        above = len(self._printed)
        if self._blocks or above >= len(last):
            return False
        return self._printed == last[:above] and last[above].startswith(self._row.text[: self._row.column])

    def _show(self, screens: list[Screen], out: list[Found]) -> None:
        page, self._old = self._printed, self._printed[-self.rows :]
        for screen in screens:
            # Several blocks between two pages are a log that scrolled by: there a repeated one counts too.
            if page == self.last and not self._blocks:
                self.repeated += 1
            else:
                out.append(screen._replace(clipped=len(page) == self.rows))
                self.last = page
