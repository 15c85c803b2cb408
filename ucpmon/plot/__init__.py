"""Runs as one page of charts: ``build_figure`` makes a matplotlib Figure, ``save_figure`` writes it.

place → panels (which series, thinned by analysis.decimate) → compose (page, lanes, keys, furniture, timeaxis, draw).
"""

from ucpmon.plot.figure import build_figure, fonts_of
from ucpmon.plot.options import PlotOptions, parse_globs, parse_moment
from ucpmon.plot.save import format_of, render, save_figure

__all__ = [
    "PlotOptions",
    "build_figure",
    "fonts_of",
    "format_of",
    "parse_globs",
    "parse_moment",
    "render",
    "save_figure",
]
