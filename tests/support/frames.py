"""Samples held in memory → the frames that a run's files give."""

import pandas as pd


def screens_frame(samples, started_us):
    """A screens frame of samples held in memory; ``started_us`` is the wall clock of t=0 or ``None``."""
    rows = list(samples)
    frame = pd.DataFrame([s.values for s in rows], dtype="float64")
    head = pd.DataFrame(
        {
            "screen": pd.RangeIndex(len(rows)).astype("int64"),
            "time": wall([s.t_us for s in rows], started_us),
            "elapsed_s": pd.Series([(s.t_us or 0) / 1e6 for s in rows], dtype="float64"),
            "cut": pd.Series([s.cut for s in rows], dtype="bool"),
        }
    )
    return pd.concat([head, frame], axis=1)


def processes_frame(samples, started_us):
    """A processes frame of samples held in memory."""
    rows = [(i, s.t_us, p) for i, s in enumerate(samples) for p in s.processes]
    frame = pd.DataFrame(
        [(i, (t or 0) / 1e6, p.pid, p.process, p.rss_bytes, p.hbmem_bytes) for i, t, p in rows],
        columns=["screen", "elapsed_s", "pid", "process", "rss_bytes", "hbmem_bytes"],
    )
    frame.insert(1, "time", wall([t for _, t, _ in rows], started_us))
    return frame.astype({"rss_bytes": "float64", "hbmem_bytes": "float64"})


def wall(times_us, started_us):
    if started_us is None:
        return pd.Series([pd.NaT] * len(times_us), dtype="datetime64[ns, UTC]")
    return pd.to_datetime(pd.Series([started_us + (t or 0) for t in times_us], dtype="int64"), unit="us", utc=True)
