"""Text of the ION debug files → HeapDump. Pure: no files, no clock, and no figure that the text does not hold.

It reads what ``cat`` of these files shows, one after the other and in any mixture:

- ``heaps/NAME`` and ``heaps/all_heap_info``: heap id, ``NAME heap total size N``, a table of clients, a table of
  buffers (with thread, process, module, label and address; older kernels print less, or only the orphans),
  ``total orphaned N`` and ``total N``; decimal bytes;
- ``clients/NAME``: the buffers that one client holds, by heap; **hexadecimal** bytes, and so is its ``total``.

Rules, headers and titles may be missing, and prompts, log lines, colours and carriage returns may stand around them. A
heap's name comes from its own lines, else from the path in the command before it, else from ``source``.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ucpmon.heaps.checks import contradictions
from ucpmon.heaps.columns import (
    BUFFERS,
    CLIENTS,
    HEAP_CLIENTS,
    ORPHANS,
    TableColumns,
    from_header,
    split,
    split_aligned,
)
from ucpmon.heaps.dump import HeapDump
from ucpmon.heaps.paths import named_by_command, named_by_source, split_prefix
from ucpmon.heaps.sections import ClientFile, HeapSection
from ucpmon.text import ESCAPE

_LONGEST_LINE = 1000
_COLUMN = 17
_SUM = re.compile(r"\s*(?:total(?: orphaned)?|\S+ +heap total size)\s+[0-9]+")

KNOWN_HEAPS = ("carveout", "cma_reserved", "ion_cma", "ion_uncache", "custom", "chunk")

_REFUSED = re.compile(r"permission denied|no such file|not permitted", re.IGNORECASE)
_RULE = re.compile(r"[\s\-=_+|*#~─━│┌┐└┘├┤┬┴┼═║]*")
_LOG_OR_PROMPT = re.compile(r"\[.*|\S*@\S*[#$]\s*")
_ORPHANED_SUFFIX = re.compile(r"\s+orphaned\s*$")


def parse_heaps(text: str, source: str = "") -> HeapDump:
    """What ``text`` says of heaps. Raises nothing: a text without any heap gives a dump without heaps.

    ``source`` is the path that the text was read from: in ``…/heaps/carveout`` and ``…/clients/4013-0`` it names what
    the text itself may not name.
    """
    lines = ESCAPE.sub("", text).split("\n")
    last = lines.pop()
    reader = _Reader(source)
    for line in lines:
        reader.read(line.rstrip("\r"))
    cut = "" if _is_whole(last) else last.strip()
    if not cut:
        reader.read(last.rstrip("\r"))
    return reader.finish(cut)


def _is_whole(last: str) -> bool:
    """Whether a last line without a newline can be trusted: a rule, or a sum that ends where its column ends.

    Any other row may have lost digits, columns or the word that says it is orphaned.
    """
    line = last.rstrip("\r")
    return bool(_RULE.fullmatch(line)) or (len(line) % _COLUMN == _COLUMN - 1 and bool(_SUM.fullmatch(line)))


class _Reader:
    """Reads line by line; each ``_on_…`` method takes one kind of line and says whether it really is one."""

    def __init__(self, source: str) -> None:
        self.sections: list[HeapSection | ClientFile] = []
        self.current: HeapSection | ClientFile | None = None
        self.buffers: TableColumns | None = None
        self.names: list[tuple[str, str]] = named_by_source(source)
        self.path = ""
        self.understood = self.noise = 0
        self.unknown: list[str] = []

    def read(self, line: str) -> None:
        path, line = split_prefix(line)
        if path and path != self.path:
            self.current, self.names = None, named_by_command(path)
        self.path = path
        if _RULE.fullmatch(line):
            self.noise += 1
        elif len(line) <= _LONGEST_LINE and any(
            handler(self, found) for pattern, handler in _KINDS if (found := pattern.fullmatch(line))
        ):
            self.understood += 1
        elif _LOG_OR_PROMPT.match(line):
            self.noise += 1
        else:
            self.unknown.append(line)

    def finish(self, cut: str) -> HeapDump:
        for section in self.sections:
            if not section.is_evident():
                self.understood -= len(section.lines)
                self.unknown += section.lines
        kept = [s for s in self.sections if s.is_evident()]
        heaps = tuple(heap for section in kept for heap in section.heaps())
        problems = [problem for heap in heaps for problem in contradictions(heap)]
        problems += [problem for section in kept if isinstance(section, ClientFile) for problem in section.problems()]
        return HeapDump(heaps, self.understood, self.noise, tuple(self.unknown), cut, tuple(problems))

    def _begin(self, line: str) -> HeapSection:
        kind, name = self.names.pop(0) if self.names else ("heaps", "")
        self.current = section = HeapSection(name if kind == "heaps" and name != "all_heap_info" else "")
        self.sections.append(section)
        section.lines.append(line)
        self.buffers = None
        return section

    def _section(self, line: str, *taken: str) -> HeapSection:
        """The section that a line belongs to: a new one if the current one is over or already has one of ``taken``."""
        section = self.current
        if not isinstance(section, HeapSection) or section.has(*taken):
            return self._begin(line)
        section.lines.append(line)
        return section

    def _on_path(self, found: re.Match[str]) -> bool:
        names = [] if _REFUSED.search(found[0]) else named_by_command(found[0])
        if names:
            self.current, self.names = None, names
        return bool(names)

    def _on_id(self, found: re.Match[str]) -> bool:
        self._section(found[0], "id", "total", "clients", "buffers", "allocated").heap_id = int(found[1])
        return True

    def _on_total(self, found: re.Match[str]) -> bool:
        section = self._section(found[0], "total", "clients", "buffers", "allocated")
        section.named = found[1] or section.named
        section.total = int(found[2])
        section.titled = True
        return True

    def _on_header(self, found: re.Match[str]) -> bool:
        columns = from_header(found[0])
        if columns is None:
            return False
        if {"tgid", "type"} & set(columns.names):
            self._section(found[0], "allocated").start_buffers(orphans=False)
            self.buffers = columns
        else:
            self._section(found[0], "clients", "buffers", "allocated").start_clients(columns)
        return True

    def _on_heading(self, found: re.Match[str]) -> bool:
        self._section(found[0], "buffers", "allocated").start_buffers(orphans=bool(found[1]))
        self.buffers = None
        return True

    def _on_orphaned(self, found: re.Match[str]) -> bool:
        self._section(found[0], "orphaned").orphaned = int(found[1])
        return True

    def _on_allocated(self, found: re.Match[str]) -> bool:
        if isinstance(self.current, ClientFile):
            return self.current.close(found[0], found[1])
        if not found[1].isdecimal():
            return False
        self._section(found[0], "allocated").allocated = int(found[1])
        return True

    def _on_deferred(self, found: re.Match[str]) -> bool:
        if not isinstance(self.current, HeapSection):
            return False
        self.current.lines.append(found[0])
        return True

    def _on_client_header(self, found: re.Match[str]) -> bool:
        kind, name = self.names.pop(0) if self.names else ("clients", "")
        self.current = ClientFile(name if kind == "clients" else "", found[0])
        self.sections.append(self.current)
        return True

    def _on_row(self, found: re.Match[str]) -> bool:
        line = found[0]
        if isinstance(self.current, ClientFile):
            return self.current.add(line)
        section = self.current
        if section is None or section.has("allocated"):
            return self._on_lone_row(line)
        if section.in_buffers:
            return self._add_buffer(section, line)
        return self._add_client(section, line)

    def _add_buffer(self, section: HeapSection, line: str) -> bool:
        bare = _ORPHANED_SUFFIX.sub("", line)
        kinds = (self.buffers,) if self.buffers else ORPHANS + BUFFERS if section.only_orphans else BUFFERS
        for columns in kinds:
            if fields := split(bare, columns):
                section.lines.append(line)
                section.add_buffer(fields, orphaned=section.only_orphans or bare != line)
                return True
        return False

    def _add_client(self, section: HeapSection, line: str) -> bool:
        if section.columns is None:
            return self._on_lone_row(line)
        fields = split(line, section.columns)
        if not fields:
            return False
        self._named(section, fields.get("heap", ""), line).add_client(fields)
        return True

    def _named(self, section: HeapSection, name: str, line: str) -> HeapSection:
        """The section of a row that names its heap itself: a new one where the name is not the section's."""
        if not name or section.named in ("", name):
            section.lines.append(line)
            return section
        columns, section = section.columns, self._begin(line)
        section.start_clients(columns)
        return section

    def _on_lone_row(self, line: str) -> bool:
        """A row outside every table, as ``grep`` leaves them: only what nothing else looks like is read."""
        section = self.current if isinstance(self.current, HeapSection) and not self.current.has("allocated") else None
        known = (section.heap,) if section and section.heap else ()
        fields = split(line, HEAP_CLIENTS) if known else split_aligned(line, HEAP_CLIENTS)
        if fields and fields["heap"] in (*KNOWN_HEAPS, *known):
            self._named(section or self._begin(line), fields["heap"], line).add_client(fields)
            return True
        bare = _ORPHANED_SUFFIX.sub("", line)
        for columns in BUFFERS if section and section.titled else BUFFERS[:1]:
            if fields := split(bare, columns):
                self._section(line, "allocated").add_buffer(fields, orphaned=bare != line)
                return True
        fields = split(line, CLIENTS) if section and section.titled else None
        if fields:
            self._section(line).add_client(fields)
        return bool(fields)


_Handler = Callable[[_Reader, re.Match[str]], bool]
_KINDS: tuple[tuple[re.Pattern[str], _Handler], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE | re.DOTALL), handler)
    for pattern, handler in (
        (r".*\b(?:heaps|clients)/?\b.*", _Reader._on_path),
        (r"\s*(?:the )?heap id(?: is)?:?\s+([0-9]{1,9})\s*", _Reader._on_id),
        (r"\s*(\S*)\s+heap total size:?\s+([0-9]{1,18})\s*", _Reader._on_total),
        (r"\s*(orphaned )?allocations\b\D*", _Reader._on_heading),
        (r"\s*total orphaned:?\s+([0-9]{1,18})\s*", _Reader._on_orphaned),
        (r"\s*total:?\s+((?:0x)?[0-9a-f]{1,18})\s*", _Reader._on_allocated),
        (r"\s*deferred free:?\s+[0-9]{1,18}\s*", _Reader._on_deferred),
        (r"\s*heap_name:\s+size_in_bytes\b.*", _Reader._on_client_header),
        (r"[^0-9]*\bclient\b[^0-9]*\bsize\b[^0-9]*", _Reader._on_header),
        (r".*[0-9].*", _Reader._on_row),
    )
)
