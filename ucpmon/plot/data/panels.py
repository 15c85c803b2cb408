"""Which series are drawn in which panels. No drawing here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

import numpy as np

from ucpmon.errors import InputError
from ucpmon.metrics import heap_columns, label_of, metric, subject_of
from ucpmon.plot.data.curves import Curve, Curves
from ucpmon.plot.data.place import Placed
from ucpmon.plot.options import PlotOptions

OVERLAY = 4
"""As many lines share a panel; more get a strip each."""
MANY_LOADS = 8
"""Above so many loads, those that are 0 throughout are named in a line instead of drawn."""
MOST_STRIPS = 60

HEADINGS = {
    "load": "Load, %",
    "load_avg": "Average load as the monitor prints it, %",
    "load_max": "Maximum load as the monitor prints it, %",
    "freq": "Clock, MHz",
    "temp": "Temperature, °C",
    "rate": "DDR bandwidth, MiB/s",
    "used": "Heap memory used, each heap on its own scale",
    "free": "Heap memory free, each heap on its own scale",
    "total": "Heap size, each heap on its own scale",
    "peak": "Heap memory used at most, as the monitor prints it, each heap on its own scale",
    "hbmem": "Processes' hbmem memory",
    "rss": "Processes' resident memory (rss)",
}
_IN_BYTES = ("used", "free", "total", "peak")
DRAWN = ("load", "freq", "temp", "rate", "used", "hbmem")
"""The kinds of metric that are drawn unless others are asked for."""


@dataclass(frozen=True)
class Panel:
    """One pair of axes: a strip with a ``name`` at its left, or an overlay (``name`` empty).

    ``totals`` are a heap's size, ``exact`` its exact use; ``rest`` says what is not drawn; a ``heading`` starts a
    section.
    """

    kind: str
    name: str
    lines: list[Curve]
    totals: list[Curve] = field(default_factory=list)
    exact: list[Curve] = field(default_factory=list)
    rest: str = ""
    heading: str = ""


def kind_of(column: str) -> str:
    found = metric(column)
    return found.kind if found else ""


def chosen(placed: Sequence[Placed], options: PlotOptions) -> list[str]:
    """The columns to draw: of the runs' tables, and the processes as ``NAME_hbmem_bytes``.

    Raises InputError where a glob of ``options.series`` fits nothing.
    """
    known = [c for p in placed for table in p.tables for c in table.frame.columns if metric(c)]
    named = [f"{n}_{k}_bytes" for p in placed for n in p.process_names for k in ("hbmem", "rss")]
    everything = list(dict.fromkeys(known + named))
    if not options.series:
        return [c for c in everything if kind_of(c) in DRAWN]
    for glob in options.series:
        if not any(fnmatchcase(c.lower(), glob) for c in everything):
            raise InputError(f"no series fits {glob!r}", f"there are: {', '.join(everything) or 'none'}")
    return [c for c in everything if any(fnmatchcase(c.lower(), g) for g in options.series)]


def metric_panels(curves: Curves, kind: str, columns: Sequence[str], notes: list[str], asked: bool) -> list[Panel]:
    """The panels of one kind of metric: an overlay of few lines, else a strip for each subject."""
    drawn = {c: found for c in columns if (found := curves.of_column(c))}
    if kind == "load" and len(drawn) > MANY_LOADS and not asked:
        drawn = _without_idle(drawn, notes)
    lines = [c for found in drawn.values() for c in found]
    few = len(curves.placed) == 1 and len(lines) <= OVERLAY and not any(c.dense for c in lines)
    if few and kind not in _IN_BYTES:
        return headed([Panel(kind, "", lines)]) if lines else []
    return headed(at_most([_strip(curves, kind, c, found) for c, found in drawn.items()], notes))


def _strip(curves: Curves, kind: str, column: str, lines: list[Curve]) -> Panel:
    found, panel = metric(column), Panel(kind, curves.clean(subject_of(column)), lines)
    if found is None or kind not in ("used", "free"):
        return panel
    exact = curves.exact(found.subject) if kind == "used" else []
    return replace(panel, totals=curves.of_column(heap_columns(found.subject)[0]), exact=exact)


def _without_idle(drawn: dict[str, list[Curve]], notes: list[str]) -> dict[str, list[Curve]]:
    idle = [c for c, found in drawn.items() if all(curve.peak == 0 for curve in found)]
    if idle:
        notes.append(f"0 % throughout: {', '.join(subject_of(c) for c in idle)}")
    return {c: s for c, s in drawn.items() if c not in idle} or drawn


def no_value(placed: Sequence[Placed], wanted: Sequence[str]) -> list[str]:
    """A note that names the columns in which no drawn row has a value."""
    tables = [table for p in placed for table in p.tables if len(table.rows)]
    empty = [
        label_of(c)
        for c in wanted
        if (there := [t.frame[c].to_numpy()[t.rows] for t in tables if c in t.frame.columns])
        and all(np.isnan(values).all() for values in there)
    ]
    return [f"no value: {', '.join(empty)}"] if empty else []


def at_most(panels: list[Panel], notes: list[str]) -> list[Panel]:
    if len(panels) > MOST_STRIPS:
        notes.append(f"{len(panels) - MOST_STRIPS} more are not drawn: choose with --series")
    return panels[:MOST_STRIPS]


def headed(panels: list[Panel]) -> list[Panel]:
    """The panels as one section, whose heading says in which unit, and whose figures the bandwidths are."""
    return [replace(p, heading="" if i else _heading(panels)) for i, p in enumerate(panels)]


def _heading(panels: Sequence[Panel]) -> str:
    heading = HEADINGS[panels[0].kind]
    if panels[0].kind != "rate":
        return heading
    other = {s.label.endswith(")") for p in panels for s in p.lines}
    if len(other) == 2:
        return f"{heading}: the monitor's and hrut_ddr's"
    return f"{heading}, as measured by hrut_ddr" if True in other else f"{heading}, as the monitor prints it"
