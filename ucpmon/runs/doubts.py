"""What a person should know of a stream before they trust the figures made of it."""

from __future__ import annotations

from ucpmon.screens.pipeline import Pipeline
from ucpmon.text import counted

_QUOTED = 100


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
