"""The ION debug files: exact bytes per heap and process. Needs no pandas: a recorder reads them live."""

from ucpmon.heaps.checks import contradictions
from ucpmon.heaps.dump import DRIVERS, Allocation, Client, Heap, HeapDump, HeapRow, rows, to_json
from ucpmon.heaps.parser import parse_heaps
from ucpmon.heaps.shares import Share, shares

__all__ = [
    "DRIVERS",
    "Allocation",
    "Client",
    "Heap",
    "HeapDump",
    "HeapRow",
    "Share",
    "contradictions",
    "parse_heaps",
    "rows",
    "shares",
    "to_json",
]
