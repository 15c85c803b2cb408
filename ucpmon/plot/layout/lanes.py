"""Marks and phases above the panels: which label stands in which row, so that none covers another or a line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ucpmon.plot.layout.text_flow import shorten

ROWS = 4
LONGEST = 2.2
GAP = 0.05
"""Inches between a mark's line and its label, and between labels."""


@dataclass(frozen=True)
class Flag:
    """A label to place: ``x`` inches from the axes' left edge; ``run`` gives its colour."""

    x: float
    text: str
    run: int = 0


@dataclass(frozen=True)
class Placement:
    """Where a label stands: ``row`` counts from the top, ``left``/``right`` are its ends in inches."""

    flag: Flag
    row: int
    left: float
    right: float


@dataclass(frozen=True)
class Lanes:
    placed: list[Placement] = field(default_factory=list)
    unlabelled: int = 0

    @property
    def rows(self) -> int:
        return max((p.row + 1 for p in self.placed), default=0)


def pack(flags: Sequence[Flag], limit: float, measure: Callable[[str], float]) -> Lanes:
    """Rows for the labels, from the left; a label that has no room is left out and counted.

    ``limit`` is how far right a label may reach. Every mark's line runs from its label's row down into the
    panels, so no label may lie where an earlier line or label is.
    """
    placed: list[Placement] = []
    left_out = 0
    for flag in sorted(flags, key=lambda f: f.x):
        if any(p.flag.text == flag.text and abs(p.flag.x - flag.x) < GAP for p in placed):
            continue
        text = shorten(flag.text, LONGEST, measure)
        found = _find(Flag(flag.x, text, flag.run), measure(text), limit, placed)
        if found is None:
            left_out += 1
        else:
            placed.append(found)
    return Lanes(placed, left_out)


def _find(flag: Flag, length: float, limit: float, placed: Sequence[Placement]) -> Placement | None:
    # To the right of the line wherever there is room, else to its left.
    for left in (flag.x + GAP, flag.x - GAP - length):
        for row in range(ROWS):
            candidate = Placement(flag, row, left, left + length)
            if left >= -GAP and left + length <= limit and not any(_meet(candidate, p) for p in placed):
                return candidate
    return None


def _meet(new: Placement, old: Placement) -> bool:
    """Whether the labels overlap, or the line of one runs through the label of the other."""
    overlap = new.row == old.row and new.left < old.right + 2 * GAP and old.left < new.right + 2 * GAP
    through_new = old.row <= new.row and new.left - GAP < old.flag.x < new.right + GAP
    through_old = new.row <= old.row and old.left - GAP < new.flag.x < old.right + GAP
    return overlap or through_new or through_old
