"""Predicted memory of a network, by the formulas of the Horizon OE article. All sizes are bytes."""

from ucpmon.memory.estimate.dtypes import BITS, bytes_of, dtype_named
from ucpmon.memory.estimate.formulas import activation, dense, parse_shape, tensor
from ucpmon.memory.estimate.model import Estimate, Layer, Part, to_json, together
from ucpmon.memory.estimate.modelfile import estimate_compiled
from ucpmon.memory.estimate.onnxfile import estimate_onnx

__all__ = [
    "BITS",
    "Estimate",
    "Layer",
    "Part",
    "activation",
    "bytes_of",
    "dense",
    "dtype_named",
    "estimate_compiled",
    "estimate_onnx",
    "parse_shape",
    "tensor",
    "to_json",
    "together",
]
