"""Runs as one page of charts: ``build_figure`` makes a matplotlib Figure, ``save_figure`` writes it.

``data`` says what is drawn (series on one time axis, in panels), ``layout`` where it stands and how it looks;
``figure`` puts both together, ``save`` and ``window`` hand it out.
"""

from ucpmon.plot.data.place import Extra, phases_of, too_long_for_phases
from ucpmon.plot.figure import build_figure, fonts_of
from ucpmon.plot.options import PlotOptions, parse_globs, parse_moment
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
