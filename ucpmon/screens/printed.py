"""The fast way: lines, and pages that are cleared or homed and printed again, need no terminal emulation.

The text of a stream is followed line by line, as a terminal without cursor addressing would show it. ``feed`` gives
back the rest of the text at the first escape sequence that really moves about the screen: from there on the stream
is emulated (see ``terminal``). Both ways give the same rows.
"""

from __future__ import annotations

import re

from ucpmon.screens.blocks import BlockFramer
from ucpmon.screens.forms import Found
from ucpmon.screens.log_reader import LogReader
from ucpmon.screens.page import MOST_LINES, Page
from ucpmon.screens.tables import Tables
from ucpmon.screens.terminal.escapes import number, split_held
from ucpmon.screens.terminal_row import ERASE, FILLER, TerminalRow, widen
from ucpmon.text import ESCAPE

_ERASE_LINE = "\x1b[K"
_ERASED_ENDS = re.compile(r"\x1b\[K\r*\n")
_LINE_ENDS = re.compile(r"\r+\n")
_HOME = {"", ";", "1", "1;", ";1", "1;1", "0", "0;", ";0", "0;0", "0;1", "1;0"}
_ALTERNATE = {"1049", "1047", "47"}
# Private modes that do not change what stands where: cursor keys, wrapping, blink, cursor, mouse, paste, sync.
_HARMLESS_MODES = {"1", "7", "12", "25", "1000", "1002", "1003", "1004", "1006", "2004", "2026"}


class TextScreens:
    """Screens of a stream that addresses no cell of the terminal but the first."""

    def __init__(self, rows: int, cols: int, forms: bool = True, tables: Tables | None = None) -> None:
        self._framer = BlockFramer(tables)
        self._log = LogReader(self._framer, forms)
        self._row = TerminalRow()
        self._page = Page(self._framer, self._row, rows, cols, forms)
        self._held = ""
        self._marked = False
        self._t_us: int | None = None
        self._printed_us: int | None = None

    @property
    def paged(self) -> bool:
        return self._framer.paged

    @property
    def repeated(self) -> int:
        return self._page.repeated

    @property
    def dropped(self) -> int:
        return self._page.dropped

    def resize(self, rows: int, cols: int) -> None:
        self._page.rows, self._page.cols = rows, cols

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
            found = ESCAPE.match(text, escape)
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
        self._log.flush(out)
        if self._framer.paged:
            self._page.finish(self._t_us, out, broken)
            return
        whole = self._framer.push_last(self._row, self._t_us, out) and not broken
        out.extend(self._framer.end(whole, checked=True))

    def snapshot(self) -> tuple[str, list[str] | None]:
        """What to feed to an emulator so that it stands where this stream does, and the last page shown."""
        above, below = self._page.shown() if self._framer.paged else ([line.text for line in self._framer.lines], [])
        shown = [*above, self._row.text.replace(FILLER, ""), *below]
        rows, cols = self._page.rows, self._page.cols
        screenful = shown[max(0, len(above) + 1 - rows) :][:rows]
        drawn = "\x1b[H" + "\r\n".join(text[:cols] for text in screenful)
        return f"{drawn}\x1b[{min(len(above) + 1, rows)};{self._row.column + 1}H", self._page.last

    def flush(self, out: list[Found]) -> None:
        """End the open block of a stream that turns into something else; an open page stays open."""
        if self._framer.paged:
            self._page.flush(out)
        else:
            self._end_text(self._t_us, out)

    # -- printing

    def _write(self, text: str, out: list[Found]) -> None:
        if not text:
            return
        self._printed_us = self._t_us
        if "\r" in text:
            text = _line_ends(text)
        if self._framer.paged:
            text = text if text.isascii() else widen(text)
        elif self._marked:
            text = text.replace(ERASE, "")
        end = text.rfind("\n") + 1
        if end:
            self._take_lines(text[:end], out)
        if end < len(text):
            self._page.touched = True
            self._row.put(text[end:])

    def _take_lines(self, text: str, out: list[Found]) -> None:
        """Whole lines, each with its line end; the first goes on with what stands in the row."""
        self._page.touched = True
        plain = not ("\r" in text or "\b" in text or "\t" in text)
        if not self._framer.paged and plain and self._row.column == len(self._row.text):
            self._log.take(self._row.text + text, self._t_us, out)
            self._row.begin()
        elif not self._framer.paged:
            self._log.flush(out)
            for line in text[:-1].split("\n"):
                self._row.put(line)
                self._framer.push(self._framer.tables.read(self._row.text.rstrip("\r")), self._t_us, out)
                self._row.begin()
        else:
            self._print(text, plain, out)
        if not self._framer.paged and len(self._framer.lines) > MOST_LINES:
            out.extend(self._framer.end(complete=True))

    def _print(self, text: str, plain: bool, out: list[Found]) -> None:
        end = text.find("\n")
        self._row.put(text[:end])
        self._page.newline(self._t_us, out)
        if end + 1 < len(text):
            self._page.take(text[end + 1 : -1].split("\n"), plain, self._t_us, out)

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
            return parameters in _HOME and self._begin_page(out, keep=True)
        if final == "J":
            return self._erase(parameters, out)
        if final in "KCDGPX@":
            self._page.touched = self._page.touched or final != "C"
            return self._row.edit(parameters, final)
        # Shells ask for the terminal's name and move up a row or two; whoever repaints a table moves further.
        return not self._framer.paged and (final in "nctqu" or (final == "A" and number(parameters) < 3))

    def _mode(self, parameters: str, final: str, out: list[Found]) -> bool:
        modes = set(parameters.removeprefix("?").split(";"))
        if modes & _ALTERNATE:
            return self._begin_page(out, keep=False, paged=final == "h")
        return (parameters == "4" and final == "l") or (parameters.startswith("?") and modes <= _HARMLESS_MODES)

    def _erase(self, parameters: str, out: list[Found]) -> bool:
        if parameters in ("2", "3"):
            return self._begin_page(out, keep=False)
        if parameters in ("", "0"):
            self._row.erase_right()
            self._page.erase_below()
            return True
        return False

    def _begin_page(self, out: list[Found], keep: bool, paged: bool = True) -> bool:
        """What is shown ends; true, since this takes no emulator."""
        # A last row without a line end is of the time when it was printed, not of what comes after it.
        if self._framer.paged:
            self._page.end(self._printed_us, out)
        else:
            self._end_text(self._printed_us, out)
        self._framer.paged = paged
        self._page.begin(keep)
        return True

    def _end_text(self, t_us: int | None, out: list[Found]) -> None:
        self._log.flush(out)
        whole = self._framer.push_last(self._row, t_us, out)
        out.extend(self._framer.end(whole))


def _line_ends(text: str) -> str:
    text = text.replace("\r\n", "\n")
    return _LINE_ENDS.sub("\n", text) if "\r" in text else text
