"""A saved capture → the files of a run, through the same stages as a live recording."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ucpmon.captures import Capture
from ucpmon.errors import InputError
from ucpmon.records import Chunk, Sample
from ucpmon.runs import CastWriter, RunFiles, RunWriter, doubts, identity, what_was_seen, write_json
from ucpmon.runs.writer import DEFAULT_INTERVAL_US
from ucpmon.screens.pipeline import Pipeline
from ucpmon.text import counted

Progress = Callable[[int, int | None, int], None]
"""Called now and then with bytes done, bytes in all (``None``: unknown) and screens so far."""

_PROGRESS_BYTES = 4_000_000
_SEEN_ANEW = ("started", "quality", "ucpmon", "ended", "argv", "markers", "resolution", "warnings")
_ASK = "send us a small sample of it (ucpmon doctor CAPTURE --anonymize OUT)"


def replay(
    captures: Sequence[Capture],
    files: RunFiles,
    argv: list[str],
    progress: Progress | None = None,
    to_cast: Path | None = None,
) -> dict[str, Any]:
    """Write the run of a capture, or of several as one in the order of their clocks; its run.json as a dict.

    The files appear only when everything was read: an error leaves nothing behind, and older files as they were.
    Raises InputError where no screen was understood.
    """
    with tempfile.TemporaryDirectory(prefix=".ucpmon-", dir=files.csv.parent) as folder:
        partial = RunFiles(Path(folder) / files.csv.name)
        cast = Path(folder) / "to.cast" if to_cast else None
        info = _Replay(captures, partial, cast).run(argv, progress)
        # Exact heaps are in no cast: those that were recorded beside it stay.
        own = any(c.path and RunFiles.of(c.path.resolve()) == RunFiles(files.csv.resolve()) for c in captures)
        for stale in (files.procs, files.marks, *([] if own else [files.heaps])):
            stale.unlink(missing_ok=True)
        for path in partial.existing():
            path.replace(files.csv.with_name(path.name))
        if cast and to_cast:
            shutil.move(cast, to_cast)
    return info


class _Replay:
    def __init__(self, captures: Sequence[Capture], files: RunFiles, cast: Path | None) -> None:
        self.captures = sorted(captures, key=lambda c: c.info.started_us or 0)
        self.about = self.captures[0].info
        self.pipeline = Pipeline(self.about)
        self.files = files
        self.writer = RunWriter(files, self.about.started_us, self.about.interval_us or DEFAULT_INTERVAL_US)
        self.copy = self._copy_writer(cast) if cast else None

    def run(self, argv: list[str], progress: Progress | None) -> dict[str, Any]:
        for number, capture in enumerate(self.captures):
            if number:
                self._take(self.pipeline.restart(capture.info, self.captures[number - 1].ends_early))
            self._read(capture, progress)
        self._take(self.pipeline.finish(self.captures[-1].ends_early))
        self.writer.add_marks(self.pipeline.marks)
        self.writer.close()
        if self.copy:
            self.copy.close()
        if not self.writer.rows:
            raise _not_understood(self.captures[0], self.pipeline)
        info = self._describe(argv)
        write_json(self.files.json, info)
        return info

    def _read(self, capture: Capture, progress: Progress | None) -> None:
        pipeline, shown = self.pipeline, self.pipeline.counts.bytes
        # Of several captures the later ones count from the start of the first.
        shift = (capture.info.started_us or 0) - (self.about.started_us or 0)
        for chunk in _by_line(capture) if self.copy else capture.chunks():
            if shift and chunk.t_us is not None:
                chunk = chunk._replace(t_us=chunk.t_us + shift)
            self._take(pipeline.feed(chunk))
            if self.copy:
                self.copy.write(chunk if capture.info.clock else chunk._replace(t_us=self._nominal_us))
            if progress and pipeline.counts.bytes - shown > _PROGRESS_BYTES:
                shown = pipeline.counts.bytes
                progress(*capture.progress(), self.writer.rows)

    def _take(self, samples: Iterable[Sample]) -> None:
        for sample in samples:
            self.writer.add(sample)

    @property
    def _nominal_us(self) -> int:
        """When the screen that is being read was drawn, by the asked interval alone."""
        return self.writer.rows * (self.about.interval_us or DEFAULT_INTERVAL_US)

    def _copy_writer(self, path: Path) -> CastWriter:
        reader, about = self.pipeline.reader, self.about
        own = dict(about.run)
        if not about.clock:
            # The times are for players: a replay of the copy has to find that nobody recorded them.
            own |= {"clock": False, "interval_s": (about.interval_us or DEFAULT_INTERVAL_US) / 1e6}
        return CastWriter(path, reader.rows, reader.cols, about.started_us, own, about.command)

    def _describe(self, argv: list[str]) -> dict[str, Any]:
        about, pipeline = self.about, self.pipeline
        sources = [
            {"name": c.path.name if c.path else "-", "sha256": _sha256(c.path), "format": c.info.format}
            for c in self.captures
        ]
        warnings = [*(text for c in self.captures for text in (*c.damage, *c.notes)), *doubts(pipeline)]
        # What the recorder stored in its own cast says who and where; what this replay saw comes on top.
        kept = {k: v for k, v in about.run.items() if k not in _SEEN_ANEW}
        return {
            "ucpmon": identity(),
            "argv": argv,
            "monitor": {"path": None, "argv": None, "help": None, "exit_status": None},
            "source": sources[0] if len(sources) == 1 else sources,
            "host": None,
            "board": {},
            "labels": {},
            "terminal": {"rows": about.rows, "cols": about.cols},
            "simulated": False,
            "interval_s": about.interval_us and about.interval_us / 1e6,
            "freq_hz": None,
            **kept,
            **what_was_seen(pipeline, self.writer, about, "end of capture", pipeline.marks, warnings),
        }


def _by_line(capture: Capture) -> Iterator[Chunk]:
    """The chunks; those without a time cut into lines, so that every screen of a copy can have its own."""
    for chunk in capture.chunks():
        if chunk.t_us is not None or not chunk.data:
            yield chunk
            continue
        pieces = chunk.data.split(b"\n")
        yield from (Chunk(None, piece + b"\n") for piece in pieces[:-1])
        if pieces[-1]:
            yield Chunk(None, pieces[-1])


def _not_understood(capture: Capture, pipeline: Pipeline) -> InputError:
    lines = [line.strip()[:100] for line in pipeline.counts.first_lines[:5]]
    seen = ["it begins: " + " / ".join(lines)] * bool(lines) + [f"it is damaged: {text}" for text in capture.damage[:1]]
    about = f" ({'; '.join(seen)})" if seen else ""
    return InputError(f"{capture.name}: no screen of hrt_ucp_monitor is in it{about}", _ASK)


def _sha256(path: Path | None) -> str | None:
    if path is None:
        return None
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def summary(info: Mapping[str, Any]) -> str:
    """One line on what a replay found, for stderr."""
    quality = info["quality"]
    parts = [counted(quality["screens"], "screen")]
    if quality["cut"]:
        parts.append(f"{quality['cut']} of them cut")
    if quality["lines"]["unknown"]:
        parts.append(f"{counted(quality['lines']['unknown'], 'line')} not understood")
    parts.append("recorded times" if info["time_basis"] == "recorded" else "no clock: times are nominal")
    return ", ".join(parts)
