"""What an estimate says: parts, layers, totals. All sizes are bytes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

WEIGHTS, ACTIVATIONS, INPUTS, OUTPUTS, TENSORS, MODEL = (
    "weights", "activations", "inputs", "outputs", "inputs/outputs", "model file"
)  # fmt: skip
KINDS = (MODEL, WEIGHTS, INPUTS, OUTPUTS, TENSORS, ACTIVATIONS)
"""The parts of a model's memory. ``inputs/outputs`` is a tensor of which only the shape was given."""


@dataclass(frozen=True)
class Part:
    """One share of the memory. ``elements`` and ``dtype`` are ``None`` for a file of which only the size is known."""

    kind: str
    name: str
    elements: int | None
    dtype: str | None
    bytes: int


@dataclass(frozen=True)
class Layer:
    """One node of a network, in the order of execution.

    ``bytes`` is its outputs' size, ``None`` where a shape is unknown. ``weight_bytes`` are the constants that it is the
    first to use. ``live_bytes`` are the activations that must exist while it runs.
    """

    name: str
    op: str
    shape: tuple[int, ...] | None
    dtype: str | None
    bytes: int | None
    weight_bytes: int
    live_bytes: int


@dataclass(frozen=True)
class Estimate:
    """The predicted memory of one or more networks.

    ``peak_bytes`` is the most activations alive at one time, ``None`` where no order of execution is known.
    ``notes`` say what the figures leave out or assume.
    """

    parts: tuple[Part, ...] = ()
    layers: tuple[Layer, ...] = ()
    peak_bytes: int | None = None
    notes: tuple[str, ...] = ()

    def total_of(self, kind: str) -> int:
        """Bytes of all parts of one kind."""
        return sum(part.bytes for part in self.parts if part.kind == kind)

    @property
    def held_bytes(self) -> int:
        """What stays while the model is loaded: everything but activations."""
        return sum(part.bytes for part in self.parts if part.kind != ACTIVATIONS)

    @property
    def most_bytes(self) -> int:
        """With every activation in a place of its own: the article's plain sum."""
        return self.held_bytes + self.total_of(ACTIVATIONS)

    @property
    def least_bytes(self) -> int:
        """With the places of dead activations used again at once; the plain sum where no order is known."""
        return self.most_bytes if self.peak_bytes is None else self.held_bytes + self.peak_bytes


def together(estimates: Iterable[Estimate]) -> Estimate:
    """Several estimates as one: all of them are loaded, and run, at the same time."""
    found = list(estimates)
    # What has no order of execution counts in full beside the peaks of what has one.
    ordered = [e for e in found if e.peak_bytes is not None]
    peak = sum(e.total_of(ACTIVATIONS) if e.peak_bytes is None else e.peak_bytes for e in found)
    return Estimate(
        tuple(part for e in found for part in e.parts),
        tuple(layer for e in found for layer in e.layers),
        peak if ordered else None,
        tuple(dict.fromkeys(note for e in found for note in e.notes)),
    )


def to_json(estimate: Estimate) -> dict[str, Any]:
    """The estimate as plain dictionaries: ``parts``, ``layers``, ``totals`` and ``notes``; sizes in bytes."""
    totals: dict[str, int | None] = {k: estimate.total_of(k) for k in KINDS if any(p.kind == k for p in estimate.parts)}
    totals["peak activations"] = estimate.peak_bytes
    totals["least"], totals["most"] = estimate.least_bytes, estimate.most_bytes
    return {
        "parts": [asdict(part) for part in estimate.parts],
        "layers": [{**asdict(layer), "shape": layer.shape and list(layer.shape)} for layer in estimate.layers],
        "totals": totals,
        "notes": list(estimate.notes),
    }
