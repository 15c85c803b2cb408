"""What a run says, as one HTML page, as Markdown, or as one line.

source → subject (a run and all that is computed of it) → sections (what is said, as blocks of text and tables) →
markdown or html (how it looks); charts are in the page alone. Nothing is computed twice, so all forms say the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ucpmon.errors import UsageError
from ucpmon.report.markdown import markdown
from ucpmon.report.row import row
from ucpmon.report.subject import Subject, subject

__all__ = ["Subject", "form_of", "markdown", "render", "row", "subject"]

_FORMS = {".html": "html", ".htm": "html", ".md": "markdown", ".markdown": "markdown"}


def form_of(output: Path | None) -> str:
    """``html`` or ``markdown``, by the output's name; ``-`` is Markdown. Raises UsageError for another ending."""
    if output is None:
        return "html"
    if str(output) == "-":
        return "markdown"
    form = _FORMS.get(output.suffix.lower())
    if form is None:
        raise UsageError(f"{output}: a report is .html or .md", "end the output's name so")
    return form


def render(subjects: Sequence[Subject], form: str, title: str = "") -> str:
    """The report in a form of ``form_of``. Raises MissingExtra where the page's packages are not installed."""
    if form == "markdown":
        return markdown(subjects)
    # Bokeh costs half a second: only the page needs it.
    from ucpmon.report.html import html

    return html(subjects, title)
