"""What to draw: which series, in which panels, thinned to the columns of the picture. No drawing here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from ucpmon.analysis.decimate import Columns
from ucpmon.errors import InputError
from ucpmon.metrics import format_value, heap_columns, metric
from ucpmon.plot.options import PlotOptions
from ucpmon.plot.place import Placed
from ucpmon.plot.processes import ProcessSeries, process_series

OVERLAY = 4
"""As many lines share a panel; more get a strip each."""
MANY_LOADS = 8
"""Above so many loads, those that are 0 throughout are named in a line instead of drawn."""
MOST_STRIPS = 60
DENSE = 3
"""Rows per column of the picture from which the average is drawn over the range."""

HEADINGS = {
    "load": "Load, %",
    "rate": "DDR bandwidth, MiB/s",
    "used": "Heap memory used, each heap on its own scale",
    "free": "Heap memory free, each heap on its own scale",
    "total": "Heap size, each heap on its own scale",
    "hbmem": "Processes' hbmem memory",
    "rss": "Processes' resident memory (rss)",
}


@dataclass(frozen=True)
class Series:
    """One line: ``t``/``y`` keep every peak and break; ``peak`` and ``average`` (over time) are of all its rows.

    ``mean_t``/``mean_y`` average it per column of the picture, where its rows are denser than those.
    """

    column: str
    label: str
    run: int
    t: Any
    y: Any
    peak: float
    average: float
    mean_t: Any = None
    mean_y: Any = None

    @property
    def dense(self) -> bool:
        return self.mean_y is not None


@dataclass(frozen=True)
class Panel:
    """One pair of axes: a strip with a ``name`` at its left, or an overlay (``name`` empty)."""

    kind: str
    name: str
    lines: list[Series]
    totals: list[Series] = field(default_factory=list)
    rest: str = ""
    first: bool = False


@dataclass(frozen=True)
class Content:
    panels: list[Panel]
    notes: list[str]


class Source:
    """The placed runs' columns as thinned series."""

    def __init__(
        self, placed: Sequence[Placed], limits: tuple[float, float], count: int, clean: Callable[[str], str]
    ) -> None:
        self.placed, self.clean = placed, clean
        self._count = count
        self._columns = [Columns.of(p.t, *limits, count) if len(p.t) else None for p in placed]

    def series(self, column: str) -> list[Series]:
        """The column in each run that has it and has a value in it."""
        return [
            s
            for i, p in enumerate(self.placed)
            if column in p.run.frame.columns
            for s in self.thin(i, column, _label(column), p.run.frame[column].to_numpy(dtype="float64")[p.rows])
        ]

    def thin(self, run: int, column: str, label: str, values: Any) -> list[Series]:
        """``values`` (one per row) as a series; none where there is no value."""
        columns, y = self._columns[run], self.placed[run].steps(values)
        if columns is None or np.isnan(y).all():
            return []
        figures = float(np.nanmax(y)), columns.average(y)
        if len(y) <= DENSE * self._count:
            return [Series(column, self.clean(label), run, columns.t, y, *figures)]
        keep = columns.keep(y)
        mean_t, mean_y = columns.t[columns.starts], columns.means(y)
        return [Series(column, self.clean(label), run, columns.t[keep], y[keep], *figures, mean_t, mean_y)]


def content(source: Source, options: PlotOptions) -> Content:
    """The panels of the page, in the order load, bandwidth, heaps, processes.

    Raises InputError where a glob of ``options.series`` fits nothing.
    """
    placed = source.placed
    wanted = _chosen(placed, options)
    notes: list[str] = []
    panels: list[Panel] = []
    for kind in ("load", "rate", "used", "free", "total"):
        columns = [c for c in wanted if _kind(c) == kind]
        panels += _metric_panels(source, kind, columns, notes, bool(options.series))
    for kind in ("hbmem", "rss"):
        panels += _process_panels(source, kind, wanted, options, notes)
    return Content(panels, _no_value(placed, wanted) + notes)


def _kind(column: str) -> str:
    found = metric(column)
    return found.kind if found else ""


def _label(column: str) -> str:
    found = metric(column)
    return found.label if found else column


def _subject(column: str) -> str:
    found = metric(column)
    if found is None:
        return column
    return found.label.removesuffix(f" {found.kind}").removeprefix("DDR ")


def _chosen(placed: Sequence[Placed], options: PlotOptions) -> list[str]:
    """The columns to draw: of the runs' frames, and the processes as ``NAME_hbmem_bytes``."""
    known = list(dict.fromkeys(c for p in placed for c in p.run.frame.columns if metric(c)))
    named = dict.fromkeys(f"{n}_{k}_bytes" for p in placed for n in p.process_names for k in ("hbmem", "rss"))
    everything = known + list(named)
    if not options.series:
        return [c for c in everything if _kind(c) in ("load", "rate", "used", "hbmem")]
    for glob in options.series:
        if not any(fnmatchcase(c.lower(), glob) for c in everything):
            raise InputError(f"no series fits {glob!r}", f"there are: {', '.join(everything) or 'none'}")
    return [c for c in everything if any(fnmatchcase(c.lower(), g) for g in options.series)]


def _metric_panels(source: Source, kind: str, columns: Sequence[str], notes: list[str], asked: bool) -> list[Panel]:
    found = {c: source.series(c) for c in columns}
    drawn = {c: s for c, s in found.items() if s}
    if kind == "load" and len(drawn) > MANY_LOADS and not asked:
        drawn = _without_idle(drawn, notes)
    lines = [s for series in drawn.values() for s in series]
    if (
        kind in ("load", "rate")
        and len(source.placed) == 1
        and len(lines) <= OVERLAY
        and not any(s.dense for s in lines)
    ):
        panels = [Panel(kind, "", lines)] if lines else []
    else:
        panels = [Panel(kind, source.clean(_subject(c)), s, _totals(source, kind, c)) for c, s in drawn.items()]
    return _headed(_at_most(panels, notes))


def _no_value(placed: Sequence[Placed], wanted: Sequence[str]) -> list[str]:
    """A note that names the columns in which no drawn row has a value."""
    frames = [(p.run.frame, p.rows) for p in placed if len(p.rows)]
    empty = [
        _label(c)
        for c in wanted
        if (there := [f[c].to_numpy()[rows] for f, rows in frames if c in f.columns])
        and all(np.isnan(values).all() for values in there)
    ]
    return [f"no value: {', '.join(empty)}"] if empty else []


def _totals(source: Source, kind: str, column: str) -> list[Series]:
    found = metric(column)
    return source.series(heap_columns(found.subject)[0]) if found and kind in ("used", "free") else []


def _without_idle(drawn: dict[str, list[Series]], notes: list[str]) -> dict[str, list[Series]]:
    idle = [c for c, series in drawn.items() if all(s.peak == 0 for s in series)]
    if idle:
        notes.append(f"0 % throughout: {', '.join(_subject(c) for c in idle)}")
    return {c: s for c, s in drawn.items() if c not in idle} or drawn


def _process_panels(
    source: Source, kind: str, wanted: Sequence[str], options: PlotOptions, notes: list[str]
) -> list[Panel]:
    names = {c.removesuffix(f"_{kind}_bytes") for c in wanted if _kind(c) == kind}
    found = [process_series(p, f"{kind}_bytes", names) for p in source.placed]
    if not any(found):
        return []
    best = _best(found, options.top)
    rest = _rest(found, best, kind)
    one = len(source.placed) == 1
    groups: dict[str, list[Series]] = {}
    for run, series in enumerate(found):
        for process in series:
            key = process.who if one else process.name
            if key in best:
                thin = source.thin(run, f"{process.name}_{kind}_bytes", process.who, process.values())
                groups.setdefault(key, []).extend(thin)
    if not groups:
        notes.append(f"no process with {kind} memory")
        return []
    if one and not any(s.dense for lines in groups.values() for s in lines):
        return [Panel(kind, "", [s for lines in groups.values() for s in lines], rest=rest, first=True)]
    if rest:
        notes.append(f"{kind}: {rest}")
    return _headed([Panel(kind, source.clean(key), lines) for key, lines in groups.items()])


def _best(found: Sequence[Sequence[ProcessSeries]], top: int) -> list[str]:
    """The keys of the processes that peak highest: pid and name in one run, the name across several."""
    peaks: dict[str, float] = {}
    for process in (p for series in found for p in series):
        key = process.who if len(found) == 1 else process.name
        peaks[key] = max(peaks.get(key, 0.0), process.peak)
    return [k for k, peak in sorted(peaks.items(), key=lambda item: -item[1])[:top] if peak > 0]


def _rest(found: Sequence[Sequence[ProcessSeries]], best: Sequence[str], kind: str) -> str:
    others = [p.peak for series in found for p in series if p.who not in best and p.name not in best]
    if not others:
        return ""
    most = format_value(f"x_{kind}_bytes", max(others))
    return f"{len(others)} more, each at most {most}" if max(others) > 0 else f"{len(others)} more with none"


def _at_most(panels: list[Panel], notes: list[str]) -> list[Panel]:
    if len(panels) > MOST_STRIPS:
        notes.append(f"{len(panels) - MOST_STRIPS} more are not drawn: choose with --series")
    return panels[:MOST_STRIPS]


def _headed(panels: list[Panel]) -> list[Panel]:
    return [Panel(p.kind, p.name, p.lines, p.totals, p.rest, first=i == 0) for i, p in enumerate(panels)]
