"""The phases to draw of a run: those that its memory shows, or its markers name."""

from __future__ import annotations

from ucpmon.memory.detection.lives import find_lives
from ucpmon.memory.levels import run_levels
from ucpmon.runs.reader import Run

MOST_ROWS = 500_000
"""Rows of screens and processes up to which phases are looked for: in longer runs that would take seconds."""


def too_long_for_phases(run: Run) -> bool:
    return len(run.frame) + len(run.processes) > MOST_ROWS


def phases_of(run: Run) -> list[tuple[float, float, str]]:
    """(start, end, name) in seconds from the run's start, of every model that was loaded; empty where none is seen."""
    if not len(run.frame) or too_long_for_phases(run):
        return []
    lives = find_lives(run_levels(run), run.marks)
    return [(p.start_s, p.end_s, p.name) for life in lives for p in life.phases.values()]
