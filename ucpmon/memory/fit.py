"""Whether a model that needs so much memory will fit beside what ran in a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ucpmon.errors import InputError, UcpmonError, UsageError
from ucpmon.memory.ranges import HeapRange
from ucpmon.metrics import parse_size
from ucpmon.statistics.resolution import Figure

FITS, ELSEWHERE, UNSURE, NOT = "fits", "fits only elsewhere", "too close to call", "does not fit"

_ORDERS = {
    "carveout": ("carveout", "cma_reserved", "ion_cma"),
    "cma_reserved": ("cma_reserved", "carveout", "ion_cma"),
}
"""Where a driver looks when a heap is full: BPU and codecs start with carveout, video input with cma_reserved."""


@dataclass(frozen=True)
class Place:
    """One heap that was looked at: its smallest free bytes in the run, and whether the need fits there for sure.

    ``fits`` is ``None`` where the printed figure is too coarse to tell. ``reached``: the driver falls back to it.
    """

    heap: str
    free: Figure
    fits: bool | None
    reached: bool


@dataclass(frozen=True)
class Fit:
    """``verdict`` is ``fits``, ``fits only elsewhere``, ``too close to call`` or ``does not fit``; ``heap`` is where.

    ``asked`` is the heap that is tried first.
    """

    need_bytes: int
    asked: str
    verdict: str
    heap: str | None
    places: tuple[Place, ...]

    @property
    def ok(self) -> bool:
        return self.verdict in (FITS, ELSEWHERE)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def parse_need(text: str, heap: str = "") -> int | None:
    """Bytes of a need as typed; ``None`` where none is given. Raises UsageError where it is no size, or nothing."""
    if not text:
        if heap:
            raise UsageError("--heap says where --need is to fit", "add --need SIZE")
        return None
    try:
        size = parse_size(text)[0]
    except UcpmonError as error:
        raise UsageError(f"--need: {error.message}", error.hint) from error
    if size < 1:
        raise UsageError(f"--need {text} is nothing", "write 512M, 1.5G or a number of bytes")
    return size


def fit(need_bytes: int, heaps: Sequence[HeapRange], heap: str | None = None) -> Fit:
    """Whether ``need_bytes`` fit into one heap: ``heap`` (carveout unless given), else those it falls back to.

    Judged by the smallest free bytes of each heap, less half of their printed step. Raises InputError where the run
    has no such heap, or none whose free memory is known.
    """
    asked = heap or next((h for h in ("carveout", "cma_reserved", "ion_cma") if _known(heaps, h)), "carveout")
    if not heap and not _known(heaps, asked):
        raise InputError("this run shows no heap from which BPU memory is taken", "name one with --heap")
    if not _known(heaps, asked):
        names = ", ".join(h.heap for h in heaps if h.smallest_free) or "none"
        raise InputError(f"there is no heap {asked} in this run", f"it shows {names}")
    order = _ORDERS.get(asked, (asked,))
    places = tuple(_place(h, need_bytes, h.heap in order) for h in _sorted(heaps, order) if h.smallest_free)
    reached = [p for p in places if p.reached]
    sure = next((p for p in reached if p.fits), None)
    if sure:
        return Fit(need_bytes, asked, FITS if sure.heap == asked else ELSEWHERE, sure.heap, places)
    perhaps = next((p for p in reached if p.fits is None), None)
    return Fit(need_bytes, asked, UNSURE if perhaps else NOT, perhaps.heap if perhaps else None, places)


def _known(heaps: Sequence[HeapRange], name: str) -> bool:
    return any(h.heap == name and h.smallest_free for h in heaps)


def _sorted(heaps: Sequence[HeapRange], order: Sequence[str]) -> list[HeapRange]:
    return sorted(heaps, key=lambda h: order.index(h.heap) if h.heap in order else len(order))


def _place(heap: HeapRange, need: int, reached: bool) -> Place:
    free = heap.smallest_free or Figure(0.0, 0.0, "free")
    if heap.not_ram or need > free.bytes + free.error_bytes:
        return Place(heap.heap, free, False, reached)
    return Place(heap.heap, free, True if need <= free.bytes - free.error_bytes else None, reached)
