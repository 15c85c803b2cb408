"""Which series stand in which chart, thinned so that a day at 10 Hz still fits in a page that people mail around."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from ucpmon.metrics import MIB, metric, subject_of
from ucpmon.plot.data.decimation import Columns
from ucpmon.plot.data.processes import ProcessSeries, process_series
from ucpmon.plot.data.steps import Steps, steps_of
from ucpmon.report.subject import Subject
from ucpmon.statistics.weights import row_seconds

MOST_POINTS = 40_000
"""Rows of all charts of a page together, two corners of eight bytes each, a third more in base64: 0.85 MB at most."""

_MOST_PROCESSES = 8
_LEAST_COLUMNS, _MOST_COLUMNS = 60, 1200
_POINTS_A_COLUMN = 4


@dataclass(frozen=True)
class ChartLine:
    """Corners of a line: times ``at_s``, which never fall, and ``values`` in the chart's unit, NaN where it breaks.

    ``column_s`` seconds share a lowest and a highest point where the line was thinned, else 0.
    """

    label: str
    at_s: np.ndarray = field(repr=False)
    values: np.ndarray = field(repr=False)
    column_s: float = 0.0


@dataclass(frozen=True)
class Chart:
    """One chart."""

    title: str
    unit: str
    lines: Sequence[ChartLine]


@dataclass(frozen=True)
class _Draft:
    """A chart whose lines are made, and thinned, one at a time: those of a day do not fit in memory together."""

    title: str
    unit: str
    makers: Sequence[Callable[[], ChartLine]]


def charts(of: Subject, share: int = 1) -> list[Chart]:
    """The charts of a run; ``share`` runs stand on the page."""
    rows = steps_of(of.run.frame, of.seconds)
    drafts = [d for d in (*_loads(of, rows), _ddr(of, rows), _heaps(of, rows), _processes(of, rows)) if d.makers]
    lines = sum(len(draft.makers) for draft in drafts)
    columns = min(max(MOST_POINTS // (_POINTS_A_COLUMN * max(lines, 1) * share), _LEAST_COLUMNS), _MOST_COLUMNS)
    return [Chart(d.title, d.unit, [_thinned(make(), columns) for make in d.makers]) for d in drafts]


def _loads(of: Subject, rows: Steps) -> Iterator[_Draft]:
    """BPU always, the other cores by kind where one of them did anything: DSP, and all the rest together."""
    kinds: dict[str, list[str]] = {"BPU load": [], "DSP load": [], "Load of the other cores": []}
    for summary in of.of_kind("load"):
        kind = f"{summary.column[:3].upper()} load"
        if kind == "BPU load" or summary.peak > 0:
            kinds[kind if kind in kinds else "Load of the other cores"].append(summary.column)
    for title, columns in kinds.items():
        yield _Draft(title, "%", [partial(_line, rows, c) for c in columns])


def _ddr(of: Subject, rows: Steps) -> _Draft:
    found = [(rows, c) for c in ("ddr_read_mibps", "ddr_write_mibps") if c in of.summaries]
    if of.ddr is not None:
        measured = steps_of(of.ddr, row_seconds(of.ddr, {}))
        found += [(measured, c) for c in of.ddr.columns if metric(c)]
    return _Draft("DDR bandwidth", "MiB/s", [partial(_line, steps, c) for steps, c in found])


def _heaps(of: Subject, rows: Steps) -> _Draft:
    used = [s.column for s in of.of_kind("used") if s.peak > 0]
    return _Draft("Memory used in each heap", "MiB", [partial(_line, rows, c, 1 / MIB) for c in used])


def _processes(of: Subject, rows: Steps) -> _Draft:
    found = process_series(of.run.processes, rows, "hbmem_bytes")[:_MOST_PROCESSES]
    makers = [partial(_process_line, rows, process) for process in found if process.peak > 0]
    return _Draft("hbmem of each process", "MiB", makers)


def _process_line(rows: Steps, process: ProcessSeries) -> ChartLine:
    return ChartLine(process.who, rows.t, rows.at(process.values()) / MIB)


def _line(steps: Steps, column: str, scale: float = 1.0) -> ChartLine:
    return ChartLine(subject_of(column), steps.t, steps.column(column) * scale)


def _thinned(line: ChartLine, columns: int) -> ChartLine:
    """The line with few enough points: as steps, for a value holds until the next; a long one by its extremes."""
    if len(line.at_s) <= columns * _POINTS_A_COLUMN:
        return ChartLine(line.label, np.repeat(line.at_s, 2)[1:], np.repeat(line.values, 2)[:-1])
    low, high = float(line.at_s[0]), float(line.at_s[-1])
    kept = Columns.of(line.at_s, low, high, columns).keep(line.values)
    return ChartLine(line.label, line.at_s[kept], line.values[kept], (high - low) / columns)
