"""The fast way: lines, and pages that are cleared or homed and printed again, need no terminal emulation.

The text of a stream is followed line by line, as a terminal without cursor addressing would show it. ``feed`` gives
back the rest of the text at the first escape sequence that really moves about the screen: from there on the stream
is emulated (see ``terminal``). Both ways give the same rows.
"""

from __future__ import annotations

import re

from ucpmon.grammar import BARS, read_line, unreadable
from ucpmon.layout import Found
from ucpmon.model import Screen
from ucpmon.screen.blocks import BlockFramer, Sink
from ucpmon.screen.escapes import SEQUENCE, number, split_held
from ucpmon.screen.lane import Lane
from ucpmon.screen.row import ERASE, FILLER, Row, widen

_ERASE_LINE = "\x1b[K"
_ERASED_ENDS = re.compile(r"\x1b\[K\r*\n")
_LINE_ENDS = re.compile(r"\r+\n")
# A block that never ends must not grow with the stream.
_MOST_LINES = 4096
_BLANK = " " + ERASE
_HOME = {"", ";", "1", "1;", ";1", "1;1", "0", "0;", ";0", "0;0", "0;1", "1;0"}
_ALTERNATE = {"1049", "1047", "47"}
# Private modes that do not change what stands where: cursor keys, wrapping, blink, cursor, mouse, paste, sync.
_CLOSING = tuple(BARS + "+┘╯╝┛")
_HARMLESS_MODES = {"1", "7", "12", "25", "1000", "1002", "1003", "1004", "1006", "2004", "2026"}


class TextScreens:
    """Screens of a stream that addresses no cell of the terminal but the first."""

    def __init__(self, rows: int, cols: int, forms: bool = True) -> None:
        self.rows, self.cols = rows, cols
        self.repeated = 0
        self.dropped = 0
        self._framer = BlockFramer()
        self._lane = Lane(self._framer, forms)
        self._held = ""
        self._marked = False
        self._t_us: int | None = None
        self._printed_us: int | None = None
        self._row = Row()
        self._touched = False
        self._page: list[str] = []
        self._old: list[str] = []
        self._last: list[str] | None = None
        self._blocks_in_page = 0

    @property
    def paged(self) -> bool:
        return self._framer.paged

    def feed(self, text: str, t_us: int | None, out: list[Found]) -> str | None:
        """Take text; the screens it completes go to ``out``. The rest where emulation must begin, else ``None``."""
        text, self._held = self._held + text, ""
        self._t_us = t_us
        if ERASE in text:
            text = text.replace(ERASE, "")
        if "\x1b" in text:
            text = self._prepare(text)
        if text.endswith("\r"):
            kept = text.rstrip("\r")
            text, self._held = kept, text[len(kept) :] + self._held
        at = 0
        while (escape := text.find("\x1b", at)) >= 0:
            self._write(text[at:escape], out)
            found = SEQUENCE.match(text, escape)
            if found and not self._obey(found[0], found[1] or "", found[2], out):
                return text[escape:].replace(ERASE, _ERASE_LINE + "\r") + self._held
            at = found.end() if found else escape + 1
        self._write(text[at:] if at else text, out)
        return None

    def _prepare(self, text: str) -> str:
        """Hold back a last sequence that is not complete, and mark erased row ends: pages may have one on every row."""
        text, self._held = split_held(text)
        self._marked = self._framer.paged and _ERASE_LINE in text
        return _ERASED_ENDS.sub(f"{ERASE}\n", text) if self._marked else text

    def finish(self, out: list[Found], broken: bool = False) -> None:
        """The stream is over: a last block that is not whole is cut, a last page that is not is dropped.

        ``broken``: more was to come, so neither is whole.
        """
        self._held = ""
        if self._framer.paged:
            self._finish_page(out, broken)
            return
        whole = self._take_last_row(out) and not broken
        out.extend(self._framer.end(whole, checked=True))

    def snapshot(self) -> tuple[str, list[str] | None]:
        """What to feed to an emulator so that it stands where this stream does, and the last page shown."""
        above = self._page if self._framer.paged else [line.text for line in self._framer.lines]
        below = self._old[len(above) + 1 :] if self._framer.paged else []
        shown = [*above, self._row.text.replace(FILLER, ""), *below]
        screenful = shown[max(0, len(above) + 1 - self.rows) :][: self.rows]
        y = min(len(above), self.rows - 1)
        drawn = "\x1b[H" + "\r\n".join(text[: self.cols] for text in screenful)
        return f"{drawn}\x1b[{y + 1};{self._row.column + 1}H", self._last

    def flush(self, out: list[Found]) -> None:
        """End the open block of a stream that turns into something else; an open page stays open."""
        if not self._framer.paged:
            self._end_text(out)

    # -- printing

    def _write(self, text: str, out: list[Found]) -> None:
        if not text:
            return
        self._printed_us = self._t_us
        if "\r" in text:
            text = _LINE_ENDS.sub("\n", text)
        if self._framer.paged:
            text = text if text.isascii() else widen(text)
        elif self._marked:
            text = text.replace(ERASE, "")
        end = text.find("\n")
        if end < 0:
            self._put(text)
            return
        self._put(text[:end])
        self._newline(out)
        last = text.rfind("\n") + 1
        if last > end + 1:
            self._take_lines(text[end + 1 : last], out)
        self._put(text[last:])

    def _put(self, text: str) -> None:
        if text:
            self._touched = True
            self._row.put(text)

    def _take_lines(self, text: str, out: list[Found]) -> None:
        """Whole lines, each with its line end."""
        plain = not ("\r" in text or "\b" in text or "\t" in text)
        if plain and not self._framer.paged:
            self._lane.take(text, self._t_us, out)
            self._bound(out)
            return
        lines = text[:-1].split("\n")
        if plain and not self._old and self._fits(lines):
            self._fresh_rows(lines, out)
            return
        for line in lines:
            if not (plain and self._framer.paged and self._whole_row(line, out)):
                self._row.put(line)
                self._newline(out)

    def _fits(self, lines: list[str]) -> bool:
        return len(self._page) + len(lines) < _MOST_LINES and max(map(len, lines)) <= self.cols

    def _fresh_rows(self, lines: list[str], out: list[Found]) -> None:
        """Rows of a cleared page: nothing stands under them."""
        already, push, t_us, page = len(out), self._framer.push, self._t_us, self._page
        for line in lines:
            text = line.replace(FILLER, "").rstrip(_BLANK)
            push(read_line(text), t_us, out)
            page.append(text)
        self._blocks_in_page += len(out) - already

    def _whole_row(self, line: str, out: list[Found]) -> bool:
        """Print a line over a whole row at once; false where something of the row would show beside it."""
        under = self._row.text
        erased = line.endswith(ERASE)
        if (under and not erased) or len(line) > self.cols or len(self._page) >= _MOST_LINES:
            return False
        text = (line[:-1] if erased else line).replace(FILLER, "").rstrip()
        already = len(out)
        self._framer.push(read_line(text), self._t_us, out)
        self._blocks_in_page += len(out) - already
        self._page.append(text)
        self._begin_row()
        return True

    def _newline(self, out: list[Found]) -> None:
        self._touched = True
        if self._framer.paged:
            self._push_row(self._row.text, out)
        else:
            self._framer.push(read_line(self._row.text.rstrip("\r")), self._t_us, out)
            self._bound(out)
        self._begin_row()

    def _begin_row(self) -> None:
        row = len(self._page)
        under = self._old[row] if row < len(self._old) else ""
        self._row.begin(under if under.isascii() else widen(under))

    def _push_row(self, text: str, out: list[Found]) -> None:
        already = len(out)
        for at in range(0, max(1, len(text)), self.cols):
            piece = text[at : at + self.cols].replace(FILLER, "").rstrip()
            wrapped = len(text) > self.cols
            self._framer.push(unreadable(piece) if wrapped else read_line(piece), self._t_us, out)
            if len(self._page) < _MOST_LINES:
                self._page.append(piece)
        self._bound(out)
        self._blocks_in_page += len(out) - already

    def _bound(self, out: list[Found]) -> None:
        if len(self._framer.lines) > _MOST_LINES:
            out.extend(self._framer.end(complete=True))

    # -- escape sequences

    def _obey(self, sequence: str, parameters: str, final: str | None, out: list[Found]) -> bool:
        """Follow a sequence; false where it takes an emulator."""
        if sequence == "\x1bc":
            # A full reset, which programs print to clear the terminal.
            return self._erase("2", out)
        if final is None:
            return sequence[1] in "])(P^_X=>" and sequence != "\x1b(0"
        if final == "m":
            return True
        if final in "hl":
            return self._mode(parameters, final, out)
        if final in "Hf":
            return parameters in _HOME and self._home(out)
        if final == "J":
            return self._erase(parameters, out)
        if final in "KCDGPX@":
            self._touched = self._touched or final != "C"
            return self._row.edit(parameters, final)
        # Shells ask for the terminal's name and move up a row or two; whoever repaints a table moves further.
        return not self._framer.paged and (final in "nctqu" or (final == "A" and number(parameters) < 3))

    def _mode(self, parameters: str, final: str, out: list[Found]) -> bool:
        modes = set(parameters.removeprefix("?").split(";"))
        if modes & _ALTERNATE:
            self._end(out)
            self._begin_page(paged=final == "h", keep=False)
            return True
        return (parameters == "4" and final == "l") or (parameters.startswith("?") and modes <= _HARMLESS_MODES)

    def _home(self, out: list[Found]) -> bool:
        self._end(out)
        self._begin_page(paged=True, keep=True)
        return True

    def _erase(self, parameters: str, out: list[Found]) -> bool:
        if parameters in ("2", "3"):
            self._end(out)
            self._begin_page(paged=True, keep=False)
        elif parameters in ("", "0"):
            self._row.erase_right()
            self._old = self._old[: len(self._page)]
        else:
            return False
        return True

    # -- pages

    def _begin_page(self, paged: bool, keep: bool) -> None:
        """``keep``: what was shown before is still there, under what will be printed."""
        self._framer.paged = paged
        self._old = self._old if keep and paged else []
        self._page = []
        self._touched = False
        self._blocks_in_page = 0
        self._begin_row()

    def _end(self, out: list[Found]) -> None:
        # A last row without a line end is of the time when it was printed, not of what comes after it.
        now, self._t_us = self._t_us, self._printed_us
        self._end_shown(out)
        self._t_us = now

    def _end_shown(self, out: list[Found]) -> None:
        if self._framer.paged:
            self._end_page(out)
        else:
            self._end_text(out)

    def _end_text(self, out: list[Found]) -> None:
        whole = self._take_last_row(out)
        out.extend(self._framer.end(whole))

    def _take_last_row(self, out: Sink) -> bool:
        """Push a last line without a line end; whether it is whole. A block that it ends goes to ``out``."""
        text = self._row.text
        whole = self._is_whole(text) and self._row.column >= len(text)
        if text:
            self._framer.push(read_line(text) if whole else unreadable(text), self._t_us, out)
            self._row.begin()
        return whole

    def _is_whole(self, text: str) -> bool:
        """Whether an unended line has its last character: it closes the frame at the width of a line above it."""
        closes = text[-1:] in _CLOSING and any(len(text) == len(line.text) for line in self._framer.lines)
        return not text or closes

    def _end_page(self, out: list[Found]) -> None:
        """The page was left for another: all of it was shown."""
        if not self._touched:
            return
        for text in [self._row.text, *self._old[len(self._page) + 1 :]]:
            if text:
                self._push_row(text, out)
        self._show(self._framer.end(complete=True), out)

    def _finish_page(self, out: list[Found], broken: bool) -> None:
        if not self._touched:
            return
        if self._last is not None and self._is_begun_again(self._last):
            again = self._page + [self._row.text] * bool(self._row.text) == self._last
            self.repeated += again
            self.dropped += not again
            return
        overprinted = not any(self._old[len(self._page) + 1 :])
        shown: list[Screen] = []
        whole = self._take_last_row(shown) and overprinted and not broken
        shown += self._framer.end(whole, checked=True)
        if not any(screen.cut for screen in shown) or self._blocks_in_page or self._last is None:
            self._show(shown, out)
        else:
            self.dropped += len(shown)

    def _is_begun_again(self, last: list[str]) -> bool:
        """Whether the open page is so far the last one over again: it says nothing new."""
        above = len(self._page)
        if self._blocks_in_page or above >= len(last):
            return False
        return self._page == last[:above] and last[above].startswith(self._row.text[: self._row.column])

    def _show(self, screens: list[Screen], out: Sink) -> None:
        page, self._old = self._page, self._page[-self.rows :]
        for screen in screens:
            # Several blocks between two pages are a log that scrolled by: there a repeated one counts too.
            if page == self._last and not self._blocks_in_page:
                self.repeated += 1
            else:
                out.append(screen._replace(clipped=len(page) == self.rows))
                self._last = page
