"""Runs made of exact levels, printed as the monitor prints them: what the analysis of memory is tried on."""

from functools import cache

import numpy as np
import pandas as pd

from ucpmon.metrics import GIB, MIB, format_printed, heap_columns, parse_size
from ucpmon.runs.frames import HEAP_COLUMNS

TOTALS = {"cma_reserved": GIB, "ion_cma": 512 * MIB, "carveout": 512 * MIB}


def levels(*parts):
    """Bytes of (MiB, rows) that stay or (from, to, rows) that slope; NaN stays NaN."""
    out = []
    for part in parts:
        start, stop, rows = part if len(part) == 3 else (part[0], part[0], part[1])
        out.append(np.linspace(start, stop, rows, endpoint=False) if rows else np.zeros(0))
    return np.concatenate(out) * MIB


def printed(values):
    """What a reader gets of exact bytes: rounded to one decimal of the largest unit; NaN stays."""
    return np.array([np.nan if v != v else float(_shown(round(v))[0]) for v in values])


def steps(values):
    """The resolution of each printed figure, in bytes."""
    return [_shown(round(v))[1] for v in values]


@cache
def _shown(count):
    """Bytes and resolution of what a reader gets of exact bytes."""
    return parse_size(format_printed(count))


class MadeRun:
    """``frame``, ``processes``, ``heaps``, ``marks`` and ``info`` of a run.

    ``processes`` are (pid, name, hbmem) with NaN where the process is not there; its memory is taken from carveout
    beside ``base`` bytes, unless ``used`` gives the heaps' used bytes itself.
    """

    def __init__(self, processes=(), base=2 * MIB, interval=1.0, used=None, totals=None, marks=(), times=None):
        self.totals = totals or TOTALS
        rows = len(processes[0][2]) if processes else len(next(iter(used.values())))
        self.times = np.arange(rows) * interval if times is None else np.asarray(times)
        self.used = used or {"carveout": base + sum(np.nan_to_num(p[2]) for p in processes)}
        columns = {
            "screen": np.arange(rows),
            "time": pd.NaT,
            "elapsed_s": self.times,
            "cut": np.zeros(rows, dtype=bool),
        }
        resolution = {}
        for heap, total in self.totals.items():
            exact = np.minimum(self.used.get(heap, np.full(rows, 8.0 * MIB)), total)
            for column, values in zip(heap_columns(heap), (np.full(rows, total), exact, total - exact), strict=True):
                columns[column] = printed(values)
                found = steps(values)
                changes = [i for i in range(rows) if i == 0 or found[i] != found[i - 1]]
                resolution[column] = [[i, found[i]] for i in changes]
        self.frame = pd.DataFrame(columns)
        self.processes = self._table(processes)
        self.heaps = pd.DataFrame({c: [] for c in HEAP_COLUMNS})
        self.marks = pd.DataFrame(
            {
                "time": pd.NaT,
                "elapsed_s": [float(t) for t, *_ in marks],
                "label": [m[1] for m in marks],
                "source": [m[2] if len(m) > 2 else "workload" for m in marks],
            }
        )
        self.info = {"interval_s": interval, "resolution": resolution, "quality": {"gaps": []}}

    def _table(self, processes):
        columns = ("screen", "time", "elapsed_s", "pid", "process", "rss_bytes", "hbmem_bytes")
        rows = [
            (i, pd.NaT, self.times[i], pid, name, 100.0 * MIB, value)
            for pid, name, hbmem in processes
            for i, value in enumerate(printed(hbmem))
            if value == value
        ]
        frame = pd.DataFrame(sorted(rows, key=lambda r: r[0]), columns=columns)
        return frame.astype({"screen": "int64", "pid": "int64"})

    @property
    def parts(self):
        return self.frame, self.processes, self.heaps, self.marks, self.info


nan = float("nan")
