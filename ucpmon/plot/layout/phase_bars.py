"""Phases as bars above the panels: which bar stands in which row, and whether its name fits into it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ucpmon.plot.data.place import Placed
from ucpmon.plot.layout.lanes import Flag

PAD = 0.05
"""Inches that stay free at both sides of a name in its bar."""

MOST_FLAGGED = 12


@dataclass(frozen=True)
class Bar:
    """``start``/``end`` on the time axis; ``text`` is empty where the name does not fit into the bar."""

    start: float
    end: float
    name: str
    text: str
    row: int
    run: int


def bars_of(
    placed: Sequence[Placed],
    inches: Callable[[float], float],
    clean: Callable[[str], str],
    measure: Callable[[str], float],
) -> list[Bar]:
    """The bars of all runs' phases, each run below the one before; phases that overlap in time in rows of their own.

    ``inches`` is where on the axes a time lies.
    """
    bars: list[Bar] = []
    base = 0
    for run, p in enumerate(placed):
        ends: list[float] = []
        for start, end, name in sorted(p.phases):
            row = next((i for i, last in enumerate(ends) if last <= start + 1e-9), len(ends))
            ends[row : row + 1] = [end]
            word = clean(name)
            fits = measure(word) + 2 * PAD <= inches(end) - inches(start)
            bars.append(Bar(start, end, word, word if fits else "", base + row, run))
        base += len(ends)
    return bars


def flags_of(bars: Sequence[Bar], inches: Callable[[float], float]) -> list[Flag]:
    """Labels for the bars that are too short for their names; none where there are too many bars for that."""
    if len(bars) > MOST_FLAGGED:
        return []
    return [Flag(inches(bar.start), bar.name, bar.run) for bar in bars if not bar.text]
