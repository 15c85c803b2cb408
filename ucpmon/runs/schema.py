"""What the files of a run hold: every column of its tables, every key of run.json, every event of run.cast.

The writers take their headers from here, the readers their columns, and ``docs/files.md`` is made of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Field(NamedTuple):
    """One column, key or event code; ``kind`` is its type, ``|`` between the possible ones.

    Of a key of run.json, ``name`` is the path to it: ``quality.lines.unknown``.
    """

    name: str
    kind: str
    meaning: str


def names(fields: Sequence[Field]) -> tuple[str, ...]:
    return tuple(field.name for field in fields)


_SCREEN = Field("screen", "int", "number of the screen, from 0, in the order of the stream")
_TIME = Field("time", "time", "wall clock in UTC with six decimals; empty where no wall clock is known")
_ELAPSED = Field("elapsed_s", "float", "seconds since the start of the stream, six decimals")

SCREENS = (
    _SCREEN,
    _TIME._replace(meaning="when the screen's last byte came: " + _TIME.meaning),
    _ELAPSED,
    Field("cut", "0 | 1", "1 where the screen breaks off: its complete lines only"),
)
"""run.csv, before a column per metric."""

PROCESSES = (
    _SCREEN,
    _TIME,
    _ELAPSED,
    Field("pid", "int", "process id"),
    Field("process", "text", "name, exactly as printed"),
    Field("rss_bytes", "int", "resident memory"),
    Field("hbmem_bytes", "int", "memory held through the vendor's manager"),
)
"""run.procs.csv: a row per process and screen."""

HEAPS = (
    _TIME,
    _ELAPSED,
    Field("heap", "text", "name of the heap"),
    Field("kind", "text", "`total`, `allocated`, `orphaned` (of the heap) or `client` (of one process)"),
    Field("client", "text", "the process's name; empty for the heap's own rows"),
    Field("pid", "int", "the process's id; empty for the heap's own rows"),
    Field("bytes", "int", "exact size"),
)
"""run.heaps.csv: the ION debug files, read again and again."""

MARKS = (
    _TIME,
    _ELAPSED,
    Field("label", "text", "what the moment is called"),
    Field("source", "text", "who named it: `workload`, `regex`, `user` or `ucpmon`"),
)
"""run.marks.csv."""

RUN_JSON = (
    Field("ucpmon.version", "str", "version that wrote the run"),
    Field("ucpmon.parser", "int", "version of the parser: a higher one may read more of the same capture"),
    Field("argv", "list", "command line of ucpmon"),
    Field("monitor.path", "str | null", "the monitor's program"),
    Field("monitor.argv", "list | null", "its command line"),
    Field("monitor.help", "str | null", "what its `-h` printed, empty where that said nothing"),
    Field("monitor.exit_status", "int | null", "its exit status, negative for a death by signal"),
    Field("source", "object | list | null", "of a replay, the capture: name, sha256, format (a list of several)"),
    Field("host", "str | null", "the machine that the monitor ran on"),
    Field("board", "object", "what that machine says of itself: uname, os, cpus, memory…"),
    Field("labels", "object", "what `--label KEY=VALUE` gave"),
    Field("terminal.rows", "int | null", "height of the terminal"),
    Field("terminal.cols", "int | null", "width of the terminal"),
    Field("simulated", "bool", "whether the figures are invented by the stand-in"),
    Field("interval_s", "float | null", "refresh interval that was asked for"),
    Field("freq_hz", "int | null", "sampling frequency of BPU and DSP that was asked for"),
    Field("started", "str | null", "wall clock at `elapsed_s` = 0"),
    Field("time_basis", "str", "`recorded`, or `nominal` where the capture kept no clock"),
    Field("frames", "str", "`exact`, or `inferred` where the ends of redraws had to be guessed"),
    Field("ended", "str", "why the stream ended, or `recording in progress`"),
    Field("markers", "list", "the marks: elapsed_s, label, source"),
    Field("resolution", "object", "per size column, [first screen, bytes] wherever the last printed digit changes"),
    Field("quality.screens", "int", "rows of run.csv"),
    Field("quality.cut", "int", "of them, those that break off"),
    Field("quality.clipped", "int", "of them, those that reach the terminal's last row: more may have been below"),
    Field("quality.dropped", "int", "redraws that were cut in flight and left out"),
    Field("quality.repeated", "int", "redraws that changed nothing, which are no rows"),
    Field("quality.lines.understood", "int", "lines whose figures are in the run"),
    Field("quality.lines.noise", "int", "blank lines, borders, titles, log lines"),
    Field("quality.lines.unknown", "int", "lines that might have been figures"),
    Field("quality.lines.examples", "list", "some of the unknown lines"),
    Field("quality.interval.asked_s", "float | null", "refresh interval asked for, in seconds"),
    Field("quality.interval.achieved_s", "float | null", "time between rows on average, in seconds"),
    Field("quality.gaps", "list", "[start, end] in seconds: nothing is known of that time"),
    Field("quality.stalls", "list", "[start, end] in seconds: the monitor seemed frozen"),
    Field("quality.bytes", "int", "bytes that the monitor printed"),
    Field("warnings", "list", "what a reader should know, in words"),
)
"""run.json. ``object`` is a map whose keys are data, such as the columns or the board's answers."""

CAST = (
    Field("o", "text", "what the monitor printed"),
    Field("b", "base64", "the exact bytes of the `o` event that follows, where they are no UTF-8; players skip it"),
    Field("m", "text", "a mark"),
    Field("r", "COLSxROWS", "the terminal was resized"),
)
"""The codes of run.cast's events, which are ``[seconds since the start, code, data]``."""
