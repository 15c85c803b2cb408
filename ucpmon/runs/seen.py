"""What was seen of a stream: for run.json, and for a person who wonders how far to trust the figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ucpmon import __version__
from ucpmon.records import CaptureInfo, Mark
from ucpmon.runs.files import iso
from ucpmon.runs.writer import RunWriter
from ucpmon.screens.parser import PARSER_VERSION
from ucpmon.screens.pipeline import Pipeline
from ucpmon.text import counted

_QUOTED = 100


def identity() -> dict[str, Any]:
    """Who wrote a run: the ``ucpmon`` object of run.json."""
    return {"version": __version__, "parser": PARSER_VERSION}


def what_was_seen(
    pipeline: Pipeline,
    writer: RunWriter,
    about: CaptureInfo,
    ended: str,
    marks: Iterable[Mark],
    warnings: Sequence[str],
    stalls_us: Iterable[tuple[int, int]] = (),
) -> dict[str, Any]:
    """The part of run.json that tells what came of the stream; ``about`` says when it began, and by which clock."""
    return {
        "started": iso(about.started_us) if about.started_us is not None else None,
        "time_basis": "recorded" if about.clock else "nominal",
        "frames": pipeline.frames,
        "ended": ended,
        "markers": [{"elapsed_s": (m.t_us or 0) / 1e6, "label": m.label, "source": m.source} for m in marks],
        "resolution": writer.resolution,
        "quality": _quality(pipeline, writer, about.interval_us, stalls_us),
        "warnings": warnings,
    }


def _quality(
    pipeline: Pipeline, writer: RunWriter, asked_us: int | None, stalls_us: Iterable[tuple[int, int]]
) -> dict[str, Any]:
    """What became of every line, and of the time."""
    counts, reader = pipeline.counts, pipeline.reader
    return {
        "screens": counts.screens,
        "cut": counts.cut,
        "clipped": counts.clipped,
        "dropped": reader.dropped,
        "repeated": reader.repeated,
        "lines": {
            "understood": counts.understood,
            "noise": counts.noise,
            "unknown": counts.unknown,
            "examples": counts.examples,
        },
        "interval": {"asked_s": asked_us and asked_us / 1e6, "achieved_s": writer.achieved_s},
        # On a terminal silence means that nothing changed; a batch block that does not come is missing.
        "gaps": _united([*([] if reader.paged else writer.silences.gaps(asked_us)), *_seconds(pipeline.gaps)]),
        "stalls": _seconds(stalls_us),
        "bytes": counts.bytes,
    }


def _seconds(spans_us: Iterable[tuple[int, int]]) -> list[list[float]]:
    return [[a / 1e6, b / 1e6] for a, b in spans_us]


def _united(spans: list[list[float]]) -> list[list[float]]:
    """The spans in order, those that overlap as one."""
    united: list[list[float]] = []
    for begin, end in sorted(spans):
        if united and begin <= united[-1][1]:
            united[-1][1] = max(united[-1][1], end)
        else:
            united.append([begin, end])
    return united


def doubts(pipeline: Pipeline) -> list[str]:
    """What a person should know before they trust the figures."""
    counts, reader, said = pipeline.counts, pipeline.reader, []
    if counts.unknown:
        said.append(
            f"{counted(counts.unknown, 'line')} not understood, such as {counts.examples[0].strip()[:_QUOTED]!r}"
        )
    if counts.clipped:
        said.append(
            f"{counts.clipped} of {counted(counts.screens, 'screen')} reach the last row of the terminal "
            f"({reader.rows} rows): what was below it is lost"
        )
    if reader.dropped:
        said.append(f"{counted(reader.dropped, 'redraw')} cut off and left out")
    if pipeline.frames == "inferred":
        said.append("the capture has no clock: where a redraw ends is inferred, some may be missing or mixed")
    return said
