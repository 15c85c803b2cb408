"""Where a run's zero lies on a time axis that runs share: its start, a marker, or the wall clock."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from ucpmon.errors import InputError
from ucpmon.plot.options import PlotOptions
from ucpmon.runs.files import from_iso
from ucpmon.runs.reader import Run


def shifts(runs: Sequence[Run], options: PlotOptions) -> list[float]:
    """Seconds to add to each run's elapsed time.

    Raises InputError where a run lacks the marker or the clock to align by.
    """
    if options.align == "wall":
        clocks = [_clock(run) for run in runs]
        return [clock - min(clocks) for clock in clocks]
    return [-_marker(run, options.marker) if options.marker else 0.0 for run in runs]


def _clock(run: Run) -> float:
    unix = start_unix(run)
    if unix is None:
        raise InputError(f"{run.name} has no wall clock", "use --align start or --align marker:LABEL")
    return unix


def _marker(run: Run, label: str) -> float:
    known = marks_of(run)
    for same in (lambda a: a == label, lambda a: a.lower() == label.lower(), lambda a: label.lower() in a.lower()):
        found = [t for t, name in known if same(name)]
        if found:
            return min(found)
    there = ", ".join(dict.fromkeys(name for _, name in known)) or "it has none"
    raise InputError(f"{run.name} has no marker {label!r}", f"its markers: {there}")


def start_unix(run: Run) -> float | None:
    """The wall clock at the run's start, in seconds since 1970 UTC; ``None`` where unknown."""
    started = run.info.get("started")
    if started:
        with suppress(ValueError, TypeError):
            return from_iso(str(started)) / 1e6
    clock = run.frame["time"].dropna()
    if not len(clock):
        return None
    return float(clock.iloc[0].timestamp() - run.frame["elapsed_s"].loc[clock.index[0]])


def length_s(run: Run) -> float:
    """When the last row was printed, in s from the start; 0 without a row."""
    return float(run.frame["elapsed_s"].max()) if len(run.frame) else 0.0


def marks_of(run: Run) -> list[tuple[float, str]]:
    """The run's marks as (elapsed seconds, label), in order of time; that of the end is said by the axis."""
    ended = f"ucpmon: {run.info.get('ended')}"
    if len(run.marks):
        pairs = list(zip(run.marks["elapsed_s"], run.marks["label"], strict=True))
    else:
        pairs = [(m.get("elapsed_s"), m.get("label")) for m in run.info.get("markers") or ()]
    return sorted((float(t), str(label)) for t, label in pairs if t is not None and t == t and label != ended)
