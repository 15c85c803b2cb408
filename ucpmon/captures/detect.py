"""Which format a capture is in, by its first bytes. What a name or a log line says of a format is not enough."""

from __future__ import annotations

import json
import re

from ucpmon.captures import cast, cast1, plain, stamped, typescript
from ucpmon.captures.base import Options, Reader
from ucpmon.captures.byte_source import Source
from ucpmon.captures.stamped.stamps import form_of
from ucpmon.captures.typescript.headers import header_at
from ucpmon.captures.typescript.timing import looks_like_timing
from ucpmon.errors import InputError

_ELSE = (
    (b"\x89PNG", "a PNG picture"), (b"\xff\xd8\xff", "a JPEG picture"), (b"GIF8", "a GIF picture"),
    (b"%PDF", "a PDF document"), (b"PK\x03\x04", "a ZIP archive"), (b"\x7fELF", "a program"),
    (b"PAR1", "a Parquet file"), (b"SQLite format", "a database"), (b"\x1f\x9d", "packed by compress"),
    (b"BZh", "packed by bzip2"), (b"7z\xbc\xaf", "a 7z archive"), (b"\x1f\x8b", "a broken gzip file"),
    (b"screen,time,elapsed_s,", "a run's table"),
)  # fmt: skip
_TAR = (257, b"ustar")
# Terminals and serial consoles do send BEL BS HT LF FF CR SO SI CAN ESC; other control characters are rare in text.
_CONTROL = bytes(set(range(32)) - set(b"\a\b\t\n\f\r\x0e\x0f\x18\x1b")) + b"\x7f"
_EVENT = re.compile(rb"\[\s*-?[\d.]")
_VERSION = re.compile(rb'"version"\s*:\s*(\d+)')
_SAMPLE = 1 << 16


def reader_of(source: Source, options: Options) -> Reader:
    """The reader for this capture. Raises InputError for what is no capture at all."""
    head = source.peek()
    if not head:
        raise InputError(f"{source.name} is empty", "; ".join(source.damage) or "was the monitor's output sent there?")
    _refuse_junk(head, source.name)
    if head.startswith(b"{") and (reader := _cast_reader(head, source.name)) is not None:
        return reader
    if options.timing is not None or header_at(head) is not None:
        return typescript.read
    if looks_like_timing(head):
        raise InputError(f"{source.name} is the timing file of a typescript", "name the typescript itself")
    return stamped.read if form_of(head) is not None else plain.read


def _refuse_junk(head: bytes, name: str) -> None:
    for magic, what in _ELSE:
        if head.startswith(magic):
            raise InputError(f"{name} is {what}, not a capture", "name what was saved from the monitor")
    sample = head[:_SAMPLE]
    if sample[_TAR[0] :].startswith(_TAR[1]):
        raise InputError(f"{name} is a tar archive, not a capture", "unpack it first")
    odd = len(sample) - len(sample.translate(None, _CONTROL))
    if odd * 20 > len(sample):
        raise InputError(f"{name} is binary data, not a capture", "name what was saved from the monitor")


def _cast_reader(head: bytes, name: str) -> Reader | None:
    """The reader for an asciicast. ``None`` for other JSON: a log may begin with a line of it."""
    first, _, rest = head.partition(b"\n")
    version = _VERSION.search(first)
    try:
        header = json.loads(first)
    except (ValueError, RecursionError):
        if cast1.STDOUT.search(head) and (whole := _VERSION.search(head)) and whole[1] == b"1":
            return cast1.read
        if version and (b'"width"' in first or b'"term"' in first):
            raise InputError(f"{name}: the header of this asciicast is broken", "its first line is no JSON") from None
        return None
    if "stdout" in header and header.get("version") == 1:
        return cast1.read
    if "version" not in header or not ({"width", "term"} & set(header)):
        return None
    body = [line for line in rest[:_SAMPLE].split(b"\n") if line.strip()]
    if body and not any(_EVENT.match(line) for line in body[:8]):
        return None
    cast.parse_header(first, name)
    return cast.read
