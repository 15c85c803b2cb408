"""What is gathered of one heap's dump, or of one client's file, while its lines are read."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ucpmon.heaps.columns import TableColumns
from ucpmon.heaps.dump import Allocation, Client, Heap

_HEX_ROW = re.compile(r"\s*(\S+?)\s*:\s*((?:0x)?[0-9a-fA-F]{1,15})((?:\s*:\s*\S+)*)\s*")


class HeapSection:
    """One heap's dump. ``hint`` is the name that a command before it gave; ``named`` the one in its own lines."""

    def __init__(self, hint: str) -> None:
        self.hint = hint
        self.named = ""
        self.heap_id: int | None = None
        self.total: int | None = None
        self.allocated: int | None = None
        self.orphaned: int | None = None
        self.clients: list[Client] = []
        self.allocations: list[Allocation] = []
        self.columns: TableColumns | None = None
        self.lines: list[str] = []
        self.titled = self.in_buffers = self.only_orphans = self.saw_clients = self.saw_buffers = False

    @property
    def heap(self) -> str:
        return self.named or self.hint

    def has(self, *what: str) -> bool:
        """Whether the section already has one of: id, total, clients, buffers, orphaned, allocated."""
        seen = {
            "id": self.heap_id is not None,
            "total": self.total is not None,
            "clients": self.saw_clients,
            "buffers": self.saw_buffers,
            "orphaned": self.orphaned is not None,
            "allocated": self.allocated is not None,
        }
        return any(seen[name] for name in what)

    def start_clients(self, columns: TableColumns | None) -> None:
        self.columns, self.saw_clients, self.in_buffers, self.titled = columns, True, False, True

    def start_buffers(self, orphans: bool) -> None:
        self.in_buffers, self.saw_buffers, self.titled = True, True, True
        self.only_orphans = self.only_orphans or orphans

    def add_client(self, fields: Mapping[str, str]) -> None:
        self.named = fields.get("heap") or self.named
        self.saw_clients = True
        self.clients.append(Client(fields["client"], int(fields["pid"]), int(fields["size"])))

    def add_buffer(self, fields: Mapping[str, str], orphaned: bool) -> None:
        tgid = fields.get("tgid")
        self.saw_buffers = True
        self.allocations.append(
            Allocation(
                fields["client"],
                int(fields["pid"]),
                int(tgid) if tgid else None,
                fields.get("type"),
                int(fields["size"]),
                orphaned,
            )
        )

    def is_evident(self) -> bool:
        """Whether this is a heap's dump beyond doubt: other texts have a line ``total 48`` too."""
        figures = (self.heap_id, self.total, self.allocated, self.orphaned)
        evident = self.titled or self.heap or self.heap_id is not None or self.orphaned is not None
        return bool(evident and (self.clients or self.allocations or any(f is not None for f in figures)))

    def heaps(self) -> list[Heap]:
        return [
            Heap(
                self.heap or None,
                self.heap_id,
                self.total,
                self.allocated,
                self.orphaned,
                tuple(self.clients),
                tuple(self.allocations),
            )
        ]


class ClientFile:
    """One client's own file: what it holds in each heap, in hexadecimal bytes."""

    def __init__(self, name: str, header: str) -> None:
        self.name = name
        self.fields = header.count(":") + (not header.rstrip().endswith(":"))
        self.held: dict[str, int] = {}
        self.total: int | None = None
        self.lines = [header]

    def add(self, line: str) -> bool:
        found = _HEX_ROW.fullmatch(line)
        if not found or self.total is not None or found[3].count(":") + 2 != self.fields:
            return False
        self.held[found[1]] = self.held.get(found[1], 0) + int(found[2], 16)
        self.lines.append(line)
        return True

    def close(self, line: str, total: str) -> bool:
        if self.total is not None:
            return False
        self.total = int(total, 16)
        self.lines.append(line)
        return True

    def is_evident(self) -> bool:
        return True

    def heaps(self) -> list[Heap]:
        pid = re.match(r"([0-9]{1,10})-", self.name)
        return [
            Heap(heap, clients=(Client(self.name or None, int(pid[1]) if pid else None, count),), stated=False)
            for heap, count in self.held.items()
        ]

    def problems(self) -> list[str]:
        held = sum(self.held.values())
        if self.total is None or held == self.total:
            return []
        name = self.name or "(unnamed)"
        return [f"client {name}: its buffers add up to {held:,} bytes, its “total” says {self.total:,}"]
