"""What can stand around a capture: gzip, xz, zstd, and the UTF-16 of a Windows redirection. Each is undone as a stream.

A layer is a generator of blocks made from a generator of blocks. No block is longer than some MiB, whatever the
input expands to. Damage is told to ``report`` with its byte offset in the outer file; what came before it was yielded.
"""

from __future__ import annotations

import codecs
import lzma
import zlib
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from ucpmon.errors import InputError, MissingExtra

BLOCK = 1 << 18
Blocks = Iterator[bytes]

# A decoder may hold a window of this size; more would break the promise that memory is bounded.
_MOST_MEMORY = 80 << 20
# zstd cannot be told to stop after so much output; a byte of input makes 32 KiB at the most, so input comes in crumbs.
_ZSTD_CRUMB = 512


class Report(Protocol):
    """Takes what is broken, in a sentence; ``ends``: nothing can be read after it."""

    def __call__(self, text: str, ends: bool = True) -> None: ...


def layer_of(head: bytes) -> Callable[[Blocks, Report], Blocks] | None:
    """The layer that these first bytes belong to, ``None`` where they are no layer's."""
    for magic, layer in _MAGIC:
        if head.startswith(magic):
            return layer
    return None


def gunzip(blocks: Blocks, report: Report) -> Blocks:
    engine, seen, within = zlib.decompressobj(31), 0, False
    for block in blocks:
        seen += len(block)
        data = block
        while data:
            within, before = True, engine.copy()
            try:
                out = engine.decompress(data, BLOCK)
            except zlib.error as error:
                yield from _up_to_error(before, data, seen - len(data), str(error), report)
                return
            if out:
                yield out
            data = engine.unconsumed_tail
            if engine.eof:
                data, engine, within = engine.unused_data, zlib.decompressobj(31), False
                if data and not data.startswith(b"\x1f"):
                    _trailing(data, seen - len(data), report)
                    return
    if within:
        yield engine.flush()
        report(f"the gzip data end early at byte {seen}")


def _up_to_error(engine: Any, data: bytes, start: int, why: str, report: Report) -> Blocks:
    """Feed byte by byte: a call that fails gives nothing of what it had decoded before the bad byte."""
    done = 0
    try:
        for done in range(len(data)):
            out = engine.decompress(data[done : done + 1], BLOCK)
            while out:
                yield out
                out = engine.decompress(engine.unconsumed_tail, BLOCK) if engine.unconsumed_tail else b""
    except zlib.error:
        pass
    if "incorrect" in why:
        report(f"the gzip checksum at byte {start + done} does not match: some of the contents may be wrong")
    else:
        report(
            f"the gzip data are damaged at byte {start + done}: the lines just before may be wrong, the rest is lost"
        )


def _trailing(data: bytes, at: int, report: Report) -> None:
    if data.strip(b"\0"):
        report(f"what follows the gzip data, from byte {at}, is something else and was left out", ends=False)


def unxz(blocks: Blocks, report: Report) -> Blocks:
    engine, seen = _xz(), 0
    started = False
    for block in blocks:
        data: bytes = block
        seen += len(block)
        while data or not engine.needs_input:
            started = True
            try:
                out = engine.decompress(data, 4096)  # a call that fails loses what it had decoded: keep it small
            except (lzma.LZMAError, EOFError) as error:
                if "emory" in str(error):
                    raise InputError(
                        "the xz data need too much memory to unpack", "unpack it with xz -d first"
                    ) from error
                report(f"the xz data are damaged near byte {seen - len(data)}: the rest is lost")
                return
            data = b""
            if out:
                yield out
            if engine.eof:
                data, engine, started = engine.unused_data.lstrip(b"\0"), _xz(), False
    if started:
        report(f"the xz data end early at byte {seen}")


def _xz() -> lzma.LZMADecompressor:
    return lzma.LZMADecompressor(memlimit=_MOST_MEMORY)


def unzstd(blocks: Blocks, report: Report) -> Blocks:
    try:
        import zstandard
    except ImportError as error:
        raise MissingExtra("reading a .zst file", "zstd") from error

    def fresh() -> Any:
        return zstandard.ZstdDecompressor(max_window_size=_MOST_MEMORY).decompressobj()

    engine, done, open_frame = fresh(), 0, False
    for block in blocks:
        for start in range(0, len(block), _ZSTD_CRUMB):
            crumb = block[start : start + _ZSTD_CRUMB]
            while crumb:
                open_frame = True
                try:
                    out = engine.decompress(crumb)
                except zstandard.ZstdError as error:
                    _zstd_failed(str(error), done + start, report)
                    return
                if out:
                    yield out
                crumb = b""
                if engine.eof:
                    crumb, engine, open_frame = engine.unused_data, fresh(), False
        done += len(block)
    if open_frame:
        report(f"the zstd data end early at byte {done}")


def _zstd_failed(why: str, at: int, report: Report) -> None:
    if "memory" in why:
        raise InputError("the zstd data need too much memory to unpack", "unpack it with zstd -d --memory=2GB first")
    report(f"the zstd data are damaged near byte {at}: the rest is lost")


def from_utf16(blocks: Blocks, report: Report) -> Blocks:
    decoder = codecs.getincrementaldecoder("utf-16")("replace")
    for block in blocks:
        yield decoder.decode(block).encode("utf-8", "replace")
    left = decoder.getstate()[0]
    if left:
        report("the UTF-16 text ends within a character")


def without_mark(blocks: Blocks, _report: Report) -> Blocks:
    """UTF-8 whose first three bytes are a byte order mark: editors on Windows add it."""
    yield next(blocks)[3:]
    yield from blocks


_MAGIC: tuple[tuple[bytes, Callable[[Blocks, Report], Blocks]], ...] = (
    (b"\x1f\x8b\x08", gunzip),
    (b"\xfd7zXZ\x00", unxz),
    (b"\x28\xb5\x2f\xfd", unzstd),
    (b"\xff\xfe", from_utf16),
    (b"\xfe\xff", from_utf16),
    (b"\xef\xbb\xbf", without_mark),
)
