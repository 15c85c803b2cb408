"""True DDR bandwidth from ``hrut_ddr``, the vendor's own tool, brought onto a run's time axis.

Two forms are read: its CSV (``timestamp,read_MiB/s,write_MiB/s``) and the tables that it prints, a ``Time …s`` line, a
line of column names that starts with the unit, and a ``Read :`` and a ``Write:`` row. The monitor's own DDR figures can
be far too low under load, so these stand beside them under a name of their own, ``hrut_ddr_read_mibps`` and
``hrut_ddr_write_mibps``, and are never mixed with them.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from ucpmon.errors import InputError, UsageError
from ucpmon.metrics import RATE_UNITS

COLUMNS = ("hrut_ddr_read_mibps", "hrut_ddr_write_mibps")

_TIME = re.compile(r"\s*time\s*:?\s*(\d+(?:\.\d+)?)\s*s\b", re.IGNORECASE)
_ROW = re.compile(r"[\s|]*(read|write)\s*:?((?:[\s|]+\d+(?:\.\d+)?)+)[\s|]*", re.IGNORECASE)
_UNIT = re.compile(r"[kmg]?i?b/s", re.IGNORECASE)
# The whole of a table's columns; the others are shares of it.
_WHOLE = ("sum", "total", "bandwidth")
# Seconds since 1970 have ten digits from 2001 on: a smaller number counts from a start or from power-on.
_EPOCH_FROM = 1e9
_EPOCH_UNITS = ((1e18, 1e9), (1e15, 1e6), (1e12, 1e3))


@dataclass(frozen=True)
class Ddr:
    """What hrut_ddr saw: ``elapsed_s`` from its first row, ``time`` (UTC; NaT without ``clock``), and ``COLUMNS``."""

    path: Path
    frame: pd.DataFrame
    clock: bool


def read_ddr(path: Path) -> Ddr:
    """Read hrut_ddr's CSV or its printed tables; rates become MiB/s whatever their unit.

    Raises UsageError where the file cannot be read, InputError where it is neither.
    """
    try:
        text = path.read_text("utf-8", "replace")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}", "name a file of hrut_ddr that can be read") from error
    # A last line without its end was cut off, perhaps within a figure: half a line is never read.
    lines = text[: text.rfind("\n") + 1].splitlines()
    header = next((i for i, line in enumerate(lines) if _csv_columns(line)), None)
    rows = list(_tables(path, lines) if header is None else _csv(lines[header], lines[header + 1 :]))
    if not rows:
        raise InputError(
            f"{path} holds no figures of hrut_ddr", "record them with hrut_ddr -t bpu -p 1000000 -n N -c -f ddr.csv"
        )
    return _frame(path, rows)


def align(ddr: Ddr, frame: pd.DataFrame, marks: pd.DataFrame, at: str | None = None) -> tuple[pd.DataFrame, str]:
    """hrut_ddr's rows on the run's time axis, and in words how they were laid there.

    With ``at`` its first row falls on the mark of that label (a second pass of the same workload, for the two programs
    cannot share the counter); else the wall clocks decide; else both start together. The frame has ``elapsed_s`` from
    the run's start, ``time`` and ``COLUMNS``. Raises UsageError where there is no such mark, or no overlap in time.
    """
    if at is not None:
        shift, how = _mark_at(marks, at), f"its first row at the mark {at!r}"
    elif ddr.clock and len(frame) and not frame["time"].isna().any():
        began = frame["time"].iloc[0] - pd.Timedelta(seconds=float(frame["elapsed_s"].iloc[0]))
        shift, how = float((ddr.frame["time"].iloc[0] - began).total_seconds()), "by the wall clock"
    else:
        shift, how = 0.0, "from the run's start: one of both knows no wall clock"
    shifted = ddr.frame.assign(elapsed_s=ddr.frame["elapsed_s"] + shift)
    _require_overlap(ddr, shifted, frame)
    return shifted, how


def _mark_at(marks: pd.DataFrame, label: str) -> float:
    found = marks.loc[marks["label"] == label, "elapsed_s"].dropna()
    if found.empty:
        known = ", ".join(map(repr, dict.fromkeys(marks["label"]))) or "none"
        raise UsageError(f"the run has no mark {label!r}", f"its marks are {known}")
    return float(found.iloc[0])


def _require_overlap(ddr: Ddr, shifted: pd.DataFrame, frame: pd.DataFrame) -> None:
    first, last = float(shifted["elapsed_s"].min()), float(shifted["elapsed_s"].max())
    if len(frame) and (last < float(frame["elapsed_s"].min()) - 1 or first > float(frame["elapsed_s"].max()) + 1):
        raise UsageError(
            f"{ddr.path} is not of the time of the run ({first:.0f} s to {last:.0f} s from its start)",
            "lay its first row on a mark of the run with --ddr-at LABEL",
        )


def _csv_columns(line: str) -> Mapping[str, int]:
    """Places of time, read and write in a CSV header, and the places' own names with their units; empty if none."""
    names = [name.strip().strip("\ufeff\"' ").lower() for name in line.split(",")]
    found = {kind: i for kind in ("time", "read", "write") for i, n in enumerate(names) if n.startswith(kind)}
    return found if len(found) == 3 else {}


def _csv(header: str, lines: Sequence[str]) -> Iterator[tuple[str, float, float]]:
    places, names = _csv_columns(header), header.split(",")
    scales = {kind: _scale(names[places[kind]]) for kind in ("read", "write")}
    for row in csv.reader(lines):
        try:
            read, write = (float(row[places[kind]]) * scales[kind] for kind in ("read", "write"))
        except (IndexError, ValueError):
            continue  # a last row cut off, a header printed again
        yield row[places["time"]].strip(), read, write


def _tables(path: Path, lines: Sequence[str]) -> Iterator[tuple[str, float, float]]:
    at, scale, names = "", 1.0, [""]
    seen: dict[str, float] = {}
    for line in lines:
        if time := _TIME.match(line):
            at, seen = time[1], {}
        elif row := _ROW.fullmatch(line):
            numbers = [float(n) for n in re.findall(r"\d+(?:\.\d+)?", row[2])]
            if len(numbers) == len(names):
                seen[row[1].lower()] = numbers[_whole_place(path, names)] * scale
            if at and len(seen) == 2:
                yield at, seen["read"], seen["write"]
                at = ""
        elif unit := _UNIT.search(line):
            scale = RATE_UNITS.get(unit[0].lower(), 1.0)
            names = line[unit.end() :].replace("|", " ").split() or [""]


def _whole_place(path: Path, names: Sequence[str]) -> int:
    if len(names) == 1:
        return 0
    place = next((i for i, name in enumerate(names) if name.strip("()").lower() in _WHOLE), None)
    if place is None:
        raise InputError(
            f"{path}: a table of hrut_ddr without a column of the whole (SUM)", "use its CSV: hrut_ddr -c -f"
        )
    return place


def _scale(name: str) -> float:
    unit = _UNIT.search(name)
    return RATE_UNITS.get(unit[0].lower(), 1.0) if unit else 1.0


def _frame(path: Path, rows: Sequence[tuple[str, float, float]]) -> Ddr:
    seconds, clock = _seconds(path, [at for at, _, _ in rows])
    elapsed = pd.Series(seconds, dtype="float64")
    time = pd.to_datetime((elapsed * 1e6).round() if clock else pd.Series([None] * len(rows)), unit="us", utc=True)
    values = {name: [float(row[i]) for row in rows] for i, name in enumerate(COLUMNS, start=1)}
    frame = pd.DataFrame({"elapsed_s": elapsed - elapsed.iloc[0], "time": time, **values})
    # A clock that was set during the recording makes time run backwards: the rows' order is the truth.
    if not frame["elapsed_s"].is_monotonic_increasing:
        raise InputError(f"{path}: its times run backwards", "record it again, or cut the file where its clock was set")
    return Ddr(path, frame, clock)


def _seconds(path: Path, texts: Sequence[str]) -> tuple[list[float], bool]:
    """Times in seconds, and whether they count from 1970."""
    try:
        numbers = [float(text) for text in texts]
    except ValueError:
        times = pd.to_datetime(pd.Series(texts), utc=True, errors="coerce")
        if times.isna().any():
            raise InputError(f"{path}: {texts[0]!r} is not a time", "use hrut_ddr's own CSV") from None
        return [stamp.timestamp() for stamp in times], True
    if not all(map(math.isfinite, numbers)):
        raise InputError(f"{path}: a time is no number", "use hrut_ddr's own CSV")
    divisor = next((unit for least, unit in _EPOCH_UNITS if numbers[0] >= least), 1.0)
    return [number / divisor for number in numbers], numbers[0] >= _EPOCH_FROM
