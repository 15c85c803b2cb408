"""Element types and their sizes."""

from __future__ import annotations

from ucpmon.errors import UsageError

BITS = {
    "float64": 64, "float32": 32, "float16": 16, "bfloat16": 16,
    "float8e4m3fn": 8, "float8e4m3fnuz": 8, "float8e5m2": 8, "float8e5m2fnuz": 8, "float8e8m0": 8,
    "float6e2m3": 6, "float6e3m2": 6, "float4e2m1": 4,
    "int64": 64, "int32": 32, "int16": 16, "int8": 8, "int4": 4, "int2": 2,
    "uint64": 64, "uint32": 32, "uint16": 16, "uint8": 8, "uint4": 4, "uint2": 2,
    "bool": 8, "complex64": 64, "complex128": 128,
}  # fmt: skip
"""Bits of one element."""

_ALIASES = {
    "float": "float32", "fp32": "float32", "f32": "float32", "double": "float64", "fp64": "float64", "f64": "float64",
    "half": "float16", "fp16": "float16", "f16": "float16", "bf16": "bfloat16",
    "i8": "int8", "u8": "uint8", "i16": "int16", "i32": "int32", "i64": "int64", "i4": "int4", "u4": "uint4",
}  # fmt: skip


def dtype_named(name: str) -> str:
    """The element type that a user means: ``float32``, ``fp16``, ``INT8``….

    Raises UsageError where there is no such type.
    """
    low = name.strip().lower()
    found = _ALIASES.get(low, low)
    if found not in BITS:
        raise UsageError(f"there is no element type {name!r}", "use float32, float16, bfloat16, int16, int8, int4…")
    return found


def bytes_of(elements: int, dtype: str) -> int:
    """Bytes of a packed tensor: elements × bits of one, rounded up to a whole byte (two int4 share one).

    Source of the formula: the Horizon OE article (count × bytes per element: float32 4, float16 2, int8 1).
    """
    return -(-elements * BITS[dtype] // 8)
