"""The article's formulas, on its own examples and on the types between a byte and a bit."""

from pathlib import Path

import pytest

from ucpmon.errors import UcpmonError, UsageError
from ucpmon.memory.estimate import (
    Estimate,
    Part,
    activation,
    bytes_of,
    dense,
    dtype_named,
    parse_shape,
    tensor,
    together,
)
from ucpmon.memory.estimate.request import Request, estimate


def test_the_articles_three_examples_to_the_byte():
    assert dense(1024, 512, bias=True) == Part("weights", "dense 1024x512 + bias", 524_800, "float32", 2_099_200)
    assert activation((64, 64, 256)) == Part("activations", "conv 64x64x256", 1_048_576, "float32", 4_194_304)
    assert tensor((32, 3, 224, 224)) == Part("inputs/outputs", "tensor 32x3x224x224", 4_816_896, "float32", 19_267_584)


@pytest.mark.parametrize(
    ("dtype", "size"),
    [("float32", 2_099_200), ("float16", 1_049_600), ("FP16", 1_049_600), ("int8", 524_800), ("int4", 262_400),
     ("bfloat16", 1_049_600), ("float64", 4_198_400), ("double", 4_198_400)],
)  # fmt: skip
def test_the_element_type_scales_the_bytes(dtype, size):
    assert dense(1024, 512, True, dtype).bytes == size


def test_packed_types_round_up_to_a_whole_byte():
    assert [bytes_of(n, "int4") for n in (0, 1, 2, 3)] == [0, 1, 1, 2]
    assert bytes_of(5, "int2") == 2 and bytes_of(4, "float6e2m3") == 3 and bytes_of(9, "bool") == 9


def test_a_bias_adds_a_parameter_per_output():
    assert dense(10, 3).elements == 30 and dense(10, 3, bias=True).elements == 33


def test_a_batch_multiplies_activations_and_tensors_but_no_weights():
    found = estimate(Request(dense=["1024x512"], conv=["64x64x256"], tensors=["3x224x224"], batch=32, dtype="int8"))
    assert [(p.kind, p.bytes) for p in found.parts] == [
        ("weights", 524_288), ("activations", 32 * 1_048_576), ("inputs/outputs", 4_816_896),
    ]  # fmt: skip
    assert found.held_bytes == 524_288 + 4_816_896
    assert found.most_bytes == found.least_bytes == found.held_bytes + 32 * 1_048_576
    assert found.peak_bytes is None


@pytest.mark.parametrize("text", ["32x3x224x224", "32X3X224X224", "32×3×224×224", "32,3,224,224", "32 x 3 x 224 x 224"])
def test_a_shape_is_written_as_people_write_it(text):
    assert parse_shape(text) == (32, 3, 224, 224)


@pytest.mark.parametrize(
    "text", ["", "x", "3x", "0x5", "-1x5", "3.5x2", "axb", "1e3", "nan", "3x٣", "9" * 14, "1x" + "9" * 13]
)
def test_what_is_no_shape_is_refused(text):
    with pytest.raises(UsageError, match="is not a shape"):
        parse_shape(text)


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (Request(), "nothing to estimate"),
        (Request(conv=["1x1"], bias=True), "--bias needs a layer"),
        (Request(dense=["3"]), "--dense '3' is not INPUTSxOUTPUTS"),
        (Request(dense=["3x4x5"]), "is not INPUTSxOUTPUTS"),
        (Request(dense=["3x4"], batch=0), "--batch 0 is out of range"),
        (Request(dense=["3x4"], dims=["batch=1"]), "--dim needs an ONNX file"),
        (Request(files=[Path("m.hbm")], batch=2), "say nothing of a compiled model"),
        (Request(dense=["3x4"], dtype="float7"), "there is no element type 'float7'"),
    ],
)
def test_a_request_that_makes_no_sense_is_refused(request_, words):
    with pytest.raises(UcpmonError, match=words):
        estimate(request_)


def test_types_are_found_by_their_usual_names():
    assert [dtype_named(n) for n in ("half", "BF16", " f32 ", "u8")] == ["float16", "bfloat16", "float32", "uint8"]


def test_what_has_no_order_counts_in_full_beside_a_peak():
    network = Estimate((Part("activations", "n", 100, "int8", 100),), peak_bytes=60, notes=("a",))
    loose = Estimate((Part("activations", "l", 7, "int8", 7),), notes=("a",))
    both = together([network, loose])
    assert (both.peak_bytes, both.least_bytes, both.most_bytes, both.notes) == (67, 67, 107, ("a",))
