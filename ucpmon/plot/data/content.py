"""What is on the page: the panels in their order, their headings, and notes on what is not drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ucpmon.metrics import format_value
from ucpmon.plot.data.curves import Curve, Curves
from ucpmon.plot.data.panels import HEADINGS, Panel, chosen, headed, kind_of, metric_panels, no_value
from ucpmon.plot.data.processes import ProcessSeries, process_series
from ucpmon.plot.options import PlotOptions

_OF_PROCESSES = ("hbmem", "rss")


@dataclass(frozen=True)
class Content:
    panels: list[Panel]
    notes: list[str]


def content(curves: Curves, options: PlotOptions) -> Content:
    """The panels of the page: loads, bandwidth, heaps, processes.

    Raises InputError where a glob of ``options.series`` fits nothing.
    """
    wanted = chosen(curves.placed, options)
    notes: list[str] = []
    panels: list[Panel] = []
    for kind in (kind for kind in HEADINGS if kind not in _OF_PROCESSES):
        columns = [c for c in wanted if kind_of(c) == kind]
        panels += metric_panels(curves, kind, columns, notes, bool(options.series))
    for kind in _OF_PROCESSES:
        names = {c.removesuffix(f"_{kind}_bytes") for c in wanted if kind_of(c) == kind}
        panels += _process_panels(curves, kind, names, options.top, notes)
    return Content(panels, no_value(curves.placed, wanted) + notes)


def _process_panels(curves: Curves, kind: str, names: set[str], top: int, notes: list[str]) -> list[Panel]:
    found = [process_series(p.run.processes, p.steps, f"{kind}_bytes", names) for p in curves.placed]
    if not any(found):
        return []
    best = _best(found, top)
    rest = _rest(found, best, kind)
    groups = _grouped(curves, kind, found, best)
    lines = [s for group in groups.values() for s in group]
    if not lines:
        notes.append(f"no process with {kind} memory")
    elif len(found) == 1 and not any(s.dense for s in lines):
        return headed([Panel(kind, "", lines, rest=rest)])
    if rest and lines:
        notes.append(f"{kind}: {rest}")
    return headed([Panel(kind, curves.clean(key), group) for key, group in groups.items()])


def _key(process: ProcessSeries, runs: int) -> str:
    """What tells processes apart: pid and name in one run; across several the name, for pids differ."""
    return process.who if runs == 1 else process.name


def _grouped(
    curves: Curves, kind: str, found: Sequence[Sequence[ProcessSeries]], best: Sequence[str]
) -> dict[str, list[Curve]]:
    groups: dict[str, list[Curve]] = {key: [] for key in best}
    for run, series in enumerate(found):
        for process in series:
            key = _key(process, len(found))
            if key in groups:
                groups[key] += curves.of_rows(run, f"{process.name}_{kind}_bytes", process.who, process.values())
    return {key: lines for key, lines in groups.items() if lines}


def _best(found: Sequence[Sequence[ProcessSeries]], top: int) -> list[str]:
    """The keys of the processes that peak highest."""
    peaks: dict[str, float] = {}
    for process in (p for series in found for p in series):
        key = _key(process, len(found))
        peaks[key] = max(peaks.get(key, 0.0), process.peak)
    return [k for k, peak in sorted(peaks.items(), key=lambda item: -item[1])[:top] if peak > 0]


def _rest(found: Sequence[Sequence[ProcessSeries]], best: Sequence[str], kind: str) -> str:
    others = [p.peak for series in found for p in series if _key(p, len(found)) not in best]
    if not others:
        return ""
    most = format_value(f"x_{kind}_bytes", max(others))
    return f"{len(others)} more, each at most {most}" if max(others) > 0 else f"{len(others)} more with none"
