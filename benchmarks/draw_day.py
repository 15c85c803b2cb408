"""Drawing a day at 10 Hz, 30 columns: ucpmon's page against matplotlib drawing every point of the same columns."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from measure import cpu_s, table

from ucpmon.plot import build_figure, render
from ucpmon.runs.frames import HEAP_COLUMNS, MARK_COLUMNS, PROCESS_COLUMNS, metric_columns
from ucpmon.runs.reader import Run

ROWS = 864_000


def a_day() -> Run:
    """Loads, rates and heaps of which every row differs from the one before."""
    noise = np.random.default_rng(3).uniform(0, 100, ROWS).round(1)
    columns = {f"bpu{i}_load_pct": np.roll(noise, i * 1000) for i in range(13)}
    columns |= {"ddr_read_mibps": noise * 100, "ddr_write_mibps": noise * 50}
    for i in range(5):
        columns |= {f"heap{i}_{kind}_bytes": np.roll(noise, i) * 2**20 for kind in ("used", "free", "total")}
    head = {"screen": np.arange(ROWS), "time": pd.NaT, "elapsed_s": np.arange(ROWS) / 10, "cut": False}
    sides = (pd.DataFrame(columns=list(names)) for names in (PROCESS_COLUMNS, HEAP_COLUMNS, MARK_COLUMNS))
    return Run(Path("day.csv"), "day.csv", {}, pd.DataFrame(head | columns), *sides)


def every_point(run: Run) -> None:
    figure = Figure(figsize=(12, 9))
    axes: Any = figure.subplots(4, 1, sharex=True)
    for i, column in enumerate(metric_columns(run.frame)):
        axes[i % 4].plot(run.frame["elapsed_s"], run.frame[column], drawstyle="steps-post")
    FigureCanvasAgg(figure).print_png(io.BytesIO())


def main() -> None:
    run = a_day()
    ours = cpu_s(lambda: render(build_figure([run]), "png"))
    theirs = cpu_s(lambda: every_point(run), rounds=1)
    row = (f"{ROWS:,} rows × {len(metric_columns(run.frame))} columns", f"{theirs:.1f} s", f"{ours:.1f} s (≤ 3)")
    print(table("Drawing", ("run", "every point", "ucpmon", "ratio"), [(*row, f"{theirs / ours:.0f} ×")]))


if __name__ == "__main__":
    main()
