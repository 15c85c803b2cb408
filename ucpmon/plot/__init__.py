"""Runs as one page of charts: ``build_figure`` makes a matplotlib Figure, ``save_figure`` writes it.

align, place (time) → content, panels (which series, thinned by analysis.decimate) → compose (page, lanes, keys, draw…).
"""

from ucpmon.plot.figure import build_figure, fonts_of
from ucpmon.plot.found import phases_of, too_long_for_phases
from ucpmon.plot.options import PlotOptions, parse_globs, parse_moment
from ucpmon.plot.place import Extra
from ucpmon.plot.save import format_of, render, save_figure

__all__ = [
    "Extra",
    "PlotOptions",
    "build_figure",
    "fonts_of",
    "format_of",
    "parse_globs",
    "parse_moment",
    "phases_of",
    "render",
    "save_figure",
    "too_long_for_phases",
]
