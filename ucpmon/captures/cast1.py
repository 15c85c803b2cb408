"""asciicast v1: one JSON object whose ``stdout`` is a list of ``[delay, text]``; read as a stream.

The object is not parsed whole: a capture of hours would not fit into memory. Its other keys stand in the head, in any
order; what stands behind the list is not needed.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any

from ucpmon.captures.base import Opened, Options
from ucpmon.captures.byte_source import LONGEST_LINE, Source
from ucpmon.captures.cast import as_bytes, describe
from ucpmon.captures.timestamps import Clock, nanos
from ucpmon.errors import InputError
from ucpmon.records import Chunk

STDOUT = re.compile(rb'"stdout"\s*:\s*\[(?=\s*[\[\]])')
_BETWEEN = re.compile(r"[\s,]*")


def read(source: Source, _options: Options) -> Opened:
    found = STDOUT.search(source.peek())
    if found is None:
        raise InputError(f"{source.name}: this asciicast has no stdout", "is it cut off in its header?")
    source.skip(found.end())
    notes: list[str] = []
    return Opened(describe(_attributes(found.string[: found.start()])), _chunks(source, Clock(notes)), notes)


def _attributes(head: bytes) -> dict[str, Any]:
    try:
        known = json.loads(head.rstrip().rstrip(b",") + b"}")
    except ValueError:
        known = {}
    return {**known, "version": 1}


def _chunks(source: Source, clock: Clock) -> Iterator[Chunk]:
    decoder = json.JSONDecoder(parse_float=nanos, parse_int=nanos)
    utf8 = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    text, at, total = "", source.offset, 0
    while True:
        block = source.read()
        text += utf8.decode(block, final=not block)
        done = 0
        while (done := _BETWEEN.match(text, done).end()) < len(text):  # type: ignore[union-attr]
            if text[done] == "]":
                return
            frame = _frame(decoder, text, done)
            if frame is None:
                break
            delay, data, done = frame
            total += delay
            yield Chunk(clock.at((total + 500) // 1000, at), data)
        at += len(text[:done].encode("utf-8", "surrogateescape"))
        text = text[done:]
        if not block or len(text) > LONGEST_LINE:
            source.lost("the frames end, or are broken: nothing was read from there on,", at)
            return


def _frame(decoder: json.JSONDecoder, text: str, at: int) -> tuple[int, bytes, int] | None:
    """``(delay in ns, data, where it ends)`` of the frame at ``at``; ``None`` where there is no whole one."""
    try:
        (delay, data), end = decoder.raw_decode(text, at)
        return delay + 0, as_bytes(data), end
    except (ValueError, TypeError, AttributeError, ArithmeticError, RecursionError):
        return None
