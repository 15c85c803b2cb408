"""How far a run can be trusted, as numbers, from what run.json keeps of its making."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from ucpmon.statistics.weights import asked_interval, hold_seconds, row_seconds, typical_step


@dataclass(frozen=True)
class Quality:
    """Figures of a run's quality; times in seconds, shares in percent.

    ``unknown_pct`` is of all lines that are not noise; ``gap_pct`` and ``stall_pct`` are of the run's duration.
    ``dropped`` redraws were cut in flight, ``cut`` blocks were kept incomplete, ``clipped`` reached the last
    terminal row, ``repeated`` redraws changed nothing.
    """

    screens: int
    duration_s: float
    interval_s: float
    cut: int
    dropped: int
    repeated: int
    clipped: int
    unknown: int
    unknown_pct: float
    gaps: int
    gap_pct: float
    stalls: int
    stall_pct: float


FIGURES = tuple(Quality.__dataclass_fields__)
"""The names of the figures, as ``ucpmon check`` takes them."""


def quality(frame: pd.DataFrame, info: Mapping[str, Any]) -> Quality:
    """The quality of a run: ``frame`` its screens, ``info`` its run.json (what that lacks counts as 0)."""
    noted = info.get("quality") or {}
    lines = noted.get("lines") or {}
    elapsed = frame["elapsed_s"].to_numpy()
    last = max(hold_seconds(elapsed, (), asked_interval(info))[-1:].sum(), row_seconds(frame, info)[-1:].sum())
    duration = float(np.ptp(elapsed) + last) if len(elapsed) else 0.0
    gaps, stalls = noted.get("gaps") or [], noted.get("stalls") or []
    unknown = int(lines.get("unknown") or 0)
    return Quality(
        screens=len(frame),
        duration_s=duration,
        interval_s=float((noted.get("interval") or {}).get("achieved_s") or _median_step(frame, info)),
        cut=max(int(noted.get("cut") or 0), int(frame["cut"].sum())),
        dropped=int(noted.get("dropped") or 0),
        repeated=int(noted.get("repeated") or 0),
        clipped=int(noted.get("clipped") or 0),
        unknown=unknown,
        unknown_pct=_percent(unknown, unknown + int(lines.get("understood") or 0)),
        gaps=len(gaps),
        gap_pct=_percent(sum(end - start for start, end in gaps), duration),
        stalls=len(stalls),
        stall_pct=_percent(sum(end - start for start, end in stalls), duration),
    )


def figures(found: Quality) -> dict[str, float]:
    """The figures by name."""
    return {name: float(value) for name, value in asdict(found).items()}


def doubts(found: Quality, info: Mapping[str, Any]) -> Iterator[str]:
    """What a reader of the run's figures should know first, a sentence each."""
    if found.gaps:
        share = f"{found.gap_pct:.1f} % of the time"
        yield f"{count(found.gaps, 'gap')}, {share}: nothing is known of it, no figure counts it."
    if found.stalls:
        yield f"The monitor stood still {count(found.stalls, 'time')}, {found.stall_pct:.1f} % of the time."
    if found.cut:
        yield f"Incomplete: {count(found.cut, 'screen')}; the values that are missing count for nothing."
    if found.unknown:
        yield f"Not understood: {count(found.unknown, 'line')} ({found.unknown_pct:.1f} %)."
    if found.clipped:
        yield f"Drawn down to the terminal's last row: {count(found.clipped, 'screen')}; more may have been below it."
    if info.get("time_basis") == "nominal":
        yield "The capture kept no clock: times count the asked interval from screen to screen."


def count(number: int, noun: str) -> str:
    """``1 screen``, ``172 screens``."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def _median_step(frame: pd.DataFrame, info: Mapping[str, Any]) -> float:
    return typical_step(np.diff(frame["elapsed_s"].to_numpy()), asked_interval(info) if len(frame) < 2 else None)


def _percent(part: float, whole: float) -> float:
    return 100.0 * part / whole if whole > 0 else 0.0
