"""Puts the page together from top to bottom: heading, marks, panels, time axis, signs, notes, footer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ucpmon.plot.data.content import Content
from ucpmon.plot.data.panels import Panel
from ucpmon.plot.data.place import Placed
from ucpmon.plot.layout.furniture import (
    LINE,
    TITLE_HEIGHT,
    draw_keys,
    draw_lines,
    draw_signs,
    draw_title,
    foot_lines,
    head_lines,
    key_of_signs,
)
from ucpmon.plot.layout.keys import PITCH, Key, keys_of
from ucpmon.plot.layout.page import BODY, LEFT, MARGIN, PLOT, RIGHT, Page
from ucpmon.plot.layout.panel import draw_panel, dress, shade
from ucpmon.plot.layout.text_flow import shorten
from ucpmon.plot.layout.time_axis import LANE, draw_bars, draw_cuts, draw_lanes, rows_of, set_time_axis, signs_of
from ucpmon.plot.options import PlotOptions

STRIP, TALL_STRIP, OVERLAY = 0.42, 0.84, 1.7
"""Least heights of a strip of loads or of what never changes, of another strip, and of a panel that lines share."""
HEADING, BETWEEN, AXIS, EDGE = 0.41, 0.09, 0.46, 0.14
TALL, TOP_TICKS = 13.0, 0.2
"""A page higher than this has the time written above its first panel too."""
USUAL_HEIGHT, HIGHEST = 7.2, 4.0
"""The height of a page with little on it, and of one panel there."""
TICKS_ROOM = 0.55
KEY_ROOM = RIGHT - MARGIN - 0.12


def compose(
    page: Page, placed: Sequence[Placed], limits: tuple[float, float], content: Content, options: PlotOptions
) -> None:
    """Fills the page; its height follows from what is on it."""
    keys = [keys_of(p, len(placed), page.theme, KEY_ROOM, page.width) for p in content.panels]
    lanes, bars = signs_of(page, placed, limits)
    head, foot = head_lines(page, placed, options), foot_lines(page, placed, _notes(content, lanes.unlabelled))
    signs = key_of_signs(page, placed, content)
    foot_top = AXIS + (LINE if signs else 0.0)
    top = TITLE_HEIGHT + LINE * len(head) + 0.06
    bars_top = top + LANE * lanes.rows
    panels_top = bars_top + LANE * rows_of(bars)
    below = foot_top + LINE * len(foot) + EDGE
    heights = heights_of(content.panels, keys, USUAL_HEIGHT - panels_top - below)
    height = panels_top + _used(content.panels, heights) + below
    page.resize(height + TOP_TICKS if height > TALL else height)

    draw_title(page, placed, options)
    draw_lines(page, TITLE_HEIGHT, head)
    axes, y = _panels(page, panels_top, content.panels, heights, keys, len(placed))
    for ax in axes:
        shade(ax, placed, limits, page.theme)
    set_time_axis(axes, placed, limits, options, page.theme.muted)
    draw_lanes(page, top, lanes, len(placed), axes[0])
    draw_bars(page, bars_top, bars, len(placed), axes[0])
    draw_cuts(axes[0], placed, limits, page.theme.ink)
    draw_signs(page, y + AXIS, signs)
    draw_lines(page, y + foot_top, foot)


def heights_of(panels: Sequence[Panel], keys: Sequence[Sequence[Key]], usual: float) -> list[float]:
    """Inches for each panel: the least that is legible, more where the page would be lower than usual."""
    least = [max(_least(p), PITCH * len(k) + 0.06) for p, k in zip(panels, keys, strict=True)]
    spare = usual - _used(panels, least)
    return [min(h + max(0.0, spare) * h / sum(least), max(h, HIGHEST)) for h in least]


def _least(panel: Panel) -> float:
    if not panel.name:
        return OVERLAY
    steady = all(np.nanmin(s.y) == s.peak for s in panel.lines)
    return STRIP if panel.kind.startswith("load") or steady else TALL_STRIP


def _used(panels: Sequence[Panel], heights: Sequence[float]) -> float:
    return sum(heights) + sum(HEADING if p.heading else BETWEEN for p in panels) if panels else 2.0


def _panels(
    page: Page, y: float, panels: Sequence[Panel], heights: Sequence[float], keys: Sequence[Sequence[Key]], runs: int
) -> tuple[list[Any], float]:
    """The panels from ``y`` down, and the place below the last; one empty panel that says so where there is none."""
    if not panels:
        return [_empty(page, y + BETWEEN)], y + 2.0
    axes: list[Any] = []
    for panel, height, key in zip(panels, heights, keys, strict=True):
        if panel.heading:
            page.text(MARGIN, y + HEADING - 0.18, panel.heading, size=BODY, weight="bold")
        y += (HEADING if panel.heading else BETWEEN) + (TOP_TICKS if not axes and page.height > TALL else 0.0)
        ax = page.axes(y, height, sharex=axes[0] if axes else None, label=panel.name or panel.kind)
        dress(ax, page.theme, last=panel is panels[-1], first=not axes and page.height > TALL)
        draw_panel(ax, panel, height, runs, page.theme)
        page.text(MARGIN, y + height / 2, shorten(panel.name, LEFT - MARGIN - TICKS_ROOM, page.width))
        draw_keys(page, LEFT + PLOT + 0.12, y + height / 2, key)
        axes.append(ax)
        y += height
    return axes, y


def _empty(page: Page, y: float) -> Any:
    ax = page.axes(y, 2.0 - BETWEEN, label="empty")
    dress(ax, page.theme, last=True)
    ax.set_yticks([])
    ax.text(0.5, 0.5, "there is no figure to draw", transform=ax.transAxes, ha="center", va="center", size=BODY,
            color=page.theme.muted)  # fmt: skip
    return ax


def _notes(content: Content, unlabelled: int) -> list[str]:
    if not unlabelled:
        return content.notes
    crowded = f"{unlabelled} marks stand too close together to be named: look closer with --from and --to"
    return [*content.notes, crowded]
