"""The files of a recording: the raw stream, the tables made of it, and what is known of both."""

from __future__ import annotations

from typing import Any

from ucpmon.driver import Clock
from ucpmon.model import CaptureInfo, Chunk, Sample
from ucpmon.pipeline import Pipeline
from ucpmon.recorder.job import Job, shown
from ucpmon.recorder.survey import Survey
from ucpmon.recording import CastWriter, RunWriter, quality
from ucpmon.recording.files import iso, write_json
from ucpmon.recording.writer import identity

IN_PROGRESS = "recording in progress"
SAVE_EVERY_US = 10_000_000


class Output:
    """Takes the chunks of one recording. Everything seen is on disk when ``take`` returns with a sample."""

    def __init__(self, job: Job, survey: Survey, clock: Clock) -> None:
        self.job = job
        self.ended = IN_PROGRESS
        self.warnings: list[str] = []
        self.exit_status: int | None = None
        self.last: Sample | None = None
        self._started_us = clock.started_us
        self._about: dict[str, Any] = job.describe(survey)
        self._saved_us = 0
        command = shown(self._about["monitor"]["argv"])
        info = CaptureInfo(
            "asciicast v2",
            rows=job.rows,
            cols=job.cols,
            started_us=clock.started_us,
            interval_us=job.interval_us,
            command=command,
            run=self._about,
        )
        self.pipeline = Pipeline(info)
        for stale in job.files.existing():
            stale.unlink()
        self._writer = RunWriter(job.files, clock.started_us, job.interval_us)
        self._cast = CastWriter(job.files.cast, job.rows, job.cols, clock.started_us, self._about, command)
        self.save(0)

    @property
    def screens(self) -> int:
        return self._writer.rows

    def take(self, chunk: Chunk) -> None:
        """Keep a chunk and what it completes."""
        self._cast.write(chunk)
        marks = len(self.pipeline.marks)
        self._add(self.pipeline.feed(chunk))
        self._writer.add_marks(self.pipeline.marks[marks:])
        if chunk.t_us is not None and chunk.t_us - self._saved_us >= SAVE_EVERY_US:
            self.save(chunk.t_us)

    def mark(self, t_us: int, label: str) -> None:
        """Name a moment, in the stream and in the run."""
        self.take(Chunk(t_us, b"", f"ucpmon: {label}"))

    def finish(self, t_us: int, ended: str) -> None:
        """The recording is over. The mark at its end lets a replay see the same silence before it."""
        self.ended = ended
        self.mark(t_us, ended)
        self._add(self.pipeline.finish())
        self._flush()
        self._cast.close()
        self._writer.close()
        self.save(t_us)

    def save(self, t_us: int) -> None:
        """Write run.json as things stand."""
        self._saved_us = t_us
        write_json(self.job.files.json, self.info())

    def info(self) -> dict[str, Any]:
        marks = [{"elapsed_s": (m.t_us or 0) / 1e6, "label": m.label, "source": m.source} for m in self.pipeline.marks]
        return {
            "ucpmon": identity(),
            **self._about,
            "monitor": {**self._about["monitor"], "exit_status": self.exit_status},
            "started": iso(self._started_us),
            "time_basis": "recorded",
            "frames": self.pipeline.frames,
            "ended": self.ended,
            "markers": marks,
            "resolution": self._writer.resolution,
            "quality": quality(self.pipeline, self._writer, self.job.interval_us),
            "warnings": self.warnings,
        }

    def _add(self, samples: list[Sample]) -> None:
        for sample in samples:
            self._writer.add(sample)
            self.last = sample
        if samples:
            self._flush()

    def _flush(self) -> None:
        self._cast.flush()
        self._writer.flush()
