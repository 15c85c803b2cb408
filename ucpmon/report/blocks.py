"""The parts a report is made of, whatever it is written as."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Cell(NamedTuple):
    """What stands in a table; ``value`` is the number that ``text`` rounds, in the metric's own unit."""

    text: str
    value: float | None = None

    @property
    def numeric(self) -> bool:
        return self.value is not None


@dataclass(frozen=True)
class Table:
    """``header`` and rows of as many cells; a row's first cell names it. ``caption`` is for those who cannot see it."""

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]


@dataclass(frozen=True)
class Text:
    """A paragraph; one that is a ``warning`` stands out."""

    text: str
    warning: bool = False


@dataclass(frozen=True)
class Section:
    """``key`` names it in links."""

    key: str
    title: str
    blocks: Sequence[Table | Text]


def words(*texts: str) -> list[Cell]:
    return [Cell(text) for text in texts]
