"""Puts runs on one time axis: alignment, the window asked for, where values hold and where nothing is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

import numpy as np

from ucpmon.analysis.weights import asked_interval, hold_seconds
from ucpmon.errors import InputError
from ucpmon.plot.options import PlotOptions

Spans = tuple[tuple[float, float], ...]


class RunView(Protocol):
    """What is drawn of a run: ``ucpmon.runs.Run``, or anything with its frames."""

    @property
    def name(self) -> str: ...
    @property
    def info(self) -> Mapping[str, Any]: ...
    @property
    def frame(self) -> Any: ...
    @property
    def processes(self) -> Any: ...
    @property
    def marks(self) -> Any: ...


@dataclass(frozen=True)
class Placed:
    """A run on the page's time axis; all times are seconds on that axis.

    ``rows`` are the frame's rows inside the window, the one before it too where its value still holds.
    ``t`` (n,) and ``take`` (n,) are the points of its steps: ``take`` is the place in ``rows``, or −1
    where nothing is known.
    ``zero_unix`` is the wall clock of the axis's zero, ``None`` where unknown.
    """

    run: RunView
    rows: Any
    t: Any
    take: Any
    gaps: Spans
    stalls: Spans
    cuts: tuple[float, ...]
    marks: tuple[tuple[float, str], ...]
    zero_unix: float | None

    @property
    def process_names(self) -> list[str]:
        table = self.run.processes
        return [] if table is None else [str(name) for name in table["process"].unique()]

    def steps(self, values: Any) -> Any:
        """(n,) the values (one per row) at the points ``t``."""
        return np.where(self.take < 0, np.nan, values[self.take]) if len(values) else np.full(len(self.t), np.nan)


def place(runs: Sequence[RunView], options: PlotOptions) -> list[Placed]:
    """Each run on the shared axis.

    Raises InputError where a run lacks the marker or the clock to align by, or nothing lies in the window.
    """
    shifts = [_shift(run, options) for run in runs]
    if options.align == "wall":
        shifts = [s - min(shifts) for s in shifts]
    placed = [_place(run, shift, options) for run, shift in zip(runs, shifts, strict=True)]
    if any(len(r.frame) for r in runs) and not any(len(p.rows) for p in placed):
        raise InputError("no screen lies between --from and --to", f"the run lasts {_length(runs):.6g} s")
    return placed


def time_limits(placed: Sequence[Placed], options: PlotOptions) -> tuple[float, float]:
    """The ends of the time axis: as asked, else from the start (or first row) to where the last value ends."""
    firsts = [p.t[0] for p in placed if len(p.t)] or [0.0]
    lasts = [p.t[-1] for p in placed if len(p.t)] or [1.0]
    low = options.start_s if options.start_s is not None else min([*firsts, *_starts(placed, options)])
    high = options.end_s if options.end_s is not None else max(lasts)
    return (low, high) if high > low else (low, low + 1.0)


def _starts(placed: Sequence[Placed], options: PlotOptions) -> list[float]:
    return [0.0] if options.align == "start" and any(len(p.t) and p.t[0] >= 0 for p in placed) else []


def _length(runs: Sequence[RunView]) -> float:
    return max(float(r.frame["elapsed_s"].max()) for r in runs if len(r.frame))


def _shift(run: RunView, options: PlotOptions) -> float:
    """Seconds to add to the run's elapsed time."""
    if options.align == "wall":
        unix = start_unix(run)
        if unix is None:
            raise InputError(f"{run.name} has no wall clock", "use --align start or --align marker:LABEL")
        return unix
    return -_marker(run, options.marker) if options.marker else 0.0


def _marker(run: RunView, label: str) -> float:
    known = marks_of(run)
    for same in (lambda a: a == label, lambda a: a.lower() == label.lower(), lambda a: label.lower() in a.lower()):
        found = [t for t, name in known if same(name)]
        if found:
            return min(found)
    there = ", ".join(dict.fromkeys(name for _, name in known)) or "it has none"
    raise InputError(f"{run.name} has no marker {label!r}", f"its markers: {there}")


def start_unix(run: RunView) -> float | None:
    """The wall clock at the run's start, in seconds since 1970 UTC."""
    started = run.info.get("started")
    if started:
        try:
            return datetime.fromisoformat(str(started).replace("Z", "+00:00")).timestamp()
        except ValueError:
            pass
    clock = run.frame["time"].dropna()
    if not len(clock):
        return None
    return float(clock.iloc[0].timestamp() - run.frame["elapsed_s"].loc[clock.index[0]])


def marks_of(run: RunView) -> list[tuple[float, str]]:
    """The run's marks as (elapsed seconds, label)."""
    table = run.marks
    if table is not None and len(table):
        pairs = list(zip(table["elapsed_s"], table["label"], strict=True))
    else:
        pairs = [(m.get("elapsed_s"), m.get("label")) for m in run.info.get("markers") or ()]
    return sorted((float(t), str(label)) for t, label in pairs if t is not None and t == t)


def _place(run: RunView, shift: float, options: PlotOptions) -> Placed:
    low = -np.inf if options.start_s is None else options.start_s
    high = np.inf if options.end_s is None else options.end_s
    quality = run.info.get("quality") or {}
    gaps, stalls = _shifted(quality.get("gaps"), shift), _shifted(quality.get("stalls"), shift)
    times = run.frame["elapsed_s"].to_numpy(dtype="float64") + shift
    order = _in_time(times)
    hold = hold_seconds(times[order], sorted(gaps + stalls), asked_interval(run.info))
    inside = _window(times[order], hold, low, high)
    rows = order[inside]
    t, take = _points(times[rows], hold[inside])
    unix = start_unix(run)
    return Placed(
        run=run, rows=rows, t=t, take=take,
        gaps=_clipped(gaps, low, high),
        stalls=_clipped(stalls, low, high),
        cuts=tuple(times[rows][run.frame["cut"].to_numpy(dtype=bool)[rows]]),
        marks=tuple((s + shift, label) for s, label in marks_of(run) if low <= s + shift <= high),
        zero_unix=None if unix is None else unix - shift,
    )  # fmt: skip


def _in_time(times: Any) -> Any:
    """The rows that have a time, in order of it."""
    rows = np.flatnonzero(~np.isnan(times))
    return rows[np.argsort(times[rows], kind="stable")] if np.any(np.diff(times[rows]) < 0) else rows


def _window(at: Any, hold: Any, low: float, high: float) -> slice:
    """The rows inside, and the one before them if its value still holds when the window begins."""
    first, last = np.searchsorted(at, low, "right"), np.searchsorted(at, high, "right")
    if first and at[first - 1] + hold[first - 1] > low:
        first -= 1
    return slice(first, last)


def _points(at: Any, hold: Any) -> tuple[Any, Any]:
    """The corners of the steps: the rows, and a break wherever a value ends before the next row comes."""
    if not len(at):
        return at, np.empty(0, dtype="int64")
    ends = at + hold
    broken = np.flatnonzero(ends[:-1] < at[1:] - 1e-9)
    t: Any = np.insert(at, broken + 1, ends[broken])
    take: Any = np.insert(np.arange(len(at)), broken + 1, -1)
    return np.append(t, ends[-1]), np.append(take, take[-1])


def _shifted(spans: Sequence[Sequence[float]] | None, shift: float) -> Spans:
    return tuple(sorted((float(a) + shift, float(b) + shift) for a, b in spans or ()))


def _clipped(spans: Spans, low: float, high: float) -> Spans:
    return tuple((max(a, low), min(b, high)) for a, b in spans if b >= low and a <= high)
