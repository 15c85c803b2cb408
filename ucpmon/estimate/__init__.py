"""Predicted memory of a network, by the formulas of the Horizon OE article. All sizes are bytes."""

from ucpmon.estimate.dtypes import BITS, bytes_of, dtype_named
from ucpmon.estimate.formulas import activation, dense, parse_shape, tensor
from ucpmon.estimate.model import Estimate, Layer, Part, to_json, together
from ucpmon.estimate.modelfile import estimate_compiled
from ucpmon.estimate.onnxfile import estimate_onnx

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
