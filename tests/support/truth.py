"""What a capture in fixtures/ must give, value by value. ``differences`` is empty where a run is right."""

import csv
import json
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from support.paths import ROOT

FIXTURES = ROOT / "fixtures"
_PROCESS = ("pid", "process", "rss_bytes", "hbmem_bytes")


class Row(NamedTuple):
    """A row of a run, whichever way it was had."""

    values: dict
    processes: list
    cut: bool
    elapsed_s: float | None


def captures(*origins):
    """The captures in fixtures/ that have a truth with frames; none found is a failure."""
    found = [
        path
        for path in sorted(FIXTURES.glob("*/*"))
        if (not origins or path.parent.name in origins)
        and path.suffix not in (".json", ".timing", ".tm")
        and path.parent.name != "heaps"
        and truth_path(path).exists()
    ]
    assert found, f"no fixtures under {FIXTURES} for {origins}"
    return found


def truth_path(capture):
    """``clear--case.cast.gz`` is beside ``clear--case.json``: no name of a case has a dot."""
    return capture.with_name(capture.name.partition(".")[0] + ".json")


def rows_of_samples(samples):
    return [
        Row(dict(s.values), [tuple(p) for p in s.processes], s.cut, None if s.t_us is None else s.t_us / 1e6)
        for s in samples
    ]


def rows_of_run(path):
    """The rows of a run.csv and its run.procs.csv."""
    side = path.with_name(path.stem + ".procs.csv")
    processes = {}
    for row in _read(side) if side.exists() else []:
        process = (int(row["pid"]), row["process"], int(row["rss_bytes"]), int(row["hbmem_bytes"]))
        processes.setdefault(row["screen"], []).append(process)
    return [
        Row(
            {k: float(v) for k, v in row.items() if k.endswith(("_pct", "_mibps", "_bytes")) and v},
            processes.get(row["screen"], []),
            row["cut"] == "1",
            float(row["elapsed_s"]),
        )
        for row in _read(path)
    ]


def _read(path):
    with path.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def differences(rows, truth, clock_tolerance_s=0.15):
    """What is wrong with ``rows`` (of ``rows_of_run`` or ``rows_of_samples``) by the truth file; empty if nothing."""
    spec = json.loads(Path(truth).read_text(encoding="utf-8"))
    want = spec["frames"] + ([spec["cut"]] if "cut" in spec else [])
    found = []
    # Without a clock nothing proves that the last redraw of a cursor-addressed stream was complete.
    least = len(want) - spec.get("last_unproven", False)
    if not least <= len(rows) <= len(want):
        found.append(f"{len(rows)} rows where {len(want)} were drawn")
    for i, (row, frame) in enumerate(zip(rows, want, strict=False)):
        found += [f"row {i}: {text}" for text in _row_differences(row, frame)]
        # A terminal that is too small may have cut any of its screens.
        if row.cut != ("visible" in frame or ("cut" in spec and i == len(want) - 1)):
            found.append(f"row {i}: cut is {row.cut}")
    if spec.get("clock", True):
        found += _clock_differences(rows, spec["frames"], clock_tolerance_s)
    return found


def _row_differences(row, frame):
    wanted = frame["row"]
    for column in frame.get("visible", wanted):
        if column not in row.values:
            yield f"{column} is missing, {wanted[column]} was drawn"
    for column, value in row.values.items():
        if column not in frame.get("visible", wanted):
            yield f"{column} = {value} was never on the screen"
        # Loads are printed to one decimal; all else is exact.
        elif abs(value - wanted[column]) > (0.051 if column.endswith("_pct") else 0.5):
            yield f"{column} = {value}, {wanted[column]} was drawn"
    if "visible" not in frame:
        drawn, got = Counter(map(tuple, frame["procs"])), Counter(row.processes)
        yield from (f"process {list(p)} is missing" for p in drawn - got)
        yield from (f"process {list(p)} was never on the screen" for p in got - drawn)


def _clock_differences(rows, frames, tolerance_s):
    timed = [(frame["t"], row.elapsed_s) for row, frame in zip(rows, frames, strict=False) if "t" in frame]
    for i, (drawn, got) in enumerate(timed):
        want = drawn - timed[0][0]
        if got is None or timed[0][1] is None or abs(got - timed[0][1] - want) > tolerance_s:
            yield f"row {i}: at {got} s, drawn {want:.3f} s after the first"
