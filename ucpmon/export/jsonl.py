"""JSON lines: an object per row with run.csv's column names; what is missing is ``null``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO

from ucpmon.export import table_of

if TYPE_CHECKING:
    from ucpmon.runs.reader import Run

_ROWS = 50_000


def write(run: Run, out: BinaryIO, table: str) -> None:
    """One table of the run; times as in run.csv, sizes as whole bytes."""
    frame = table_of(run, table)
    for start in range(0, len(frame), _ROWS):
        out.write(json_rows(frame.iloc[start : start + _ROWS]).encode())


def json_rows(frame: Any) -> str:
    """The rows of a frame as JSON, one a line, each ended by a newline."""
    text: str = frame.to_json(
        orient="records", lines=True, date_format="iso", date_unit="us", double_precision=10, force_ascii=True
    )
    return text if text.endswith("\n") else text + "\n"
