"""A graph's memory: constants, inputs, outputs, each layer's activations, and how many of them live at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ucpmon.memory.estimate.graph import Constant, Graph, Node, Tensor
from ucpmon.memory.estimate.model import ACTIVATIONS, INPUTS, OUTPUTS, WEIGHTS, Estimate, Layer, Part

GENERATORS = ("ConstantOfShape", "EyeLike", "Range")
"""Operations that make values out of a shape: what they make of constants alone is as good as stored."""


def estimate_graph(graph: Graph, name: str, dtype: str | None = None) -> Estimate:
    """The predicted memory of a network; ``dtype`` stores every floating-point tensor as that type.

    Activations are the outputs of nodes, but for the network's own outputs and for what depends on constants alone (a
    compiler computes that once). The peak is the most of them alive at one time, each node writing beside what it
    reads. Formulas: the Horizon OE article; the peak: liveness over the order of execution.
    """
    walk = _Walk(dtype, set())
    peak = walk.run(graph, {})
    io = _io_parts(graph.inputs, INPUTS, dtype) + _io_parts(graph.outputs, OUTPUTS, dtype)
    weights = _by_dtype(WEIGHTS, name, walk.stored, dtype)
    activations = _by_dtype(ACTIVATIONS, name, walk.activations, dtype)
    unknown = [t.name for t in (*walk.unknown, *graph.inputs, *graph.outputs) if t.size(dtype) is None]
    return Estimate(
        (*weights, *io, *activations), tuple(walk.layers), peak, (*graph.notes, *_notes(name, unknown, dtype))
    )


_Sources = dict[str, tuple[Constant, ...]]
"""The stored constants behind each tensor that depends on constants alone."""


class _Walk:
    """One pass over a graph and the graphs inside its nodes."""

    def __init__(self, dtype: str | None, places: set[object]) -> None:
        self.dtype = dtype
        self.places = places
        self.layers: list[Layer] = []
        self.activations: list[Tensor] = []
        self.stored: list[Tensor] = []
        self.unknown: list[Tensor] = []

    def run(self, graph: Graph, outer: _Sources) -> int:
        """Walk one graph; the peak of its activations. ``outer`` are the constants of the graphs around it."""
        sources: _Sources = {**outer, **{name: (constant,) for name, constant in graph.constants.items()}}
        kept = {t.name for t in graph.outputs}
        last = {name: place for place, node in enumerate(graph.nodes) for name in node.reads()}
        live, peak = Counter[str](), 0
        for place, node in enumerate(graph.nodes):
            made = _made(node, graph.tensors, kept | set(last))
            reads = node.reads()
            if reads and reads <= set(sources) and not node.bodies:
                sources.update(_folded(node, made, sources))
                continue
            weight = sum(self._store(c) for name in sorted(reads) for c in sources.get(name, ()))
            inner = self._inside(node, sources)
            self._add(made, live, kept)
            self.layers.append(self._layer(node, made, weight, live.total() + inner))
            peak = max(peak, live.total() + inner)
            for dead in [name for name in live if last.get(name, place) <= place]:
                del live[dead]
        for constant in graph.constants.values():
            self._store(constant)
        return peak

    def _inside(self, node: Node, sources: _Sources) -> int:
        """The highest peak of a node's bodies. Of several, branches of which one runs, the largest counts."""
        peak, most = 0, list[Tensor]()
        for body in node.bodies:
            walk = _Walk(self.dtype, self.places)
            peak = max(peak, walk.run(body, sources))
            most = max(most, walk.activations, key=self._bytes)
            self.layers += walk.layers
            self.stored += walk.stored
            self.unknown += walk.unknown
        self.activations += most
        return peak

    def _bytes(self, tensors: Iterable[Tensor]) -> int:
        return sum(tensor.size(self.dtype) or 0 for tensor in tensors)

    def _store(self, constant: Constant) -> int:
        if constant.storage in self.places:
            return 0
        self.places.add(constant.storage)
        size = constant.tensor.size(self.dtype)
        (self.unknown if size is None else self.stored).append(constant.tensor)
        return size or 0

    def _add(self, made: Sequence[Tensor], live: Counter[str], kept: set[str]) -> None:
        for tensor in made:
            size = tensor.size(self.dtype)
            if size is None:
                self.unknown.append(tensor)
            elif tensor.name not in kept:
                live[tensor.name] = size
                self.activations.append(tensor)

    def _layer(self, node: Node, made: Sequence[Tensor], weight: int, live: int) -> Layer:
        complete = all(tensor.size(self.dtype) is not None for tensor in made)
        first = made[0] if made else Tensor("", None, None)
        total = self._bytes(made) if complete else None
        return Layer(node.name, node.op, first.shape, first.stored_as(self.dtype), total, weight, live)


def _made(node: Node, tensors: Mapping[str, Tensor], wanted: set[str]) -> list[Tensor]:
    made = [tensors.get(name, Tensor(name, None, None)) for name in node.outputs if name]
    # An output that nothing reads need not exist, and often has no shape: a dropout's mask.
    return [tensor for tensor in made if tensor.name in wanted or tensor.size() is not None]


def _folded(node: Node, made: Sequence[Tensor], sources: _Sources) -> _Sources:
    if node.op in GENERATORS:
        return {tensor.name: (Constant(tensor, ("made", tensor.name)),) for tensor in made}
    behind = tuple(constant for name in sorted(node.reads()) for constant in sources[name])
    return {tensor.name: behind for tensor in made}


def _io_parts(tensors: Sequence[Tensor], kind: str, dtype: str | None) -> list[Part]:
    return [
        Part(kind, f"{t.name} {'x'.join(map(str, t.shape or ()))}".strip(), t.elements, t.stored_as(dtype), size)
        for t in tensors
        if (size := t.size(dtype)) is not None
    ]


def _by_dtype(kind: str, name: str, tensors: Sequence[Tensor], dtype: str | None) -> list[Part]:
    counts, sizes = Counter[str](), Counter[str]()
    for tensor in tensors:
        stored = tensor.stored_as(dtype) or ""
        counts[stored] += tensor.elements or 0
        sizes[stored] += tensor.size(dtype) or 0
    return [Part(kind, name, counts[stored], stored, size) for stored, size in sizes.most_common()]


def _notes(name: str, unknown: Sequence[str], dtype: str | None) -> Iterator[str]:
    if dtype:
        yield f"{name}: floating-point tensors are counted as {dtype}, all others as the file has them"
    names = list(dict.fromkeys(unknown))
    if names:
        some = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
        yield f"{name}: {len(names)} tensors have no size that is known, and are left out: {some}"
