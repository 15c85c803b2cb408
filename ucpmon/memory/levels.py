"""Memory levels over time, each with its resolution: of a heap, from every source that shows it, and of a process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ucpmon.metrics import heap_columns, metric
from ucpmon.runs.reader import Run
from ucpmon.statistics.resolution import Figure, inferred_quanta, row_quanta
from ucpmon.statistics.weights import row_seconds

USED, FREE, DUMPS = "used", "total − free", "heap dumps"


@dataclass(frozen=True)
class Track:
    """One quantity over time; arrays of one length, in order of time, without the rows where it is missing.

    ``times`` and ``seconds`` (how long each value held) in s, ``values`` in bytes. ``error`` is the half step of each
    value as a level; ``change_error`` its part in a difference of two of them: an unchanging total cancels out.
    """

    source: str
    times: np.ndarray
    seconds: np.ndarray
    values: np.ndarray
    error: np.ndarray
    change_error: np.ndarray

    def between(self, start_s: float, end_s: float) -> Track:
        """The rows with ``start_s`` ≤ time < ``end_s``."""
        return self.where(slice(*(int(np.searchsorted(self.times, t)) for t in (start_s, end_s))))

    def where(self, rows: np.ndarray | slice) -> Track:
        """The rows of a mask, of indices or of a slice."""
        names = ("times", "seconds", "values", "error", "change_error")
        return replace(self, **{name: getattr(self, name)[rows] for name in names})

    def median(self) -> int | None:
        """The row of the time-weighted median; ``None`` where there is no row."""
        if not len(self.values):
            return None
        order = np.argsort(self.values, kind="stable")
        held = np.cumsum(self.seconds[order])
        place = int(np.searchsorted(held, held[-1] / 2))
        return int(order[min(place, len(order) - 1)])

    def highest(self) -> int | None:
        return int(np.argmax(self.values)) if len(self.values) else None

    def figure(self, row: int) -> Figure:
        return Figure(float(self.values[row]), float(self.error[row]), self.source)


@dataclass(frozen=True)
class HeapLevels:
    """What a run shows of one heap: its capacity and free bytes, and its used bytes by source, ``used`` first.

    ``free`` is the free column, or what ``total − used`` leaves where that is printed finer at its smallest.
    """

    heap: str
    total: Track
    free: Track
    used: tuple[Track, ...]

    def ran_out(self, start_s: float = -np.inf, end_s: float = np.inf) -> bool | None:
        """Whether nothing was left at some time of a span, of a heap that has a size; ``None`` where nothing tells."""
        left = self.free.between(start_s, end_s).values
        return bool(left.min() <= 0 < self.total.values.max(initial=0.0)) if len(left) else None


@dataclass(frozen=True)
class Owner:
    """Whose memory it is: a pid may name another process later."""

    pid: int
    process: str

    @property
    def title(self) -> str:
        """``infer (812)``."""
        return f"{self.process} ({self.pid})"


@dataclass(frozen=True)
class ProcessLevels(Owner):
    """What a run shows of one process: 0 where its row is absent, exactly (its error is 0 then)."""

    hbmem: Track
    rss: Track


@dataclass(frozen=True)
class Levels:
    """All levels of a run, in the order in which it shows them, and when its last row ends, in s (0 without one)."""

    heaps: Sequence[HeapLevels]
    processes: Sequence[ProcessLevels]
    end_s: float


def run_levels(run: Run, frame: pd.DataFrame | None = None) -> Levels:
    """The levels of every heap and process; ``frame`` are the screens where not all columns of the run's are wanted."""
    frame = run.frame if frame is None else frame
    seconds = row_seconds(frame, run.info)
    heaps = [_heap(name, frame, _dumps(run.heaps, name), seconds, run.info) for name in heap_names(frame)]
    end_s = float(frame["elapsed_s"].iloc[-1] + seconds[-1]) if len(frame) else 0.0
    return Levels(heaps, _processes(frame, run.processes, seconds), end_s)


def heap_names(frame: pd.DataFrame) -> list[str]:
    """The heaps of a screens frame, in the order of the run."""
    found = (metric(str(c)) for c in frame.columns)
    return list(dict.fromkeys(m.subject for m in found if m and m.kind in ("total", "used", "free")))


def _heap(
    name: str, frame: pd.DataFrame, dumps: pd.DataFrame, seconds: np.ndarray, info: Mapping[str, Any]
) -> HeapLevels:
    total, used, free = (_column(frame, c, seconds, info) for c in heap_columns(name))
    exact = dumps[dumps["kind"] == "total"]["bytes"]
    if len(exact) and exact.nunique() == 1:
        size = float(exact.iloc[0])
        total = replace(total, values=np.where(np.isnan(total.values), np.nan, size), error=total.error * 0)
    left = replace(
        free, source=FREE, values=total.values - free.values, error=total.error + free.error, change_error=free.error
    )
    tracks = [_present(replace(used, source=USED)), _present(left), _allocated(dumps)]
    return HeapLevels(name, _present(total), _free(total, used, free), tuple(t for t in tracks if len(t.values)))


def _free(total: Track, used: Track, free: Track) -> Track:
    left = replace(used, source="total − used", values=total.values - used.values, error=total.error + used.error)
    tracks = [t for t in (_present(replace(free, source="free")), _present(left)) if len(t.values)]
    return min(tracks, key=lambda t: float(t.error[t.values.argmin()]), default=_present(free))


def _column(frame: pd.DataFrame, column: str, seconds: np.ndarray, info: Mapping[str, Any]) -> Track:
    there = column in frame.columns
    values = frame[column].to_numpy(dtype="float64") if there else np.full(len(frame), np.nan)
    half = _half(row_quanta(column, frame["screen"].to_numpy(), values, info))
    return Track(column, frame["elapsed_s"].to_numpy(dtype="float64"), seconds, values, half, half)


def _half(quanta: np.ndarray) -> np.ndarray:
    """Half of a printed step; the figure itself is kept in whole bytes."""
    half: np.ndarray = quanta / 2 + np.where(quanta > 1, 0.5, 0.0)
    return half


def _present(track: Track) -> Track:
    missing = np.isnan(track.values)
    return track.where(~missing) if missing.any() else track


def _dumps(heaps: pd.DataFrame, name: str) -> pd.DataFrame:
    return heaps[heaps["heap"].str.lower() == name] if len(heaps) else heaps


def _allocated(dumps: pd.DataFrame) -> Track:
    rows = dumps[dumps["kind"] == "allocated"].sort_values("elapsed_s", kind="stable")
    times = rows["elapsed_s"].to_numpy(dtype="float64")
    zero = np.zeros(len(times))
    # A dump is a moment; each counts the same.
    return Track(DUMPS, times, zero + 1.0, rows["bytes"].to_numpy(dtype="float64"), zero, zero)


def _processes(frame: pd.DataFrame, processes: pd.DataFrame, seconds: np.ndarray) -> list[ProcessLevels]:
    """A process is a pid and a name; they come in the order of their appearance."""
    places = pd.Series(np.arange(len(frame)), index=frame["screen"].to_numpy())
    known = processes[processes["screen"].isin(places.index)]
    groups = known.groupby(["pid", "process"], sort=False)
    return [_process(int(pid), str(name), rows, places, frame, seconds) for (pid, name), rows in groups]


def _process(
    pid: int, name: str, rows: pd.DataFrame, places: pd.Series, frame: pd.DataFrame, seconds: np.ndarray
) -> ProcessLevels:
    at = places.loc[rows["screen"].to_numpy()].to_numpy()
    there: np.ndarray = np.zeros(len(frame), dtype=bool)
    there[at] = True
    # Of a block that was cut off nobody knows which rows would have followed.
    known = there | ~frame["cut"].to_numpy(dtype=bool)
    times = frame["elapsed_s"].to_numpy(dtype="float64")

    def track(source: str) -> Track:
        values = np.zeros(len(frame))
        values[at] = rows[f"{source}_bytes"].to_numpy(dtype="float64")
        half = np.where(there, _half(inferred_quanta(values)), 0.0)
        return Track(source, times, seconds, values, half, half).where(known & ~np.isnan(values))

    return ProcessLevels(pid, name, track("hbmem"), track("rss"))
