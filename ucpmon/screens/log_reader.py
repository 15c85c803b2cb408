"""Whole lines of a log → screens; regions of blocks of a known form are read at once."""

from __future__ import annotations

from ucpmon.screens.blocks import BlockFramer
from ucpmon.screens.forms import MOST_IN_VAIN, Found, RepeatedBlocks, learn
from ucpmon.screens.grammar import FIGURES, Kind, Line, Screen, read_line

_MOST_FORMS = 8
_PROBE = 4096
_LONGEST_OPEN = 1 << 16


class LogReader:
    """Takes the lines of a log; what its forms do not match goes to the framer, line by line."""

    def __init__(self, framer: BlockFramer, forms: bool = True) -> None:
        self._framer = framer
        self._readers: list[RepeatedBlocks] = []
        self._columns: set[tuple[str, ...]] = set()
        self._in_vain = 0 if forms else MOST_IN_VAIN
        self._open: list[tuple[str, int | None]] = []

    def take(self, text: str, t_us: int | None, out: list[Found]) -> None:
        """``text`` is whole lines, each with its end."""
        if self._open:
            text = self._go_on(text, t_us, out)
        at = self._learn_first(text, t_us, out)
        span = len(text)
        # Reading lines may teach another form: where its blocks begin is asked anew for each stretch.
        while self._readers and at < len(text):
            reader = self._readers[0]
            first, end = _line_start(text, reader.head, at), text.rfind("\n" + reader.head) + 1
            if first < 0:
                break
            if first > at:
                at = self._by_line(text, at, first, t_us, out)
                continue
            begins = self._framer.ends_before(_line_at(text, first))
            if end <= first:
                if begins and len(text) - first < _LONGEST_OPEN:
                    # Where it ends is seen when the next one begins; what came before it ends here.
                    out.extend(self._framer.end(complete=True))
                    self._open = [(text[first:], t_us)]
                    return
                break
            last = _line_start(text, reader.head, first + max(1, min(span, end - first)))
            if not begins:
                at = self._by_line(text, first, _line_start(text, reader.head, first + 1), t_us, out)
            elif self._read(reader, text, first, last, t_us, out):
                at, span = last, 4 * (last - first)
            elif "\n" + reader.head in text[first:last]:
                # Something in it is odd: less and less of it is read, until that is a block of its own.
                less = (last - first) // 4
                span = less if _line_start(text, reader.head, first + less) < last else 1
            else:
                at = self._one(text, first, last, t_us, out)
        self._by_line(text, at, len(text), t_us, out)

    def flush(self, out: list[Found]) -> None:
        """Nothing more comes that could end the open block: read what there is of it."""
        parts, self._open = self._open, []
        for text, t_us in parts:
            self._by_line(text, 0, len(text), t_us, out)

    def _go_on(self, text: str, t_us: int | None, out: list[Found]) -> str:
        """Add to the open block, and read it when the next one begins; the text from there on."""
        reader = self._readers[0]
        begins = _line_start(text, reader.head, 0)
        self._open.append((text[:begins] if begins >= 0 else text, t_us))
        block = "".join(part for part, _ in self._open)
        if begins < 0:
            if len(block) > _LONGEST_OPEN:
                self.flush(out)
            return ""
        read = block + text[begins : text.find("\n", begins) + 1]
        if self._read(reader, read, 0, len(block), self._time_of_open(), out):
            self._open = []
        else:
            self.flush(out)
        return text[begins:]

    def _time_of_open(self) -> int | None:
        """When the last line of the open block came that is more than a border."""
        for text, t_us in reversed(self._open):
            if any(read_line(line).kind in FIGURES for line in reversed(text.split("\n"))):
                return t_us
        return self._open[0][1]

    def _learn_first(self, text: str, t_us: int | None, out: list[Found]) -> int:
        """Without a form, read line by line until there is one; where that came to."""
        at = 0
        while not self._readers and self._in_vain < MOST_IN_VAIN and at < len(text):
            at = self._by_line(text, at, text.find("\n", at + _PROBE) + 1 or len(text), t_us, out)
        return at

    def _one(self, text: str, first: int, last: int, t_us: int | None, out: list[Found]) -> int:
        """A block that is not of the usual form; where it ends."""
        usual = self._readers[0]
        for reader in self._readers[1:]:
            if reader.head == usual.head and self._read(reader, text, first, last, t_us, out):
                self._readers.remove(reader)
                self._readers.insert(0, reader)
                return last
        return self._by_line(text, first, last, t_us, out)

    def _read(
        self, reader: RepeatedBlocks, text: str, first: int, last: int, t_us: int | None, out: list[Found]
    ) -> bool:
        """Read blocks at once; whether they fit, and where a lost process table would not make them cut ones."""
        lost = self._framer.expects_processes and not reader.form.processes
        found = None if lost else reader.read(text, first, last, t_us)
        if found is None:
            return False
        out.extend(self._framer.end(complete=True))
        out.append(found)
        start = max(first, text.rfind("\n" + reader.head, first, last - 1) + 1)
        self._framer.skip(reader.seen, text[start : last - 1])
        self._in_vain = 0
        return True

    def _by_line(self, text: str, start: int, end: int, t_us: int | None, out: list[Found]) -> int:
        """Read line by line; where it ends."""
        found: list[Screen] = []
        push, read = self._framer.push, self._framer.tables.read
        for line in text[start : end - 1].split("\n") if start < end else ():
            push(read(line), t_us, found)
        out.extend(found)
        if found and self._in_vain < MOST_IN_VAIN and not found[-1].cut:
            self._learn(found[-1])
        return end

    def _learn(self, screen: Screen) -> None:
        self._in_vain += 1
        form = learn(screen.lines, self._framer.tables)
        if form and form.columns in self._columns:
            # Seen before with other totals: from now on they are figures like the others.
            form = learn(screen.lines, self._framer.tables, fixed_totals=False)
        if form and form.fields[0] and form.lines[0].kind is Kind.LOADS:
            self._columns.add(form.columns)
            self._readers = [RepeatedBlocks(form, self._framer.seen), *self._readers[: _MOST_FORMS - 1]]


def _line_start(text: str, head: str, at: int) -> int:
    """Where the next line that begins with ``head`` does, from ``at`` on; -1 where there is none."""
    if text.startswith(head, at) and (at == 0 or text[at - 1] == "\n"):
        return at
    found = text.find("\n" + head, at)
    return found + 1 if found >= 0 else -1


def _line_at(text: str, start: int) -> Line:
    return read_line(text[start : text.find("\n", start)])
