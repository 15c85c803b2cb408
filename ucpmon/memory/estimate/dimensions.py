"""Dimensions that a network leaves open: a batch, a sequence length. They must be known before anything has a size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ucpmon.errors import UsageError


def fix_dimensions(graph: Any, dims: Mapping[str, int], batch: int | None, where: str) -> None:
    """Write ``dims`` and ``batch`` into an ONNX graph: into its inputs, and wherever else the same name stands.

    Raises UsageError where a dimension of an input stays open, where ``dims`` names one that is not there, or where the
    batch is fixed at something else.
    """
    stored = {tensor.name for tensor in graph.initializer}
    inputs = [info for info in graph.input if info.name not in stored]
    values = dict(dims)
    if batch is not None:
        values.update(_batch_names(inputs, dims, batch, where))
    seen = {name for info in (*inputs, *graph.output, *graph.value_info) for name in _write(info, values)}
    unused = sorted(set(dims) - seen)
    if unused:
        names = ", ".join(dict.fromkeys(name for info in inputs for name, _ in _open(info, {}))) or "none"
        raise UsageError(f"{where} has no open dimension {unused[0]!r}", f"those of its inputs: {names}")
    _refuse_open(inputs, where)


def _refuse_open(inputs: list[Any], where: str) -> None:
    left = [(info.name, name, axis) for info in inputs for name, axis in _open(info, {})]
    if left:
        tensor, name, axis = left[0]
        hint = f"give --dim {name}=N" + (" or --batch N" if axis == 0 else "")
        more = f", and {len(left) - 1} more" if len(left) > 1 else ""
        raise UsageError(f"{where}: dimension {name!r} (axis {axis} of input {tensor!r}) is not fixed{more}", hint)


def _batch_names(inputs: list[Any], dims: Mapping[str, int], batch: int, where: str) -> dict[str, int]:
    """The names of the open first dimensions. Without any, the file must have this batch already."""
    names = {name: batch for info in inputs for name, axis in _open(info, dims) if axis == 0}
    fixed = [(info.name, shape[0].dim_value) for info in inputs if (shape := info.type.tensor_type.shape.dim)]
    if not names and fixed and all(first != batch for _, first in fixed):
        name, first = fixed[0]
        what = f"the first dimension of input {name!r} of {where} is fixed at {first}"
        raise UsageError(f"--batch {batch}: {what}", "export the network with an open batch")
    return names


def _open(info: Any, known: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """The name and axis of each dimension without a number; a nameless one is called ``TENSOR:AXIS``."""
    for axis, dim in enumerate(info.type.tensor_type.shape.dim):
        name = dim.dim_param or f"{info.name}:{axis}"
        if dim.dim_value <= 0 and name not in known:
            yield name, axis


def _write(info: Any, values: Mapping[str, int]) -> Iterator[str]:
    for name, axis in list(_open(info, {})):
        # `TENSOR:AXIS` also reaches a dimension that has a name of its own.
        for key in (name, f"{info.name}:{axis}"):
            if key in values:
                info.type.tensor_type.shape.dim[axis].dim_value = values[key]
                yield key
                break
