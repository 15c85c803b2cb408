"""Rows of the kernel's tables: by the place of their columns, or, where that is lost, by the shape of their fields.

The kernel prints every column right-aligned in sixteen places. Names and labels may hold spaces, colons and digits, so
the place of a column says more than its text; a row whose place is lost (a long name, a paste that squeezed the spaces)
is read by shape.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

_NUMBER = r"[0-9]{1,19}"
_SHAPES = {
    "heap": r"\S+",
    "client": r"\S.*?",
    "pid": r"[0-9]{1,10}",
    "tgid": r"[0-9]{1,10}",
    # A module's name is one word and no number: that tells it from the figures beside it.
    "type": r"(?![0-9]+(?:\s|$))\S+",
    "size": _NUMBER,
    "label": r".*?",
    "paddr": r"(?:0x)?[0-9a-fA-F]+",
}
_COUNTER = r"-?[0-9]{1,19}"
_COUNTERS = ("kmap_cnt", "shareid", "share_id", "refcount", "ref")
_HEADER_WORD = re.compile(r"heap[ _]name|\S+", re.IGNORECASE)
_MOST = 2**63
_WIDTH = 17


class TableColumns(NamedTuple):
    """A table's columns: their names, and where each ends in a line."""

    names: tuple[str, ...]
    ends: tuple[int, ...]


def standard(*names: str) -> TableColumns:
    """Columns as the kernel prints them when it prints no header."""
    return TableColumns(names, tuple(_WIDTH * (i + 1) - 1 for i in range(len(names))))


CLIENTS = standard("client", "pid", "size")
HEAP_CLIENTS = standard("heap", "client", "pid", "size")
BUFFERS = (
    standard("client", "pid", "tgid", "type", "size", "kmap_cnt", "label", "shareid", "paddr"),
    standard("client", "pid", "tgid", "type", "size"),
    standard("client", "pid", "type", "size", "kmap_cnt"),
)
ORPHANS = (standard("client", "pid", "size", "kmap_cnt", "ref"), CLIENTS)


def from_header(line: str) -> TableColumns | None:
    """The columns that a header line names; ``None`` where the line is no header of a table of clients or buffers."""
    words = list(_HEADER_WORD.finditer(line))
    names = tuple(_known(w[0].lower(), i) for i, w in enumerate(words))
    if not {"client", "pid", "size"} <= set(names) or len(set(names)) != len(names):
        return None
    return TableColumns(names, tuple(w.end() for w in words))


def _known(word: str, place: int) -> str:
    if word in ("heap name", "heap_name"):
        return "heap"
    return word if word in _SHAPES or word in _COUNTERS else f"other{place}"


def split(line: str, columns: TableColumns) -> dict[str, str] | None:
    """The fields of a row by column name; ``None`` where the line is no row of this table."""
    return _sane(_by_place(line, columns) or _by_shape(line, columns))


def split_aligned(line: str, columns: TableColumns) -> dict[str, str] | None:
    """As ``split``, but only for a row whose columns stand where the kernel puts them."""
    return _sane(_by_place(line, columns))


def _sane(fields: dict[str, str] | None) -> dict[str, str] | None:
    return fields if fields and int(fields["size"]) < _MOST else None


def _by_place(line: str, columns: TableColumns) -> dict[str, str] | None:
    fields, start = {}, 0
    for name, end in zip(columns.names[:-1], columns.ends[:-1], strict=True):
        cell = line[start:end]
        fields[name] = cell.strip()
        if line[end : end + 1] != " " or (cell[-1:] == " " and fields[name]):
            return None
        start = end
    fields[columns.names[-1]] = line[start:].strip()
    return fields if all(_fits(name, text) for name, text in fields.items()) else None


def _fits(name: str, text: str) -> bool:
    # A process may call itself nothing; only its column's place shows that.
    return (name == "client" and not text) or bool(re.fullmatch(_shape(name), text, re.DOTALL))


def _by_shape(line: str, columns: TableColumns) -> dict[str, str] | None:
    found = _pattern(columns.names).fullmatch(line)
    return found.groupdict() if found else None


def _shape(name: str) -> str:
    return _COUNTER if name in _COUNTERS else _SHAPES.get(name, r"\S+")


@lru_cache(maxsize=64)
def _pattern(names: Sequence[str]) -> re.Pattern[str]:
    # A label may be empty: then the spaces before it are the only ones.
    parts = [rf"(?P<{name}>{_shape(name)})" for name in names]
    return re.compile(r"\s*" + r"\s+".join(parts) + r"\s*", re.DOTALL)
