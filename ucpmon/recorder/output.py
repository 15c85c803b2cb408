"""The files of a recording: the raw stream, the tables made of it, and what is known of both."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ucpmon.errors import UsageError
from ucpmon.metrics import format_bytes
from ucpmon.monitor.session import RecordingClock
from ucpmon.recorder.disk import AHEAD_S, Reserve, cut_to_whole_lines, free_bytes, is_gone, rescue
from ucpmon.recorder.job import Job
from ucpmon.recorder.survey import Survey
from ucpmon.records import CaptureInfo, Chunk, Mark, Sample
from ucpmon.runs import CastWriter, RunFiles, RunWriter, identity, what_was_seen, write_json
from ucpmon.runs.marks import OthersMarks
from ucpmon.screens.pipeline import Pipeline

_SAVE_EVERY_US = 10_000_000
_LOOK_EVERY_US = 1_000_000


class Output:
    """Takes the chunks of one recording. Everything seen is on disk when ``take`` returns with a sample.

    ``failed`` says why nothing can be written any more, once that is so; what comes then is lost.
    """

    def __init__(self, job: Job, survey: Survey, clock: RecordingClock, warn: Callable[[str], None]) -> None:
        self.job = job
        self.files: RunFiles = job.files
        self.failed = ""
        self._unread = False
        self.last: Sample | None = None
        self._warn = warn
        self._about: dict[str, Any] = job.describe(survey)
        self._saved_us = self._looked_us = self._flushed_us = 0
        command = shlex.join(self._about["monitor"]["argv"])
        info = CaptureInfo(
            "asciicast-v2",
            rows=job.rows,
            cols=job.cols,
            started_us=clock.started_us,
            interval_us=job.interval_us,
            command=command,
            run=self._about,
        )
        self.pipeline = Pipeline(info)
        self._claim()
        self._reserve = Reserve(self.files.csv.parent)
        self._others = OthersMarks(self.files.marks)
        self._writer = RunWriter(self.files, clock.started_us, job.interval_us)
        self._cast: CastWriter | None = None
        if job.capture:
            path = self.files.cast.with_suffix(".cast.gz") if job.compress else self.files.cast
            self._cast = CastWriter(path, job.rows, job.cols, clock.started_us, self._about, command, job.compress)

    def _claim(self) -> None:
        """Make the run ours: another recorder may have chosen the same free name a moment ago."""
        if self.job.overwrite:
            for stale in self.files.existing():
                stale.unlink()
            return
        try:
            self.files.csv.open("xb").close()
        except FileExistsError as error:
            raise UsageError(f"{self.files.csv} is being written by another program", "record again") from error

    @property
    def screens(self) -> int:
        return self._writer.rows

    @property
    def understood(self) -> int:
        """Screens so far, with those that only repeat the one before."""
        return self._writer.rows + self.pipeline.reader.repeated

    def take(self, chunk: Chunk, source: str = "") -> None:
        """Keep a chunk and what it completes; ``source`` says who set its mark, where the label does not."""
        if self.failed:
            return
        try:
            if self._cast:
                self._cast.write(chunk)
            marks = len(self.pipeline.marks)
            self._add(self._read(chunk), chunk.t_us or 0)
            new = self.pipeline.marks[marks:]
            self.pipeline.marks[marks:] = [m._replace(source=source or m.source) for m in new]
            self._writer.add_marks(self.pipeline.marks[marks:])
        except OSError as error:
            self._fail(error)

    def _read(self, chunk: Chunk) -> list[Sample]:
        """What the chunk completes. A mistake of ours in reading must not end what is being kept."""
        if self._unread:
            return []
        try:
            return list(self.pipeline.feed(chunk))
        except Exception as error:  # noqa: BLE001 - whatever it is, the raw stream can be read again by a better ucpmon
            self._unread = True
            self._warn(
                f"ucpmon cannot read on ({type(error).__name__}: {error}); the raw stream is kept: replay it later"
            )
            return []

    def mark(self, t_us: int, label: str, source: str = "") -> None:
        """Name a moment, in the stream and in the run."""
        self.take(Chunk(t_us, b"", label), source)

    def save_soon(self) -> None:
        """Something happened that run.json should say before its time."""
        self._saved_us = -_SAVE_EVERY_US

    def look(self, now_us: int, state: Callable[[], Mapping[str, Any]]) -> None:
        """Once a second look after the disk, and every ten write run.json; ``state`` is what it says of the moment."""
        if now_us - self._looked_us < _LOOK_EVERY_US or self.failed:
            return
        self._looked_us = now_us
        try:
            self._flush(now_us)
            self._take_others_marks(now_us)
            self._look_at_disk(now_us)
            if now_us - self._saved_us >= _SAVE_EVERY_US:
                self.save(now_us, state())
        except OSError as error:
            self._fail(error)

    def finish(self, t_us: int, reason: str) -> None:
        """The stream is over. The mark at its end lets a replay see the same silence before it."""
        self.mark(t_us, f"ucpmon: {reason}")
        try:
            if not self.failed:
                self._add([] if self._unread else self.pipeline.finish(), t_us)
                self._flush(t_us)
            self._close()
        except OSError as error:
            self._fail(error)
        self._reserve.release()

    def save(self, t_us: int, state: Mapping[str, Any]) -> None:
        """Write run.json as things stand."""
        self._saved_us = t_us
        write_json(self.files.json, self.info(state))

    def info(self, state: Mapping[str, Any]) -> dict[str, Any]:
        """run.json; ``state`` holds ended, warnings, stalls (µs), exit_status."""
        pipeline, ended, warnings = self.pipeline, state["ended"], state["warnings"]
        marks: list[Mark] = sorted(pipeline.marks, key=lambda mark: mark.t_us or 0)
        return {
            "ucpmon": identity(),
            **self._about,
            "monitor": {**self._about["monitor"], "exit_status": state["exit_status"]},
            **what_was_seen(pipeline, self._writer, pipeline.info, ended, marks, warnings, state["stalls"]),
        }

    def _add(self, samples: list[Sample], now_us: int) -> None:
        for sample in samples:
            self._writer.add(sample)
            self.last = sample
        if samples:
            self._flush(now_us)

    def _flush(self, now_us: int) -> None:
        self._writer.flush()
        # A compressed stream grows with each flush: once a second loses a second at the most.
        if self._cast and (not self.job.compress or now_us - self._flushed_us >= _LOOK_EVERY_US):
            self._flushed_us = now_us
            self._cast.flush()

    def _close(self) -> None:
        if self._cast:
            self._cast.close()
        self._writer.close()

    def _take_others_marks(self, now_us: int) -> None:
        """``ucpmon mark`` writes into run.marks.csv; the stream and run.json should have it, too."""
        for mark in self._others.new():
            self.pipeline.marks.append(mark)
            if self._cast:
                self._cast.write(Chunk(now_us, b"", mark.label))

    def _look_at_disk(self, now_us: int) -> None:
        handles = self._handles()
        if any(is_gone(path, handle) for path, handle in handles.items()):
            folder = rescue(handles)
            self.files = RunFiles(folder / self.files.csv.name)
            self.failed = f"the run's files were deleted while it was written; what was seen is saved again in {folder}"
            return
        free = free_bytes(self.files.csv.parent)
        written = sum(os.fstat(handle).st_size for handle in handles.values())
        if self._cast and free is not None and now_us and free < written / now_us * 1e6 * AHEAD_S:
            self._stop_capture(now_us, free)

    def _stop_capture(self, now_us: int, free: int) -> None:
        """The tables are smaller and go on."""
        self.mark(now_us, "ucpmon: capture stopped, the disk is nearly full")
        self._warn(f"the disk has only {format_bytes(free)} left: the capture stops here, the tables go on")
        if self._cast:
            self._cast.close()
        self._cast = None

    def _handles(self) -> dict[Path, int]:
        return {**self._writer.handles(), **({self._cast.path: self._cast.fileno()} if self._cast else {})}

    def _fail(self, error: OSError) -> None:
        """Nothing more can be written: leave what there is in whole lines."""
        self.failed = f"{error.filename or self.files.csv}: {error.strerror or error}"
        self._reserve.release()
        handles = self._handles()
        sink = os.open(os.devnull, os.O_WRONLY)
        for handle in handles.values():
            # What is still buffered would only fail again when the files are closed.
            os.dup2(sink, handle)
        os.close(sink)
        with suppress(OSError):
            self._close()
        for path in handles:
            if path.suffix != ".gz":
                cut_to_whole_lines(path)
