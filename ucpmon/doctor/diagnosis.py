"""One pass over a capture, and everything that can be said of it. Memory does not grow with its length."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from ucpmon.captures import Capture
from ucpmon.doctor.causes import Cause, likely_causes
from ucpmon.metrics import metric
from ucpmon.records import Sample
from ucpmon.screens.pipeline import Pipeline

_HEAD = 1 << 16


@dataclass
class Layout:
    """The sections that were seen: names in the order of their first appearance; ``processes`` is the most at once."""

    loads: list[str] = field(default_factory=list)
    rates: list[str] = field(default_factory=list)
    heaps: list[str] = field(default_factory=list)
    processes: int = 0

    def add(self, sample: Sample) -> None:
        for column in sample.values:
            found = metric(column)
            if found is None:
                continue
            names = self.heaps if found.unit == "bytes" else self.rates if found.kind == "rate" else self.loads
            if found.subject not in names:
                names.append(found.subject)
        self.processes = max(self.processes, len(sample.processes))


@dataclass(frozen=True)
class Diagnosis:
    """What a capture is. Times in µs; ``bytes`` as it lies on disk (``None`` for a pipe)."""

    name: str
    format: str
    bytes: int | None
    clock: bool
    started_us: int | None
    lasts_us: int | None
    interval_us: int | None
    rows: int | None
    cols: int | None
    size_inferred: bool
    frames: str
    screens: int
    cut: int
    clipped: int
    repeated: int
    dropped: int
    understood: int
    noise: int
    unknown: int
    examples: list[str]
    first_lines: list[str]
    layout: Layout
    damage: list[str]
    notes: list[str]
    causes: list[Cause]

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def diagnose(capture: Capture) -> Diagnosis:
    """Read a capture to its end."""
    pipeline, layout, times, head = Pipeline(capture.info), Layout(), _Times(), bytearray()
    for sample in _samples(capture, pipeline, head):
        layout.add(sample)
        times.add(sample.t_us)
    info, counts, reader = capture.info, pipeline.counts, pipeline.reader
    return Diagnosis(
        name=capture.name,
        format=info.format,
        bytes=capture.progress()[1],
        clock=info.clock,
        started_us=info.started_us,
        lasts_us=times.span_us,
        interval_us=times.interval_us if info.clock else info.interval_us,
        rows=info.rows,
        cols=info.cols,
        size_inferred=capture.size_inferred,
        frames=pipeline.frames,
        screens=counts.screens,
        cut=counts.cut,
        clipped=counts.clipped,
        repeated=reader.repeated,
        dropped=reader.dropped,
        understood=counts.understood,
        noise=counts.noise,
        unknown=counts.unknown,
        examples=counts.examples,
        first_lines=counts.first_lines[:10],
        layout=layout,
        damage=capture.damage,
        notes=capture.notes,
        causes=likely_causes(head[:_HEAD].decode("utf-8", "replace"), counts, info.rows),
    )


def _samples(capture: Capture, pipeline: Pipeline, head: bytearray) -> Iterator[Sample]:
    """The screens of a capture; ``head`` takes the first bytes of the stream."""
    for chunk in capture.chunks():
        if len(head) < _HEAD:
            head += chunk.data[:_HEAD]
        yield from pipeline.feed(chunk)
    yield from pipeline.finish(capture.ends_early)


class _Times:
    """First and last moment of the screens, and how far they are apart on average."""

    def __init__(self) -> None:
        self._first: int | None = None
        self._last: int | None = None
        self._steps = -1

    def add(self, t_us: int | None) -> None:
        if t_us is not None:
            self._first = t_us if self._first is None else self._first
            self._last = t_us
            self._steps += 1

    @property
    def span_us(self) -> int | None:
        return None if self._first is None or self._last is None else self._last - self._first

    @property
    def interval_us(self) -> int | None:
        span = self.span_us
        return round(span / self._steps) if span is not None and self._steps > 0 else None
