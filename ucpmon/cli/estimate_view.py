"""An estimate as text for people: layers, parts, sums."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ucpmon.cli.tables import table
from ucpmon.memory.estimate import Estimate, Layer
from ucpmon.memory.estimate.model import ACTIVATIONS, KINDS
from ucpmon.metrics import format_bytes

if TYPE_CHECKING:
    from ucpmon.memory.against import Comparison

_LAYER_WIDTH = 28


def estimate_text(estimate: Estimate) -> str:
    """The tables of an estimate; sizes in bytes and, beside them, rounded."""
    parts = [_layers(estimate), _parts(estimate)]
    if len(estimate.parts) > 1:
        header = ("SUM", "BYTES", "SIZE")
        parts.append(table(header, [(what, f"{n:,}", format_bytes(n)) for what, n in sums(estimate)], right=(1, 2)))
    return "\n\n".join(part for part in parts if part)


def sums(estimate: Estimate) -> Iterator[tuple[str, int]]:
    """The sums of an estimate by part, and in all, each with its name."""
    for kind in KINDS:
        if kind != ACTIVATIONS and any(part.kind == kind for part in estimate.parts):
            yield kind, estimate.total_of(kind)
    if any(part.kind == ACTIVATIONS for part in estimate.parts):
        yield "activations, plain sum", estimate.total_of(ACTIVATIONS)
    if estimate.peak_bytes is None:
        yield "total", estimate.most_bytes
        return
    yield "activations, most alive at once", estimate.peak_bytes
    yield "total with the plain sum", estimate.most_bytes
    yield "total with those alive at once", estimate.least_bytes


def against_text(comparison: Comparison, title: str) -> str:
    """One model's measured levels, the predicted parts beside the first of them, and what remains."""
    levels = [
        (
            level.where,
            format_bytes(level.bytes),
            "±" + format_bytes(level.error_bytes),
            "-" if level.transient_bytes is None else format_bytes(level.transient_bytes),
        )
        for level in comparison.levels
    ]
    first = comparison.levels[0]
    steps = [
        (step.part, format_bytes(step.bytes), format_bytes(step.added_bytes), format_bytes(step.left_bytes))
        for step in comparison.steps
    ]
    return "\n\n".join(
        (
            f"{title}\n" + table(("MEASURED", "SHARE", "KNOWN TO", "MORE WHILE LOADING"), levels, right=(1, 2, 3)),
            table(("PREDICTED", "SIZE", "ADDED UP", f"LEFT OF {format_bytes(first.bytes)}"), steps, right=(1, 2, 3)),
            f"{first.where}: {comparison.verdict}",
        )
    )


def alternatives_text(sizes: Mapping[str, Estimate]) -> str:
    """The same networks with other element types, to hold beside a measured share."""
    rows = [
        (name, format_bytes(e.held_bytes), format_bytes(e.least_bytes), format_bytes(e.most_bytes))
        for name, e in sizes.items()
    ]
    header = ("FLOATS STORED AS", "WITHOUT ACTIVATIONS", "WITH THOSE ALIVE", "WITH ALL")
    return table(header, rows, right=(1, 2, 3))


def _parts(estimate: Estimate) -> str:
    rows = [
        (
            part.kind,
            _short(part.name),
            "-" if part.elements is None else f"{part.elements:,}",
            part.dtype or "-",
            f"{part.bytes:,}",
            format_bytes(part.bytes),
        )
        for part in estimate.parts
    ]
    return table(("PART", "WHAT", "ELEMENTS", "TYPE", "BYTES", "SIZE"), rows, right=(2, 4, 5)) if rows else ""


def _layers(estimate: Estimate) -> str:
    rows = [
        (
            _short(f"{layer.op} {layer.name}".strip()),
            _shape(layer),
            "-" if layer.bytes is None else format_bytes(layer.bytes),
            format_bytes(layer.live_bytes),
            format_bytes(layer.weight_bytes) if layer.weight_bytes else "",
        )
        for layer in estimate.layers
    ]
    return table(("LAYER", "OUTPUT", "SIZE", "ALIVE", "WEIGHTS"), rows, right=(2, 3, 4)) if rows else ""


def _shape(layer: Layer) -> str:
    if layer.shape is None:
        return "?"
    return "x".join(map(str, layer.shape)) or "scalar"


def _short(text: str) -> str:
    """A long name keeps its beginning (what it is) and its end (which one); JSON has all of it."""
    if len(text) <= _LAYER_WIDTH:
        return text
    head = text.split(" ")[0][: _LAYER_WIDTH // 2] + " " if " " in text else text[:4]
    return head + "…" + text[len(head) + 1 - _LAYER_WIDTH :]
