"""What a dump of the ION debug files says: frozen records, and their JSON form."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

DRIVERS = "modprobe"
"""The client under which kernel modules hold what they took at boot: no program's memory."""


@dataclass(frozen=True)
class Client:
    """What one client holds in a heap, in bytes. ``client`` or ``pid`` is ``None`` where the dump does not say."""

    client: str | None
    pid: int | None
    bytes: int


@dataclass(frozen=True)
class Allocation:
    """One buffer. ``pid`` is the thread that asked for it, ``tgid`` its process, ``type`` the hardware module.

    ``orphaned``: nobody holds the buffer any more, and it was not freed.
    """

    client: str
    pid: int
    tgid: int | None
    type: str | None
    bytes: int
    orphaned: bool


@dataclass(frozen=True)
class Heap:
    """One heap at one moment; sizes in bytes, ``None`` where the dump does not say.

    ``stated`` is false for a heap that is known only from a client's own file: that lists one holder, not the heap.
    """

    heap: str | None
    heap_id: int | None = None
    total_bytes: int | None = None
    allocated_bytes: int | None = None
    orphaned_bytes: int | None = None
    clients: tuple[Client, ...] = ()
    allocations: tuple[Allocation, ...] = ()
    stated: bool = True

    @property
    def free_bytes(self) -> int | None:
        """Total less allocated; ``None`` unless the dump says both, or where more is allocated than there is."""
        if self.total_bytes is None or self.allocated_bytes is None or self.allocated_bytes > self.total_bytes:
            return None
        return self.total_bytes - self.allocated_bytes


@dataclass(frozen=True)
class HeapDump:
    """Everything that a text says of heaps, in the order of the text.

    ``understood`` and ``noise`` count lines; ``unknown`` holds the lines that were neither.
    ``cut`` is a last line that breaks off and was therefore not read. ``problems`` are contradictions in the text.
    """

    heaps: tuple[Heap, ...] = ()
    understood: int = 0
    noise: int = 0
    unknown: tuple[str, ...] = ()
    cut: str = ""
    problems: tuple[str, ...] = field(default=())


class HeapRow(NamedTuple):
    """A row of run.heaps.csv: ``kind`` is total, allocated, orphaned or client."""

    heap: str
    kind: str
    client: str
    pid: int | None
    bytes: int


def rows(dump: HeapDump) -> Iterator[HeapRow]:
    """The figures of a dump as rows of run.heaps.csv, in bytes; what the dump does not say has no row."""
    for heap in dump.heaps:
        name = heap.heap or ""
        figures = (("total", heap.total_bytes), ("allocated", heap.allocated_bytes), ("orphaned", heap.orphaned_bytes))
        for kind, count in figures:
            if count is not None:
                yield HeapRow(name, kind, "", None, count)
        for client in heap.clients:
            yield HeapRow(name, "client", client.client or "", client.pid, client.bytes)


def to_json(dump: HeapDump) -> dict[str, Any]:
    """The dump as ``{"heaps": […]}``: plain dictionaries with the fields of Heap, Client and Allocation."""
    heaps = [asdict(heap) for heap in dump.heaps]
    for heap in heaps:
        del heap["stated"]
        heap["clients"], heap["allocations"] = list(heap["clients"]), list(heap["allocations"])
    return {"heaps": heaps}
