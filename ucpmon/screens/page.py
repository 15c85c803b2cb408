"""A page: a screen that is printed from its first row on, over what stood there before."""

from __future__ import annotations

from itertools import zip_longest

from ucpmon.records import Sample
from ucpmon.screens.blocks import BlockFramer
from ucpmon.screens.forms import MOST_IN_VAIN, Found, RedrawnRows, learn_rows
from ucpmon.screens.grammar import Screen, unreadable
from ucpmon.screens.terminal_row import ERASE, FILLER, TerminalRow, widen

# A page that never ends must not grow with the stream.
MOST_LINES = 4096
_BLANK = " " + ERASE
# A page keeps the whole of a row that is wider than the terminal, as rows.
_NO_EDGE = 1 << 30


class Page:
    """Prints rows and hands them to ``framer``; ``row`` is the one that is being printed.

    Once there is a form, the rows of a page wait until it is over: they are read by what changed, if they fit.
    """

    def __init__(self, framer: BlockFramer, row: TerminalRow, rows: int, cols: int, forms: bool = True) -> None:
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
        self._waiting: list[int | None] = []
        self._known: RedrawnRows | None = None
        self._seen: frozenset[object] = frozenset()
        self._fitted: list[str] = []
        self._in_vain = 0 if forms else MOST_IN_VAIN
        self._waits = False
        self._wrapped = False

    def begin(self, keep: bool) -> None:
        """``keep``: what was shown before is still there, under what will be printed."""
        self._old = self._old if keep else []
        self._printed = []
        self.touched = False
        self._blocks = 0
        self._waiting = []
        self._waits = self._known is not None
        self._wrapped = False
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
        if found := self._fit():
            self._keep(found, out)
            self._old = self._printed[-self.rows :]
            return
        self.flush(out)
        self._show(self._framer.end(complete=True), out)

    def finish(self, t_us: int | None, out: list[Found], broken: bool) -> None:
        """The stream is over: a page that is not whole is no screen, unless it is the only one."""
        if not self.touched:
            return
        self.flush(out)
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

    def flush(self, out: list[Found]) -> None:
        """Read the rows that wait for the end of the page, one by one."""
        self._waits = False
        already = len(out)
        for text, t_us in zip(self._printed, self._waiting, strict=False):
            self._framer.push(self._framer.tables.read(text), t_us, out)
        self._blocks += len(out) - already
        self._waiting = []

    def _fits(self, lines: list[str]) -> bool:
        return len(self._printed) + len(lines) < MOST_LINES and max(map(len, lines)) <= self.cols

    def _fresh_rows(self, lines: list[str], t_us: int | None, out: list[Found]) -> None:
        """Rows of a cleared page: nothing stands under them."""
        texts = [line.replace(FILLER, "").rstrip(_BLANK) for line in lines]
        if self._may_wait(len(texts), out):
            self._waiting += [t_us] * len(texts)
        else:
            already, push = len(out), self._framer.push
            for text in texts:
                push(self._framer.tables.read(text), t_us, out)
            self._blocks += len(out) - already
        self._printed += texts

    def _whole_row(self, line: str, t_us: int | None, out: list[Found]) -> bool:
        """Print a line over a whole row at once; false where something of the row would show beside it."""
        under = self._row.text
        erased = line.endswith(ERASE)
        if (under and not erased) or len(line) > self.cols or len(self._printed) >= MOST_LINES:
            return False
        self._print((line[:-1] if erased else line).replace(FILLER, "").rstrip(), t_us, out)
        self._begin_row()
        return True

    def _push_row(self, text: str, t_us: int | None, out: list[Found]) -> None:
        wrapped = len(text) > self.cols
        for at in range(0, max(1, len(text)), self.cols):
            self._print(text[at : at + self.cols].replace(FILLER, "").rstrip(), t_us, out, wrapped)
        already = len(out)
        if len(self._framer.lines) > MOST_LINES:
            out.extend(self._framer.end(complete=True))
        self._blocks += len(out) - already

    def _print(self, text: str, t_us: int | None, out: list[Found], wrapped: bool = False) -> None:
        if wrapped:
            self._wrapped = True
            self.flush(out)
        if self._may_wait(1, out):
            self._waiting.append(t_us)
        else:
            already = len(out)
            self._framer.push(unreadable(text) if wrapped else self._framer.tables.read(text), t_us, out)
            self._blocks += len(out) - already
        if len(self._printed) < MOST_LINES:
            self._printed.append(text)

    def _may_wait(self, rows: int, out: list[Found]) -> bool:
        """Whether rows may still wait for the end of the page; one that scrolls is a log, and does not wait."""
        if self._waits and len(self._waiting) + rows > self.rows:
            self.flush(out)
        return self._waits

    def _fit(self) -> Sample | None:
        """The page by its form, where all of it waits and fits."""
        page = self._printed
        if not self._known or not self._waiting:
            return None
        changed = [y for y, (old, new) in enumerate(zip_longest(self._fitted, page)) if old != new]
        if not self._known.take(changed, page):
            self._known = None
            return None
        self._in_vain = 0
        self._fitted = page
        self._framer.skip(self._seen, "\n".join(page))
        return self._known.read(self._waiting[-1], clipped=len(page) == self.rows)

    def _learn(self, screen: Screen) -> None:
        page = self._printed
        odd = self._blocks or self._wrapped or screen.cut or [line.text for line in screen.lines] != page
        if odd or self._in_vain >= MOST_IN_VAIN:
            return
        self._in_vain += 1
        self._known = learn_rows(screen.lines, _NO_EDGE, self._framer.tables)
        self._fitted, self._seen = page, self._framer.seen

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
        for screen in screens:
            self._keep(screen._replace(clipped=len(self._printed) == self.rows), out)
        self._old = self._printed[-self.rows :]
        if len(screens) == 1:
            self._learn(screens[0])

    def _keep(self, found: Screen | Sample, out: list[Found]) -> None:
        # Several blocks between two pages are a log that scrolled by: there a repeated one counts too.
        if self._printed == self.last and not self._blocks:
            self.repeated += 1
        else:
            out.append(found)
            self.last = self._printed
