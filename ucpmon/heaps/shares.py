"""Who holds what: the bytes of each process in each heap, by hardware module."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from ucpmon.heaps.dump import DRIVERS, Allocation, Heap, HeapDump

ORPHANED = "orphaned"
"""``Share.kind`` of buffers that nobody holds; ``Share.process`` is then their last known holder."""


@dataclass(frozen=True)
class Share:
    """What one process holds in one heap.

    ``kind`` is ``process``, ``drivers`` (taken by kernel modules at boot) or ``orphaned``. ``bytes`` is the dump's own
    sum for the process, or else that of its buffers. ``types`` are the bytes of its listed buffers by hardware module
    (``None``: not said), largest first; they need not add up to ``bytes``, for a process may hold buffers that another
    one allocated.
    """

    kind: str
    heap: str | None
    process: str | None
    pid: int | None
    bytes: int
    types: Mapping[str | None, int]


_Key = tuple[str | None, int | None]


def shares(dump: HeapDump) -> list[Share]:
    """Every process's share in every heap: processes, then drivers, then orphans.

    In each the process with the largest share comes first, and all its heaps together. A buffer belongs to a process
    when process id and name agree: an id alone may have been given to another since.
    """
    found = [share for heap in dump.heaps for share in _of_heap(heap)]
    largest = Counter[tuple[str, str | None, int | None]]()
    for share in found:
        largest[_who(share)] = max(largest[_who(share)], share.bytes)
    order = {"process": 0, "drivers": 1, ORPHANED: 2}
    return sorted(found, key=lambda s: (order[s.kind], -largest[_who(s)], str(_who(s)), -s.bytes))


def _who(share: Share) -> tuple[str, str | None, int | None]:
    return share.kind, share.process, share.pid


def _of_heap(heap: Heap) -> list[Share]:
    held: Counter[_Key] = Counter()
    for client in heap.clients:
        held[client.client, client.pid] += client.bytes
    types: dict[_Key, Counter[str | None]] = {}
    for buffer in heap.allocations:
        if not buffer.orphaned:
            types.setdefault(_owner(buffer, held), Counter())[buffer.type] += buffer.bytes
    keys = [*held, *(key for key in types if key not in held)]
    found = [_share(heap, key, held.get(key), types.get(key, Counter())) for key in keys]
    return found + _orphans(heap)


def _owner(buffer: Allocation, held: Mapping[_Key, int]) -> _Key:
    """The process of a buffer. A kernel that prints the thread alone leaves the name, if only one process has it."""
    key = (buffer.client, buffer.pid if buffer.tgid is None else buffer.tgid)
    if buffer.tgid is None and key not in held:
        namesakes = [other for other in held if other[0] == buffer.client]
        return namesakes[0] if len(namesakes) == 1 else key
    return key


def _share(heap: Heap, key: _Key, held: int | None, types: Counter[str | None]) -> Share:
    kind = "drivers" if key[0] == DRIVERS else "process"
    total = types.total() if held is None else held
    return Share(kind, heap.heap, *key, total, dict(types.most_common()))


def _orphans(heap: Heap) -> list[Share]:
    groups: dict[_Key, Counter[str | None]] = {}
    for buffer in heap.allocations:
        if buffer.orphaned:
            key = (buffer.client, buffer.pid if buffer.tgid is None else buffer.tgid)
            groups.setdefault(key, Counter())[buffer.type] += buffer.bytes
    return [Share(ORPHANED, heap.heap, *key, t.total(), dict(t.most_common())) for key, t in groups.items()]
