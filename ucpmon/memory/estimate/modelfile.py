"""Compiled models: a file whose inside is not public."""

from __future__ import annotations

from pathlib import Path

from ucpmon.errors import InputError, UsageError
from ucpmon.memory.estimate.model import MODEL, Estimate, Part

SUFFIXES = (".hbm", ".bin")


def estimate_compiled(path: Path) -> Estimate:
    """The size of a compiled model's file, as the memory of its weights and instructions.

    Raises UsageError where the file cannot be read, InputError where it is empty.
    """
    try:
        size = path.stat().st_size
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}", "name a .hbm, .bin or .onnx file") from error
    if not size:
        raise InputError(f"{path} is empty", "compile the model again")
    note = (
        f"{path.name}: the size of the file, taken as the model's memory (weights and instructions); "
        "its inputs, outputs and working memory come on top and are not known from the file"
    )
    return Estimate((Part(MODEL, path.name, None, None, size),), notes=(note,))
