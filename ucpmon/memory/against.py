"""Prediction and measurement side by side: what of a model's measured memory its estimate explains, part by part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from ucpmon.errors import InputError
from ucpmon.memory.estimate import Estimate
from ucpmon.memory.estimate.model import ACTIVATIONS, KINDS
from ucpmon.memory.footprint import Use
from ucpmon.memory.measurement import MemoryReport, ModelMemory
from ucpmon.metrics import format_bytes


@dataclass(frozen=True)
class Measured:
    """How much a model raised one level, in bytes ± ``error_bytes``, and what loading took beyond that for a while.

    ``where`` is a heap, or a process's hbmem: memory of all heaps that this process holds.
    """

    where: str
    bytes: float
    error_bytes: float
    transient_bytes: float | None


@dataclass(frozen=True)
class Step:
    """One predicted part: its bytes, those of it and all parts before, and what is then left of the measured share."""

    part: str
    bytes: int
    added_bytes: int
    left_bytes: float


@dataclass(frozen=True)
class Comparison:
    """One model of a run against an estimate. ``levels`` are all that the model raised, the compared one first."""

    levels: tuple[Measured, ...]
    steps: tuple[Step, ...]
    verdict: str

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def against(estimate: Estimate, report: MemoryReport) -> list[Comparison]:
    """The estimate against each model that a run shows.

    The measured side is the share that ``ucpmon.memory.measurement`` finds: the steady level while running minus the
    level without the model. It is the hbmem of the model's process, which covers all heaps, or else the heap that
    moved most: heaps are never added up. Raises InputError where the run shows no model.
    """
    found = [levels for model in report.models if (levels := tuple(_levels(model)))]
    if not found:
        raise InputError("the run shows no model being loaded", "record from before the load, or see ucpmon memory RUN")
    return [Comparison(levels, tuple(_steps(estimate, levels[0])), _verdict(estimate, levels[0])) for levels in found]


def _levels(model: ModelMemory) -> Iterator[Measured]:
    processes = [_measured(f"{p.title} hbmem", p.hbmem) for p in model.own]
    heaps = [_measured(heap.heap, heap.used) for heap in model.heaps]
    for group in (processes, heaps):
        raised = [level for level in group if level and level.bytes > level.error_bytes]
        yield from sorted(raised, key=lambda level: -level.bytes)


def _measured(where: str, use: Use) -> Measured | None:
    if use.share is None:
        return None
    transient = use.transient.bytes if use.transient else None
    return Measured(where, use.share.bytes, use.share.error_bytes, transient)


def _steps(estimate: Estimate, measured: Measured) -> Iterator[Step]:
    parts = [(kind, estimate.total_of(kind)) for kind in KINDS if kind != ACTIVATIONS]
    parts.append(("activations alive at once", estimate.least_bytes - estimate.held_bytes))
    parts.append(("other activations", estimate.most_bytes - estimate.least_bytes))
    added = 0
    for name, count in parts:
        if count:
            added += count
            yield Step(name, count, added, measured.bytes - added)


def _verdict(estimate: Estimate, measured: Measured) -> str:
    """Which parts the measured share has room for. Wider than its error only counts as a difference."""
    share, error = measured.bytes, measured.error_bytes
    if share > estimate.most_bytes + error:
        more = format_bytes(share - estimate.most_bytes)
        return (
            f"{more} more than all predicted parts: instructions, padding and the runtime's own buffers, more buffers "
            "than one for inputs and outputs, or wider elements than estimated"
        )
    if share >= estimate.least_bytes - error:
        return "the predicted parts explain it: activations use places again, or nearly so"
    if share >= estimate.held_bytes - error:
        less = format_bytes(estimate.least_bytes - share)
        return f"everything but {less} of the activations alive at once: those may stay in the BPU's own SRAM"
    less = format_bytes(estimate.held_bytes - share)
    return f"{less} less than weights, inputs and outputs: narrower elements than estimated (--dtype), or another heap"
