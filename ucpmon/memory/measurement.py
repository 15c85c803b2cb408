"""What a model takes of each heap and process, phase by phase, each figure with its resolution.

A level is the time-weighted median of a phase, a peak its highest row. Differences take the source whose *change* is
printed finest: an unchanging total cancels out of ``total − free``. Heaps are never added up to one pool.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from ucpmon.errors import InputError
from ucpmon.memory.detection.lives import find_lives
from ucpmon.memory.footprint import Use, inside, level, use
from ucpmon.memory.leaks import LEAK, Growth, growth
from ucpmon.memory.levels import DUMPS, HeapLevels, Owner, ProcessLevels, Track, run_levels
from ucpmon.memory.phases import Life, Phase, corrected
from ucpmon.memory.ranges import HeapRange, ProcessRange, heap_range, process_range
from ucpmon.runs.reader import Run
from ucpmon.statistics.resolution import Figure


@dataclass(frozen=True)
class HeapUse:
    """``full`` names the phases in which the heap had nothing left: their figures are lower bounds of the need."""

    heap: str
    used: Use
    full: tuple[str, ...] = ()


@dataclass(frozen=True)
class ProcessUse(Owner):
    hbmem: Use
    rss: Use


@dataclass(frozen=True)
class ModelMemory:
    """One model's memory. ``unattributed`` is all heaps' used bytes minus all processes' hbmem while running."""

    life: Life
    heaps: tuple[HeapUse, ...]
    processes: tuple[ProcessUse, ...]
    growth: tuple[Growth, ...]
    unattributed: Figure | None

    @property
    def own(self) -> list[ProcessUse]:
        """The processes whose memory showed the model."""
        return [p for p in self.processes if p.pid in self.life.pids]

    def levels(self) -> list[tuple[str, Use, tuple[str, ...]]]:
        """(name, use, phases in which it is a lower bound) of each level that is the model's, moved or may have."""
        rows = [(f"{h.heap} used", h.used, h.full) for h in self.heaps if h.used.moved is not False]
        for p in self.processes:
            if p in self.own or p.hbmem.moved is not False:
                rows += [(f"{p.title} hbmem", p.hbmem, ()), (f"{p.title} rss", p.rss, ())]
        return rows

    def still(self) -> list[str]:
        """The heaps and other processes that moved by no more than their resolution."""
        heaps = [h.heap for h in self.heaps if h.used.moved is False]
        return heaps + [p.title for p in self.processes if p not in self.own and p.hbmem.moved is False]


@dataclass(frozen=True)
class MemoryReport:
    """The answers. Where nothing was loaded or released ``models`` is empty, and ``growth`` that of the whole run."""

    end_s: float
    models: tuple[ModelMemory, ...]
    heaps: tuple[HeapRange, ...]
    processes: tuple[ProcessRange, ...]
    growth: tuple[Growth, ...]
    unattributed: Figure | None

    def all_growth(self) -> tuple[Growth, ...]:
        """Every judged level, of all models or of the whole run."""
        return self.growth + tuple(g for model in self.models for g in model.growth)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def memory(run: Run, *, phases: Sequence[Phase] | None = None, process: str | int | None = None) -> MemoryReport:
    """The memory of every model that a run shows.

    ``phases`` replace what would be found;
    ``process`` (a name or a pid) limits models and processes to its own. Raises InputError for a process that is not
    in the run, UsageError for phases that lie outside of it.
    """
    shown = run_levels(run)
    shown = replace(shown, processes=_chosen(shown.processes, process))
    lives = find_lives(shown, run.marks)
    if phases:
        lives = corrected(lives, phases, shown.end_s)
    found = _Found(shown.heaps, shown.processes, lives)
    whole = Phase("running", 0.0, shown.end_s)
    return MemoryReport(
        shown.end_s,
        tuple(found.model(life) for life in lives),
        tuple(heap_range(h, run.info) for h in shown.heaps),
        tuple(process_range(p) for p in shown.processes),
        () if lives else found.growth(whole),
        found.unattributed(whole) if process is None else None,
    )


def _chosen(owners: Sequence[ProcessLevels], process: str | int | None) -> Sequence[ProcessLevels]:
    if process is None:
        return owners
    found = [p for p in owners if p.process == process] or [p for p in owners if str(p.pid) == str(process)]
    if not found:
        names = ", ".join(dict.fromkeys(p.title for p in owners)) or "none"
        raise InputError(f"there is no process {process} in this run", f"it shows {names}")
    return found


@dataclass(frozen=True)
class _Found:
    heaps: Sequence[HeapLevels]
    processes: Sequence[ProcessLevels]
    lives: Sequence[Life]

    def model(self, life: Life) -> ModelMemory:
        running = self._undisturbed(life)
        grown = self.growth(running) if running else ()
        leaks = {(g.subject, g.kind): g for g in grown if g.verdict == LEAK}
        windows = {**life.phases, **({"running": running} if running else {})}
        own = [p for p in self.processes if p.pid in life.pids and p.process in life.processes]
        others = [p for p in self.processes if p not in own and running and _holds(p, running)]
        return ModelMemory(
            life,
            tuple(self._heap(h, windows, leaks.get((h.heap, "used"))) for h in self.heaps),
            tuple(
                ProcessUse(
                    p.pid,
                    p.process,
                    use((p.hbmem,), windows, leaks.get((p.title, "hbmem"))),
                    use((p.rss,), windows, leaks.get((p.title, "rss"))),
                )
                for p in (*own, *others)
            ),
            grown,
            self.unattributed(running) if running else None,
        )

    def _heap(self, heap: HeapLevels, windows: Mapping[str, Phase], leak: Growth | None) -> HeapUse:
        full = tuple(name for name, phase in windows.items() if heap.ran_out(phase.start_s, phase.end_s))
        return HeapUse(heap.heap, use(heap.used, windows, leak), full)

    def _undisturbed(self, life: Life) -> Phase | None:
        """The running phase up to where another model's memory moves, or from there on where that is longer."""
        phase = life.phases.get("running")
        if phase is None:
            return None
        moves = [t for other in self.lives if other is not life for t in other.changes()]
        edges = [phase.start_s, *sorted(t for t in moves if phase.start_s < t < phase.end_s), phase.end_s]
        return replace(phase, end_s=edges[1])

    def growth(self, phase: Phase) -> tuple[Growth, ...]:
        """The growth of every heap and process in a phase."""
        out = []
        for heap in self.heaps:
            track = finest(heap.used)
            if track is not None:
                capacity = float(heap.total.values.max(initial=0.0)) or np.inf
                out.append(growth(heap.heap, "used", inside(track, phase), capacity))
        for owner in self.processes:
            for kind, track in (("hbmem", owner.hbmem), ("rss", owner.rss)):
                rows = inside(track, phase)
                shown = rows.where(rows.error > 0)
                if len(shown.values) and (kind == "rss" or shown.values.any()):
                    out.append(growth(owner.title, kind, shown))
        return tuple(out)

    def unattributed(self, phase: Phase) -> Figure | None:
        """All heaps' used bytes minus all processes' hbmem: what drivers and cores hold, or what is counted twice."""
        used = [level(h.used, phase) for h in self.heaps if h.used]
        held = [level((p.hbmem,), phase) for p in self.processes]
        if not used or None in used:
            return None
        plus, minus = [f for f in used if f], [f for f in held if f]
        total = sum(f.bytes for f in plus) - sum(f.bytes for f in minus)
        return Figure(total, sum(f.error_bytes for f in (*plus, *minus)), "used − hbmem")


def finest(tracks: Sequence[Track]) -> Track | None:
    """The source whose changes are printed finest; the first of equals; dumps are too few to show growth."""
    regular = [t for t in tracks if t.source != DUMPS]
    return min(regular, key=lambda t: float(np.median(t.change_error)), default=None)


def _holds(process: ProcessLevels, phase: Phase) -> bool:
    return bool(inside(process.hbmem, phase).values.any())
