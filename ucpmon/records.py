"""The records that flow from a source to a run. All times are whole microseconds: deltas add up exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

GAP_MARK = "ucpmon: gap"
"""A mark that begins so says that nothing is known from the output before it until the output after it."""
ANEW_MARK = "ucpmon: the monitor was started anew"
"""What follows this mark is drawn on another terminal."""


class Chunk(NamedTuple):
    """Bytes of the monitor's output and when their last byte arrived.

    ``t_us`` counts from the start of the stream; ``None`` where the source kept no clock.
    Empty ``data`` is a tick: it says that nothing had arrived by then.
    ``mark`` is a label that the source keeps at this moment (asciicast ``m`` events), else empty.
    ``size`` is (rows, columns) when the terminal was resized at this moment, else ``None``.
    """

    t_us: int | None
    data: bytes
    mark: str = ""
    size: tuple[int, int] | None = None


class ProcessRow(NamedTuple):
    """One row of the process table; sizes in bytes, names exactly as printed."""

    pid: int
    process: str
    rss_bytes: int
    hbmem_bytes: int


class Sample(NamedTuple):
    """The figures of one screen.

    ``columns`` and ``numbers`` are the run.csv columns that were printed and what they said; ``values`` is both as a
    dict. ``quanta`` maps size columns to the resolution, in bytes, of the printed figure.
    ``understood`` and ``noise`` count the screen's lines, ``unknown`` lists those that were neither.
    """

    t_us: int | None
    cut: bool
    clipped: bool
    columns: tuple[str, ...]
    numbers: tuple[float, ...]
    quanta: Mapping[str, int]
    processes: tuple[ProcessRow, ...]
    understood: int
    noise: int
    unknown: Sequence[str]

    @property
    def values(self) -> dict[str, float]:
        """The screen's figures by column; what was not printed is no key."""
        return dict(zip(self.columns, self.numbers, strict=True))


class Mark(NamedTuple):
    """A moment that somebody named; ``source`` is workload, regex, user or ucpmon."""

    t_us: int | None
    label: str
    source: str


@dataclass(frozen=True)
class CaptureInfo:
    """What a capture says of itself, before its first byte of screen.

    ``rows``/``cols`` are the terminal's size, ``None`` where it was not recorded.
    ``spare_rows`` and ``spare_cols`` are the room beyond them where they are only what the stream's first bytes reach.
    ``started_us`` is the wall clock of t_us=0 in µs since 1970 UTC, ``None`` where unknown.
    ``interval_us`` is the refresh interval where the capture names it (a ``-d`` in its command line).
    ``clock`` is false where the chunks carry no times.
    ``run`` is what ucpmon itself stored in the header of a capture it recorded.
    """

    format: str
    rows: int | None = None
    cols: int | None = None
    spare_rows: int = 0
    spare_cols: int = 0
    started_us: int | None = None
    interval_us: int | None = None
    clock: bool = True
    command: str = ""
    run: Mapping[str, Any] = field(default_factory=dict)
