"""The page: its size, its margins, text at a place in inches, and how wide a text is."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ucpmon.plot.layout.fonts import Fonts
from ucpmon.plot.layout.style import DPI, Theme
from ucpmon.text import printable

WIDTH, MARGIN = 11.6, 0.28
LEFT, RIGHT = 1.95, 2.3
"""Inches left of the axes (strips' names, tick labels) and right of them (the key of each panel)."""
PLOT = WIDTH - LEFT - RIGHT
TITLE, BODY, SMALL, TICK = 14.0, 10.0, 9.0, 8.5


class Page:
    """A figure with places counted in inches from its upper left corner."""

    def __init__(self, theme: Theme, fonts: Fonts) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        self.theme = theme
        self.fonts = fonts
        self.figure = Figure(figsize=(WIDTH, WIDTH), dpi=DPI, facecolor=theme.ground)
        self._renderer = FigureCanvasAgg(self.figure).get_renderer()
        self._width = lru_cache(maxsize=None)(self._measure)
        self.height = WIDTH

    def resize(self, height: float) -> None:
        self.height = height
        self.figure.set_size_inches(WIDTH, height)

    def width(self, text: str, size: float = SMALL, weight: str = "normal") -> float:
        """Inches that ``text`` takes."""
        return float(self._width(text, size, weight))

    def _measure(self, text: str, size: float, weight: str) -> float:
        from matplotlib.font_manager import FontProperties

        font = FontProperties(family=list(self.fonts.families), size=size, weight=weight)
        return float(self._renderer.get_text_width_height_descent(text, font, False)[0]) / DPI

    def clean(self, text: str) -> str:
        """``text`` in one line, with control characters and those that no font has as escapes."""
        return printable(str(text), missing=self.fonts.missing)

    def text(self, x: float, y: float, text: str, **look: Any) -> None:
        """Text whose middle is ``y`` inches below the page's top; ``$`` and the like are plain characters."""
        look = {"size": SMALL, "color": self.theme.ink, "va": "center", **look}
        self.figure.text(x / WIDTH, 1 - y / self.height, text, parse_math=False, **look)

    def swatch(self, x: float, y: float, color: str, dash: Any = "solid", weight: float = 2.0) -> None:
        """A short piece of line, its left end ``x`` and its middle ``y`` inches from the page's upper left corner."""
        from matplotlib.lines import Line2D

        ends = [x / WIDTH, (x + 0.2) / WIDTH], [1 - y / self.height] * 2
        self.figure.add_artist(Line2D(*ends, color=color, linestyle=dash, linewidth=weight, solid_capstyle="butt"))

    def patch(self, x: float, y: float, color: str) -> None:
        """A small filled box, placed as a swatch is."""
        from matplotlib.patches import Rectangle

        corner = (x / WIDTH, 1 - (y + 0.06) / self.height)
        self.figure.add_artist(Rectangle(corner, 0.2 / WIDTH, 0.12 / self.height, color=color, linewidth=0))

    def axes(self, top: float, height: float, **options: Any) -> Any:
        """Axes over the plot's width, their top edge ``top`` inches below the page's."""
        bottom = 1 - (top + height) / self.height
        box = (LEFT / WIDTH, bottom, PLOT / WIDTH, height / self.height)
        return self.figure.add_axes(box, facecolor=self.theme.ground, **options)

    def lines(self, x: float, y: float, lines: Sequence[str], pitch: float, **look: Any) -> float:
        """Lines of text one below the other; the place below the last."""
        for line in lines:
            self.text(x, y + pitch / 2, line, **look)
            y += pitch
        return y
