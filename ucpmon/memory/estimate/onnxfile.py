"""ONNX files: read, dimensions fixed, shapes inferred. The only module that imports ``onnx``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ucpmon.errors import InputError, MissingExtra, UsageError
from ucpmon.memory.estimate.dimensions import fix_dimensions
from ucpmon.memory.estimate.graph import Constant, Graph, Node, Tensor
from ucpmon.memory.estimate.model import Estimate
from ucpmon.memory.estimate.network import estimate_graph

HINT = "export the network again, and check it with onnx.checker"
_SMALL = 4096
"""Elements up to which a constant may say a shape: larger ones are only weights, and inference need not see them."""


def estimate_onnx(
    path: Path, dims: Mapping[str, int] | None = None, batch: int | None = None, dtype: str | None = None
) -> Estimate:
    """The predicted memory of a network in an ONNX file, in bytes; see ``estimate_graph`` for what is counted.

    ``dims`` gives dimensions that the file leaves open, by name or as ``TENSOR:AXIS``; ``batch`` the first one of every
    input; ``dtype`` counts every floating-point tensor as that type.

    Raises MissingExtra without the package ``onnx``; UsageError where the file cannot be read or a dimension of an
    input stays open; InputError where it is no ONNX network.
    """
    return estimate_graph(read_onnx(path, dims or {}, batch), path.name, dtype)


def read_onnx(path: Path, dims: Mapping[str, int], batch: int | None) -> Graph:
    """The network of an ONNX file, its dimensions fixed and its shapes inferred. Raises as ``estimate_onnx``."""
    try:
        import onnx
    except ImportError as error:
        raise MissingExtra("reading an ONNX file", "onnx") from error
    model = _load(onnx, path)
    fix_dimensions(model.graph, dims, batch, path.name)
    for tensor in _constants(model.graph):
        _lighten(onnx, tensor, path.parent)
    inferred, notes = _inferred(onnx, model, path)
    graph = replace(_graph(onnx, inferred.graph, {}, path.parent), notes=notes)
    if wrong := graph.misplaced():
        raise InputError(
            f"{path}: tensor {wrong!r} is read before it is made, or made twice", "export the network again"
        )
    return graph


def _load(onnx: Any, path: Path) -> Any:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}", "name an .onnx file") from error
    try:
        model = onnx.load_model_from_string(data)
    # protobuf has one error for everything that is no message, and its class depends on its implementation.
    except Exception as error:
        raise InputError(f"{path} is no ONNX file: {_first_line(error)}", HINT) from error
    if not all(isinstance(name, str) for name in _names(model.graph)):
        raise InputError(f"{path} is damaged: it has names that are no text", HINT)
    if not model.graph.node and not model.graph.initializer:
        raise InputError(f"{path} has no network in it", HINT)
    return model


def _inferred(onnx: Any, model: Any, path: Path) -> tuple[Any, tuple[str, ...]]:
    """The model with every shape that can be known, and what contradicts itself in it."""
    try:
        if model.functions:
            from onnx.inliner import inline_local_functions

            model = inline_local_functions(model)
        for domain in {node.domain for node in model.graph.node} - {o.domain for o in model.opset_import} - {"ai.onnx"}:
            model.opset_import.add(domain=domain, version=1)
        try:
            return onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True), ()
        except onnx.shape_inference.InferenceError as error:
            note = f"{path.name}: its shapes contradict each other: {_first_line(error)}"
            return onnx.shape_inference.infer_shapes(model), (note,)
    # The native library raises its own classes beside RuntimeError, ValueError and TypeError.
    except Exception as error:
        raise InputError(f"{path} is no sound network: {_first_line(error)}", HINT) from error


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _names(graph: Any) -> Iterator[Any]:
    """Every name in a graph. protobuf hands out bytes where a damaged file has no UTF-8."""
    yield from (tensor.name for tensor in graph.initializer)
    for info in (*graph.input, *graph.output, *graph.value_info):
        yield from (info.name, *(dim.dim_param for dim in info.type.tensor_type.shape.dim))
    for node in graph.node:
        yield from (node.name, node.op_type, node.domain, *node.input, *node.output)
        for attribute in node.attribute:
            yield attribute.name
            for body in (attribute.g, *attribute.graphs):
                yield from _names(body)


def _constants(graph: Any) -> Iterator[Any]:
    """Every stored tensor, those of inner graphs too."""
    yield from graph.initializer
    for node in graph.node:
        for attribute in node.attribute:
            for body in (attribute.g, *attribute.graphs):
                yield from _constants(body)


def _lighten(onnx: Any, tensor: Any, folder: Path) -> None:
    """Drop the values of a large constant; fetch those of a small one, which may be a shape, from its external file."""
    external = tensor.data_location == onnx.TensorProto.EXTERNAL
    if _count(tensor.dims) > _SMALL and not external:
        for field in ("raw_data", "float_data", "int32_data", "int64_data", "double_data", "uint64_data"):
            tensor.ClearField(field)
    elif _count(tensor.dims) <= _SMALL and external:
        place = _place(tensor, folder)
        try:
            onnx.external_data_helper.load_external_data_for_tensor(tensor, str(folder))
        except Exception as error:  # its checker's own classes, beside OSError and ValueError
            raise UsageError(f"{place[0]} cannot be read: {_first_line(error)}", "put it beside the .onnx") from error


def _count(dims: Any) -> int:
    count = 1
    for dim in dims:
        count *= dim
    return count


def _place(tensor: Any, folder: Path) -> tuple[str, str, str]:
    found = {entry.key: entry.value for entry in tensor.external_data}
    return str(folder / found.get("location", "")), found.get("offset", "0"), found.get("length", "")


def _graph(onnx: Any, graph: Any, outer: Mapping[str, Tensor], folder: Path) -> Graph:
    constants = dict(_stored(onnx, graph, folder))
    tensors = dict(outer)
    for info in (*graph.value_info, *graph.input, *graph.output):
        tensors[info.name] = _tensor(onnx, info)
    nodes = tuple(_node(onnx, node, tensors, folder) for node in graph.node if node.op_type != "Constant")
    inputs = tuple(tensors[i.name] for i in graph.input if i.name not in constants)
    return Graph(nodes, inputs, tuple(tensors[o.name] for o in graph.output), constants, tensors)


def _stored(onnx: Any, graph: Any, folder: Path) -> Iterator[tuple[str, Constant]]:
    for stored in graph.initializer:
        external = stored.data_location == onnx.TensorProto.EXTERNAL
        place = _place(stored, folder) if external else stored.name
        yield stored.name, Constant(_of(onnx, stored.name, stored), (id(graph), place) if not external else place)
    for sparse in graph.sparse_initializer:
        yield (
            sparse.values.name,
            Constant(_of(onnx, sparse.values.name, sparse.values), (id(graph), sparse.values.name)),
        )
    for node in graph.node:
        if node.op_type == "Constant" and node.output:
            yield node.output[0], Constant(_constant_node(onnx, node), (id(graph), node.output[0]))


def _constant_node(onnx: Any, node: Any) -> Tensor:
    name = node.output[0]
    for attribute in node.attribute:
        value = onnx.helper.get_attribute_value(attribute)
        if attribute.name == "value":
            return _of(onnx, name, value)
        if attribute.name in ("value_float", "value_int"):
            return Tensor(name, (), "float32" if attribute.name == "value_float" else "int64")
        if attribute.name in ("value_floats", "value_ints"):
            return Tensor(name, (len(value),), "float32" if attribute.name == "value_floats" else "int64")
    return Tensor(name, None, None)


def _of(onnx: Any, name: str, stored: Any) -> Tensor:
    return Tensor(name, tuple(stored.dims), _type_name(onnx, stored.data_type))


def _type_name(onnx: Any, number: int) -> str | None:
    names = {value: name.lower() for name, value in onnx.TensorProto.DataType.items()}
    found = names.get(number)
    return {"float": "float32", "double": "float64"}.get(found or "", found)


def _tensor(onnx: Any, info: Any) -> Tensor:
    tensor = info.type.tensor_type
    dims = [d.dim_value if d.HasField("dim_value") else None for d in tensor.shape.dim]
    known = [d for d in dims if d is not None]
    shape = tuple(known) if tensor.HasField("shape") and len(known) == len(dims) else None
    return Tensor(info.name, shape, _type_name(onnx, tensor.elem_type))


def _node(onnx: Any, node: Any, tensors: Mapping[str, Tensor], folder: Path) -> Node:
    bodies = [body for a in node.attribute for body in ([a.g] if a.HasField("g") else a.graphs)]
    return Node(
        node.name,
        node.op_type,
        tuple(node.input),
        tuple(node.output),
        tuple(_graph(onnx, body, tensors, folder) for body in bodies),
    )
