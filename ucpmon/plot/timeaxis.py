"""The shared time axis, and the marks and phases that stand on it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone
from typing import Any

from ucpmon.plot.draw import thin_moments
from ucpmon.plot.lanes import GAP, Flag, Lanes, pack
from ucpmon.plot.options import PlotOptions
from ucpmon.plot.page import MARGIN, PLOT, RIGHT, SMALL, Page
from ucpmon.plot.place import Placed
from ucpmon.plot.style import line_look
from ucpmon.plot.ticks import clock_label, elapsed_form, elapsed_label, time_ticks

LANE = 0.19


def lanes_of(page: Page, placed: Sequence[Placed], limits: tuple[float, float]) -> Lanes:
    """Where the labels of all runs' marks stand."""
    low, high = limits
    flags = [
        Flag((t - low) / (high - low) * PLOT, page.clean(label), i)
        for i, p in enumerate(placed)
        for t, label in p.marks
    ]
    return pack(flags, PLOT + RIGHT - MARGIN, page.width)


def draw_lanes(page: Page, top: float, lanes: Lanes, runs: int, panel: Any) -> None:
    """The labels, each at the head of its line; the line goes down to the panels and moves with ``panel`` in time."""
    if not lanes.rows:
        return
    height = lanes.rows * LANE
    ax = page.axes(top, height, sharex=panel)
    ax.set_axis_off()
    ax.set_ylim(height, 0)
    low, high = panel.get_xlim()
    for place in lanes.placed:
        x, y = low + place.flag.x / PLOT * (high - low), place.row * LANE
        color = page.theme.muted if runs == 1 else line_look(page.theme, place.flag.run)[0]
        ax.vlines(x, y + 0.02, height, color=color, linewidth=0.8)
        right = place.left > place.flag.x
        ax.annotate(
            place.flag.text, (x, y + LANE / 2), xytext=(72 * (GAP if right else -GAP), 0), textcoords="offset points",
            ha="left" if right else "right", va="center", size=SMALL, color=page.theme.ink, parse_math=False,
            annotation_clip=True,
        )  # fmt: skip


def draw_cuts(ax: Any, placed: Sequence[Placed], limits: tuple[float, float], color: str) -> None:
    """A small sign at the top of the first panel for each row that was cut off."""
    cuts = thin_moments([t for p in placed for t in p.cuts], limits)
    if cuts:
        ax.plot(cuts, [1.0] * len(cuts), linestyle="none", marker=7, markersize=5, color=color, clip_on=False,
                transform=ax.get_xaxis_transform(), gid="cut")  # fmt: skip


def set_time_axis(axes: Sequence[Any], placed: Sequence[Placed], limits: tuple[float, float], options: PlotOptions,
                  color: str) -> None:  # fmt: skip
    """Limits, round ticks and the name of the time axis; ticks follow when a window is zoomed."""
    last = axes[-1]
    base = _base(placed, options)

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
    step = time_ticks(*limits, 10)[1]
    last.set_xlabel(
        _name(elapsed_form(*limits, step), base, placed, options), size=SMALL, color=color, parse_math=False
    )


def _base(placed: Sequence[Placed], options: PlotOptions) -> float | None:
    return placed[0].zero_unix if options.align == "wall" else None


def _name(form: str, base: float | None, placed: Sequence[Placed], options: PlotOptions) -> str:
    if base is not None:
        return f"time of day, UTC, from {datetime.fromtimestamp(base, timezone.utc):%Y-%m-%d}"
    nominal = "nominal " if any(p.run.info.get("time_basis") == "nominal" for p in placed) else ""
    since = f"marker {options.marker!r}" if options.marker else "start"
    return f"{nominal}time since {since}, {form}"
