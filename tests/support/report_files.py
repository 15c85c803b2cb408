"""A run's files, written with the csv module alone, and what they say, computed with it alone."""

import csv
import json
import statistics
from datetime import datetime, timedelta, timezone
from itertools import pairwise

MIB = 1 << 20
START = datetime(2026, 12, 1, 4, 10, 40, 123456, timezone.utc)
EVIL = [
    "<script>alert(1)</script>",
    "</script><b>bold",
    "<img src=x onerror=alert(2)>",
    "\"&amp;'`|*_",
    "模型\x1b[31m\u202e",
]


def write_run(path, rows, columns, processes=(), marks=(), info=None):
    """run.csv and its side files; ``rows`` are of elapsed seconds and a value (or None) per column."""
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["screen", "time", "elapsed_s", "cut", *columns])
        for screen, (elapsed, *values) in enumerate(rows):
            writer.writerow([screen, iso(elapsed), f"{elapsed:.6f}", 0, *("" if v is None else v for v in values)])
    with path.with_name(f"{path.stem}.procs.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["screen", "time", "elapsed_s", "pid", "process", "rss_bytes", "hbmem_bytes"])
        for screen, pid, name, rss, hbmem in processes:
            writer.writerow([screen, iso(rows[screen][0]), f"{rows[screen][0]:.6f}", pid, name, rss, hbmem])
    with path.with_name(f"{path.stem}.marks.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["time", "elapsed_s", "label", "source"])
        writer.writerows([iso(at), f"{at:.6f}", label, "user"] for at, label in marks)
    path.with_suffix(".json").write_text(json.dumps({"started": iso(0), "interval_s": 1.0, **(info or {})}))
    return path


def iso(elapsed):
    return (START + timedelta(seconds=elapsed)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def model_run(path, seconds=60, names=("hrt_model_exec",), info=None):
    """A board on which a model loads at 20 s and runs; irregular times, one value missing, one gap."""
    columns = ["bpu0_load_pct", "bpu1_load_pct", "dsp0_load_pct", "ddr_read_mibps", "ddr_write_mibps"]
    columns += [f"carveout_{kind}_bytes" for kind in ("total", "used", "free")]
    rows, processes = [], []
    for i in range(seconds):
        elapsed = i + (i * 37 % 11) / 100 + (12.0 if i >= 40 else 0.0)
        runs = i >= 20
        used = (2 + (212 if 20 <= i < 26 else 96 if runs else 0)) * MIB
        load = 70 + (i * 29 % 23) / 10 if runs else 0.0
        loads = [load, round(load / 2, 1) if i != 30 else None, 0.0]
        rows.append([elapsed, *loads, 5000 + i if runs else 208, 131, 512 * MIB, used, 512 * MIB - used])
        processes += [(i, 4805 + k, name, 73 * MIB, used - 2 * MIB) for k, name in enumerate(names) if runs]
    gaps = {"quality": {"gaps": [[rows[39][0] + 1.0, rows[40][0]]], "stalls": []}} if seconds > 40 else {}
    return write_run(path, rows, columns, processes, [(20.0, "load <model>")], {**gaps, **(info or {})})


def weighed(path, column, gaps=()):
    """[(value, seconds it held)] of a column, in order, by the csv module alone; the last holds the usual interval."""
    with path.open(newline="") as stream:
        rows = [(float(r["elapsed_s"]), r[column]) for r in csv.DictReader(stream)]
    steps = [b - a for (a, _), (b, _) in pairwise(rows)]
    held = [*steps, min(statistics.median(steps), 1.0)]
    for start, end in gaps:
        at = max(i for i, (elapsed, _) in enumerate(rows) if elapsed <= start < end)
        held[at] = start - rows[at][0]
    return [(float(value), seconds) for (_, value), seconds in zip(rows, held, strict=True) if value]


def average(pairs):
    return sum(v * s for v, s in pairs) / sum(s for _, s in pairs)


def percentile(pairs, q):
    total, so_far = sum(s for _, s in pairs), 0.0
    for value, seconds in sorted(pairs):
        so_far += seconds
        if so_far >= total * q / 100 - 1e-9:
            return value
    raise AssertionError("no value")
