"""One line that tells a person how a recording goes; nothing where stderr is no terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from ucpmon.metrics import format_bytes, metric
from ucpmon.recorder.job import Job
from ucpmon.recorder.survey import Survey
from ucpmon.text import counted, format_duration

_EVERY_US = 500_000
_PREFERRED_HEAP = "carveout_used_bytes"


def summary(elapsed_us: int, asked_us: int | None, screens: int, values: Mapping[str, float]) -> str:
    """The figures of the moment: time, screens, the BPUs' loads, the heap that a model takes from first."""
    parts = [time_of(elapsed_us, asked_us), counted(screens, "screen")]
    bpus = [f"{v:.1f}" for c, v in values.items() if c.startswith("bpu") and c.endswith("_load_pct")]
    if bpus:
        parts.append(f"BPU {' '.join(bpus)} %")
    heap = _heap(values)
    if heap:
        parts.append(f"{heap.removesuffix('_used_bytes')} {format_bytes(values[heap])} used")
    return " · ".join(parts)


def time_of(elapsed_us: int, asked_us: int | None) -> str:
    """``12 s of 5 min``: how long it has been, of what was asked for."""
    time = format_duration(elapsed_us // 1_000_000 * 1_000_000)
    return f"{time} of {format_duration(asked_us)}" if asked_us else time


def _heap(values: Mapping[str, float]) -> str | None:
    used = [c for c in values if (m := metric(c)) and m.kind == "used"]
    return _PREFERRED_HEAP if _PREFERRED_HEAP in values else next(iter(used), None)


# A screen in a table, and in the stream: a capture of full redraws is the larger part of a run.
_ROW_BYTES, _SCREEN_BYTES, _COMPRESSED = 700, 3000, 0.15


def opening_line(job: Job, found: Survey) -> str:
    """What begins, where it goes, and how fast that may grow."""
    what = "a SIMULATION (invented figures)" if found.simulated else job.program[0]
    where = f" on {job.link.name}" if job.link.name else ""
    stream = _SCREEN_BYTES * (_COMPRESSED if job.compress else 1) if job.capture else 0
    hourly = (stream + _ROW_BYTES) * 3_600_000_000 / job.interval_us
    end = "" if job.duration_us else "; Ctrl-C ends it"
    return f"recording {what}{where} to {job.files.csv}, at most about {format_bytes(hourly)} an hour{end}"


def closing_line(name: str, info: Mapping[str, Any], elapsed_us: int) -> str:
    """What a recording has come to, from its run.json."""
    seen = info["quality"]
    achieved, asked = seen["interval"]["achieved_s"], seen["interval"]["asked_s"]
    pace = f", one every {achieved:.3f} s (asked {asked:g} s)" if achieved else ""
    # What is not as it should be is said first; what is absent needs no words.
    troubles = (
        f"{counted(seen['lines']['unknown'], 'line')} not understood",
        f"{seen['cut']} cut",
        f"{seen['dropped']} dropped",
        counted(len(seen["gaps"]), "gap"),
        counted(len(seen["stalls"]), "stall"),
        f"{seen['repeated']} repeated",
    )
    told = "".join(f", {what}" for what in troubles if not what.startswith("0 "))
    screens = counted(seen["screens"], "screen")
    return f"{name}: {screens} in {_seconds(elapsed_us)}{pace}, {format_bytes(seen['bytes'])}{told}; {info['ended']}"


def _seconds(us: int) -> str:
    return format_duration(round(us, -5 if us < 60_000_000 else -6))


class Progress:
    """Redraws one line on stderr twice a second, as wide as the terminal."""

    def __init__(self, asked_us: int | None) -> None:
        self._asked_us = asked_us
        self._due_us = 0
        self._shown = self._others_line = False
        self._on = bool(sys.stderr and sys.stderr.isatty()) and os.environ.get("TERM") != "dumb"

    def show(self, elapsed_us: int, screens: int, values: Mapping[str, float], down: bool = False) -> None:
        """``values`` are the last screen's; ``down``: the link is lost, and they are old."""
        if self._on and elapsed_us >= self._due_us:
            text = summary(elapsed_us, self._asked_us, screens, {} if down else values)
            self.say(elapsed_us, f"{text} · link lost, reconnecting" if down else text)

    def say(self, elapsed_us: int, text: str) -> None:
        """Show another text, if it is time for one."""
        if self._on and elapsed_us >= self._due_us and not self._others_line:
            self._due_us = elapsed_us + _EVERY_US
            self._write(text)

    def clear(self) -> None:
        """Make room for a message."""
        if self._shown:
            self._write("")
        if self._on and self._others_line:
            with suppress(OSError, ValueError):
                sys.stderr.write("\n")
        self._others_line = False

    def make_room(self, data: bytes) -> None:
        """Make room for what another program prints; none is left to us until its line ends."""
        if self._shown:
            self._write("")
        self._others_line = not data.endswith(b"\n")

    def _write(self, text: str) -> None:
        self._shown = bool(text)
        # The terminal may be gone, which is no reason to end a recording.
        with suppress(OSError, ValueError):
            width = os.get_terminal_size(sys.stderr.fileno()).columns or 80
            sys.stderr.write("\r\x1b[K" + text[: max(0, width - 1)])
            sys.stderr.flush()
