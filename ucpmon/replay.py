"""A saved capture → the files of a run, through the same stages as a live recording."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ucpmon.captures import Capture
from ucpmon.errors import InputError
from ucpmon.model import CaptureInfo
from ucpmon.pipeline import Pipeline
from ucpmon.recording import CastWriter, RunFiles, RunWriter, identity, quality, write_json
from ucpmon.recording.files import iso
from ucpmon.recording.writer import DEFAULT_INTERVAL_US

Progress = Callable[[int, int | None, int], None]
"""Called now and then with bytes done, bytes in all (``None``: unknown) and screens so far."""

_ASK = "send us a small sample of it (ucpmon doctor CAPTURE --anonymize OUT)"


def replay(
    capture: Capture, files: RunFiles, argv: list[str], progress: Progress | None = None, to_cast: Path | None = None
) -> dict[str, Any]:
    """Write the run of a capture; its run.json as a dict.

    The files appear only when the whole capture was read: an error leaves nothing behind, and older files as they were.
    Raises InputError where no screen was understood.
    """
    with tempfile.TemporaryDirectory(prefix=".ucpmon-", dir=files.csv.parent) as folder:
        partial = RunFiles(Path(folder) / files.csv.name)
        cast = Path(folder) / "to.cast" if to_cast else None
        info = _write(capture, partial, argv, progress, cast)
        for stale in (files.procs, files.marks, files.heaps):
            stale.unlink(missing_ok=True)
        for path in partial.existing():
            path.replace(files.csv.with_name(path.name))
        if cast and to_cast:
            shutil.move(cast, to_cast)
    return info


def _write(
    capture: Capture, files: RunFiles, argv: list[str], progress: Progress | None, cast: Path | None
) -> dict[str, Any]:
    about = capture.info
    pipeline = Pipeline(about)
    interval_us = about.interval_us or DEFAULT_INTERVAL_US
    writer = RunWriter(files, about.started_us, interval_us)
    copy = _copy_writer(cast, pipeline, about) if cast else None
    shown = 0
    for chunk in capture.chunks():
        for sample in pipeline.feed(chunk):
            writer.add(sample)
        if copy:
            copy.write(chunk)
        if progress and pipeline.counts.bytes - shown > 4_000_000:
            shown = pipeline.counts.bytes
            progress(*capture.progress(), writer.rows)
    for sample in pipeline.finish():
        writer.add(sample)
    writer.add_marks(pipeline.marks)
    writer.close()
    if copy:
        copy.close()
    if not writer.rows:
        raise _not_understood(capture, pipeline)
    info = _describe(capture, pipeline, writer, argv)
    write_json(files.json, info)
    return info


def _copy_writer(path: Path, pipeline: Pipeline, about: CaptureInfo) -> CastWriter:
    reader = pipeline.reader
    return CastWriter(path, reader.rows, reader.cols, about.started_us, dict(about.run), about.command)


def _describe(capture: Capture, pipeline: Pipeline, writer: RunWriter, argv: list[str]) -> dict[str, Any]:
    about = capture.info
    # What the recorder stored in its own cast says who and where; what this replay saw comes on top.
    kept = {k: v for k, v in about.run.items() if k not in ("started", "quality", "ucpmon", "ended", "argv")}
    return {
        "ucpmon": identity(),
        "argv": argv,
        "monitor": {"path": None, "argv": None, "help": None, "exit_status": None},
        "source": {"name": capture.name, "sha256": _sha256(capture.path), "format": about.format},
        "host": None,
        "board": {},
        "labels": {},
        "terminal": {"rows": about.rows, "cols": about.cols},
        "simulated": False,
        "interval_s": about.interval_us and about.interval_us / 1e6,
        **kept,
        "started": iso(about.started_us) if about.started_us is not None else None,
        "time_basis": "recorded" if about.clock else "nominal",
        "frames": pipeline.frames,
        "ended": "end of capture",
        "markers": [{"elapsed_s": (m.t_us or 0) / 1e6, "label": m.label, "source": m.source} for m in pipeline.marks],
        "resolution": writer.resolution,
        "quality": quality(pipeline, writer, about.interval_us),
        "warnings": [*capture.damage, *capture.notes, *warnings(pipeline)],
    }


def warnings(pipeline: Pipeline) -> list[str]:
    """What a person should know before they trust the figures."""
    counts, said = pipeline.counts, []
    if counts.unknown:
        said.append(f"{counts.unknown} lines were not understood, such as {counts.examples[0].strip()!r}")
    if counts.clipped:
        said.append(
            f"{counts.clipped} of {counts.screens} screens reach the last row of the terminal "
            f"({pipeline.reader.rows} rows): what was below it is lost"
        )
    if pipeline.reader.dropped:
        said.append(f"{pipeline.reader.dropped} redraw at the end was cut off and is left out")
    if pipeline.frames == "inferred":
        said.append("the capture has no clock: where a redraw ends is inferred, some may be missing or mixed")
    return said


def _not_understood(capture: Capture, pipeline: Pipeline) -> InputError:
    lines = [line.strip()[:100] for line in pipeline.counts.first_lines[:5]]
    seen = " It begins: " + " / ".join(lines) if lines else ""
    return InputError(f"{capture.name}: no screen of hrt_ucp_monitor is in it.{seen}", _ASK)


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
    seen = info["quality"]
    parts = [f"{seen['screens']} screens"]
    if seen["cut"]:
        parts.append(f"{seen['cut']} of them cut")
    parts.append(f"{seen['lines']['unknown']} lines not understood")
    clock = "recorded times" if info["time_basis"] == "recorded" else "no clock, times are nominal"
    return ", ".join([*parts, clock])
