"""A run as Python sees it: its tables as DataFrames, and the questions to ask of them."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from ucpmon.captures import open_capture
from ucpmon.errors import UsageError
from ucpmon.runs import RunFiles, read_json
from ucpmon.runs.frames import HEAP_COLUMNS, MARK_COLUMNS, PROCESS_COLUMNS, metric_columns, read_screens, read_table
from ucpmon.runs.replay import replay
from ucpmon.runs.schema import SCREENS, names

_HEADER = ",".join(names(SCREENS)).encode()


@dataclass(frozen=True)
class Run:
    """One recording or replayed capture.

    ``frame``, ``processes``, ``heaps`` and ``marks`` are DataFrames of the forms in ``ucpmon.runs.frames``; ``info`` is
    run.json (empty where it is missing). ``name`` is what the user called it.
    """

    path: Path
    name: str
    info: dict[str, Any] = field(repr=False)
    frame: pd.DataFrame = field(repr=False)
    processes: pd.DataFrame = field(repr=False)
    heaps: pd.DataFrame = field(repr=False)
    marks: pd.DataFrame = field(repr=False)

    @property
    def metrics(self) -> list[str]:
        """The metric columns of ``frame``."""
        return metric_columns(self.frame)

    @property
    def simulated(self) -> bool:
        return bool(self.info.get("simulated"))


def read_run(path: str | Path, **clock: Any) -> Run:
    """Read a run, or any saved capture as a run.

    ``path`` is any file of a run (run.csv, run.json), a recording that is still in progress, or a capture in one of
    the formats of ``ucpmon.captures``, whose options (``tz``, ``start_us``, ``interval_us``, ``timing``) pass through.

    Raises UsageError where it cannot be read, and InputError where no run or screen is in it.
    """
    path = Path(path)
    if path.is_dir():
        raise UsageError(f"{path} is a directory", "name the run.csv or the capture in it")
    csv = _csv_of(path)
    if csv is not None:
        return _read(RunFiles(csv), path)
    with tempfile.TemporaryDirectory(prefix="ucpmon-") as folder:
        files = RunFiles(Path(folder) / "run.csv")
        with open_capture(path, **clock) as capture:
            replay([capture], files, [])
        return _read(files, path)


def _csv_of(path: Path) -> Path | None:
    """The run.csv that ``path`` is or belongs to; ``None`` for a capture."""
    try:
        with path.open("rb") as stream:
            head = stream.read(4096)
    except FileNotFoundError as error:
        raise UsageError(f"{path}: there is no such file", "name a run.csv or a capture") from error
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}", "name a file that can be read") from error
    if head.startswith(_HEADER):
        return path
    beside = RunFiles.of(path).csv
    side_files = path.name.endswith((".json", ".procs.csv", ".marks.csv", ".heaps.csv"))
    if side_files and beside != path and beside.is_file():
        return beside
    return None


def _read(files: RunFiles, path: Path) -> Run:
    return Run(
        path=path,
        name=path.name,
        info=read_json(files.json),
        frame=read_screens(files.csv),
        processes=read_table(files.procs, PROCESS_COLUMNS),
        heaps=read_table(files.heaps, HEAP_COLUMNS),
        marks=read_table(files.marks, MARK_COLUMNS),
    )
