"""Chunks → samples: the only place that chains the stages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from ucpmon.records import ANEW_MARK, GAP_MARK, CaptureInfo, Chunk, Mark, Sample
from ucpmon.screens.forms import Batch, Found
from ucpmon.screens.grammar import Screen
from ucpmon.screens.parser import parse
from ucpmon.screens.screen_reader import ScreenReader

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

    def feed(self, chunk: Chunk) -> Iterable[Sample]:
        """The samples that this chunk completes: counted now, and made as they are taken, once."""
        self.counts.bytes += len(chunk.data)
        last = self._take_mark(chunk) if chunk.mark else []
        if chunk.data and chunk.t_us is not None:
            if self._gap_from is not None:
                self._close_gap(chunk.t_us)
            self._last_us = chunk.t_us
        found = self.reader.feed(chunk)
        if len(found) == 1 and not last:
            return self._samples(found[0])
        return chain(last, *map(self._samples, found))

    def finish(self, broken: bool = False) -> list[Sample]:
        """The samples that the end of the stream completes. ``broken``: it ended before its time."""
        if self.marks and self.marks[-1].t_us is not None:
            self._close_gap(self.marks[-1].t_us)
        return [sample for screen in self.reader.finish(broken) for sample in self._samples(screen)]

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

    def _samples(self, found: Found) -> Iterable[Sample]:
        if isinstance(found, Batch):
            return self._count_all(found)
        if isinstance(found, Screen):
            self._keep_first(found)
            found = parse(found)
        counts = self.counts
        counts.understood += found.understood
        counts.noise += found.noise
        if found.unknown:
            counts.unknown += len(found.unknown)
            self._keep_examples(found.unknown)
        if not found.columns and not found.processes:
            return []
        counts.screens += 1
        counts.cut += found.cut
        counts.clipped += found.clipped
        return [found]

    def _count_all(self, batch: Batch) -> Iterable[Sample]:
        counts = self.counts
        counts.screens += len(batch.noise)
        counts.noise += sum(batch.noise)
        counts.understood += sum(batch.understood)
        for unknown in filter(None, batch.unknown):
            counts.unknown += len(unknown)
            self._keep_examples(unknown)
        return batch.samples

    def _keep_first(self, screen: Screen) -> None:
        if not self.counts.first_lines:
            self.counts.first_lines += [line.text for line in screen.lines if line.text.strip()]

    def _keep_examples(self, unknown: Sequence[str]) -> None:
        examples = self.counts.examples
        for text in unknown if len(examples) < _EXAMPLES else ():
            if text not in examples:
                examples.append(text)
                del examples[_EXAMPLES:]


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
