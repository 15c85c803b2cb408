"""What reading a run costs: one of six minutes, and one of a day, at 10 Hz with 30 columns.

    python benchmarks/reading.py [FOLDER FOR THE RUNS [CHECKOUT OF ANOTHER VERSION]]

The other version runs the same commands in turn, under the same interpreter, and its figures stand beside as shares.
Exit 1 where a budget is broken. The budgets are of the questions; exports write up to 2 GB and have twice the time.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from measure import process, table, ucpmon

MIB = 1 << 20
DAY, MINUTES = 864_000, 3_600
MOST_S = {DAY: 10.0, MINUTES: 2.0}
MOST_MIB = 1.2 * 1024
COMMANDS = {
    "plot": "plot {run} -o {out}.png --force",
    "report.html": "report {run} -o {out}.html --force",
    "report.md": "report {run} -o {out}.md --force",
    "report --row": "report {run} --row",
    "compare": "compare {run} {other}",
    "check": "check {run} --max bpu*_load_pct.p95=100 --max *_used_bytes.peak=4G",
    "memory": "memory {run}",
    "export parquet": "export {run} --to parquet -o {out}.parquet --force",
    "export jsonl": "export {run} --to jsonl -o -",
    "export csv-long": "export {run} --to csv-long -o -",
    "export perfetto": "export {run} --to perfetto -o -",
}


def make(path: Path, rows: int, seed: int) -> Path:
    """A run of 30 columns as a monitor prints them: 12 loads, 2 rates, 16 sizes of which the used ones creep."""
    rng = np.random.default_rng(seed)
    times = pd.Timestamp("2026-12-01T04:10:40Z") + pd.to_timedelta(np.arange(rows) * 100, unit="ms")
    frame = pd.DataFrame({"screen": np.arange(rows), "time": times.strftime("%Y-%m-%dT%H:%M:%S.%fZ")})
    frame = frame.assign(elapsed_s=np.arange(rows) / 10, cut=0)
    for i in range(12):
        core = f"bpu{i}" if i < 4 else f"isp{i - 4}"
        frame[f"{core}_load_pct"] = np.round(np.clip(60 - 4 * i + 8 * rng.standard_normal(rows), 0, 100), 1)
    for direction in ("read", "write"):
        frame[f"ddr_{direction}_mibps"] = np.round(5000 + 300 * rng.standard_normal(rows))
    for heap in ("carveout", "cma_reserved", "ion_cma", "ion_uncache", "custom"):
        used = np.round(300 + 0.1 * np.cumsum(rng.random(rows) > 0.999), 1) * MIB
        sizes = {"total": 2048.0 * MIB, "used": used, "free": 2048 * MIB - used}
        frame = frame.assign(**{f"{heap}_{kind}_bytes": size for kind, size in sizes.items()})
    frame["extra_used_bytes"] = 64.0 * MIB
    frame.to_csv(path, index=False)
    quality = {"gaps": [], "stalls": [], "lines": {"understood": 30 * rows, "noise": 0, "unknown": 0}}
    path.with_suffix(".json").write_text(json.dumps({"interval_s": 0.1, "quality": quality}))
    return path


def main(folder: Path, other_version: Path | None) -> bool:
    lines, broken = [], False
    for rows, most in MOST_S.items():
        base, other = (make(folder / f"{rows}-{seed}.csv", rows, seed) for seed in (1, 2))
        for name, command in COMMANDS.items():
            words = command.format(run=base, other=other, out=folder / "out").split()
            cpu, mib = process(*ucpmon(*words))
            over = cpu > most * (2 if name.startswith("export") else 1) or mib > MOST_MIB
            broken |= over
            lines.append((name, f"{rows:,}", f"{cpu:.2f} s", f"{mib:.0f} MiB", "over" if over else ""))
            if other_version:
                lines[-1] += _shares(cpu, mib, *process(*ucpmon(*words), cwd=other_version))
    head = ("command", "rows", "CPU", "peak memory", "", *(("CPU before", "memory before") if other_version else ()))
    print(table("Reading a run", head, lines))
    return broken


def _shares(cpu: float, mib: float, cpu_before: float, mib_before: float) -> tuple[str, str]:
    return f"{cpu_before:.2f} s: × {cpu / cpu_before:.2f}", f"{mib_before:.0f} MiB: × {mib / mib_before:.2f}"


if __name__ == "__main__":
    given = [Path(arg) for arg in sys.argv[1:]]
    with tempfile.TemporaryDirectory() as scratch:
        sys.exit(main(given[0] if given else Path(scratch), given[1] if len(given) > 1 else None))
