"""The phases to draw of a run: those that its memory shows, or its markers name."""

from __future__ import annotations

from ucpmon.memory.detection.lives import find_lives
from ucpmon.memory.levels import heap_levels, process_levels
from ucpmon.plot.data.align import RunView
from ucpmon.statistics.weights import row_seconds

MOST_ROWS = 500_000
"""Rows of screens and processes up to which phases are looked for: in longer runs that would take seconds."""


def too_long_for_phases(run: RunView) -> bool:
    return len(run.frame) + len(run.processes) > MOST_ROWS


def phases_of(run: RunView) -> list[tuple[float, float, str]]:
    """(start, end, name) in seconds from the run's start, of every model that was loaded; empty where none is seen."""
    if not len(run.frame) or too_long_for_phases(run):
        return []
    processes = process_levels(run.frame, run.processes, run.info)
    heaps = heap_levels(run.frame, run.heaps, run.info)
    end_s = float(run.frame["elapsed_s"].iloc[-1] + row_seconds(run.frame, run.info)[-1])
    lives = find_lives(processes, heaps, run.marks, end_s)
    return [(p.start_s, p.end_s, p.name) for life in lives for p in life.phases.values()]
