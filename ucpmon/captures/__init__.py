"""Saved captures → chunks: one module a format, chosen once, from the first bytes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from types import TracebackType

from ucpmon.captures.base import Opened, Options, interval_beside
from ucpmon.captures.byte_source import HEAD, Source
from ucpmon.captures.detect import reader_of
from ucpmon.captures.terminal_size import infer_size, names_a_region
from ucpmon.captures.timestamps import zone_of
from ucpmon.records import CaptureInfo, Chunk

__all__ = ["Capture", "infer_size", "open_capture"]


# A table may grow wider and longer than all that the head of the stream has shown.
_SPARE_ROWS, _SPARE_COLS = 200, 40


class Capture:
    """An opened capture: ``info`` first, then the bytes, once, by ``chunks``.

    ``damage`` fills while the chunks are read: each entry names what is broken and the byte offset. ``notes`` fills
    too: what is odd but lost nothing, as a clock that steps back. ``size_inferred`` says that nobody wrote down the
    terminal's size: ``info.rows`` and ``info.cols`` are then what the stream's first bytes reach.
    """

    def __init__(self, source: Source, opened: Opened) -> None:
        self._source = source
        self.path, self.name = source.path, source.name
        self._chunks = opened.chunks
        self.damage: list[str] = source.damage
        self.notes = opened.notes
        self.info: CaptureInfo = opened.info
        self.size_inferred = False
        if self.info.rows is None or self.info.cols is None:
            self._infer()

    def _infer(self) -> None:
        seen: list[Chunk] = []
        length = 0
        for chunk in self._chunks:
            seen.append(chunk)
            length += len(chunk.data)
            if length >= HEAD:
                break
        head = b"".join(c.data for c in seen)[:HEAD]
        size = infer_size(head)
        if size is not None:
            self.info = replace(self.info, rows=size[0], cols=size[1])
            if not names_a_region(head):
                self.info = replace(self.info, spare_rows=_SPARE_ROWS, spare_cols=_SPARE_COLS)
            self.size_inferred = True
        self._chunks = chain(seen, self._chunks)

    def chunks(self) -> Iterator[Chunk]:
        """The capture's bytes in order, with their times; can be read once."""
        return self._chunks

    def progress(self) -> tuple[int, int | None]:
        """Bytes of the file on disk: read so far, and in all (``None`` where that is not known)."""
        return self._source.progress()

    @property
    def ends_early(self) -> bool:
        """Whether, by what was read, the capture breaks off: its last screen may not be whole."""
        return self._source.ends_early

    def close(self) -> None:
        self._source.close()

    def __enter__(self) -> Capture:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_capture(
    source: Path | None,
    *,
    timing: Path | None = None,
    tz: str | None = None,
    start_us: int | None = None,
    interval_us: int | None = None,
) -> Capture:
    """Open a saved capture (``None``: standard input), whatever its format.

    ``timing`` is the timing file of a typescript; ``tz`` the zone of stamps without one (``None``: this machine's);
    ``start_us`` (µs since 1970) holds where the capture does not tell its start; ``interval_us`` overrides the
    refresh interval that the capture tells.

    Raises UsageError where it cannot be read, InputError where it is no capture, MissingExtra for zstd without its
    package.
    """
    options = Options(timing=timing, zone=zone_of(tz))
    stream = Source(source)
    try:
        capture = Capture(stream, reader_of(stream, options)(stream, options))
    except BaseException:
        stream.close()
        raise
    info = capture.info
    capture.info = replace(
        info,
        started_us=start_us if info.started_us is None else info.started_us,
        interval_us=interval_us or info.interval_us or (None if info.clock else interval_beside(source)),
    )
    return capture
