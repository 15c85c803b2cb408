"""Draws one panel: steps that hold until the next row, shaded spans, marks, and its scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ucpmon.metrics import format_bytes
from ucpmon.plot.data.curves import Curve
from ucpmon.plot.data.panels import Panel
from ucpmon.plot.data.place import Placed
from ucpmon.plot.data.steps import Spans
from ucpmon.plot.layout.page import PLOT, TICK
from ucpmon.plot.layout.style import DPI, Theme, line_look
from ucpmon.plot.layout.ticks import number_label, number_ticks, size_label, size_ticks

SECTION_COLOR = {"rate": 1, "used": 2, "free": 2, "total": 2, "peak": 2, "hbmem": 3, "rss": 3}
"""The colour of a strip by its kind; of a load, and what stands beside it, the first."""
NEAR_TOTAL = 1.6
"""A heap's total is drawn as a line up to so many times the peak: farther away it would squash the curve."""


MANY_MARKS = 15
"""Above so many marks their lines are faint, so that they do not hide the data."""


@dataclass(frozen=True)
class ValueAxis:
    top: float
    ticks: list[float]
    labels: list[str]


def scale_of(panel: Panel, height: float) -> ValueAxis:
    """The vertical axis, from zero: 0 to 100 for loads, else to just above the peak (or the total where it is near)."""
    peak = max(s.peak for s in panel.lines)
    most = max(1, int(height / 0.4))
    percent = panel.kind.startswith("load")
    if percent and peak <= 110:
        ticks = [0.0, 50.0, 100.0] if height >= 0.6 else [0.0, 100.0]
        ticks = ticks if height < 1.6 else [0.0, 25.0, 50.0, 75.0, 100.0]
        return ValueAxis(max(104.0, peak * 1.02), ticks, [f"{t:g} %" for t in ticks])
    if percent or panel.kind in ("rate", "freq", "temp"):
        top = peak * 1.08 or 1.0
        ticks = number_ticks(top if peak else 0.0, most)
        unit = " %" if percent else ""
        return ValueAxis(top, ticks, [number_label(t) + unit for t in ticks])
    top = max([peak, *(s.peak for s in near_totals(panel) + panel.exact)]) * 1.08 or 1.0
    ticks = size_ticks(top if peak else 0.0, most)
    return ValueAxis(top, ticks, [size_label(t) for t in ticks])


def near_totals(panel: Panel) -> list[Curve]:
    """The totals that can be drawn without squashing the curves."""
    peak = max(s.peak for s in panel.lines)
    return [t for t in panel.totals if 0 < t.peak <= NEAR_TOTAL * peak]


def look_of(panel: Panel, index: int, runs: int, theme: Theme) -> tuple[str, object]:
    """Colour and dash: by run where there are several, by line in an overlay, by kind in a strip."""
    if runs > 1:
        return line_look(theme, panel.lines[index].run)
    return line_look(theme, SECTION_COLOR.get(panel.kind, 0) if panel.name else index)


def draw_panel(ax: Any, panel: Panel, height: float, runs: int, theme: Theme) -> None:
    scale = scale_of(panel, height)
    for i, curve in enumerate(panel.lines):
        _draw_curve(ax, curve, *look_of(panel, i, runs, theme), _width(i, len(panel.lines), runs))
    for exact in panel.exact:
        ax.plot(exact.t, exact.y, drawstyle="steps-post", color=theme.ink, linewidth=0.8, label=exact.label,
                gid=exact.column)  # fmt: skip
    for total in near_totals(panel):
        color = line_look(theme, total.run)[0] if runs > 1 else theme.muted
        ax.plot(total.t, total.y, drawstyle="steps-post", color=color, linewidth=0.9, linestyle=(0, (4, 2)),
                label=total.label, gid=total.column)  # fmt: skip
    ax.set_ylim(-0.02 * scale.top, scale.top)
    _ticks(ax, scale, strip=bool(panel.name))


def _width(index: int, lines: int, runs: int) -> float:
    """The first lines are the widest, so that one that lies below another still shows."""
    return 1.4 + (1.1 if runs > 1 else 0.7) * (lines - 1 - index) / max(1, lines - 1)


def _draw_curve(ax: Any, curve: Curve, color: str, dash: object, width: float) -> None:
    """The steps; where rows are denser than columns a pale range of them, and the average over it."""
    look: dict[str, Any] = {"drawstyle": "steps-post", "color": color}
    faint: dict[str, Any] = (
        {"alpha": 0.45, "linewidth": 0.8} if curve.dense else {"linewidth": width, "linestyle": dash}
    )
    dot = "o" if curve.t[0] == curve.t[-1] else None
    ax.plot(curve.t, curve.y, label=curve.label, gid=curve.column, marker=dot, **look, **faint)
    if curve.dense:
        ax.plot(curve.mean_t, curve.mean_y, label=f"{curve.label} average", linewidth=1.1, linestyle=dash, **look)


def _ticks(ax: Any, scale: ValueAxis, strip: bool) -> None:
    ax.set_yticks(scale.ticks, scale.labels)
    labels = ax.get_yticklabels()
    # In a strip the outermost labels stay inside, so that they cannot touch the next strip's.
    if strip:
        labels[0].set_va("bottom")
    if strip and len(labels) > 1 and scale.ticks[-1] > 0.85 * scale.top:
        labels[-1].set_va("top")


def dress(ax: Any, theme: Theme, last: bool, first: bool = False) -> None:
    """Quiet axes: a grid, no box; labels of the time below the ``last`` panel and above a ``first``."""
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    ax.spines["bottom"].set_color(theme.muted if last else theme.grid)
    ax.grid(True, color=theme.grid, linewidth=0.8)
    ax.set_axisbelow(True)
    ax.tick_params(
        axis="both", length=0, labelsize=TICK, labelcolor=theme.muted, pad=4, labelbottom=last, labeltop=first
    )
    if last:
        ax.tick_params(axis="x", length=3, color=theme.muted)


def shade(ax: Any, placed: Sequence[Placed], limits: tuple[float, float], theme: Theme) -> None:
    """Gaps and stalls as bands over the panel's height, marks as thin lines."""
    for i, p in enumerate(placed):
        one = len(placed) == 1
        run_color = line_look(theme, i)[0]
        for spans, color in ((p.gaps, theme.gap), (p.stalls, theme.stall)):
            bars = [(a, b - a) for a, b in visible_spans(spans, limits)]
            look: dict[str, Any] = {"color": color} if one else {"color": run_color, "alpha": 0.15}
            if bars:
                ax.broken_barh(bars, (0, 1), transform=ax.get_xaxis_transform(), linewidth=0, zorder=0.6, **look)
        times = thin_moments([t for t, _ in p.marks], limits)
        if times:
            ax.vlines(times, 0, 1, transform=ax.get_xaxis_transform(), linewidth=0.8, zorder=1.5,
                      color=theme.muted if one else run_color, linestyle=(0, (3, 2)),
                      alpha=1.0 if len(times) <= MANY_MARKS else 0.35)  # fmt: skip


def visible_spans(spans: Spans, limits: tuple[float, float]) -> list[tuple[float, float]]:
    """The spans, none thinner than can be seen; those that then touch are one."""
    least = 1.5 * (limits[1] - limits[0]) / (PLOT * DPI)
    merged: list[tuple[float, float]] = []
    for start, end in spans:
        end = max(end, start + least)
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def thin_moments(times: Sequence[float], limits: tuple[float, float]) -> list[float]:
    """At most one moment for each column of pixels."""
    if not len(times):
        return []
    column = np.floor((np.asarray(times) - limits[0]) / (limits[1] - limits[0]) * PLOT * DPI)
    return list(np.asarray(times)[np.unique(column, return_index=True)[1]])


def total_words(panel: Panel) -> str:
    """``of 512.0 MiB``: the heap's total beside its peak."""
    peaks = sorted({t.peak for t in panel.totals})
    return " – ".join(["of " + format_bytes(peaks[0]), *map(format_bytes, peaks[1:][-1:])]) if peaks else ""
