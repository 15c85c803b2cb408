"""Whole lines of a log → screens; regions of blocks in a known layout are read at once."""

from __future__ import annotations

from ucpmon.grammar import Line, read_line
from ucpmon.layout import Batch, Layout, learn
from ucpmon.model import Screen
from ucpmon.screen.blocks import BlockFramer, Tail

_MOST_LAYOUTS = 8
# Layouts that never match again are not worth learning: after so many in vain a log is read line by line.
_MOST_IN_VAIN = 64
_PROBE = 4096


class Lane:
    """Takes the lines of a log; what its layouts do not match goes to the framer, line by line."""

    def __init__(self, framer: BlockFramer) -> None:
        self._framer = framer
        self._layouts: list[Layout] = []
        self._tails: dict[Layout, Tail] = {}
        self._columns: set[tuple[str, ...]] = set()
        self._in_vain = 0

    def take(self, text: str, t_us: int | None, out: list[Screen | Batch]) -> None:
        """``text`` is whole lines, each with its end."""
        at = self._learn_first(text, t_us, out)
        while self._layouts and at < len(text):
            layout = self._layouts[0]
            first = _line_start(text, layout.head, at)
            last = text.rfind("\n" + layout.head) + 1
            if first < 0 or last <= first:
                break
            # Reading lines may teach another layout: where its blocks begin is then asked anew.
            if first > at or not self._framer.ends_before(_line_at(text, first)):
                end = first if first > at else _line_start(text, layout.head, first + 1)
                self._by_line(text, at, end, t_us, out)
                at = end
            else:
                at = self._region(text, layout, first, last, t_us, out)
        self._by_line(text, at, len(text), t_us, out)

    def _learn_first(self, text: str, t_us: int | None, out: list[Screen | Batch]) -> int:
        """Without a layout, read line by line until there is one; where that came to."""
        at = 0
        while not self._layouts and self._in_vain < _MOST_IN_VAIN and at < len(text):
            end = text.find("\n", at + _PROBE) + 1 or len(text)
            self._by_line(text, at, end, t_us, out)
            at = end
        return at

    def _region(
        self, text: str, layout: Layout, first: int, last: int, t_us: int | None, out: list[Screen | Batch]
    ) -> int:
        """Read the blocks from ``first`` to ``last``, both at the head of a block; where it came to."""
        blocks = text.count("\n" + layout.head, first, last + len(layout.head))
        rows = layout.pattern.findall(text, first, text.find("\n", last) + 1) if blocks else []
        # Each match begins at a head and ends before one: as many matches as heads leave nothing out.
        if blocks and len(rows) == blocks and self._emit(layout, rows, t_us, out):
            return last
        return self._block_by_block(text, layout.head, first, last, t_us, out)

    def _block_by_block(
        self, text: str, head: str, at: int, last: int, t_us: int | None, out: list[Screen | Batch]
    ) -> int:
        while at < last:
            end = _line_start(text, head, at + 1)
            for layout in self._layouts if self._framer.ends_before(_line_at(text, at)) else ():
                found = layout.pattern.match(text, at, text.find("\n", end) + 1)
                if found and found.end() == end and self._emit(layout, [found.groups()], t_us, out):
                    self._prefer(layout)
                    break
            else:
                self._by_line(text, at, end, t_us, out)
                if self._layouts[0].head != head:
                    return end
            at = end
        return last

    def _emit(self, layout: Layout, rows: list[tuple[str, ...]], t_us: int | None, out: list[Screen | Batch]) -> bool:
        try:
            batch = layout.read(rows, t_us)
        except KeyError:
            return False
        out.extend(self._framer.end(complete=True))
        out.append(batch)
        self._framer.skip(layout.seen, self._tails[layout])
        self._in_vain = 0
        return True

    def _by_line(self, text: str, start: int, end: int, t_us: int | None, out: list[Screen | Batch]) -> None:
        if start >= end:
            return
        found: list[Screen | Batch] = []
        push = self._framer.push
        for line in text[start : end - 1].split("\n"):
            push(read_line(line), t_us, found)
        out.extend(found)
        if found and self._in_vain < _MOST_IN_VAIN:
            self._learn(found[-1])

    def _learn(self, screen: Screen | Batch) -> None:
        if isinstance(screen, Batch) or screen.cut:
            return
        self._in_vain += 1
        layout = learn(screen.lines, self._framer.seen)
        if layout and layout.columns in self._columns:
            # Seen before with other totals: from now on they are figures like the others.
            layout = learn(screen.lines, self._framer.seen, fixed_totals=False)
        if layout:
            self._columns.add(layout.columns)
            self._layouts = [layout, *self._layouts[: _MOST_LAYOUTS - 1]]
            self._tails = {kept: self._tails.get(kept, self._framer.tail) for kept in self._layouts}

    def _prefer(self, layout: Layout) -> None:
        self._layouts.remove(layout)
        self._layouts.insert(0, layout)


def _line_start(text: str, head: str, at: int) -> int:
    """Where the next line that begins with ``head`` does, from ``at`` on; -1 where there is none."""
    if text.startswith(head, at) and (at == 0 or text[at - 1] == "\n"):
        return at
    found = text.find("\n" + head, at)
    return found + 1 if found >= 0 else -1


def _line_at(text: str, start: int) -> Line:
    return read_line(text[start : text.find("\n", start)])
