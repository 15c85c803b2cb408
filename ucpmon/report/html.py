"""A report as one HTML file: no network, no second file; charts by Bokeh, whose browser part stands in the page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files
from typing import Any

from ucpmon import __version__
from ucpmon.errors import MissingExtra
from ucpmon.plot.layout.style import THEMES
from ucpmon.report.blocks import Cell, Section, Table, Text
from ucpmon.report.chart_lines import Chart, charts
from ucpmon.report.charts import chart_item, library
from ucpmon.report.row import row
from ucpmon.report.sections import sections
from ucpmon.report.subject import Subject
from ucpmon.text import printable


@dataclass(frozen=True)
class _PageTable:
    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    numeric: Sequence[bool]


@dataclass(frozen=True)
class _Charts:
    charts: Any
    note: str


def html(subjects: Sequence[Subject], title: str = "") -> str:
    """The page of one run or several. Raises MissingExtra where Bokeh (extra ``report``) is not installed."""
    try:
        from jinja2 import Environment
        from markupsafe import Markup
    except ImportError as error:
        raise MissingExtra("the HTML report", "report") from error
    page = files("ucpmon.report")
    template = Environment(autoescape=True).from_string((page / "page.html.j2").read_text("utf-8"))
    script, licence, version = library()
    names = title or ", ".join(of.run.name for of in subjects)
    text: str = template.render(
        title=printable(names),
        version=__version__,
        css=Markup((page / "page.css").read_text("utf-8")),
        themes=Markup(json.dumps({name: asdict(theme) for name, theme in THEMES.items()})),
        script=Markup((page / "page.js").read_text("utf-8")),
        bokeh={"script": Markup(script), "licence": licence, "version": version},
        reports=[_report(of, f"run{i}", len(subjects)) for i, of in enumerate(subjects, 1)],
    )
    return text


def _report(of: Subject, key: str, share: int) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [_section(s) for s in sections(of)]
    drawn = charts(of, share)
    if drawn:
        # After the warnings, before the numbers: what happened is seen first.
        place = next((i for i, s in enumerate(parts) if s["key"] != "warnings"), 0)
        parts.insert(place, {"key": "charts", "title": "Charts", "blocks": [_charts(of, drawn, key)]})
    return {"key": key, "name": printable(of.run.name), "row": printable(row(of)), "sections": parts}


def _section(section: Section) -> dict[str, Any]:
    # Where the heading names the only table, its caption is for those who cannot see it.
    alone = sum(isinstance(block, Table) for block in section.blocks) == 1
    blocks = [_block(block) for block in section.blocks]
    return {"key": section.key, "title": section.title, "blocks": blocks, "alone": alone}


def _block(block: Table | Text) -> _PageTable | Text:
    if isinstance(block, Text):
        return Text(printable(block.text), block.warning)
    numeric = [any(r[i].numeric for r in block.rows) for i in range(len(block.header))]
    rows = [[Cell(printable(cell.text), cell.value) for cell in row_] for row_ in block.rows]
    return _PageTable(printable(block.caption), block.header, rows, numeric)


def _charts(of: Subject, drawn: Sequence[Chart], key: str) -> _Charts:
    from markupsafe import Markup

    coarse = max(line.column_s for chart in drawn for line in chart.lines)
    note = (
        "Drag over a chart to zoom, or turn the wheel while holding Ctrl; the round arrow beside it goes back. "
        "Point at a line for its value, click its name to hide it. Grey: nothing is known. Dashed: a marker."
    )
    if coarse:
        note += f" Of each {coarse:.3g} s the lowest and the highest value are drawn."
    return _Charts(Markup(chart_item(of, drawn, f"{key}-drawing")), note)
