"""What a run says, as one HTML page, as Markdown, or as one line.

source → subject (a run and all that is computed of it) → sections (what is said, as blocks of text and tables) →
markdown or html (how it looks); charts are in the page alone. Nothing is computed twice, so all forms say the same.
"""

from ucpmon.report.markdown import markdown
from ucpmon.report.row import row
from ucpmon.report.subject import Subject, subject

__all__ = ["Subject", "markdown", "row", "subject"]
