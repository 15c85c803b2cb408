"""A network as far as its memory goes: no dependence on the format it came from."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from ucpmon.memory.estimate.dtypes import BITS, bytes_of


@dataclass(frozen=True)
class Tensor:
    """A tensor's shape and element type; ``None`` where the file does not fix them."""

    name: str
    shape: tuple[int, ...] | None
    dtype: str | None

    @property
    def elements(self) -> int | None:
        return None if self.shape is None else math.prod(self.shape)

    def size(self, floats_as: str | None = None) -> int | None:
        """Bytes, with every floating-point type stored as ``floats_as``; ``None`` where shape or type are unknown."""
        dtype = self.stored_as(floats_as)
        return None if self.elements is None or dtype is None else bytes_of(self.elements, dtype)

    def stored_as(self, floats_as: str | None) -> str | None:
        if self.dtype not in BITS:
            return None
        is_float = self.dtype.startswith(("float", "bfloat"))
        return floats_as if floats_as and is_float else self.dtype


@dataclass(frozen=True)
class Constant:
    """Stored values. ``storage`` names the place of the bytes: two constants in the same place take it once."""

    tensor: Tensor
    storage: object


@dataclass(frozen=True)
class Node:
    """One operation. ``bodies`` are the graphs inside it: a loop's body, or the branches of which one runs."""

    name: str
    op: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    bodies: tuple[Graph, ...] = ()

    def reads(self) -> set[str]:
        """Every tensor that must be there before: its own inputs, and those of other graphs that its bodies use."""
        return {name for name in self.inputs if name}.union(*(body.captured() for body in self.bodies))


@dataclass(frozen=True)
class Graph:
    """Nodes in the order of execution, and what is known of every tensor by name; ``notes`` are its reader's doubts."""

    nodes: tuple[Node, ...]
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    constants: dict[str, Constant] = field(default_factory=dict)
    tensors: dict[str, Tensor] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def captured(self) -> set[str]:
        """The tensors that this body uses of the graphs around it."""
        made = {t.name for t in self.inputs} | set(self.constants) | {o for n in self.nodes for o in n.outputs}
        used = {t.name for t in self.outputs}.union(*(node.reads() for node in self.nodes))
        return used - made

    def misplaced(self) -> str | None:
        """A tensor that a node reads before another one makes it, or that two nodes make; ``None`` in a sound graph."""
        later = {output for node in self.nodes for output in node.outputs if output}
        for node in self.nodes:
            if wrong := sorted(node.reads() & later):
                return wrong[0]
            for output in filter(None, node.outputs):
                if output not in later:
                    return output
                later.remove(output)
        return None
