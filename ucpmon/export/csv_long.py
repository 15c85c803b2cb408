"""CSV with a row per value, for spreadsheets and statistics programs.

``screen,time,elapsed_s,metric,unit,process,pid,value``: ``process`` and ``pid`` are of the rows of the process table.
The one format that is made for spreadsheets, so the one in which a name must not become a formula.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from ucpmon.metrics import metric
from ucpmon.runs.frames import metric_columns
from ucpmon.text import printable

if TYPE_CHECKING:
    from ucpmon.runs.reader import Run

HEADER = "screen,time,elapsed_s,metric,unit,process,pid,value\n"
_ROWS = 20_000
# What starts a formula, at the start of a cell or after what some locale takes for a separator.
_FORMULA = re.compile(r"(^|[;,\t\r\n])([\"'\s]*)(?=[=+\-@＝＋－＠])")


def write(run: Run, out: BinaryIO) -> None:
    """Every value of the screens, then every value of the process table; what is missing has no row."""
    out.write(HEADER.encode())
    for start in range(0, len(run.frame), _ROWS):
        out.write("".join(_screens(run.frame.iloc[start : start + _ROWS])).encode())
    for start in range(0, len(run.processes), _ROWS):
        out.write("".join(_processes(run.processes.iloc[start : start + _ROWS])).encode())


@lru_cache(maxsize=4096)
def cell(text: str) -> str:
    """A quoted cell: no formula to a spreadsheet, no control character to a terminal."""
    guarded = _FORMULA.sub(r"\1\2'", text)
    shown = printable(guarded)
    return '"' + shown.replace('"', '""') + '"'


def _screens(frame: Any) -> Iterator[str]:
    columns = metric_columns(frame)
    middles = [f"{cell(c)},{metric(c).unit},,," for c in columns]  # type: ignore[union-attr]
    texts = [_numbers(frame[c].to_numpy()) for c in columns]
    for row, head in enumerate(_heads(frame)):
        for middle, values in zip(middles, texts, strict=True):
            if values[row]:
                yield f"{head}{middle}{values[row]}\n"


def _processes(frame: Any) -> Iterator[str]:
    sizes = {c: _numbers(frame[c].to_numpy()) for c in ("rss_bytes", "hbmem_bytes")}
    names, pids = frame["process"].tolist(), frame["pid"].tolist()
    for row, head in enumerate(_heads(frame)):
        for column, values in sizes.items():
            if values[row]:
                yield f"{head}{column},bytes,{cell(names[row])},{pids[row]},{values[row]}\n"


def _heads(frame: Any) -> Iterator[str]:
    times = frame["time"].dt.strftime("%Y-%m-%dT%H:%M:%S.%fZ").fillna("")
    rows = zip(frame["screen"].tolist(), times.tolist(), frame["elapsed_s"].tolist(), strict=True)
    return (f"{screen},{time},{elapsed:.6f}," for screen, time, elapsed in rows)


def _numbers(values: np.ndarray) -> Sequence[str]:
    """Each value as text, empty for NaN; a monitor prints few different figures, so each is formatted once."""
    unique, places = np.unique(values, return_inverse=True)
    texts = np.array(["" if v != v else f"{v:.15g}" for v in unique.tolist()], dtype=object)
    formatted: list[str] = texts[places].tolist()
    return formatted
