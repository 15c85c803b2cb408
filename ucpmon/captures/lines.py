"""A source's bytes as lines, each with its offset."""

from __future__ import annotations

from collections.abc import Iterator

from ucpmon.captures.source import Source

MOST = 16 << 20


def lines(source: Source) -> Iterator[tuple[int, bytes, bool]]:
    """``(offset, line without its newline, whether the newline was there)``.

    A line longer than 16 MiB ends the lines: it is handed out as far as it was read, as one without a newline.
    """
    rest = b""
    at = source.offset
    while block := source.read():
        parts = (rest + block).split(b"\n")
        rest = parts.pop()
        for part in parts:
            yield at, part, True
            at += len(part) + 1
        if len(rest) > MOST:
            break
    if rest:
        yield at, rest, False
