"""Logs whose every line was stamped, as by ``… | ts``: the stamps become the clock, the rest the monitor's bytes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Protocol

from ucpmon.captures import plain
from ucpmon.captures.base import Opened, Options
from ucpmon.captures.byte_source import Source
from ucpmon.captures.stamped.stamps import (
    FEWEST_LINES,
    EpochClock,
    Form,
    RelativeClock,
    WallClock,
    are_steps,
    form_of,
    relative_us,
)
from ucpmon.captures.timestamps import Clock
from ucpmon.errors import InputError
from ucpmon.records import CaptureInfo, Chunk

# A line without its newline is held back until it is longer than any stamp.
_LONGEST_STAMP = 64


class _Stamps(Protocol):
    def at(self, stamp: bytes) -> int: ...


def read(source: Source, options: Options) -> Opened:
    head = source.peek()
    form = form_of(head)
    if form is None:
        raise InputError(f"{source.name} is not stamped by ts", "its first lines carry no common stamp")
    if head.count(b"\n") < FEWEST_LINES:
        return _one_stamp(source, form)
    seen = [m[1] for m in map(form.stamp.match, head.split(b"\n")) if m]
    clock, kind = _clock_of(form, seen, options, source)
    first = _first_time(clock, seen)
    if first is None:
        return plain.read(source, options)
    # A count begins where ts was started; any other clock with the first line.
    origin = 0 if kind in ("since start", "since the line before") else first
    notes: list[str] = []
    info = CaptureInfo(f"ts ({kind})", started_us=None if form.relative else first)
    fresh, _ = _clock_of(form, seen, options, source)
    return Opened(info, _Stripper(source, form, fresh, origin, notes).chunks(), notes)


def _first_time(clock: _Stamps, seen: list[bytes]) -> int | None:
    """The first stamp that is a time: a damaged byte can make 30 February of one."""
    for stamp in seen:
        with suppress(ValueError, OverflowError):
            return clock.at(stamp)
    return None


def _one_stamp(source: Source, form: Form) -> Opened:
    """Cursor-addressed output has no newlines: ``ts`` put one stamp before all of it, when it had ended."""
    stamp = form.stamp.match(source.peek())
    notes = []
    if stamp:
        source.skip(stamp.end())
        notes.append(f"the one stamp, {stamp[1].decode()}, tells when the output ended; there is no other time")
    return Opened(CaptureInfo("ts (one stamp)", clock=False), plain.chunks(source), notes)


def _clock_of(form: Form, seen: list[bytes], options: Options, source: Source) -> tuple[_Stamps, str]:
    if form.name == "epoch":
        return EpochClock(), "epoch"
    if not form.relative:
        return WallClock(form, options.zone, _newest_us(source)), form.name
    values = [relative_us(s) for s in seen]
    if are_steps(values):
        return RelativeClock(steps=True), "since the line before"
    # A start within the first minute is a count; a stamp that begins later is the time of day.
    return RelativeClock(steps=False), "since start" if values[0] < 60_000_000 else "time of day"


def _newest_us(source: Source) -> int:
    """No stamp is younger than the file: its date tells the year."""
    seconds = source.path.stat().st_mtime if source.path is not None else time.time()
    return int(seconds * 1e6)


class _Stripper:
    """Takes the stamps off the lines. Lines of one moment make one chunk."""

    def __init__(self, source: Source, form: Form, stamps: _Stamps, origin_us: int, notes: list[str]) -> None:
        self._source = source
        self._form = form
        self._stamps = stamps
        self._origin = origin_us
        self._clock = Clock(notes)
        self._now = 0
        self._bare = 0

    def chunks(self) -> Iterator[Chunk]:
        rest, at, opened = b"", 0, False
        while block := self._source.read():
            data = rest + block
            cut = data.rfind(b"\n") + 1
            yield from self._lines(data[:cut], at, opened)
            opened = opened and not cut
            rest, at = data[cut:], at + cut
            if opened or len(rest) > _LONGEST_STAMP:
                yield from self._lines(rest, at, opened)
                at += len(rest)
                rest, opened = b"", True
        yield from self._last(rest, at)

    def _lines(self, data: bytes, at: int, opened: bool) -> Iterator[Chunk]:
        """Whole lines, or the beginning of one; ``opened``: the first of them is a line's continuation."""
        held: list[bytes] = []
        for line in _split(data):
            found = None if opened else self._form.stamp.match(line)
            before = self._now
            if found:
                self._tick(found[1], at)
            elif not opened:
                self._unstamped(at)
            if held and self._now != before:
                yield Chunk(before, b"".join(held))
                held = []
            held.append(line[found.end() :] if found else line)
            at += len(line)
            opened = False
        if held:
            yield Chunk(self._now, b"".join(held))

    def _tick(self, stamp: bytes, at: int) -> None:
        try:
            now = self._stamps.at(stamp)
        except (ValueError, OverflowError):
            self._source.lost(f"{stamp.decode('utf-8', 'replace')} is no time,", at, ends=False)
            return
        self._now = self._clock.at(now - self._origin, at)

    def _unstamped(self, at: int) -> None:
        self._bare += 1
        if self._bare == 1:
            self._source.lost("a line has no stamp (others may follow): it was read as it is,", at, ends=False)

    def _last(self, rest: bytes, at: int) -> Iterator[Chunk]:
        if not rest:
            return
        found = self._form.stamp.match(rest)
        if found is None:
            self._source.lost("the last line is cut off within its stamp", at)
            return
        if found.end() == len(rest):
            self._source.lost("the last line is cut off after its stamp", at)
        yield from self._lines(rest, at, False)


def _split(data: bytes) -> Iterator[bytes]:
    start = 0
    while (end := data.find(b"\n", start)) >= 0:
        yield data[start : end + 1]
        start = end + 1
    if start < len(data):
        yield data[start:]
