"""Saved dumps: files and standard input."""

from __future__ import annotations

import codecs
import sys
import zlib
from collections.abc import Iterable
from pathlib import Path

from ucpmon.errors import InputError, UsageError
from ucpmon.heaps.dump import HeapDump
from ucpmon.heaps.parser import parse_heaps

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


_GZIP = b"\x1f\x8b"
_PACKED = (b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd")
"""How xz and zstd begin."""


def decode(data: bytes) -> str:
    """The text of a dump. Names may be any bytes: those that are no UTF-8 become lone surrogates, and nothing is lost.

    A redirection in Windows PowerShell writes UTF-16; its byte order mark says so.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    return data.decode("utf-8", "surrogateescape")


def read_files(names: Iterable[str]) -> HeapDump:
    """The dumps in files, one after the other; ``-`` is standard input.

    Raises UsageError where a file cannot be read, InputError where one says nothing of heaps.
    """
    return joined(_read_file(name) for name in names)


def _read_file(name: str) -> HeapDump:
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise UsageError(f"{name}: {error.strerror}", "name a file with the output of cat …/ion/heaps/*") from error
    if data.startswith(_PACKED):
        raise InputError(f"{name} is packed", "unpack it first: xzcat or zstdcat FILE | ucpmon heaps -")
    if data.startswith(_GZIP):
        data = _gunzip(data, name)
    dump = parse_heaps(decode(data), "" if name == "-" else str(Path(name).absolute().as_posix()))
    return expect_heaps(dump, "standard input" if name == "-" else name)


def _gunzip(data: bytes, name: str) -> bytes:
    """What a recorder has packed; of one that was killed, as far as it came."""
    out = b""
    try:
        while data:
            stream = zlib.decompressobj(wbits=31)
            out, data = out + stream.decompress(data), stream.unused_data
    except zlib.error as error:
        raise InputError(f"{name} is damaged: {error}", "save it anew, or unpack what is left with zcat") from error
    return out


def expect_heaps(dump: HeapDump, where: str) -> HeapDump:
    """``dump``, if it has a heap. Raises InputError that quotes what stands there instead."""
    if dump.heaps:
        return dump
    first = next((line.strip()[:60] for line in dump.unknown if line.strip()), "")
    begins = f"; it begins {first!r}" if first.isprintable() and first else ""
    raise InputError(
        f"{where} has no ION heap dump in it{begins}", "save one as root: cat /sys/kernel/debug/ion/heaps/*"
    )


def joined(dumps: Iterable[HeapDump]) -> HeapDump:
    """Several dumps as one, in their order. The same heap twice stays twice: those are two moments."""
    parts = list(dumps)
    return HeapDump(
        tuple(heap for part in parts for heap in part.heaps),
        sum(part.understood for part in parts),
        sum(part.noise for part in parts),
        tuple(line for part in parts for line in part.unknown),
        next((part.cut for part in parts if part.cut), ""),
        tuple(problem for part in parts for problem in part.problems),
    )
