"""Charts as Bokeh figures: one time axis for all, zoomed together; values under the pointer.

The page's script recolours them for light and dark: what it needs to know is in each model's ``tags``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from ucpmon.errors import MissingExtra
from ucpmon.plot.layout.style import LIGHT
from ucpmon.report.chart_lines import Chart, ChartLine
from ucpmon.report.subject import Subject
from ucpmon.runs.frames import set_marks
from ucpmon.statistics.weights import unknown_spans

_DASHES = ("solid", "dashed", "dotted", "dotdash")
_HEIGHT = 240
_MOST_LABELS, _MOST_LETTERS = 12, 24
# Elapsed time as people write it; Bokeh's own datetime ticks would show a date.
_CLOCK = """
const s = Math.abs(tick) / 1000, h = Math.floor(s / 3600), m = Math.floor(s / 60) % 60, r = s % 60
const two = (n) => String(n).padStart(2, "0")
const rest = Number.isInteger(r) ? two(r) : r.toFixed(s % 1 * 10 % 1 ? 2 : 1).padStart(4, "0")
return (tick < 0 ? "-" : "") + (h ? h + ":" + two(m) : m) + ":" + rest
"""


def chart_item(of: Subject, charts: Sequence[Chart], target: str) -> str:
    """The charts as the JSON that ``Bokeh.embed.embed_item`` takes, to be drawn in the element ``target``.

    Raises MissingExtra where Bokeh is not installed. ``<`` is escaped: a name cannot end the script it stands in.
    """
    try:
        from bokeh.embed import json_item
        from bokeh.layouts import column
        from bokeh.models import Range1d
    except ImportError as error:
        raise MissingExtra("the HTML report", "report") from error
    low = min(float(line.at_s[0]) for chart in charts for line in chart.lines)
    high = max(float(line.at_s[-1]) for chart in charts for line in chart.lines)
    shared = Range1d(low * 1000, high * 1000, bounds="auto")
    figures = [_figure(of, chart, shared) for chart in charts]
    _marks(figures[0], of)
    # One time axis for all: named once, under the last.
    figures[-1].xaxis[0].axis_label = "time from the start (min:s)"
    item = json_item(column(figures, sizing_mode="stretch_width"), target)
    return json.dumps(item).replace("<", "\\u003c")


def library() -> tuple[str, str, str]:
    """Bokeh's browser part, its licence, and its version: what makes the page need no network."""
    from importlib.metadata import files

    import bokeh
    from bokeh.resources import Resources

    script = "\n".join(Resources(mode="inline", minified=True, components=["bokeh"]).js_raw)
    licences = [f for f in files("bokeh") or [] if f.name.upper().startswith("LICENSE")]
    return script, "\n".join(f.read_text("utf-8") for f in licences[:1]), str(bokeh.__version__)


def _figure(of: Subject, chart: Chart, shared: Any) -> Any:
    from bokeh.models import CustomJSTickFormatter, DatetimeTicker
    from bokeh.plotting import figure

    figure_ = figure(
        height=_HEIGHT, sizing_mode="stretch_width", x_range=shared, title=chart.title, y_axis_label=chart.unit,
        tools="", toolbar_location="right", min_border_left=64,
    )  # fmt: skip
    figure_.toolbar.logo = None
    figure_.xaxis[0].update(ticker=DatetimeTicker(), formatter=CustomJSTickFormatter(code=_CLOCK))
    figure_.y_range.start = 0
    if chart.title in ("BPU load", "DSP load"):
        # A little above, so that a line at 100 % is seen whole.
        figure_.y_range.end = 103
    targets = [_draw(figure_, line, i) for i, line in enumerate(chart.lines)]
    _legend(figure_)
    _tools(figure_, chart, targets)
    _notes(figure_, of)
    return figure_


def _draw(figure_: Any, line: ChartLine, i: int) -> Any:
    from bokeh.models import ColumnDataSource

    # 32 bits tell 8 ms apart at the end of a day, and a tenth of a MiB of a terabyte.
    data: dict[str, Any] = {"x": (line.at_s * 1000).astype(np.float32), "y": line.values.astype(np.float32)}
    source = ColumnDataSource(data, name=line.label)
    turn, place = divmod(i, len(LIGHT.lines))
    look = {"color": LIGHT.lines[place], "line_dash": _DASHES[turn % len(_DASHES)], "line_width": 1.6}
    drawn = figure_.line("x", "y", source=source, legend_label=line.label, **look)
    drawn.glyph.tags = ["line", place]
    # A thin line is hard to point at: an unseen wide one over it is what the pointer meets.
    return figure_.line("x", "y", source=source, line_width=14, line_alpha=0, name=line.label)


def _legend(figure_: Any) -> None:
    legend = figure_.legend[0]
    figure_.add_layout(legend, "below")
    legend.update(click_policy="hide", location="top_left", ncols=2, padding=2, margin=0, border_line_color=None)


def _tools(figure_: Any, chart: Chart, targets: Sequence[Any]) -> None:
    from bokeh.models import BoxZoomTool, CustomJSHover, HoverTool, PanTool, ResetTool, WheelZoomTool

    clock = CustomJSHover(code="const tick = value\n" + _CLOCK)
    figures = [("", "$name"), ("", f"@y{{0,0.0}} {chart.unit}"), ("at", "@x{custom}")]
    box = BoxZoomTool(dimensions="width")
    figure_.add_tools(
        box,
        PanTool(dimensions="width"),
        # With Ctrl alone: a page that scrolls must not zoom what the pointer passes over.
        WheelZoomTool(dimensions="width", modifiers={"ctrl": True}),
        ResetTool(),
        HoverTool(tooltips=figures, formatters={"@x": clock}, renderers=list(targets), line_policy="prev"),
    )
    figure_.toolbar.active_drag = box


def _notes(figure_: Any, of: Subject) -> None:
    from bokeh.models import BoxAnnotation, Span

    for start, end in unknown_spans(of.run.info.get("quality") or {}):
        figure_.add_layout(
            BoxAnnotation(left=start * 1000, right=end * 1000, fill_color="#9aa0a6", fill_alpha=0.3, line_color=None)
        )
    for at in set_marks(of.run.marks)["elapsed_s"]:
        figure_.add_layout(Span(location=float(at) * 1000, dimension="height", line_dash="dashed"))


def _marks(figure_: Any, of: Subject) -> None:
    """The labels of the marks, up the left of their lines: in one chart, and only where there is room for them."""
    from bokeh.models import Label

    marks = set_marks(of.run.marks)
    for mark in marks.itertuples() if len(marks) <= _MOST_LABELS else ():
        text = str(mark.label) if len(str(mark.label)) <= _MOST_LETTERS else f"{str(mark.label)[:_MOST_LETTERS]}…"
        label = Label(x=float(mark.elapsed_s) * 1000, y=6, y_units="screen", x_offset=-3, text=text)
        label.update(angle=90, angle_units="deg", text_font_size="11px")
        figure_.add_layout(label)
