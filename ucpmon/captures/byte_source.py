"""The bytes of a capture, unpacked, as a stream with a head that can be looked at first."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ucpmon.captures.compression import BLOCK, Blocks, layer_of
from ucpmon.errors import InputError, UsageError

HEAD = 1 << 18
LONGEST_LINE = 16 << 20
_MAGIC_BYTES = 8
_MOST_LAYERS = 3


class Source:
    """A capture's bytes, front to back.

    ``name`` is how messages call it; ``offset`` counts the unpacked bytes handed out; ``damage`` collects what the
    layers and the format reader found broken, ``ends_early`` says that the rest is lost by it; ``packed`` says that
    there is a layer.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.name = "standard input" if path is None else str(path)
        self.damage: list[str] = []
        self.ends_early = False
        self.offset = 0
        self.packed = False
        self._raw_done = 0
        self._file, self._raw_total = _open(path)
        self._pending: list[bytes] = []
        self._blocks = self._unpacked()

    def read(self) -> bytes:
        """The next bytes, some 256 KiB; empty at the end."""
        block = self._pending.pop(0) if self._pending else next(self._blocks, b"")
        self.offset += len(block)
        return block

    def peek(self, size: int = HEAD) -> bytes:
        """The next ``size`` bytes (fewer where the capture ends), which stay to be read."""
        have = sum(map(len, self._pending))
        while have < size and (block := next(self._blocks, b"")):
            self._pending.append(block)
            have += len(block)
        return b"".join(self._pending)[:size]

    def skip(self, size: int) -> None:
        """Pass over ``size`` bytes of the head."""
        while size and (block := self.read()):
            if len(block) > size:
                self._pending.insert(0, block[size:])
                self.offset -= len(block) - size
                return
            size -= len(block)

    def lost(self, what: str, offset: int, ends: bool = True) -> None:
        """Note damage at an offset of the unpacked bytes; ``ends``: nothing can be read after it."""
        self._report(f"{what} at byte {offset}{' of the unpacked data' if self.packed else ''}", ends)

    def _report(self, text: str, ends: bool = True) -> None:
        self.damage.append(text)
        self.ends_early = self.ends_early or ends

    def progress(self) -> tuple[int, int | None]:
        """Bytes of the file as it lies on disk: read so far, and all (``None`` for a pipe)."""
        return self._raw_done, self._raw_total

    def close(self) -> None:
        if self.path is not None:
            self._file.close()

    def _raw(self) -> Iterator[bytes]:
        while True:
            try:
                block = self._file.read(BLOCK)
            except OSError as error:
                raise UsageError(f"{self.name} cannot be read: {error.strerror}", "check the file or disk") from error
            if not block:
                return
            self._raw_done += len(block)
            yield block

    def _unpacked(self) -> Blocks:
        blocks: Blocks = self._raw()
        for _ in range(_MOST_LAYERS):
            head, blocks = _peek(blocks, _MAGIC_BYTES)
            layer = layer_of(head)
            if layer is None:
                break
            self.packed = True
            blocks = self._named(layer(blocks, self._report))
        else:
            raise InputError(f"{self.name} is packed more than twice", "unpack it first")
        yield from blocks

    def _named(self, blocks: Blocks) -> Blocks:
        """The blocks that hold something; an error of the layer says which file it is about."""
        try:
            yield from filter(None, blocks)
        except InputError as error:
            raise InputError(f"{self.name}: {error.message}", error.hint) from error


def _peek(blocks: Blocks, size: int) -> tuple[bytes, Blocks]:
    kept: list[bytes] = []
    while sum(map(len, kept)) < size and (block := next(blocks, b"")):
        kept.append(block)

    def again() -> Blocks:
        yield from kept
        yield from blocks

    return b"".join(kept)[:size], again()


def _open(path: Path | None) -> tuple[Any, int | None]:
    """An unbuffered file and its size, ``None`` where it has none."""
    try:
        file: Any = getattr(sys.stdin.buffer, "raw", sys.stdin.buffer) if path is None else io.FileIO(path)
    except FileNotFoundError as error:
        raise UsageError(f"{path}: there is no such file", "check the name of the capture") from error
    except IsADirectoryError as error:
        raise UsageError(f"{path} is a directory", "name the capture in it") from error
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{path} cannot be read: {getattr(error, 'strerror', error)}", "check its name and rights"
        ) from error
    return file, _size(file)


def _size(file: Any) -> int | None:
    try:
        status = os.fstat(file.fileno())
    except (OSError, ValueError):
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


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
        if len(rest) > LONGEST_LINE:
            break
    if rest:
        yield at, rest, False
