"""What a user asks to be estimated, in the words of the command line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ucpmon.errors import UsageError
from ucpmon.memory.estimate.dtypes import dtype_named
from ucpmon.memory.estimate.formulas import activation, dense, parse_shape, tensor
from ucpmon.memory.estimate.model import Estimate, Part, together
from ucpmon.memory.estimate.modelfile import SUFFIXES, estimate_compiled
from ucpmon.memory.estimate.onnxfile import estimate_onnx

_MOST = 10**12


@dataclass(frozen=True)
class Request:
    """Files and layers to add up. ``dtype`` and ``batch`` are ``None`` where the user left them to the files."""

    files: Sequence[Path] = ()
    dense: Sequence[str] = ()
    bias: bool = False
    conv: Sequence[str] = ()
    tensors: Sequence[str] = ()
    dtype: str | None = None
    batch: int | None = None
    dims: Sequence[str] = ()


def estimate(request: Request) -> Estimate:
    """Everything asked for, added up. Raises UsageError for a value that makes no sense, and what its files raise."""
    _check(request)
    dtype = None if request.dtype is None else dtype_named(request.dtype)
    dims = dict(_dimension(text) for text in request.dims)
    found = [_file(path, dims, request.batch, dtype) for path in request.files]
    layers = tuple(_layers(request, dtype or "float32", request.batch or 1))
    return together([*found, Estimate(layers)] if layers else found)


def alternatives(request: Request) -> dict[str, Estimate]:
    """The same with floating-point tensors of other types; empty where the user chose one, or nothing would change."""
    changes = any(path.suffix.lower() not in SUFFIXES for path in request.files)
    changes = changes or bool(request.dense or request.conv or request.tensors)
    if request.dtype is not None or not changes:
        return {}
    return {dtype: estimate(replace(request, dtype=dtype)) for dtype in ("float32", "float16", "int8")}


def _check(request: Request) -> None:
    if not (request.files or request.dense or request.conv or request.tensors):
        raise UsageError("nothing to estimate", "name a model file, or give --dense, --conv or --tensor")
    if request.bias and not request.dense:
        raise UsageError("--bias needs a layer", "give --dense INPUTSxOUTPUTS with it")
    if request.batch is not None and not 1 <= request.batch <= _MOST:
        raise UsageError(f"--batch {request.batch} is out of range", "give a number from 1")
    networks = any(path.suffix.lower() not in SUFFIXES for path in request.files)
    if request.dims and not networks:
        raise UsageError("--dim needs an ONNX file", "name one, or leave --dim out")
    if (request.batch or request.dtype) and not (networks or request.dense or request.conv or request.tensors):
        raise UsageError("--batch and --dtype say nothing of a compiled model", "leave them out")


def _dimension(text: str) -> tuple[str, int]:
    name, _, number = text.rpartition("=")
    if not (name and number.isascii() and number.isdecimal() and 1 <= int(number[:14]) <= _MOST):
        raise UsageError(f"--dim {text!r} is not NAME=NUMBER", "write --dim batch=1")
    return name, int(number)


def _file(path: Path, dims: Mapping[str, int], batch: int | None, dtype: str | None) -> Estimate:
    if path.suffix.lower() in SUFFIXES:
        return estimate_compiled(path)
    return estimate_onnx(path, dims, batch, dtype)


def _layers(request: Request, dtype: str, batch: int) -> Iterator[Part]:
    for text in request.dense:
        shape = parse_shape(text)
        if len(shape) != 2:
            raise UsageError(f"--dense {text!r} is not INPUTSxOUTPUTS", "write --dense 1024x512")
        yield dense(*shape, request.bias, dtype)
    for text in request.conv:
        yield activation(parse_shape(text), dtype, batch)
    for text in request.tensors:
        yield tensor(parse_shape(text), dtype, batch)
