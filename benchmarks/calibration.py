"""How often `compare` is wrong, and how often it finds a true change: hundreds of simulated pairs of runs.

    python benchmarks/calibration.py [PAIRS]

Each pair is two runs of a minute with eleven metrics, whose screens resemble the one before as much as r says
(an AR(1) series). "Same" pairs differ by chance alone: at most 5 % of them may have any metric called changed. In
"+5 %" pairs the four BPU loads of the second run are 5 % higher: the share of those loads that is called so.
"""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
from measure import table

from ucpmon.comparison.compare import FALSE_ALARMS, compare
from ucpmon.runs.frames import HEAP_COLUMNS, MARK_COLUMNS, PROCESS_COLUMNS

MIB = 1 << 20
CASES = [(r, 60) for r in (0.0, 0.3, 0.6, 0.9, 0.95)] + [(r, 600) for r in (0.6, 0.9, 0.98)]
"""(r from screen to screen, screens in the minute)."""


def noise(rng: np.random.Generator, rows: int, r: float) -> np.ndarray:
    values, last = np.empty(rows), rng.standard_normal()
    for i, step in enumerate(rng.standard_normal(rows) * np.sqrt(1 - r**2)):
        last = values[i] = r * last + step
    return values


def board(rng: np.random.Generator, rows: int, r: float, factor: float = 1.0) -> SimpleNamespace:
    """A run of a board under load: BPU 60 ± 2 %, others little, DDR 3000 ± 200 MiB/s, heaps 300 ± 2 MiB."""
    head = {"screen": range(rows), "time": pd.NaT, "elapsed_s": np.arange(rows) * 60 / rows, "cut": False}
    columns = {f"bpu{i}_load_pct": np.round(60 * factor + 2 * noise(rng, rows, r), 1) for i in range(4)}
    columns |= {f"{ip}0_load_pct": np.round(np.abs(3 + noise(rng, rows, r)), 1) for ip in ("dsp", "gdc", "jpu")}
    columns |= {f"ddr_{way}_mibps": np.round(3000 + 200 * noise(rng, rows, r)) for way in ("read", "write")}
    heaps = ("carveout", "cma_reserved")
    columns |= {f"{heap}_used_bytes": np.round(300 + 2 * noise(rng, rows, r), 1) * MIB for heap in heaps}
    shapes = {"processes": PROCESS_COLUMNS, "heaps": HEAP_COLUMNS, "marks": MARK_COLUMNS}
    empty = {name: pd.DataFrame({c: [] for c in names}) for name, names in shapes.items()}
    return SimpleNamespace(frame=pd.DataFrame(head | columns), info={}, **empty)


def called(base: SimpleNamespace, new: SimpleNamespace) -> set[str]:
    return {d.column for d in compare([base], [new]) if d.verdict in ("higher", "lower")}


def main(pairs: int) -> bool:
    lines, broken = [], False
    for r, rows in CASES:
        rng = np.random.default_rng([rows, round(100 * r)])
        same = [called(board(rng, rows, r), board(rng, rows, r)) for _ in range(pairs)]
        more = [called(board(rng, rows, r), board(rng, rows, r, 1.05)) for _ in range(pairs // 4)]
        wrong = sum(map(bool, same)) / pairs
        found = sum(len({c for c in columns if c.startswith("bpu")}) for columns in more) / (4 * len(more))
        # Two standard deviations of a count above what is promised are still chance.
        broken |= wrong > FALSE_ALARMS + 2 * np.sqrt(FALSE_ALARMS * (1 - FALSE_ALARMS) / pairs)
        lines.append((f"{r:g}", str(rows), f"{wrong:.1%}", f"{found:.0%}"))
    print(table(f"compare on {pairs} pairs a line", ("r", "screens", "same, called changed", "+5 %, found"), lines))
    return broken


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 400))
