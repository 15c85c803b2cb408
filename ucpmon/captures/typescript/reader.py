"""Typescripts of ``script``: a header line, the terminal's bytes, a footer; with ``-a`` several of these in one file.

The typescript itself has no clock: it is in a timing file. Without one, only the start is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from ucpmon.captures.base import Opened, Options, interval_of
from ucpmon.captures.byte_source import Source
from ucpmon.captures.timestamps import Clock
from ucpmon.captures.typescript.headers import Header, footer_begun, footer_in, header_at
from ucpmon.captures.typescript.timing import Entry, entries, find_timing, no_timing
from ucpmon.records import CaptureInfo, Chunk

# Longer than a header or footer: so much is kept back at the end of a block, that none is split.
_TAIL = 1024
_NO_HEADER = Header(0, b"Script started on ", None, None, None, "")


def read(source: Source, options: Options) -> Opened:
    header = header_at(source.peek(), 0, options.zone) or _NO_HEADER
    notes: list[str] = []
    timing = find_timing(source.path, options.timing)
    if timing is not None and not _covers_all(source.path, timing, options):
        notes.append(f"{timing} times only the last session of several: the clock was left out")
        timing = None
    elif timing is None and (other := no_timing(source.path)):
        notes.append(f"{other} is no timing file, though it has the name of one: no clock was read")
    info = CaptureInfo(
        "script",
        rows=header.rows,
        cols=header.cols,
        started_us=header.started_us,
        interval_us=interval_of(header.command),
        clock=timing is not None,
        command=header.command,
    )
    if timing is None:
        return Opened(info, _untimed(source, header, options), notes)
    return Opened(info, _Timed(source, header, options, notes).chunks(entries(timing, source.damage)), notes)


def _covers_all(path: Path | None, timing: Path, options: Options) -> bool:
    """``script -a`` appends to the typescript but begins its timing file anew."""
    if path is None:
        return True
    with closing(Source(path)) as again:
        header = header_at(again.peek(), 0, options.zone) or _NO_HEADER
        sessions = [0]
        for chunk in _untimed(again, header, options):
            if chunk.size or not chunk.data:
                sessions.append(0)
            sessions[-1] += len(chunk.data)
    timed = sum(entry.size for entry in entries(timing, []))
    return len(sessions) == 1 or abs(timed - sum(sessions)) <= abs(timed - sessions[-1])


def _untimed(source: Source, header: Header, options: Options) -> Iterator[Chunk]:
    """The bytes between headers and footers; an empty chunk opens each session but the first."""
    source.skip(header.length)
    kept = b""
    while True:
        block = source.read()
        data = kept + block
        while (mark := _boundary(data, header.words, options)) is not None:
            start, end, later = mark
            if start:
                yield Chunk(None, data[:start])
            if later is not None:
                yield Chunk(None, b"", size=_size(later))
            data = data[end:]
        if not block:
            break
        whole = max(0, len(data) - _TAIL)
        if whole:
            yield Chunk(None, data[:whole])
        kept = data[whole:]
    if footer_begun(data):
        source.lost("the closing line is cut off", source.offset - len(data) + data.rfind(b"\n") + 1, ends=False)
        data = data[: data.rfind(b"\n")]
    if data:
        yield Chunk(None, data)


def _boundary(data: bytes, words: bytes, options: Options) -> tuple[int, int, Header | None] | None:
    """The first place in ``data`` where ``script`` wrote itself: start, end, and the header of a session."""
    marks: list[tuple[int, int, Header | None]] = []
    footer = footer_in(data)
    if footer is not None and not _opens(data, footer[0], words, options):
        later = header_at(data, footer[1], options.zone)
        marks.append((footer[0], footer[1] + (later.length if later else 0), later))
    at = data.find(words)
    while at >= 0:
        # A session that was killed has no footer: the next one's header follows its last byte.
        if (header := header_at(data, at, options.zone)) is not None:
            marks.append((at, at + header.length, header))
            break
        at = data.find(words, at + 1)
    return min(marks, key=lambda mark: mark[0], default=None)


def _opens(data: bytes, at: int, words: bytes, options: Options) -> bool:
    """Whether the line after the newline at ``at`` is a session's header, not the footer that it resembles."""
    line = data.find(b"\n", at) + 1
    header = header_at(data, line, options.zone)
    return header is not None and header.words == words


def _size(header: Header) -> tuple[int, int] | None:
    return (header.rows, header.cols) if header.rows and header.cols else None


class _Timed:
    """A typescript read by the byte counts of its timing file."""

    def __init__(self, source: Source, header: Header, options: Options, notes: list[str]) -> None:
        self._source = source
        self._options = options
        self._clock = Clock(notes)
        self._first_us = header.started_us
        self._data, self._done = b"", 0
        self._zero_us = 0
        self._sum_ns = 0
        source.skip(header.length)

    def chunks(self, steps: Iterator[Entry]) -> Iterator[Chunk]:
        for step in steps:
            self._fill(_TAIL)
            if step.size and (later := self._next_session()) is not None:
                yield self._open(later)
            self._sum_ns += step.delay_ns
            now = self._clock.at(self._zero_us + (self._sum_ns + 500) // 1000, self._at())
            if step.resize is not None:
                yield Chunk(now, b"", size=step.resize)
            left = step.size
            while left and (data := self._take(left)):
                left -= len(data)
                if step.output:
                    yield Chunk(now, data)
            if left:
                self._source.lost(f"the typescript ends {left} bytes before its timing file does,", self._at())
                return
        self._check_rest()

    def _at(self) -> int:
        return self._source.offset - len(self._data) + self._done

    def _fill(self, size: int) -> None:
        """Have ``size`` bytes at hand, fewer only where the typescript ends."""
        if len(self._data) - self._done >= size:
            return
        self._data, self._done = self._data[self._done :], 0
        while len(self._data) < size and (block := self._source.read()):
            self._data += block

    def _take(self, size: int) -> bytes:
        self._fill(1)
        taken = self._data[self._done : self._done + size]
        self._done += len(taken)
        return taken

    def _next_session(self) -> Header | None:
        if self._data[self._done : self._done + 1] not in (b"\r", b"\n"):
            return None
        near = self._data[self._done : self._done + _TAIL]
        footer = footer_in(near)
        if footer is None or footer[0]:
            return None
        later = header_at(self._data, self._done + footer[1], self._options.zone)
        if later is not None:
            self._done += footer[1] + later.length
        return later

    def _open(self, header: Header) -> Chunk:
        begins, first = header.started_us, self._first_us
        self._zero_us = self._clock.restart(begins - first if begins is not None and first is not None else 0)
        self._sum_ns = 0
        return Chunk(self._zero_us, b"", size=_size(header))

    def _check_rest(self) -> None:
        """After the last step only a footer may follow: other bytes have no time."""
        self._fill(_TAIL)
        rest = self._data[self._done :]
        footer = footer_in(rest[:_TAIL])
        if not rest.strip() or footer_begun(rest) or (footer is not None and not footer[0]):
            return
        what = "the timing file ends before the typescript does: what follows has no time and was left out,"
        self._source.lost(what, self._at())
