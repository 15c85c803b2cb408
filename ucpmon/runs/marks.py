"""Marks that somebody else sets in a run while it is recorded."""

from __future__ import annotations

import csv
import time
from pathlib import Path

from ucpmon.errors import InputError, UsageError
from ucpmon.records import Mark
from ucpmon.runs.files import RunFiles, from_iso, read_json
from ucpmon.runs.writer import append_mark

IN_PROGRESS = "recording in progress"
"""What run.json says of its end until there is one."""
# A recorder writes run.json every ten seconds.
_ALIVE_S = 60
_LONGEST = 200


def mark_live(path: Path, label: str) -> Mark:
    """Set a mark now, in the recording that ``path`` is a file of; the mark.

    Raises UsageError where nothing is recorded there, or for a label that is none.
    """
    text = " ".join(label.split())
    if not text or len(text) > _LONGEST or not text.isprintable():
        raise UsageError(f"{label[:40]!r} is no label", f"write a line of 1 to {_LONGEST} characters")
    files = RunFiles.of(path)
    if not files.csv.is_file():
        raise UsageError(f"{path}: there is no such run", "name the run.csv that is being recorded")
    info = read_json(files.json)
    started = info.get("started")
    if info.get("ended") != IN_PROGRESS or time.time() - files.json.stat().st_mtime > _ALIVE_S:
        raise UsageError(f"{files.csv} is not being recorded now", "marks can be set while ucpmon record runs")
    try:
        started_us = from_iso(str(started))
    except ValueError as error:
        raise InputError(f"{files.json} does not say when the recording began", str(error)) from error
    mark = Mark(max(0, time.time_ns() // 1000 - started_us), text, "user")
    append_mark(files.marks, mark, started_us)
    return mark


class OthersMarks:
    """Reads what others have appended to run.marks.csv since the last look."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read = 0

    def new(self) -> list[Mark]:
        """Marks of users. The recorder's own, which stand in the same file, are left out."""
        try:
            with self._path.open("rb") as stream:
                stream.seek(self._read)
                whole = stream.read().rpartition(b"\n")[0]
        except FileNotFoundError:
            return []
        self._read += len(whole) + 1 if whole else 0
        rows = csv.reader(whole.decode("utf-8", "replace").splitlines())
        return [Mark(round(float(row[1]) * 1e6), row[2], row[3]) for row in rows if row[3:] == ["user"]]
