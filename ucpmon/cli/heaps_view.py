"""A heap dump as text for people: a table of heaps, then who holds what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ucpmon.cli.tables import table
from ucpmon.heaps import DRIVERS, Heap, HeapDump, Share, shares
from ucpmon.metrics import format_bytes

_TITLES = {
    "process": "Processes, the largest share first",
    "drivers": f"Drivers ({DRIVERS}): taken when their modules were loaded, no model's memory",
    "orphaned": "Orphaned: no process holds these buffers any more; the name is the last holder's",
}


def heaps_text(dump: HeapDump) -> str:
    """All that a dump says, in bytes; ``-`` stands for what it does not say."""
    parts = [_heaps(heap for heap in dump.heaps if heap.stated)]
    for kind, title in _TITLES.items():
        found = list(_share_rows([share for share in shares(dump) if share.kind == kind]))
        if found:
            header = ("PROCESS", "PID", "HEAP", "TYPE", "BYTES", "SIZE")
            parts.append(f"{title}\n{table(header, found, right=(1, 4, 5))}")
    return "\n\n".join(part for part in parts if part)


def _heaps(heaps: Iterable[Heap]) -> str:
    rows = [
        (
            heap.heap or "-",
            _figure(heap.heap_id),
            _figure(heap.total_bytes),
            _figure(heap.allocated_bytes),
            _figure(heap.orphaned_bytes),
            _figure(heap.free_bytes),
        )
        for heap in heaps
    ]
    header = ("HEAP", "ID", "TOTAL", "ALLOCATED", "ORPHANED", "FREE")
    return table(header, rows, right=(1, 2, 3, 4, 5)) if rows else ""


def _figure(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def _share_rows(found: Sequence[Share]) -> Iterator[tuple[str, ...]]:
    """The rows of some shares; who and where stand in the first row of each only."""
    last = ("", "")
    for share in found:
        who = (share.process or "-", "-" if share.pid is None else str(share.pid))
        names = (*(("", "") if who == last else who), share.heap or "-")
        for kind, count in _types(share):
            yield (*names, kind, f"{count:,}", format_bytes(count))
            names = ("", "", "")
        last = who


def _types(share: Share) -> list[tuple[str, int]]:
    """A share's modules, under their sum unless there is only one; ``unlisted`` is what no listed buffer explains."""
    parts = [(kind or "-", count) for kind, count in share.types.items()]
    rest = share.bytes - sum(share.types.values())
    if parts and rest > 0:
        parts.append(("unlisted", rest))
    if len(parts) != 1 or rest < 0:
        parts.insert(0, ("all" if parts else "-", share.bytes))
    return parts


def remarks(dump: HeapDump) -> Iterator[str]:
    """What a reader must know beside the figures: contradictions, a cut, lines that were not understood."""
    yield from dump.problems
    if dump.cut:
        yield f"the last line breaks off and was not read: {dump.cut!r}"
    if dump.unknown:
        examples = ", ".join(repr(line.strip()) for line in dump.unknown[:3])
        lines = "1 line was" if len(dump.unknown) == 1 else f"{len(dump.unknown)} lines were"
        yield f"{lines} not understood: {examples}" + (", …" if len(dump.unknown) > 3 else "")
