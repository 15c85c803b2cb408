"""Chrome's JSON trace format: counters that Perfetto shows beside a UCP trace of the same clock.

Timestamps are whole microseconds since 1970 (UTC), the clock of ``time`` in run.csv; a run that knows no wall clock
counts from its own start. A counter holds until its next event, so an unchanged group of values is not written again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import pandas as pd

from ucpmon.export.jsonl import json_rows
from ucpmon.metrics import MIB, label_of, metric
from ucpmon.runs.frames import metric_columns
from ucpmon.statistics.summary import core_groups
from ucpmon.statistics.weights import unknown_spans

if TYPE_CHECKING:
    from ucpmon.runs.reader import Run

_ROWS = 50_000


def has_clock(frame: Any) -> bool:
    """Whether the run knows when it was, so that it can stand beside another trace."""
    return bool(len(frame)) and not frame["time"].isna().any()


def write(run: Run, out: BinaryIO) -> None:
    """Loads (%), DDR (MiB/s), heaps and processes (MiB) as counters; marks as instants; gaps as slices."""
    info = json.dumps({"source": "ucpmon", "simulated": run.simulated, "run": str(run.name)})
    out.write(f'{{"displayTimeUnit":"ms","otherData":{info},"traceEvents":[\n'.encode())
    out.write(json.dumps(_named(run)).encode())
    for events in (_counters(run.frame), _process_counters(run), _notes(run)):
        for block in events:
            out.write(block.encode())
    out.write(b"\n]}\n")


def _named(run: Run) -> dict[str, Any]:
    return {"ph": "M", "pid": 1, "name": "process_name", "args": {"name": f"ucpmon {run.name}"}}


def groups(columns: list[str]) -> dict[str, dict[str, str]]:
    """Counter name (with its unit) → {column: series name}, for the metric columns of a run."""
    found = {f"{kind} load (%)": {c: _subject(c) for c in cores} for kind, cores in core_groups(columns).items()}
    grouped = {c for cores in found.values() for c in cores}
    for column in (c for c in columns if c not in grouped):
        kind, subject = metric(column).kind, _subject(column)  # type: ignore[union-attr]
        if kind == "rate":
            found.setdefault("DDR (MiB/s)", {})[column] = subject.removeprefix("ddr_")
        elif kind == "load":
            found.setdefault("load (%)", {})[column] = subject
        elif metric(column).unit == "bytes":  # type: ignore[union-attr]
            found.setdefault(f"{subject} (MiB)", {})[column] = kind
        else:
            found.setdefault(label_of(column), {})[column] = subject
    return found


def _subject(column: str) -> str:
    return metric(column).subject  # type: ignore[union-attr]


def _times_us(frame: Any, clock: bool) -> np.ndarray:
    if clock:
        times: np.ndarray = frame["time"].astype("datetime64[us, UTC]").astype("int64").to_numpy()
        return times
    elapsed: np.ndarray = np.round(frame["elapsed_s"].to_numpy() * 1e6).astype("int64")
    return elapsed


def _counters(frame: Any) -> Iterator[str]:
    times = _times_us(frame, has_clock(frame))
    for name, columns in groups(metric_columns(frame)).items():
        data = frame[list(columns)].rename(columns=columns).dropna(axis=1, how="all")
        yield from _counter(name, times, data / MIB if name.endswith("(MiB)") else data)


def _process_counters(run: Run) -> Iterator[str]:
    if not len(run.processes):
        return
    clock = has_clock(run.frame)
    times, drawn = _times_us(run.processes, clock), _times_us(run.frame, clock)
    for (pid, name), rows in run.processes.groupby(["pid", "process"], sort=False):
        gone = drawn[_gone(run.frame, rows["screen"])]
        held = rows[["rss_bytes", "hbmem_bytes"]].to_numpy(dtype="float64") / MIB
        at = np.concatenate([times[rows.index.to_numpy()], gone])
        data = pd.DataFrame(np.vstack([held, np.zeros((len(gone), 2))]), columns=["rss", "hbmem"])
        order = np.argsort(at, kind="stable")
        yield from _counter(f"{name} [{pid}] (MiB)", at[order], data.iloc[order])


def _gone(frame: Any, screens: Any) -> np.ndarray:
    """The rows that are the first without a process: it holds nothing from there on, where a counter would stay up.

    A block that was cut off does not tell who was left.
    """
    there = frame["screen"].isin(screens).to_numpy()
    known = np.flatnonzero(there | ~frame["cut"].to_numpy(dtype=bool))
    left: np.ndarray = known[1:][~there[known][1:] & there[known][:-1]]
    return left


def _counter(name: str, times: np.ndarray, data: Any) -> Iterator[str]:
    changed = _changed(data.to_numpy(dtype="float64"))
    head = f',\n{{"ph":"C","pid":1,"name":{json.dumps(name)},"ts":'
    data, stamps = data[changed], times[changed].tolist()
    for start in range(0, len(data), _ROWS):
        pairs = zip(stamps[start : start + _ROWS], _args(data.iloc[start : start + _ROWS]), strict=True)
        yield "".join(f'{head}{ts},"args":{args}}}' for ts, args in pairs)


def _changed(values: np.ndarray) -> np.ndarray:
    """Rows that say something new, and the last one: that the counter still stood there."""
    before = np.vstack([np.full((1, values.shape[1]), np.nan), values[:-1]])
    new = ~np.isnan(values) & (values != before)
    new[-1:] = ~np.isnan(values[-1:])
    changed: np.ndarray = new.any(axis=1)
    return changed


def _args(data: Any) -> list[str]:
    texts = json_rows(data).split("\n")[:-1]
    for row in np.flatnonzero(data.isna().any(axis=1).to_numpy()):
        there = {k: v for k, v in json.loads(texts[row]).items() if v is not None}
        texts[row] = json.dumps(there)
    return texts


def _notes(run: Run) -> Iterator[str]:
    clock = has_clock(run.frame)
    first = _times_us(run.frame.iloc[:1], clock).sum() - round(float(run.frame["elapsed_s"].iloc[:1].sum()) * 1e6)
    for mark in run.marks.itertuples():
        if not pd.isna(mark.elapsed_s):
            at = int(first) + round(float(mark.elapsed_s) * 1e6)
            yield _event({"ph": "i", "s": "g", "pid": 1, "name": mark.label, "cat": str(mark.source), "ts": at})
    for start, end in unknown_spans(run.info.get("quality") or {}):
        at, length = int(first) + round(start * 1e6), round((end - start) * 1e6)
        yield _event({"ph": "X", "pid": 1, "tid": 1, "name": "nothing known", "cat": "gap", "ts": at, "dur": length})


def _event(event: dict[str, Any]) -> str:
    return ",\n" + json.dumps(event)
