"""A report as Markdown, for issue trackers: plain tables, every name as text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ucpmon.report.blocks import Section, Table, Text
from ucpmon.report.row import row
from ucpmon.report.sections import sections
from ucpmon.report.subject import Subject
from ucpmon.text import printable

# What Markdown would take for markup or for a table's border.
_SPECIAL = re.compile(r"([\\`*_\[\]<>|~&])")


def markdown(subjects: Sequence[Subject]) -> str:
    """The reports of runs, one after another."""
    return "\n".join(line for of in subjects for line in _report(of))


def escape(text: str) -> str:
    """``text`` as it is read: no markup, no line break, no control character."""
    shown = printable(text)
    return _SPECIAL.sub(r"\\\1", shown)


def _report(of: Subject) -> Iterator[str]:
    yield f"# {escape(of.run.name)}\n\n{escape(row(of))}\n"
    for section in sections(of):
        yield from _section(section)


def _section(section: Section) -> Iterator[str]:
    yield f"## {escape(section.title)}\n"
    for block in section.blocks:
        yield from _table(block) if isinstance(block, Table) else _text(block)


def _text(text: Text) -> Iterator[str]:
    yield f"**{escape(text.text)}**\n" if text.warning else f"{escape(text.text)}\n"


def _table(table: Table) -> Iterator[str]:
    numeric = [any(row[i].numeric for row in table.rows) for i in range(len(table.header))]
    yield _line([escape(name) for name in table.header])
    yield _line(["---:" if right else "---" for right in numeric])
    for row_ in table.rows:
        yield _line([escape(cell.text) for cell in row_])
    yield ""


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
