"""Whether a heap's figures agree with each other. The kernel takes no snapshot: on a busy board they may differ."""

from __future__ import annotations

from ucpmon.heaps.dump import Heap


def contradictions(heap: Heap) -> list[str]:
    """One sentence for each sum that is not the total which the dump itself states; all in bytes."""
    name = heap.heap or "(unnamed heap)"
    return [f"{name}: {text}" for text in (_buffers(heap), _orphans(heap), _clients(heap), _capacity(heap)) if text]


def _buffers(heap: Heap) -> str:
    listed = sum(a.bytes for a in heap.allocations)
    # Old kernels list the orphans alone: those cannot add up to everything.
    complete = any(not a.orphaned for a in heap.allocations)
    return _differs("the buffers listed", listed, "total", heap.allocated_bytes) if complete else ""


def _orphans(heap: Heap) -> str:
    listed = sum(a.bytes for a in heap.allocations if a.orphaned)
    return _differs("the orphans listed", listed, "total orphaned", heap.orphaned_bytes) if heap.allocations else ""


def _clients(heap: Heap) -> str:
    if not heap.clients:
        return ""
    held = sum(c.bytes for c in heap.clients) + (heap.orphaned_bytes or 0)
    text = _differs("clients and orphans", held, "total", heap.allocated_bytes)
    if text and held > (heap.allocated_bytes or 0):
        text += "; a buffer that several clients share counts for each"
    return text


def _capacity(heap: Heap) -> str:
    if heap.total_bytes is None or heap.allocated_bytes is None or heap.allocated_bytes <= heap.total_bytes:
        return ""
    return f"{heap.allocated_bytes:,} bytes are allocated in a heap of {heap.total_bytes:,}"


def _differs(what: str, added: int, title: str, stated: int | None) -> str:
    if stated is None or added == stated:
        return ""
    return f"{what} add up to {added:,} bytes, its “{title}” says {stated:,} ({added - stated:+,})"
