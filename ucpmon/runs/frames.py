"""The files of a run → DataFrames with fixed dtypes. The only module that knows their columns.

Every frame that this package hands out has one of these forms (an absent value is NaN or NaT, never 0):

============== =================================================================================
screens        RangeIndex; ``screen`` int64, ``time`` datetime64[UTC], ``elapsed_s`` float64, ``cut``
               bool, then one float64 column per metric (see ``ucpmon.metrics`` for names and units)
processes      RangeIndex; ``screen`` int64, ``time``, ``elapsed_s``, ``pid`` int64, ``process`` str,
               ``rss_bytes`` float64, ``hbmem_bytes`` float64
heaps          RangeIndex; ``time``, ``elapsed_s``, ``heap`` str, ``kind`` str, ``client`` str,
               ``pid`` Int64 (NA for a row that is no client), ``bytes`` int64
marks          RangeIndex; ``time``, ``elapsed_s``, ``label`` str, ``source`` str
============== =================================================================================
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pandas as pd

from ucpmon.errors import InputError, UsageError
from ucpmon.metrics import metric
from ucpmon.runs.schema import HEAPS, MARKS, PROCESSES, SCREENS, names

PROCESS_COLUMNS, HEAP_COLUMNS, MARK_COLUMNS = names(PROCESSES), names(HEAPS), names(MARKS)

_TEXTS = {"process", "heap", "kind", "client", "label", "source"}
_DTYPES: Mapping[str, str] = {
    "screen": "int64", "elapsed_s": "float64", "pid": "int64", "bytes": "int64",
    "rss_bytes": "float64", "hbmem_bytes": "float64",
}  # fmt: skip

_ALWAYS = {"screen", "elapsed_s", "pid", "bytes"}
"""What every row has."""

_ROWS = 16_384
"""Rows that are parsed at once: few enough to stay near the processor."""

_STAMP = 40
"""Bytes that are kept of a time, 27 where ucpmon wrote it: a longer one is none."""


def metric_columns(frame: pd.DataFrame) -> list[str]:
    """The columns of a screens frame that are metrics, in the order of the run."""
    return [c for c in frame.columns if metric(c) is not None]


def read_screens(path: Path) -> pd.DataFrame:
    """run.csv as a screens frame. Raises InputError where it is not a run's, or holds no metric yet."""
    held: dict[str, np.ndarray] = {}
    rows = 0
    with _readable(path) as stream, _parsed(stream, {"time": f"S{_STAMP}"}, chunksize=_ROWS) as parts:
        for part in parts:
            # Rows are about as long as those before them; room that no row takes is never touched.
            room = (rows + len(part)) * path.stat().st_size * 9 // max(stream.tell() * 8, 1)
            for column in (*names(SCREENS), *_metrics_in(part, path)):
                _append(held, column, rows, _screens_column(part[column], rows, path), room)
            rows += len(part)
    # Handed over without a copy: the columns of a day are hundreds of megabytes.
    frame = pd.DataFrame({column: values[:rows] for column, values in held.items()}, copy=False)
    frame["time"] = frame["time"].dt.tz_localize("UTC")
    return frame


def _metrics_in(frame: pd.DataFrame, path: Path) -> list[str]:
    columns = metric_columns(frame)
    if not columns:
        raise InputError(f"{path} has no metric in it", "ucpmon replay makes a run.csv from a capture")
    return columns


def _append(held: dict[str, np.ndarray], column: str, rows: int, values: np.ndarray, room: int) -> None:
    """Put ``values`` behind the ``rows`` that are there, into an array with room for ``room`` where it is full."""
    end = rows + len(values)
    array = held.setdefault(column, values[:0])
    if end > len(array):
        held[column] = np.empty(max(room, end), values.dtype)
        held[column][:rows] = array[:rows]
    held[column][rows:end] = values


def _screens_column(printed: pd.Series, before: int, path: Path) -> np.ndarray:
    """Part of a column of run.csv, from its row ``before`` on, with its fixed dtype."""
    column = str(printed.name)
    if column == "time":
        return _moments(printed.to_numpy(f"S{_STAMP}"))  # pandas 2 keeps them as objects
    values: np.ndarray = printed.to_numpy()
    if values.dtype != "float64":
        values = pd.to_numeric(printed, errors="coerce").to_numpy("float64")
    if column == "cut":
        cut: np.ndarray = values == 1
        return cut
    there = np.full(len(values), True) if column in _ALWAYS else printed.notna().to_numpy()
    _refuse(there & ~np.isfinite(values), column, path, before)
    typed: np.ndarray = values.astype(_DTYPES.get(column, "float64"), copy=False)
    return typed


def _moments(stamps: np.ndarray) -> np.ndarray:
    """``2026-12-01T04:10:40.000000Z`` as datetime64[us]; NaT where there is none. The usual form costs a tenth."""
    letters: np.ndarray = stamps.view("u1").reshape(len(stamps), _STAMP)
    usual = (letters[:, 26] == ord("Z")) & (letters[:, 27] == 0)
    try:
        if usual.all() or not letters.any():
            return stamps.astype("S26").astype("M8[us]")
    except ValueError:
        pass
    read = pd.to_datetime(pd.Series(np.char.decode(stamps, "utf-8", "replace")), utc=True, errors="coerce")
    moments: np.ndarray = read.dt.tz_localize(None).to_numpy("M8[us]")
    return moments


def read_table(path: Path, columns: Sequence[str]) -> pd.DataFrame:
    """One of a run's side files (see the column tuples above); empty, with its columns, where there is none."""
    if not path.exists():
        frame = pd.DataFrame({c: [] for c in columns})
    else:
        frame = _read_csv(path, dict.fromkeys(_TEXTS, str))
        for column in _TEXTS & set(frame.columns):
            frame[column] = frame[column].fillna("")
    missing = set(columns) - set(frame.columns)
    if missing:
        raise InputError(f"{path} lacks the column {sorted(missing)[0]}", "it was not written by ucpmon")
    return _typed(frame[list(columns)].copy(), path)


def _read_csv(path: Path, dtype: Mapping[str, Any]) -> pd.DataFrame:
    with _readable(path) as stream:
        return _parsed(stream, dtype)


def _parsed(stream: BinaryIO, dtype: Mapping[str, Any], chunksize: int | None = None) -> Any:
    return pd.read_csv(
        _whole_rows(stream),
        engine="c",
        dtype=dict(dtype),
        keep_default_na=False,
        na_values=[""],
        low_memory=False,
        chunksize=chunksize,
    )


@contextmanager
def _readable(path: Path) -> Iterator[BinaryIO]:
    """The file, open for reading; what goes wrong meanwhile is said of it."""
    try:
        with path.open("rb") as stream:
            yield stream
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}", "name a file that can be read") from error
    except ValueError as error:
        raise InputError(f"{path} is not a CSV file of a run", str(error).splitlines()[0]) from error


def _whole_rows(stream: BinaryIO) -> BinaryIO:
    """The stream without a last row that is still being written: half a number must not be read as one."""
    size = stream.seek(0, io.SEEK_END)
    stream.seek(max(0, size - 1))
    ended = stream.read(1) == b"\n"
    stream.seek(0)
    if ended or not size:
        return stream
    text = stream.read()
    return io.BytesIO(text[: text.rfind(b"\n") + 1])


def set_marks(marks: pd.DataFrame) -> pd.DataFrame:
    """The marks that somebody set; ucpmon's own only say why a recording ended, or where it broke."""
    return marks[marks["source"] != "ucpmon"].dropna(subset=["elapsed_s"])


def _typed(frame: pd.DataFrame, path: Path | None = None) -> pd.DataFrame:
    # The heap's own rows belong to no process, and a mark may know the wall clock alone.
    optional = {"pid"} if "client" in frame.columns else {"elapsed_s"} if "label" in frame.columns else set()
    for column in frame.columns:
        if column == "time":
            frame[column] = pd.to_datetime(frame[column], utc=True, errors="coerce")
        elif column in _DTYPES:
            values = pd.to_numeric(frame[column], errors="coerce")
            if column in _ALWAYS - optional:
                _refuse(~np.isfinite(values.to_numpy("float64")), column, path)
            frame[column] = values.astype("Int64" if column == "pid" and column in optional else _DTYPES[column])
    return frame


def _refuse(wrong: np.ndarray, column: str, path: Path | None, before: int = 0) -> None:
    """Raise InputError for the first row that is ``wrong``; ``before`` rows stand above."""
    if wrong.any():
        raise InputError(
            f"{path or 'a table'}: row {before + int(wrong.argmax()) + 1} has no number under {column!r}",
            "the file was changed or is damaged; ucpmon replay reads the run's capture anew",
        )
