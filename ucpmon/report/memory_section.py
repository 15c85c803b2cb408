"""The memory part of a report: each model by phase, the heaps as a whole, what grows, who holds what."""

from __future__ import annotations

from collections.abc import Iterator

from ucpmon.memory.leaks import LEAK, Growth
from ucpmon.memory.measurement import MemoryReport, ModelMemory
from ucpmon.memory.phases import Life
from ucpmon.memory.ranges import HeapRange, ProcessRange
from ucpmon.metrics import format_bytes
from ucpmon.report.blocks import Cell, Section, Table, Text, words
from ucpmon.report.subject import Subject
from ucpmon.statistics.resolution import Figure, figure_text
from ucpmon.text import format_seconds

_USE = ("before", "peak", "steady", "after", "share", "transient", "left_behind")
_USE_HEADER = ("", "Before", "Load peak", "Running", "After", "Model's share", "Loading's own", "Left behind")
_HEAPS_HEADER = ("Heap", "Total", "Lowest used", "Usual used", "Highest used", "Smallest free", "At")


def memory_section(of: Subject) -> Section:
    report = of.memory
    blocks: list[Table | Text] = []
    for number, model in enumerate(report.models, 1):
        blocks += _model(number, model)
    if report.heaps and not report.models:
        blocks.append(Text("No model was seen to load or leave: no phases, so no share of the memory is a model's."))
    if report.heaps:
        blocks.append(Table("Heaps over the whole run", _HEAPS_HEADER, [_heap(h) for h in report.heaps]))
        blocks.append(Text("Heaps are separate pools: free memory of one is no use to a program that needs another."))
    blocks += [Text(f"{h.heap}: its total is {h.not_ram}.") for h in report.heaps if h.not_ram]
    blocks += [Text(text, warning=leak) for text, leak in _growth(report)]
    return Section("memory", "Memory", blocks)


def processes_section(of: Subject) -> Section:
    header = ("Process", "PID", "Lowest hbmem", "Usual hbmem", "Highest hbmem", "Highest rss")
    rows = [_process(p) for p in of.memory.processes]
    return Section("processes", "Processes", [Table("Memory of each process", header, rows)] if rows else [])


def size(found: Figure | None) -> Cell:
    """A size with its resolution in the same unit, ``310.4 ±0.05 MiB``; exact ones without."""
    return Cell(figure_text(found), found.bytes if found else None)


def _model(number: int, model: ModelMemory) -> list[Table | Text]:
    rows = [[Cell(name), *(size(getattr(use, key)) for key in _USE)] for name, use, _ in model.levels()]
    full = [h.heap for h in model.heaps if h.full]
    blocks: list[Table | Text] = [Text(f"Model {number}, {_owner(model.life)}: {_phases(model.life)}.")]
    if rows:
        blocks.append(Table(f"Memory of model {number} by phase", _USE_HEADER, rows))
    blocks += [Text(f"{heap} was full: its figures are the least that was needed.", warning=True) for heap in full]
    return blocks


def _owner(life: Life) -> str:
    return life.who or (f"seen in {life.heap}" if life.heap else "known from markers alone")


def _phases(life: Life) -> str:
    spans = (
        f"{name} from {format_seconds(phase.start_s)} to {format_seconds(phase.end_s)} ({phase.source})"
        for name, phase in life.phases.items()
    )
    return ", ".join(spans)


def _heap(h: HeapRange) -> list[Cell]:
    at = Cell("–") if h.smallest_free_at_s is None else Cell(format_seconds(h.smallest_free_at_s), h.smallest_free_at_s)
    return [Cell(h.heap), *(size(f) for f in (h.total, h.lowest, h.typical, h.highest, h.smallest_free)), at]


def _process(p: ProcessRange) -> list[Cell]:
    return [*words(p.process, str(p.pid)), *(size(f) for f in (p.lowest, p.typical, p.highest, p.rss))]


def _growth(report: MemoryReport) -> Iterator[tuple[str, bool]]:
    every = report.all_growth()
    for found in every:
        if found.verdict == LEAK:
            yield _leak(found), True
    if every and not any(found.verdict == LEAK for found in every):
        yield "No leak was seen; ucpmon memory tells the smallest that would have been.", False


def _leak(found: Growth) -> str:
    return (
        f"{found.title} grows: {format_bytes(found.slope * 60)} a minute "
        f"({format_bytes(found.low * 60)} to {format_bytes(found.high * 60)}) from {format_seconds(found.start_s)} to "
        f"{format_seconds(found.end_s)}."
    )
