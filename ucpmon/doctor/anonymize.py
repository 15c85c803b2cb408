"""A small sample of a capture that can be shown to strangers: the layout of its beginning, and no names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ucpmon.captures import Capture
from ucpmon.doctor.masks import Masker
from ucpmon.errors import InputError
from ucpmon.records import CaptureInfo, Chunk
from ucpmon.runs import CastWriter
from ucpmon.screens.grammar import Screen
from ucpmon.screens.pipeline import DEFAULT_COLS, DEFAULT_ROWS, Pipeline
from ucpmon.screens.screen_reader import ScreenReader

SAMPLE_BYTES = 1 << 16
# A piece of a name that is longer than this tells the name.
_TELLING = 5


@dataclass(frozen=True)
class Shared:
    """What was written; ``redrawn``: its screens were drawn anew, since names were drawn in pieces."""

    bytes: int
    processes: int
    others: int
    redrawn: bool


def anonymize(capture: Capture, out: Path) -> Shared:
    """Write the beginning of a capture, some 64 KiB, with every process name, host and path replaced by nonsense.

    Figures, layout and timing stay, byte for byte as wide. A capture with a clock becomes an asciicast, another one
    stays as it is. The result is read again; where it still shows a name, its screens are drawn anew, whole.

    Raises InputError where a name remains even then.
    """
    info, chunks = capture.info, _beginning(capture.chunks())
    names = _names(chunks, info)
    masker = Masker(names)
    masked, redrawn = _masked(chunks, masker), False
    if _tells(_names(masked, info), names):
        masked, redrawn = _drawn_anew(chunks, info, masker), True
    if _tells(_names(masked, info), names):
        raise InputError(f"{capture.name}: a process name could not be replaced", "nothing was written")
    _write(masked, info, out)
    return Shared(out.stat().st_size, len(masker.processes.words), len(masker.others.words), redrawn)


def _beginning(chunks: Iterable[Chunk]) -> list[Chunk]:
    kept: list[Chunk] = []
    room = SAMPLE_BYTES
    for chunk in chunks:
        data = chunk.data[:room]
        if len(data) < len(chunk.data):
            # The sample ends with a line: half a one would be a puzzle of our own making.
            data = data[: data.rfind(b"\n") + 1]
        kept.append(chunk._replace(data=data, mark="mark" if chunk.mark else ""))
        room -= len(chunk.data)
        if room <= 0:
            break
    return kept


def _names(chunks: Iterable[Chunk], info: CaptureInfo) -> set[str]:
    pipeline = Pipeline(info)
    samples = [sample for chunk in chunks for sample in pipeline.feed(chunk)]
    return {row.process for sample in [*samples, *pipeline.finish()] for row in sample.processes}


def _masked(chunks: list[Chunk], masker: Masker) -> list[Chunk]:
    """The same chunks: the text is masked as a whole, since a name can be split between two of them."""
    whole = b"".join(c.data for c in chunks).decode("utf-8", "surrogateescape")
    data = masker.text(whole).encode("utf-8", "surrogateescape")
    out, at = [], 0
    for chunk in chunks:
        end = at + len(chunk.data)
        out.append(chunk._replace(data=data[at:end]))
        at = end
    return out


def _tells(shown: set[str], names: set[str]) -> bool:
    return any(_share(a, b) for a in shown for b in names)


def _share(shown: str, name: str) -> bool:
    length = min(_TELLING, len(name))
    pieces = (name[i : i + length] for i in range(len(name) - length + 1))
    return any(piece in shown for piece in pieces if any(c.isalpha() for c in piece))


def _drawn_anew(chunks: Iterable[Chunk], info: CaptureInfo, masker: Masker) -> list[Chunk]:
    reader = ScreenReader(info.rows or DEFAULT_ROWS, info.cols or DEFAULT_COLS, forms=False)
    screens = [screen for chunk in chunks for screen in reader.feed(chunk)] + reader.finish()
    pages = []
    for screen in screens:
        if isinstance(screen, Screen):
            text = "".join(f"{masker.text(line.text)}\r\n" for line in screen.lines)
            pages.append(Chunk(screen.t_us, b"\x1b[2J\x1b[H" + text.encode("utf-8", "replace")))
    return pages


def _write(chunks: list[Chunk], info: CaptureInfo, out: Path) -> None:
    if not info.clock:
        out.write_bytes(b"".join(c.data for c in chunks))
        return
    writer = CastWriter(out, info.rows or DEFAULT_ROWS, info.cols or DEFAULT_COLS, None)
    for chunk in chunks:
        writer.write(chunk)
    writer.close()
