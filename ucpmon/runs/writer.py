"""Samples → run.csv, run.procs.csv, run.marks.csv and run.json."""

from __future__ import annotations

import csv
import io
import os
import statistics
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

from ucpmon.records import Mark, ProcessRow, Sample
from ucpmon.runs.files import RunFiles, iso
from ucpmon.runs.schema import MARKS, PROCESSES, SCREENS, names

DEFAULT_INTERVAL_US = 1_000_000
# A layout with more columns than this is a misreading; without a bound each new name would rewrite the file again.
MOST_COLUMNS = 512
_MOST_RUNS = 4096
# Refreshes that must be missing before silence between two batch blocks is a gap.
GAP_INTERVALS = 3
_MOST_SILENCES = 10_000
_TYPICAL_OF = 101


class Silences:
    """The pauses between rows that may be gaps; which of them are is known when the usual pause is."""

    def __init__(self) -> None:
        self._first: list[int] = []
        self._least = 0
        self._long: list[tuple[int, int]] = []

    def add(self, last_us: int, now_us: int) -> None:
        pause = now_us - last_us
        if len(self._first) < _TYPICAL_OF:
            self._first.append(pause)
        if pause and (not self._least or pause < self._least):
            self._least = pause
        if pause > GAP_INTERVALS * self._least and len(self._long) < _MOST_SILENCES:
            self._long.append((last_us, now_us))

    def gaps(self, asked_us: int | None = None) -> list[list[float]]:
        """[start, end] in seconds of every pause longer than three refreshes (as asked, else as is usual here)."""
        usual = asked_us or (statistics.median(self._first) if self._first else 0)
        return [[a / 1e6, b / 1e6] for a, b in self._long if b - a > GAP_INTERVALS * usual]


class RunWriter:
    """Writes the tables of a run, one sample at a time; after ``flush`` all of them are on disk.

    ``started_us`` is the wall clock of t=0, where known. Samples without a clock are placed ``interval_us`` apart.
    """

    def __init__(self, files: RunFiles, started_us: int | None, interval_us: int = DEFAULT_INTERVAL_US) -> None:
        self.files = files
        self.silences = Silences()
        self.rows = 0
        self.resolution: dict[str, list[list[int]]] = {}
        self._started_us = started_us
        self._interval_us = interval_us
        self._columns: tuple[str, ...] = ()
        self._quanta: Mapping[str, int] | None = None
        self._known: set[str] = set()
        self._first_us: int | None = None
        self._last_us = 0
        self._csv = _open(files.csv)
        self._procs = _open(files.procs)
        self._csv.write(_csv_line(names(SCREENS)))
        self._procs.write(_csv_line(names(PROCESSES)))

    def add(self, sample: Sample) -> None:
        """Append the sample's rows."""
        t_us = self._place(sample.t_us)
        if sample.columns != self._columns and not self._known.issuperset(sample.columns):
            self._widen(sample.columns)
        time = iso(self._started_us + t_us) if self._started_us is not None else ""
        elapsed = f"{t_us // 1_000_000}.{t_us % 1_000_000:06d}"
        self._csv.write(f"{self.rows},{time},{elapsed},{sample.cut:d},{self._cells(sample)}\n")
        if sample.processes:
            self._add_processes(time, elapsed, sample.processes)
        if sample.quanta is not self._quanta:
            self._note_resolution(sample.quanta)
        self.rows += 1

    def _cells(self, sample: Sample) -> str:
        if sample.columns == self._columns:
            return ",".join(map(str, sample.numbers))
        values = sample.values
        return ",".join([str(values[c]) if c in values else "" for c in self._columns])

    def flush(self) -> None:
        self._csv.flush()
        self._procs.flush()

    def handles(self) -> dict[Path, int]:
        """The open files, by their names."""
        return {self.files.csv: self._csv.fileno(), self.files.procs: self._procs.fileno()}

    def close(self) -> None:
        self._csv.close()
        self._procs.close()

    def add_marks(self, marks: list[Mark]) -> None:
        """Append marks to run.marks.csv."""
        for mark in marks:
            append_mark(self.files.marks, mark, self._started_us)

    @property
    def achieved_s(self) -> float | None:
        """Seconds between rows, on average."""
        if self.rows < 2 or self._first_us is None:
            return None
        return round((self._last_us - self._first_us) / 1e6 / (self.rows - 1), 6)

    def _place(self, t_us: int | None) -> int:
        now = self.rows * self._interval_us if t_us is None else max(t_us, self._last_us)
        if self._first_us is None:
            self._first_us = now
        elif t_us is not None:
            self.silences.add(self._last_us, now)
        self._last_us = now
        return now

    def _add_processes(self, time: str, elapsed: str, processes: Sequence[ProcessRow]) -> None:
        head = f"{self.rows},{time},{elapsed}"
        self._procs.write(
            "".join([f"{head},{pid},{_cell(name)},{rss},{hbmem}\n" for pid, name, rss, hbmem in processes])
        )

    def _note_resolution(self, quanta: Mapping[str, int]) -> None:
        self._quanta = quanta
        for column, quantum in quanta.items():
            runs = self.resolution.setdefault(column, [])
            if not runs or runs[-1][1] != quantum:
                if len(runs) < _MOST_RUNS:
                    runs.append([self.rows, quantum])
                else:
                    runs[-1][1] = max(runs[-1][1], quantum)

    def _widen(self, columns: Sequence[str]) -> None:
        """New columns: the whole file is written anew beside the old one, which it then replaces."""
        seen = [c for c in columns if c not in self._known]
        self._known.update(seen)
        new = seen[: MOST_COLUMNS - len(self._columns)]
        if not new:
            return
        self._columns += tuple(new)
        header = _csv_line([*names(SCREENS), *self._columns])
        if self.rows == 0:
            self._csv.seek(0)
            self._csv.truncate()
            self._csv.write(header)
            return
        self._csv.close()
        wider = self.files.csv.with_name(f".{self.files.csv.name}.wider")
        with self.files.csv.open(encoding="utf-8", newline="") as old, _open(wider) as out:
            next(old)
            out.write(header)
            blank = "," * len(new)
            for line in old:
                out.write(line.rstrip("\n") + blank + "\n")
        wider.replace(self.files.csv)
        self._csv = self.files.csv.open("a", encoding="utf-8", newline="")


def append_mark(path: Path, mark: Mark, started_us: int | None) -> None:
    """One line at the end of run.marks.csv in a single write, so that two programs can mark one run."""
    t_us = mark.t_us or 0
    time = iso(started_us + t_us) if started_us is not None else ""
    line = _csv_line((time, f"{t_us / 1e6:.6f}", mark.label, mark.source))
    if not path.exists():
        line = _csv_line(names(MARKS)) + line
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    try:
        os.write(handle, line.encode("utf-8", "replace"))
    finally:
        os.close(handle)


def _open(path: Path) -> IO[str]:
    return path.open("w", encoding="utf-8", newline="", errors="replace")


@lru_cache(maxsize=1024)
def _cell(text: str) -> str:
    """A text as a cell among others."""
    return _csv_line((text, "."))[:-3]


def _csv_line(cells: Any) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(cells)
    return out.getvalue()
