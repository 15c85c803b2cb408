"""The shared time axis, and the marks and phases that stand above it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone
from typing import Any

from ucpmon.plot.data.place import Placed
from ucpmon.plot.layout.lanes import GAP, Flag, Lanes, Placement, pack
from ucpmon.plot.layout.page import MARGIN, PLOT, RIGHT, SMALL, Page
from ucpmon.plot.layout.panel import thin_moments
from ucpmon.plot.layout.phase_bars import Bar, bars_of, flags_of
from ucpmon.plot.layout.style import line_look
from ucpmon.plot.layout.ticks import clock_label, elapsed_form, elapsed_label, time_ticks
from ucpmon.plot.options import PlotOptions

LANE = 0.19


def signs_of(page: Page, placed: Sequence[Placed], limits: tuple[float, float]) -> tuple[Lanes, list[Bar]]:
    """Where the labels of all runs' marks stand, and the bars of their phases."""
    low, high = limits

    def inches(t: float) -> float:
        return (t - low) / (high - low) * PLOT

    bars = bars_of(placed, inches, page.clean, page.width)
    marks = [Flag(inches(t), page.clean(label), i) for i, p in enumerate(placed) for t, label in p.marks]
    return pack(marks + flags_of(bars, inches), PLOT + RIGHT - MARGIN, page.width), bars


def rows_of(bars: Sequence[Bar]) -> int:
    return max((bar.row + 1 for bar in bars), default=0)


def draw_lanes(page: Page, top: float, lanes: Lanes, runs: int, panel: Any) -> None:
    """The labels, each at the head of its line; the line goes down to the panels and moves with ``panel`` in time."""
    if not lanes.rows:
        return
    ax = _lane_axes(page, top, lanes.rows, panel)
    low, high = panel.get_xlim()
    for place in lanes.placed:
        x, y = low + place.flag.x / PLOT * (high - low), place.row * LANE
        color = page.theme.muted if runs == 1 else line_look(page.theme, place.flag.run)[0]
        ax.vlines(x, y + 0.02, lanes.rows * LANE, color=color, linewidth=0.8)
        _label(ax, page, place, x, y + LANE / 2)


def _label(ax: Any, page: Page, place: Placement, x: float, y: float) -> None:
    right = place.left > place.flag.x
    ax.annotate(
        place.flag.text, (x, y), xytext=(72 * (GAP if right else -GAP), 0), textcoords="offset points",
        ha="left" if right else "right", va="center", size=SMALL, color=page.theme.ink, parse_math=False,
        annotation_clip=True,
    )  # fmt: skip


def draw_bars(page: Page, top: float, bars: Sequence[Bar], runs: int, panel: Any) -> None:
    """The phases; neighbours have different shades, several runs their own colours at the left edge."""
    if not bars:
        return
    page.text(MARGIN, top + rows_of(bars) * LANE / 2, "phases", color=page.theme.muted)
    ax = _lane_axes(page, top, rows_of(bars), panel)
    drawn = [0] * rows_of(bars)
    for bar in bars:
        shade = page.theme.phase[drawn[bar.row] % 2]
        drawn[bar.row] += 1
        span, y = (bar.start, bar.end - bar.start), (bar.row * LANE + 0.02, LANE - 0.04)
        ax.broken_barh([span], y, facecolor=shade, linewidth=0, gid=f"phase {bar.name}")
        if runs > 1:
            ax.vlines(bar.start, y[0], sum(y), color=line_look(page.theme, bar.run)[0], linewidth=2)
        if bar.text:
            ax.annotate(bar.text, ((bar.start + bar.end) / 2, bar.row * LANE + LANE / 2), ha="center", va="center",
                        size=SMALL, color=page.theme.ink, parse_math=False, annotation_clip=True)  # fmt: skip


def _lane_axes(page: Page, top: float, rows: int, panel: Any) -> Any:
    """Axes without a frame, with the panels' time, and inches from their top downwards."""
    ax = page.axes(top, rows * LANE, sharex=panel)
    ax.set_axis_off()
    ax.set_ylim(rows * LANE, 0)
    return ax


def draw_cuts(ax: Any, placed: Sequence[Placed], limits: tuple[float, float], color: str) -> None:
    """A small sign at the top of the first panel for each row that was cut off."""
    cuts = thin_moments([t for p in placed for t in p.cuts], limits)
    if cuts:
        ax.plot(cuts, [1.0] * len(cuts), linestyle="none", marker=7, markersize=5, color=color, clip_on=False,
                transform=ax.get_xaxis_transform(), gid="cut")  # fmt: skip


def set_time_axis(
    axes: Sequence[Any], placed: Sequence[Placed], limits: tuple[float, float], options: PlotOptions, color: str
) -> None:
    """Limits, round ticks and the name of the time axis; ticks follow when a window is zoomed."""
    last = axes[-1]
    base = placed[0].zero_unix if options.align == "wall" else None

    def retick(ax: Any) -> None:
        low, high = ax.get_xlim()
        ticks, step = time_ticks(low, high, 10, base or 0.0)
        form = elapsed_form(low, high, step)
        labels = [elapsed_label(t, form, step) if base is None else clock_label(base + t, step) for t in ticks]
        ax.set_xticks(ticks, labels)

    last.set_xlim(*limits)
    retick(last)
    for ax in axes:
        ax.callbacks.connect("xlim_changed", retick)
    form = elapsed_form(*limits, time_ticks(*limits, 10)[1])
    last.set_xlabel(_name(form, base, placed, options), size=SMALL, color=color, parse_math=False)


def _name(form: str, base: float | None, placed: Sequence[Placed], options: PlotOptions) -> str:
    if base is not None:
        return f"time of day, UTC, from {datetime.fromtimestamp(base, timezone.utc):%Y-%m-%d}"
    nominal = "nominal " if any(p.run.info.get("time_basis") == "nominal" for p in placed) else ""
    since = f"marker {options.marker!r}" if options.marker else "start"
    return f"{nominal}time since {since}, {form}"
