"""Runs made by hand for the tests of pictures, and what is read back from a Figure."""

from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.text import Text

from ucpmon.runs.frames import HEAP_COLUMNS, MARK_COLUMNS, PROCESS_COLUMNS
from ucpmon.runs.reader import Run

MIB = 1 << 20
S600 = ("bpu0", "bpu1", "bpu2", "bpu3", "dsp0", "dsp1", "gdc0", "stitch0",
        "pym0", "pym1", "pym2", "isp0", "isp1", "jpu0", "jpu1", "vpu0")  # fmt: skip


def head(seconds, start="2026-12-01T04:10:40Z"):
    """The first columns of a screens frame with a row at each of ``seconds``."""
    seconds = np.asarray(seconds, dtype="float64")
    clock = pd.to_datetime(start, utc=True) + pd.to_timedelta(seconds, unit="s")
    return pd.DataFrame({"screen": np.arange(len(seconds)), "time": clock, "elapsed_s": seconds, "cut": False})


def processes(rows, start="2026-12-01T04:10:40Z"):
    """Rows of (screen, elapsed, pid, name, hbmem bytes)."""
    table = pd.DataFrame(
        [
            (s, pd.Timestamp(start) + pd.Timedelta(t, "s"), t, pid, name, 5 * MIB, size)
            for s, t, pid, name, size in rows
        ],
        columns=list(PROCESS_COLUMNS),
    )
    return table.astype({"pid": "int64", "rss_bytes": "float64", "hbmem_bytes": "float64"})


def marks(pairs):
    return pd.DataFrame([(pd.NaT, t, label, "user") for t, label in pairs], columns=list(MARK_COLUMNS))


def make_run(
    columns, seconds=None, name="run.csv", procs=(), named=(), path=None, start="2026-12-01T04:10:40Z", **info
):
    """A run with these metric columns, a row a second unless ``seconds`` says otherwise."""
    rows = max((len(v) for v in columns.values()), default=0)
    seconds = np.arange(rows) if seconds is None else seconds
    frame = pd.concat([head(seconds, start), pd.DataFrame(columns, dtype="float64")], axis=1)
    info = {"interval_s": 1.0, "time_basis": "recorded", "quality": {}, **info}
    heaps = pd.DataFrame([], columns=list(HEAP_COLUMNS))
    return Run(Path(path or name), name, info, frame, processes(procs, start), heaps, marks(named))


def busy_run(loads=("bpu0", "dsp0"), rows=60, heaps=("cma_reserved", "ion_cma", "carveout"), procs=3, seed=7, **more):
    """Something like a model that loads, runs and exits: noisy loads, two rates, heaps, processes."""
    rng = np.random.default_rng(seed)
    at = np.linspace(0, 1, rows)
    active = (at > 0.2) & (at < 0.85)
    columns = {f"{n}_load_pct": np.where(active, rng.uniform(50, 100, rows).round(1), 1.0) for n in loads}
    columns["ddr_read_mibps"] = np.where(active, 3200.0, 210.0)
    columns["ddr_write_mibps"] = np.where(active, 1500.0, 150.0)
    for heap in heaps:
        columns[f"{heap}_total_bytes"] = np.full(rows, 512.0 * MIB)
        columns[f"{heap}_used_bytes"] = np.where(active, 90.0, 2.0) * MIB
        columns[f"{heap}_free_bytes"] = np.where(active, 422.0, 510.0) * MIB
    names = ("python3", "hrt_model_exec", "gnome-initial-s", "camera:main", "isp/service", "x264 enc", "vio")
    rows_of = [(s, float(s), 54851 + i, names[i % 7], (84 - 9 * i) * MIB) for i in range(procs) for s in range(rows)]
    return make_run(columns, procs=rows_of, **more)


def lines_of(figure, column):
    """Every line of a column, as (x, y)."""
    found = [line for ax in figure.axes for line in ax.lines if line.get_gid() == column]
    return [(np.asarray(line.get_xdata(), dtype=float), np.asarray(line.get_ydata(), dtype=float)) for line in found]


def line_of(figure, column):
    (only,) = lines_of(figure, column)
    return only


def axes_of(figure, column):
    return next(ax for ax in figure.axes for line in ax.lines if line.get_gid() == column)


def texts_of(figure):
    """What a reader sees written, from the figure drawn at its own size."""
    figure.canvas.draw()
    return [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip() and _shown(text)]


def _shown(text):
    """Tick labels outside the axis' limits, and those switched off, are not drawn."""
    box = text.get_window_extent()
    return box.width > 0 and box.height > 0


def words_of(figure):
    return [text.get_text() for text in texts_of(figure)]


def misplaced(figure):
    """Pairs of texts whose boxes overlap by more than half a pixel, and texts that leave the page: two lists."""
    width, height = figure.bbox.size
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts_of(figure)]
    overlapping = [(a, b) for i, (a, p) in enumerate(boxes) for b, q in boxes[:i] if _meet(p, q)]
    outside = [t for t, b in boxes if b.x0 < 0 or b.y0 < 0 or b.x1 > width or b.y1 > height]
    return overlapping, outside


def _meet(p, q, slack=0.5):
    return p.x0 < q.x1 - slack and q.x0 < p.x1 - slack and p.y0 < q.y1 - slack and q.y0 < p.y1 - slack
