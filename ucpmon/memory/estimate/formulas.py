"""The formulas for single layers and tensors. Their source is the Horizon OE article on a model's memory.

Weights are parameters × bytes of one; an activation is a layer's output elements × bytes; an input or output tensor is
the product of its shape × bytes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from ucpmon.errors import UsageError
from ucpmon.memory.estimate.dtypes import bytes_of, dtype_named
from ucpmon.memory.estimate.model import ACTIVATIONS, TENSORS, WEIGHTS, Part

_MOST = 10**12
_SEPARATOR = re.compile(r"\s*[x×*,]\s*", re.IGNORECASE)


def parse_shape(text: str) -> tuple[int, ...]:
    """``32x3x224x224`` → (32, 3, 224, 224). Raises UsageError where it is no list of whole numbers from 1 to 10¹²."""
    words = _SEPARATOR.split(text.strip())
    if not all(re.fullmatch(r"[0-9]{1,13}", word) and 1 <= int(word) <= _MOST for word in words):
        raise UsageError(f"{text!r} is not a shape", "write whole numbers with x between them: 32x3x224x224")
    return tuple(int(word) for word in words)


def dense(inputs: int, outputs: int, bias: bool = False, dtype: str = "float32") -> Part:
    """The weights of a fully connected layer: ``inputs × outputs`` parameters, and ``outputs`` more with a bias.

    Raises UsageError where there is no such element type.
    """
    dtype = dtype_named(dtype)
    count = inputs * outputs + (outputs if bias else 0)
    name = f"dense {inputs}x{outputs}" + (" + bias" if bias else "")
    return Part(WEIGHTS, name, count, dtype, bytes_of(count, dtype))


def activation(shape: Sequence[int], dtype: str = "float32", batch: int = 1) -> Part:
    """A layer's output: the product of ``shape``, for each of ``batch`` samples.

    Raises UsageError where there is no such element type.
    """
    return _tensor(ACTIVATIONS, "conv", shape, dtype, batch)


def tensor(shape: Sequence[int], dtype: str = "float32", batch: int = 1) -> Part:
    """An input or output tensor: the product of ``shape``, ``batch`` times.

    Raises UsageError where there is no such element type.
    """
    return _tensor(TENSORS, "tensor", shape, dtype, batch)


def _tensor(kind: str, name: str, shape: Sequence[int], dtype: str, batch: int) -> Part:
    dtype = dtype_named(dtype)
    count = math.prod(shape) * batch
    times = f" × {batch}" if batch != 1 else ""
    return Part(kind, f"{name} {'x'.join(map(str, shape))}{times}", count, dtype, bytes_of(count, dtype))
