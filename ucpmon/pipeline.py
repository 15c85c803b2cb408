"""Chunks → samples: the only place that chains the stages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ucpmon.layout import Batch
from ucpmon.model import ANEW_MARK, GAP_MARK, CaptureInfo, Chunk, Mark, Sample, Screen
from ucpmon.parser import parse, parse_batch
from ucpmon.screen import ScreenReader

# What a capture without any hint of its terminal is read with: no monitor draws more.
DEFAULT_ROWS, DEFAULT_COLS = 200, 500
_EXAMPLES = 10


@dataclass
class Counts:
    """What became of everything that was printed; the figures of ``quality`` in run.json."""

    screens: int = 0
    cut: int = 0
    clipped: int = 0
    understood: int = 0
    noise: int = 0
    unknown: int = 0
    bytes: int = 0
    examples: list[str] = field(default_factory=list)
    first_lines: list[str] = field(default_factory=list)


class Pipeline:
    """The stages, fed one chunk at a time: live recording and replay differ only in where chunks come from."""

    def __init__(self, info: CaptureInfo, reader: ScreenReader | None = None) -> None:
        self.info = info
        self.reader = reader or _reader_for(info)
        self.counts = Counts()
        self.marks: list[Mark] = []
        self.gaps: list[tuple[int, int]] = []
        self._last_us = 0
        self._gap_from: int | None = None

    @property
    def frames(self) -> str:
        return "inferred" if self.reader.inferred else "exact"

    def feed(self, chunk: Chunk) -> list[Sample]:
        """The samples that this chunk completes."""
        self.counts.bytes += len(chunk.data)
        last = self._take_mark(chunk) if chunk.mark else []
        if chunk.data and chunk.t_us is not None:
            self._close_gap(chunk.t_us)
            self._last_us = chunk.t_us
        return last + self._samples(self.reader.feed(chunk))

    def finish(self, broken: bool = False) -> list[Sample]:
        """The samples that the end of the stream completes. ``broken``: it ended before its time."""
        if self.marks and self.marks[-1].t_us is not None:
            self._close_gap(self.marks[-1].t_us)
        return self._samples(self.reader.finish(broken))

    def restart(self, info: CaptureInfo, broken: bool = False) -> list[Sample]:
        """Another stream follows, with its own terminal; the samples that the end of this one completes."""
        last = self.finish(broken)
        before, self.reader = self.reader, _reader_for(info)
        self.reader.carry_over(before)
        return last

    def _take_mark(self, chunk: Chunk) -> list[Sample]:
        """Note a mark, and heed what it says of the stream."""
        self.marks.append(Mark(chunk.t_us, chunk.mark, _source(chunk.mark)))
        if chunk.mark.startswith(GAP_MARK) and self._gap_from is None:
            self._gap_from = self._last_us
        return self.restart(self.info) if chunk.mark == ANEW_MARK else []

    def _close_gap(self, t_us: int) -> None:
        if self._gap_from is not None and t_us > self._gap_from:
            self.gaps.append((self._gap_from, t_us))
        self._gap_from = None

    def _samples(self, screens: list[Screen | Batch]) -> list[Sample]:
        out: list[Sample] = []
        for screen in screens:
            if isinstance(screen, Batch):
                out += self._batch(screen)
            elif sample := self._sample(screen):
                out.append(sample)
        return out

    def _batch(self, batch: Batch) -> list[Sample]:
        counts, found = self.counts, parse_batch(batch)
        counts.screens += len(found)
        counts.noise += len(found) * batch.layout.noise
        counts.understood += len(found) * batch.layout.understood + sum(map(len, batch.processes))
        return found

    def _sample(self, screen: Screen) -> Sample | None:
        sample, counts = parse(screen), self.counts
        counts.understood += sample.understood
        counts.noise += sample.noise
        counts.unknown += len(sample.unknown)
        if len(counts.first_lines) < _EXAMPLES:
            counts.first_lines.extend(line.text for line in screen.lines if line.text.strip())
        for text in sample.unknown:
            if len(counts.examples) < _EXAMPLES and text not in counts.examples:
                counts.examples.append(text)
        if not sample.columns and not sample.processes:
            return None
        counts.screens += 1
        counts.cut += sample.cut
        counts.clipped += sample.clipped
        return sample


def _reader_for(info: CaptureInfo) -> ScreenReader:
    rows, cols = info.rows or DEFAULT_ROWS, info.cols or DEFAULT_COLS
    return ScreenReader(rows + info.spare_rows, cols + info.spare_cols)


def _source(label: str) -> str:
    """Who set a mark of a recorded stream, which keeps the label alone."""
    if label.startswith("ucpmon: "):
        return "ucpmon"
    return "workload" if label in ("workload start", "workload end") else "user"


def samples(chunks: Iterable[Chunk], info: CaptureInfo) -> Iterator[Sample]:
    """Every sample of a stream, in order."""
    pipeline = Pipeline(info)
    for chunk in chunks:
        yield from pipeline.feed(chunk)
    yield from pipeline.finish()
