"""Runs → one page as a matplotlib Figure. Nothing global is left changed, and nothing is written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ucpmon.errors import UsageError
from ucpmon.plot.data.align import marks_of
from ucpmon.plot.data.content import content
from ucpmon.plot.data.curves import Curves
from ucpmon.plot.data.heading import what
from ucpmon.plot.data.place import Extra, place, time_limits
from ucpmon.plot.layout.compose import compose
from ucpmon.plot.layout.fonts import Fonts, fonts_for
from ucpmon.plot.layout.page import PLOT, Page
from ucpmon.plot.layout.style import DPI, THEMES, drawing
from ucpmon.plot.options import PlotOptions
from ucpmon.runs.reader import Run


def build_figure(runs: Sequence[Run], options: PlotOptions | None = None, extras: Sequence[Extra] = ()) -> Any:
    """One page with a shared time axis: loads, DDR bandwidth, heaps and processes' memory of one run or several.

    ``extras`` are phases and true DDR bandwidth, one for each run, or none at all.

    The Figure has the Agg canvas and belongs to no pyplot. Each line carries its column as ``gid``. Raises
    InputError where a series, a marker, a clock or the window asked for is not there, UsageError without a run.
    """
    if not runs:
        raise UsageError("no run to plot", "name a run.csv, a run.cast or any saved capture")
    options = options or PlotOptions()
    placed = place(runs, options, extras)
    limits = time_limits(placed, options)
    columns = options.columns or round(PLOT * DPI)
    fonts = fonts_of(runs)
    with drawing(fonts.families):
        page = Page(THEMES[options.style], fonts)
        curves = Curves(placed, limits, columns, page.clean)
        compose(page, placed, limits, content(curves, options), options)
    return page.figure


def fonts_of(runs: Sequence[Run]) -> Fonts:
    """The fonts that draw everything the runs name; ``Fonts.warning`` says what none of them has."""
    return fonts_for(text for run in runs for text in _texts(run))


def _texts(run: Run) -> Sequence[str]:
    names = run.processes["process"].unique()
    info = [str(run.info.get(key) or "") for key in ("ended", "monitor", "source")]
    return [run.name, *what(run), *map(str, names), *(m for _, m in marks_of(run)), *map(str, run.frame.columns), *info]
