"""The memory of a run as text for people: what was found when, what it took, whether it grows, what fits."""

from __future__ import annotations

import math
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence

from ucpmon.cli.tables import table
from ucpmon.memory.fit import Fit, Place
from ucpmon.memory.footprint import Use
from ucpmon.memory.leaks import LEAK, NONE, SHORT, Growth
from ucpmon.memory.measurement import MemoryReport, ModelMemory
from ucpmon.memory.phases import Life
from ucpmon.memory.ranges import HeapRange
from ucpmon.memory.steady_growth import LEAST_ROWS
from ucpmon.metrics import GIB, KIB, MIB, format_bytes
from ucpmon.statistics.resolution import Figure
from ucpmon.statistics.resolution import figure_text as figure
from ucpmon.text import format_duration, printable

_FIX = "Where you know better: --phase running=START..END"
_LEVELS = ("before", "peak", "steady", "after")
_CHANGES = ("share", "transient", "left_behind")
_MARKS = {"total − free": "*", "heap dumps": "+", "total − used": "*"}
_FOOTNOTES = {
    "*": "* from total and the other column, which are printed finer there",
    "+": "+ exact, from the heap dumps that were recorded",
    ">": "> at least: the heap had nothing left in that phase",
}


def memory_text(name: str, report: MemoryReport, fit: Fit | None, doubts: Iterable[str] = ()) -> str:
    """All of the answers, in paragraphs, after what there is to doubt in the run."""
    parts = [
        "\n".join(map(_sentence, doubts)),
        *_models(name, report),
        _heaps(report),
        _growth("Growth over the whole run", report.growth, ()),
    ]
    if fit:
        parts.append(_fit(fit))
    return "\n\n".join(part for part in parts if part)


def _models(name: str, report: MemoryReport) -> Iterator[str]:
    lasts = format_duration(round(report.end_s * 1e6))
    if not report.models:
        yield _sentence(f"{name}, {lasts}: no model was loaded or released; phases not determined.", _FIX)
        yield _processes(report)
    for number, model in enumerate(report.models, 1):
        yield _sentence(f"{name}, {lasts}, model {number} of {len(report.models)}: {_owner(model.life)}")
        yield _phases(model.life)
        yield _uses(model)
        yield _unattributed(model.unattributed)
        yield _growth("Growth while running", model.growth, _subjects(model))


def _owner(life: Life) -> str:
    if life.heap:
        return f"seen in {life.heap}; no process shows it"
    return (life.who or "from markers alone") + (", loaded while another model ran" if life.stacked else "")


def _phases(life: Life) -> str:
    rows = []
    for name in ("baseline", "loading", "running", "released"):
        phase = life.phases.get(name)
        if phase is None:
            rows.append((name, "not determined", "", ""))
        else:
            early = phase.start_s - phase.start_error_s
            start = f"{early:.1f} to {phase.start_s:.1f} s" if phase.start_error_s else f"{phase.start_s:.1f} s"
            rows.append((name, start, f"{phase.end_s:.1f} s", phase.source))
    return table(("PHASE", "STARTS", "ENDS BY", "FOUND IN"), rows, right=(1, 2))


def _uses(model: ModelMemory) -> str:
    rows = [(name, *(_cell(use, n, full) for n in (*_LEVELS, *_CHANGES))) for name, use, full in model.levels()]
    whole = table(_header(*_LEVELS, *_CHANGES), rows, right=range(1, 8))
    if _columns(whole) > _width():
        levels, changes = [r[:5] for r in rows], [(r[0], *r[5:]) for r in rows]
        whole = f"{_table(_header(*_LEVELS), levels)}\n\n{_table(_header(*_CHANGES), changes)}"
    notes = [note for mark, note in _FOOTNOTES.items() if any(mark in cell for row in rows for cell in row[1:])]
    if still := model.still():
        notes.append(_sentence(f"Moved by no more than their resolution: {', '.join(still)}."))
    return "\n".join([whole, *notes])


def _cell(use: Use, name: str, full: Sequence[str]) -> str:
    found: Figure | None = getattr(use, name)
    if found is None:
        return figure(found)
    phases = {"peak": "loading", "transient": "loading", "steady": "running", "share": "running"}
    least = "> " if phases.get(name) in full else ""
    return least + figure(found) + next((m for s, m in _MARKS.items() if s in found.source), "")


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table whose figures stand right; where it is too wide, each row's name is a line of its own above it."""
    right = [i for i, name in enumerate(header) if i and name != "VERDICT"]
    whole = table(header, rows, right)
    if _columns(whole) <= _width():
        return whole
    lines = table(("   ", *header[1:]), [("", *row[1:]) for row in rows], right).splitlines()
    body = (f"{printable(row[0])}\n{line}" for row, line in zip(rows, lines[1:], strict=True))
    return "\n".join([lines[0], *body])


def _columns(text: str) -> int:
    return max(map(len, text.splitlines()), default=0)


def _header(*names: str) -> tuple[str, ...]:
    return ("", *map(_title, names))


def _title(name: str) -> str:
    return {"peak": "LOAD PEAK", "share": "MODEL'S SHARE", "left_behind": "LEFT BEHIND"}.get(name, name.upper())


def _unattributed(found: Figure | None) -> str:
    if found is None:
        return ""
    if found.bytes >= -found.error_bytes:
        return _sentence(
            f"Used in all heaps but in no process's hbmem: {figure(found)}",
            "(drivers, other cores and programs that are not listed; the rows do not say in which heap).",
        )
    more = Figure(-found.bytes, found.error_bytes, found.source)
    return _sentence(
        f"The processes list {figure(more)} more than the heaps hold:", "shared buffers count in each of them."
    )


def _heaps(report: MemoryReport) -> str:
    rows = [_heap_row(heap) for heap in report.heaps]
    notes = [_sentence(f"{h.heap}: {h.not_ram}.") for h in report.heaps if h.not_ram]
    if not rows:
        return "No heap was shown."
    header = ("HEAP", "CAPACITY", "MOST USED", "SMALLEST FREE", "AT")
    return "\n".join([_table(header, rows), *notes])


def _heap_row(heap: HeapRange) -> tuple[str, ...]:
    cells = (heap.total, heap.highest, heap.smallest_free)
    at = "" if heap.smallest_free_at_s is None else f"{heap.smallest_free_at_s:.1f} s"
    return (heap.heap, *map(figure, cells), at)


def _processes(report: MemoryReport) -> str:
    rows = [(p.title, *map(figure, (p.lowest, p.highest, p.rss))) for p in report.processes]
    return _table(("PROCESS", "LEAST HBMEM", "MOST HBMEM", "MOST RSS"), rows) if rows else ""


def _subjects(model: ModelMemory) -> list[str]:
    """Whose growth is a model's own: its processes, and the heaps that moved."""
    return [p.title for p in model.own] + [h.heap for h in model.heaps if h.used.moved]


def _growth(title: str, found: Sequence[Growth], own: Sequence[str]) -> str:
    """A table of what grew and of ``own``; one line for the others, in which no leak was seen."""
    judged = [g for g in found if g.verdict != SHORT]
    shown = [g for g in judged if not own or g.verdict != NONE or g.subject in own]
    others = [g for g in judged if g not in shown]
    parts = [_sentence(f"{title}, per hour (95 % interval), and the smallest leak that would have been seen")]
    if shown:
        header = ("", "VERDICT", "GROWTH", "R²", "WOULD SEE")
        parts.append(_table(header, [_growth_row(g) for g in shown]))
    if others:
        parts.append(_sentence(f"No leak seen in {len(others)} others{_in_any(others)}."))
    parts += [
        _sentence(f"{g.subject} is full from {g.full_at_s:.1f} s on, and judged until then.")
        for g in found
        if g.full_at_s is not None
    ]
    if len(judged) < len(found):
        parts.append(_sentence(f"Too little data for {len(found) - len(judged)}: fewer than {LEAST_ROWS} screens."))
    return "\n".join(parts) if found else ""


def _in_any(others: Sequence[Growth]) -> str:
    known = [g.smallest for g in others if g.smallest is not None]
    return f"; {_about(max(known))} would have been, in any of them" if len(known) == len(others) else ""


def _about(rate: float) -> str:
    """Bytes per second as a size per hour, in two digits and no smaller than it is: a claim is no measurement."""
    hourly = rate * 3600
    unit = next((u for u in (GIB, MIB, KIB) if hourly >= u), 1)
    digit = 10.0 ** (math.floor(math.log10(hourly / unit)) - 1) if hourly > 0 else 1.0
    return format_bytes(math.ceil(hourly / unit / digit) * digit * unit)


def _growth_row(found: Growth) -> tuple[str, ...]:
    rate = figure(Figure(found.slope * 3600, (found.high - found.slope) * 3600, ""))
    smallest = "" if found.smallest is None else _about(found.smallest)
    verdict = found.verdict.upper() if found.verdict == LEAK else found.verdict
    return found.title, verdict, rate, f"{found.r2:.2f}", smallest


def _fit(found: Fit) -> str:
    need = format_bytes(found.need_bytes)
    lines = [_sentence(f"{need} more, tried in {found.asked} first: {found.verdict}{_where(found)}")]
    rows = [(p.heap, figure(p.free), _answer(p)) for p in found.places]
    lines.append(table(("HEAP", "SMALLEST FREE", "FITS"), rows, right=(1,)))
    lines.append(_sentence("Heaps are separate: room in several cannot be joined, and a buffer lies in one."))
    return "\n".join(lines)


def _where(found: Fit) -> str:
    if found.heap is None or found.heap == found.asked:
        return "."
    return f", in {found.heap}, to which the driver falls back."


def _answer(place: Place) -> str:
    answer = {True: "yes", False: "no", None: "perhaps: printed too coarsely"}[place.fits]
    return answer if place.reached else f"{answer}, but the driver does not go there"


def _sentence(*lines: str) -> str:
    """Lines for people, wrapped where a terminal ends; a program that reads them gets them whole."""
    width = max(20, _width()) if sys.stdout.isatty() else 10_000
    return "\n".join(textwrap.fill(printable(line, "\n"), width, break_long_words=False) for line in lines)


def _width() -> int:
    return shutil.get_terminal_size((80, 24)).columns
