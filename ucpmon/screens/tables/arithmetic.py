"""The order of a heap's figures, where no header tells it: the total is what is used and what is free."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import combinations

from ucpmon.metrics import size_of
from ucpmon.screens.figures import adds_up
from ucpmon.screens.grammar import Kind, Line, Section
from ucpmon.screens.tables.headers import size_unit
from ucpmon.screens.tables.words import words_of

Order = tuple[int, int, int]
"""Which of the figures of a row is the total, and which two, in the order they are printed, make it up."""
ATTESTED: Order = (0, 1, 2)
_PROOF = frozenset({ATTESTED})
_MOST_FIGURES = 6


class Orders:
    """What the heaps of a stream have told of the order of their figures, by the number of figures in a row.

    ``contradictions`` are the heaps whose figures fit no order.
    """

    def __init__(self) -> None:
        self._votes: dict[int, Counter[Order]] = {}
        self._rows: Counter[int] = Counter()
        self._proven = False
        self._open = False
        self.contradictions: set[str] = set()

    @property
    def attested(self) -> bool:
        """Whether rows of three figures are read as attested, and others were not seen."""
        return not self._rows or (set(self._rows) == {3} and not self.of(3))

    @property
    def certain(self) -> bool:
        """Whether no other order can be told by the next screen."""
        return self._proven or not self._open or not self.attested

    def learn(self, lines: Iterable[Line]) -> None:
        """Take what the heap rows of a screen say."""
        for line in lines:
            if line.kind not in (Kind.ROW, Kind.UNKNOWN) or not line.whole:
                continue
            count, fitting = orders_that_fit(line)
            if count < 3 or (count == 3 and not line.row_in(Section.ION)):
                continue
            self._rows[count] += 1
            self._votes.setdefault(count, Counter()).update(fitting)
            if count == 3 and not fitting:
                self.contradictions.add(line.rows[0].keys[0])

    def note(self, lines: Iterable[Line]) -> None:
        """Look for a row that can be read in the attested order alone."""
        if self._proven:
            return
        for line in lines:
            if line.kind is Kind.ROW and line.row_in(Section.ION):
                fitting = orders_that_fit(line)[1]
                # Where a heap does not add up at all, sums tell nothing of this monitor.
                self._proven = self._proven or not fitting or fitting == _PROOF
                self._open = self._open or len(fitting) > 1

    def of(self, count: int) -> frozenset[Order]:
        """The orders that rows of so many figures may have, by most of those seen; none where that is attested."""
        votes = self._votes.get(count, Counter())
        most = max(votes.values(), default=0)
        if (count == 3 and votes[ATTESTED] == most) or 2 * most <= self._rows[count]:
            return frozenset()
        return frozenset(order for order, voices in votes.items() if voices == most)


def orders_that_fit(line: Line) -> tuple[int, frozenset[Order]]:
    """How many sizes a heap row has, and the orders in which the total is the sum of two others.

    Each figure is known to half a unit of its last digit.
    """
    row = line.row_in(Section.ION)
    return fitting_of(tuple((int(f.number), f.step) for f in row.figures) if row else sizes_of(line.text))


@lru_cache(maxsize=1 << 13)
def fitting_of(sizes: tuple[tuple[int, int], ...]) -> tuple[int, frozenset[Order]]:
    if not 3 <= len(sizes) <= _MOST_FIGURES:
        return 0, frozenset()
    found = set()
    for total in range(len(sizes)):
        others = [i for i in range(len(sizes)) if i != total]
        for one, other in combinations(others, 2):
            if adds_up(sizes[total], sizes[one], sizes[other]):
                found.add((total, one, other))
    return len(sizes), frozenset(found)


@lru_cache(maxsize=1 << 10)
def sizes_of(text: str) -> tuple[tuple[int, int], ...]:
    """The sizes of a row that is a name and sizes, in bytes or any unit that all of them lack."""
    words = words_of(text)
    rest = words[1:]
    figures = [word for word in rest if word.number]
    if len(figures) != len(rest) or any(word.unit and size_unit(word.unit) is None for word in figures):
        return ()
    return tuple(size_of(word.number, size_unit(word.unit) if word.unit else "") for word in figures)
