"""Bytes with no clock: redirected text, TTY bytes, tmux pipe-pane and GNU screen logs. Handed on as they are."""

from __future__ import annotations

from collections.abc import Iterator

from ucpmon.captures.base import Opened, Options, interval_of
from ucpmon.captures.byte_source import Source
from ucpmon.records import CaptureInfo, Chunk

# A pasted shell prompt, or a script's own echo, stands at the top of a log.
_TOP = 4096


def read(source: Source, _options: Options) -> Opened:
    head = source.peek()
    interval = interval_of(head[:_TOP].decode("utf-8", "replace"))
    kind = "tty" if b"\x1b[" in head else "text"
    return Opened(CaptureInfo(kind, clock=False, interval_us=interval), chunks(source))


def chunks(source: Source) -> Iterator[Chunk]:
    while block := source.read():
        yield Chunk(None, block)
