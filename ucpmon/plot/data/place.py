"""Puts runs, and what goes with them, on one time axis and cuts it to the window asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import numpy as np

from ucpmon.errors import InputError
from ucpmon.memory.detection.lives import find_lives
from ucpmon.memory.levels import run_levels
from ucpmon.plot.data.align import length_s, marks_of, shifts, start_unix
from ucpmon.plot.data.steps import Spans, Steps, steps_of
from ucpmon.plot.options import PlotOptions
from ucpmon.runs.reader import Run
from ucpmon.statistics.weights import row_seconds

EXACT = "_exact"
"""Ends the name of the columns in which heaps' exact bytes stand."""
MOST_ROWS = 500_000
"""Rows of screens and processes up to which phases are looked for: in longer runs that would take seconds."""


@dataclass(frozen=True)
class Extra:
    """What is drawn with a run but is not in its files.

    ``phases`` are (start, end, name) in seconds from the run's start; ``ddr`` is a frame with ``elapsed_s`` from the
    run's start and rate columns, such as ``ucpmon.neighbours.hrut_ddr.align`` gives.
    """

    phases: Sequence[tuple[float, float, str]] = ()
    ddr: Any = None


def too_long_for_phases(run: Run) -> bool:
    return len(run.frame) + len(run.processes) > MOST_ROWS


def phases_of(run: Run) -> list[tuple[float, float, str]]:
    """(start, end, name) in seconds from the run's start, of every model that was loaded; empty where none is seen."""
    if not len(run.frame) or too_long_for_phases(run):
        return []
    lives = find_lives(run_levels(run), run.marks)
    return [(p.start_s, p.end_s, p.name) for life in lives for p in life.phases.values()]


@dataclass(frozen=True)
class Placed:
    """A run on the page's time axis; all times are seconds on that axis.

    ``steps`` are its screens, ``sides`` the tables with times of their own (exact heaps, hrut_ddr).
    ``zero_unix`` is the wall clock of the axis's zero, ``None`` where unknown.
    """

    run: Run
    name: str
    steps: Steps
    sides: tuple[Steps, ...]
    gaps: Spans
    stalls: Spans
    cuts: tuple[float, ...]
    marks: tuple[tuple[float, str], ...]
    phases: tuple[tuple[float, float, str], ...]
    zero_unix: float | None

    @property
    def process_names(self) -> list[str]:
        return [str(name) for name in self.run.processes["process"].unique()]

    @property
    def tables(self) -> tuple[Steps, ...]:
        return (self.steps, *self.sides)


def place(runs: Sequence[Run], options: PlotOptions, extras: Sequence[Extra] = ()) -> list[Placed]:
    """Each run on the shared axis; ``extras`` are empty or one for each run.

    Raises InputError where a run lacks the marker or the clock to align by, or nothing lies in the window.
    """
    names, all_extras = names_of(runs), extras or [Extra()] * len(runs)
    parts = zip(runs, names, shifts(runs, options), all_extras, strict=True)
    placed = [_place(run, name, shift, options, extra) for run, name, shift, extra in parts]
    if any(len(r.frame) for r in runs) and not any(len(p.steps.rows) for p in placed):
        raise InputError("no screen lies between --from and --to", f"the run lasts {max(map(length_s, runs)):.6g} s")
    return placed


def names_of(runs: Sequence[Run]) -> list[str]:
    """What the runs are called; folders are added where files of one name would look the same."""
    names = [run.name for run in runs]
    paths = [PurePath(run.path or run.name).parts for run in runs]
    for depth in range(2, max(map(len, paths)) + 1):
        same = {name for name in names if names.count(name) > 1}
        names = [str(PurePath(*p[-depth:])) if n in same else n for n, p in zip(names, paths, strict=True)]
    return names


def time_limits(placed: Sequence[Placed], options: PlotOptions) -> tuple[float, float]:
    """The ends of the time axis: as asked, else from the start to where the last of what is drawn ends."""
    moments = [t for p in placed for t in _moments(p)]
    if options.align == "start" or not moments:
        moments.append(0.0)
    low = options.start_s if options.start_s is not None else min(moments)
    high = options.end_s if options.end_s is not None else max(moments)
    return (low, high) if high > low else (low, low + 1.0)


def _moments(placed: Placed) -> list[float]:
    """The first and last times of everything that stands on the time axis."""
    spans = [*placed.gaps, *placed.stalls, *((start, end) for start, end, _ in placed.phases)]
    ends = placed.steps.t[[0, -1]] if len(placed.steps.t) else ()
    return [*ends, *(t for t, _ in placed.marks), *(t for span in spans for t in span)]


def _place(run: Run, name: str, shift: float, options: PlotOptions, extra: Extra) -> Placed:
    low = -np.inf if options.start_s is None else options.start_s
    high = np.inf if options.end_s is None else options.end_s
    quality = run.info.get("quality") or {}
    gaps, stalls = _shifted(quality.get("gaps"), shift), _shifted(quality.get("stalls"), shift)
    steps = steps_of(run.frame, row_seconds(run.frame, run.info), shift, (low, high))
    unix = start_unix(run)
    return Placed(
        run=run, name=name, steps=steps,
        sides=tuple(steps_of(table, row_seconds(table, {}), shift, (low, high)) for table in _side_tables(run, extra)),
        gaps=_clipped(_unknown(gaps, steps), low, high),
        stalls=_clipped(_unknown(stalls, steps), low, high),
        cuts=tuple(steps.frame["elapsed_s"].to_numpy()[_cut_rows(steps)] + shift),
        marks=tuple((s + shift, label) for s, label in marks_of(run) if low <= s + shift <= high),
        phases=tuple((max(a + shift, low), min(b + shift, high), what) for a, b, what in extra.phases
                     if b + shift > low and a + shift < high),
        zero_unix=None if unix is None else unix - shift,
    )  # fmt: skip


def _side_tables(run: Run, extra: Extra) -> list[Any]:
    tables = [] if extra.ddr is None or not len(extra.ddr) else [extra.ddr]
    allocated = run.heaps[run.heaps["kind"] == "allocated"]
    for heap, rows in allocated.groupby("heap", sort=False):
        column = f"{str(heap).lower()}{EXACT}"
        tables.append(rows[["elapsed_s", "bytes"]].rename(columns={"bytes": column}))
    return tables


def _cut_rows(steps: Steps) -> Any:
    return steps.rows[steps.frame["cut"].to_numpy(dtype=bool)[steps.rows]]


def _unknown(spans: Spans, steps: Steps) -> Spans:
    """The spans from where the value before them ends: a row at a gap's very start still holds for its interval."""
    breaks = steps.t[steps.take < 0]
    return tuple((float(_first_between(breaks, start, end)), end) for start, end in spans)


def _first_between(breaks: Any, start: float, end: float) -> Any:
    inside = breaks[(breaks >= start) & (breaks < end)]
    return inside[0] if len(inside) else start


def _shifted(spans: Sequence[Sequence[float]] | None, shift: float) -> Spans:
    return tuple(sorted((float(a) + shift, float(b) + shift) for a, b in spans or ()))


def _clipped(spans: Spans, low: float, high: float) -> Spans:
    return tuple((max(a, low), min(b, high)) for a, b in spans if b >= low and a <= high)
