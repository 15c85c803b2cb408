"""Which series stand in which chart, thinned so that a day at 10 Hz still fits in a page that people mail around."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from ucpmon.analysis.decimate import Columns
from ucpmon.analysis.weights import unknown_spans
from ucpmon.metrics import MIB, metric
from ucpmon.report.subject import Subject

MOST_POINTS = 40_000
"""Rows of all charts of a page together, two corners of eight bytes each, a third more in base64: 0.85 MB at most."""

_MOST_PROCESSES = 8
_LEAST_COLUMNS, _MOST_COLUMNS = 60, 1200
_POINTS_A_COLUMN = 4


@dataclass(frozen=True)
class Line:
    """Corners of a line: times ``at_s``, which never fall, and ``values`` in the panel's unit, NaN where it breaks."""

    label: str
    at_s: np.ndarray = field(repr=False)
    values: np.ndarray = field(repr=False)


@dataclass(frozen=True)
class Panel:
    """One chart; ``column_s`` seconds share a lowest and a highest point where a line was thinned, else 0."""

    title: str
    unit: str
    lines: Sequence[Line]
    column_s: float = 0.0


def panels(of: Subject, share: int = 1) -> list[Panel]:
    """The charts of a run; ``share`` runs stand on the page."""
    bare = [panel for panel in (*_loads(of), _ddr(of), _heaps(of), _processes(of)) if panel.lines]
    lines = sum(len(panel.lines) for panel in bare)
    columns = MOST_POINTS // (_POINTS_A_COLUMN * max(lines, 1) * share)
    return [_thinned(panel, min(max(columns, _LEAST_COLUMNS), _MOST_COLUMNS)) for panel in bare]


def _loads(of: Subject) -> Iterator[Panel]:
    """BPU always, the other cores by kind where one of them did anything: DSP, and all the rest together."""
    kinds: dict[str, list[str]] = {"BPU load": [], "DSP load": [], "Load of the other cores": []}
    for summary in of.of_kind("load"):
        kind = f"{summary.column[:3].upper()} load"
        if kind == "BPU load" or summary.peak > 0:
            kinds[kind if kind in kinds else "Load of the other cores"].append(summary.column)
    for title, columns in kinds.items():
        yield Panel(title, "%", [_line(of, of.run.frame, c, 1.0) for c in columns])


def _ddr(of: Subject) -> Panel:
    frames = [(of.run.frame, c) for c in ("ddr_read_mibps", "ddr_write_mibps") if c in of.summaries]
    if of.ddr is not None:
        frames += [(of.ddr, c) for c in of.ddr.columns if metric(c)]
    return Panel("DDR bandwidth", "MiB/s", [_line(of, frame, c, 1.0) for frame, c in frames])


def _heaps(of: Subject) -> Panel:
    used = [s.column for s in of.of_kind("used") if s.peak > 0]
    return Panel("Memory used in each heap", "MiB", [_line(of, of.run.frame, c, 1 / MIB) for c in used])


def _processes(of: Subject) -> Panel:
    held = of.run.processes
    peaks = held.groupby(["pid", "process"], sort=False)["hbmem_bytes"].max().nlargest(_MOST_PROCESSES)
    lines = [_process_line(of, held, pid, name) for (pid, name), peak in peaks.items() if peak > 0]
    return Panel("hbmem of each process", "MiB", lines)


def _process_line(of: Subject, held: pd.DataFrame, pid: int, name: str) -> Line:
    rows = held[(held["pid"] == pid) & (held["process"] == name)]
    values = np.full(len(of.run.frame), np.nan)
    values[np.searchsorted(of.run.frame["screen"].to_numpy(), rows["screen"].to_numpy())] = rows["hbmem_bytes"]
    return _broken(of, f"{name} ({pid})", of.run.frame["elapsed_s"].to_numpy(), values / MIB)


def _line(of: Subject, frame: pd.DataFrame, column: str, scale: float) -> Line:
    found = metric(column)
    label = found.label.removesuffix(" load").removesuffix(" used").removeprefix("DDR ") if found else column
    return _broken(of, label, frame["elapsed_s"].to_numpy(), frame[column].to_numpy() * scale)


def _broken(of: Subject, label: str, at_s: np.ndarray, values: np.ndarray) -> Line:
    """A line that stops where a gap starts, and ends when its last value does."""
    spans = unknown_spans(of.run.info.get("quality") or {})
    starts = np.array([start for start, _ in spans if at_s[0] <= start < at_s[-1]])
    places = np.searchsorted(at_s, starts, side="right")
    at_s = np.append(np.insert(at_s, places, starts), at_s[-1] + of.seconds[-1])
    values = np.append(np.insert(values, places, np.nan), values[-1])
    return Line(label, at_s, values)


def _thinned(panel: Panel, columns: int) -> Panel:
    """The panel with few enough points: as steps, for a value holds until the next; long lines by their extremes."""
    low = min(float(line.at_s[0]) for line in panel.lines)
    high = max(float(line.at_s[-1]) for line in panel.lines)
    longest = max(len(line.at_s) for line in panel.lines)
    if longest <= columns * _POINTS_A_COLUMN:
        return Panel(panel.title, panel.unit, [_steps(line) for line in panel.lines])
    lines = []
    for line in panel.lines:
        kept = Columns.of(line.at_s, low, high, columns).keep(line.values)
        lines.append(Line(line.label, line.at_s[kept], line.values[kept]))
    return Panel(panel.title, panel.unit, lines, (high - low) / columns)


def _steps(line: Line) -> Line:
    return Line(line.label, np.repeat(line.at_s, 2)[1:], np.repeat(line.values, 2)[:-1])
