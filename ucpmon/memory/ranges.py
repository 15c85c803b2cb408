"""Heaps and processes over a whole run: capacity, extremes, the smallest free memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ucpmon.memory.footprint import best, highest, lowest
from ucpmon.memory.levels import HeapLevels, Owner, ProcessLevels, Track
from ucpmon.metrics import GIB, KIB
from ucpmon.statistics.resolution import Figure

_MOST_RAM = 64 * GIB
"""More than any board of these families carries; used where a run does not tell its board's memory."""


@dataclass(frozen=True)
class HeapRange:
    """One heap over the whole run. ``not_ram`` says why its capacity cannot be memory, empty where it can."""

    heap: str
    total: Figure | None
    lowest: Figure | None
    typical: Figure | None
    highest: Figure | None
    smallest_free: Figure | None
    smallest_free_at_s: float | None
    not_ram: str = ""


@dataclass(frozen=True)
class ProcessRange(Owner):
    """One process over the rows that show it."""

    lowest: Figure | None
    typical: Figure | None
    highest: Figure | None
    rss: Figure | None


def heap_range(heap: HeapLevels, info: Mapping[str, Any]) -> HeapRange:
    total = heap.total.figure(int(np.argmax(heap.total.values))) if len(heap.total.values) else None
    total = replace(total, source="total") if total else None
    free = heap.free.where(heap.free.values == heap.free.values.min()) if len(heap.free.values) else None
    ends = [_ends(t) for t in heap.used]
    return HeapRange(
        heap.heap,
        total,
        best(lowest(e[0] for e in ends)),
        best(e[1] for e in ends),
        best(highest(e[2] for e in ends)),
        free.figure(0) if free else None,
        float(free.times[0]) if free else None,
        _not_ram(total, info),
    )


def _ends(track: Track) -> tuple[Figure, Figure, Figure]:
    row = track.median() or 0
    return track.figure(int(track.values.argmin())), track.figure(row), track.figure(int(track.values.argmax()))


def process_range(process: ProcessLevels) -> ProcessRange:
    shown = process.hbmem.where(process.hbmem.error > 0)
    rss = process.rss.where(process.rss.error > 0)
    row = rss.highest()
    lowest, typical, highest = _ends(shown) if len(shown.values) else (None, None, None)
    held = None if row is None else rss.figure(row)
    return ProcessRange(process.pid, process.process, lowest, typical, highest, held)


def _not_ram(total: Figure | None, info: Mapping[str, Any]) -> str:
    if total is None:
        return ""
    if total.bytes == 0:
        return "no memory is set aside for it"
    ram = board_ram(info)
    if total.bytes - total.error_bytes > (ram or _MOST_RAM):
        return (
            "an address window, larger than the board's memory" if ram else "an address window, no memory is so large"
        )
    return ""


def board_ram(info: Mapping[str, Any]) -> float | None:
    """Bytes of memory that the recorded board can have: what its kernel says (``MemTotal``), up to the next size sold.

    The kernel does not count what is reserved; a heap can be as large as that.
    """
    words = str((info.get("board") or {}).get("memory") or "").split()
    if len(words) < 2 or not words[1].isdigit():
        return None
    known = int(words[1]) * KIB
    sizes = sorted(n * GIB * 2**k for n in (2, 3) for k in range(10))
    return next((float(s) for s in sizes if s >= known), None)
