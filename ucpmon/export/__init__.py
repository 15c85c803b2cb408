"""A run in the forms that other tools read: Parquet, JSON lines, long CSV, and Perfetto's counters.

Each writer takes a ``Run`` and a binary stream, and writes in pieces: the stream may be a pipe.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, BinaryIO

from ucpmon.errors import UsageError

if TYPE_CHECKING:
    from ucpmon.runs.reader import Run

FORMATS = {"parquet": ".parquet", "jsonl": ".jsonl", "csv-long": ".long.csv", "perfetto": ".perfetto.json"}
"""The formats by name, with the usual ending of their files."""

TABLES = ("screens", "processes", "heaps", "marks")
"""The tables of a run; Parquet and JSON lines hold one, the other formats know only one thing to write."""


def check_request(to: str, table: str) -> None:
    """Raises UsageError for a format or a table that is none, or that do not go together."""
    if to not in FORMATS:
        raise UsageError(f"there is no format {to!r}", f"possible are {', '.join(FORMATS)}")
    if table not in TABLES:
        raise UsageError(f"there is no table {table!r}", f"possible are {', '.join(TABLES)}")
    if to in ("csv-long", "perfetto") and table != "screens":
        raise UsageError(f"{to} always holds screens and processes", "leave --table away")


def export(run: Run, to: str, out: BinaryIO, table: str = "screens") -> None:
    """Write ``run`` to ``out`` in the format ``to``.

    Raises UsageError as ``check_request`` does, MissingExtra where a format's package is not installed.
    """
    check_request(to, table)
    # Parquet's library costs 0.1 s and may be missing: only the asked format is loaded.
    write: Callable[..., Any] = import_module(f"ucpmon.export.{to.replace('-', '_')}").write
    if to in ("parquet", "jsonl"):
        write(run, out, table)
    else:
        write(run, out)


def table_of(run: Run, table: str) -> Any:
    """A run's table by its name in ``TABLES``."""
    return run.frame if table == "screens" else getattr(run, table)
