"""The straight pieces of a memory level, and what happens from one to the next."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ucpmon.statistics.change_points import Piece


@dataclass(frozen=True)
class Scale:
    """What counts as a change, in bytes: at least ``least``, and more than the ``noise`` (standard deviation) of a row.

    ``step`` is the coarsest step in which the values were printed.
    """

    least: float
    noise: float
    step: float

    @property
    def material(self) -> float:
        """A change that shows in a single row."""
        return max(self.least, 6 * self.noise)


@dataclass(frozen=True)
class Course:
    """Pieces in order of time. Methods take the index of a piece and speak of it, or of it and the next one."""

    pieces: list[Piece]
    scale: Scale

    def __len__(self) -> int:
        return len(self.pieces)

    def __getitem__(self, at: int) -> Piece:
        return self.pieces[at]

    def time(self, at: int) -> float:
        """When a piece starts; behind the last one, when that ends."""
        return self.pieces[at].start_s if at < len(self.pieces) else self.pieces[-1].stop_s

    def seconds(self, at: int) -> float:
        """From a piece's first row to the next one's."""
        return self.time(at + 1) - self.pieces[at].start_s

    def jump(self, at: int) -> float:
        """How far the level jumps up to the next piece, beyond what the slope of either makes of that time."""
        here, after = self.pieces[at], self.pieces[at + 1]
        rates = (0.0, here.slope, after.slope)
        seconds, change = after.start_s - here.stop_s, after.start - here.stop
        return change - min(max(change, min(rates) * seconds), max(rates) * seconds)

    def worth(self, at: int) -> float:
        """The smallest jump that is none of the noise: less where both pieces have many rows."""
        rows = (min(p.end - p.first, 9) for p in self.pieces[at : at + 2])
        return max(self.scale.least, 5 * self.scale.noise * math.sqrt(sum(1 / n for n in rows)))

    def rises(self, at: int) -> bool:
        return self.jump(at) >= self.worth(at) or self.is_ramp(at + 1, self.pieces[at].stop)

    def drops(self, at: int) -> bool:
        """Whether the level falls, along the piece or behind it."""
        return self.jump(at) <= -self.worth(at) or self.pieces[at].change <= -self.scale.least

    def is_calm(self, at: int) -> bool:
        """Whether nothing happens along a piece and behind it."""
        return not self.rises(at) and not self.drops(at) and abs(self.pieces[at].change) < self.scale.least

    def drop(self, at: int) -> float:
        """How far the level falls: along the piece, behind it, or from its end along the next one."""
        here, after = self.pieces[at], self.pieces[at + 1]
        return max(-self.jump(at), -here.change, here.stop - after.stop if after.change < 0 else 0.0)

    def is_ramp(self, at: int, base: float) -> bool:
        """Whether a piece climbs from near the base, steeper than what was before it."""
        here = self.pieces[at]
        low = -self.scale.least <= here.start - base <= 0.5 * (here.stop - base)
        climbs = here.change >= self.scale.least and low
        return climbs and (at == 0 or here.slope > 4 * abs(self.pieces[at - 1].slope))

    def is_low(self, at: int, base: float, height: float) -> bool:
        """Whether a piece starts about at the base, seen from ``height``."""
        return self.pieces[at].start <= base + max(0.05 * (height - base), self.scale.least)
