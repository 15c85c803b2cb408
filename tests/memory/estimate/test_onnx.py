"""ONNX networks built here, so that every byte is known; and real ones that the onnx package ships."""

from pathlib import Path

import pytest

from ucpmon.errors import InputError, MissingExtra, UcpmonError, UsageError
from ucpmon.memory.estimate import Layer, Part, estimate_onnx, to_json
from ucpmon.memory.estimate.network import estimate_graph
from ucpmon.memory.estimate.onnxfile import read_onnx

onnx = pytest.importorskip("onnx")
np = pytest.importorskip("numpy")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402  # only after the skip

SHIPPED = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"


def stored(name, *shape, dtype="float32"):
    return numpy_helper.from_array(np.zeros(shape, dtype), name)


def info(name, *shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def save(folder, nodes, inputs, outputs, constants=(), name="net.onnx", **more):
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(constants), **more)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    path = folder / name
    onnx.save(model, str(path))
    return path


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs.split(), outputs.split(), name=f"{op.lower()}_{outputs}", **attributes)


def mlp(folder, batch=2, **more):
    """1024 → 512 with bias, relu, → 10: 524,800 + 5,130 parameters."""
    nodes = [node("Gemm", "x w1 b1", "h"), node("Relu", "h", "r"), node("Gemm", "r w2 b2", "y")]
    constants = [stored("w1", 1024, 512), stored("b1", 512), stored("w2", 512, 10), stored("b2", 10)]
    return save(folder, nodes, [info("x", batch, 1024)], [info("y", batch, 10)], constants, **more)


def kinds(estimate):
    return [(p.kind, p.elements, p.dtype, p.bytes) for p in estimate.parts]


def test_a_small_network_to_the_byte(tmp_path):
    found = estimate_onnx(mlp(tmp_path))
    assert found.parts == (
        Part("weights", "net.onnx", 529_930, "float32", 2_119_720),
        Part("inputs", "x 2x1024", 2048, "float32", 8192),
        Part("outputs", "y 2x10", 20, "float32", 80),
        Part("activations", "net.onnx", 2048, "float32", 8192),
    )
    assert found.layers == (
        Layer("gemm_h", "Gemm", (2, 512), "float32", 4096, 2_099_200, 4096),
        Layer("relu_r", "Relu", (2, 512), "float32", 4096, 0, 8192),
        Layer("gemm_y", "Gemm", (2, 10), "float32", 80, 20_520, 4096),
    )
    assert (found.peak_bytes, found.notes) == (8192, ())
    assert found.held_bytes == 2_119_720 + 8192 + 80
    assert found.most_bytes == found.least_bytes == found.held_bytes + 8192


@pytest.mark.parametrize(("dtype", "size"), [("float16", 2), ("int8", 1), ("float64", 8)])
def test_an_element_type_is_put_on_every_float(tmp_path, dtype, size):
    found = estimate_onnx(mlp(tmp_path), dtype=dtype)
    assert kinds(found) == [
        ("weights", 529_930, dtype, 529_930 * size),
        ("inputs", 2048, dtype, 2048 * size),
        ("outputs", 20, dtype, 20 * size),
        ("activations", 2048, dtype, 2048 * size),
    ]
    assert found.notes == (f"net.onnx: floating-point tensors are counted as {dtype}, all others as the file has them",)


def test_the_peak_is_less_than_the_sum_where_places_can_be_used_again(tmp_path):
    """A chain of 100-element steps with a skip over all of them: two in the chain and the skipped one live at once."""
    nodes = [node("Relu", "x", "a")] + [node("Relu", last, this) for last, this in zip("abcd", "bcde", strict=True)]
    nodes += [node("Add", "a e", "y")]
    found = estimate_onnx(save(tmp_path, nodes, [info("x", 100)], [info("y", 100)]))
    assert found.total_of("activations") == 5 * 400
    assert found.peak_bytes == 3 * 400
    assert [layer.live_bytes for layer in found.layers] == [400, 800, 1200, 1200, 1200, 800]
    assert (found.most_bytes, found.least_bytes) == (800 + 2000, 800 + 1200)


def test_a_constant_is_counted_once_however_often_it_is_used(tmp_path):
    nodes = [node("MatMul", "x w", "a"), node("MatMul", "a w", "b"), node("MatMul", "b w", "y")]
    found = estimate_onnx(save(tmp_path, nodes, [info("x", 1, 8)], [info("y", 1, 8)], [stored("w", 8, 8)]))
    assert found.total_of("weights") == 256
    assert [layer.weight_bytes for layer in found.layers] == [256, 0, 0]


def test_constants_that_are_also_inputs_are_no_inputs(tmp_path):
    """As files before IR version 4 list them."""
    path = save(tmp_path, [node("Add", "x w", "y")], [info("x", 4), info("w", 4)], [info("y", 4)], [stored("w", 4)])
    assert [(p.kind, p.name) for p in estimate_onnx(path).parts] == [
        ("weights", "net.onnx"), ("inputs", "x 4"), ("outputs", "y 4"),
    ]  # fmt: skip


def test_constants_of_nodes_are_weights_and_what_follows_from_them_alone_is_no_activation(tmp_path):
    nodes = [
        helper.make_node("Constant", [], ["c"], value=stored("", 16, 16)),
        node("Transpose", "c", "t"),
        helper.make_node("ConstantOfShape", ["s"], ["f"], value=stored("", 1)),
        node("MatMul", "x t", "m"),
        node("Add", "m f", "y"),
    ]
    shape = numpy_helper.from_array(np.array([4, 16], "int64"), "s")
    found = estimate_onnx(save(tmp_path, nodes, [info("x", 4, 16)], [info("y", 4, 16)], [shape]))
    assert kinds(found)[:2] == [("weights", 256 + 64, "float32", 1280), ("weights", 2, "int64", 16)]
    assert [(layer.op, layer.weight_bytes) for layer in found.layers] == [("MatMul", 1024), ("Add", 256)]
    assert found.total_of("activations") == 256


def quantised(folder):
    nodes = [
        node("QuantizeLinear", "x s z", "q"),
        node("DequantizeLinear", "w4 s4", "w"),
        node("DequantizeLinear", "q s z", "d"),
        node("MatMul", "d w", "y"),
    ]
    w4 = helper.make_tensor("w4", TensorProto.INT4, [9, 3], np.zeros(27, "int8"))
    constants = [w4, stored("s4"), stored("s"), stored("z", dtype="int8")]
    return save(folder, nodes, [info("x", 5, 9)], [info("y", 5, 3)], constants)


def test_quantised_weights_and_activations_keep_their_width(tmp_path):
    found = estimate_onnx(quantised(tmp_path))
    assert ("weights", 27, "int4", 14) in kinds(found)
    assert ("activations", 45, "int8", 45) in kinds(found) and ("activations", 45, "float32", 180) in kinds(found)
    assert found.total_of("weights") == 14 + 4 + 4 + 1
    assert [layer.op for layer in found.layers] == ["QuantizeLinear", "DequantizeLinear", "MatMul"]


def test_open_dimensions_are_given_by_name_by_place_or_as_the_batch(tmp_path):
    nodes = [node("MatMul", "x w", "y")]
    path = save(tmp_path, nodes, [info("x", "n", "len", 8)], [info("y", "n", "len", 4)], [stored("w", 8, 4)])
    for given in ({"dims": {"n": 3, "len": 5}}, {"dims": {"len": 5}, "batch": 3}, {"dims": {"x:0": 3, "x:1": 5}}):
        found = estimate_onnx(path, **given)
        assert [(p.name, p.bytes) for p in found.parts[1:]] == [("x 3x5x8", 480), ("y 3x5x4", 240)], given


def test_a_dimension_without_a_name_is_open_too(tmp_path):
    path = save(tmp_path, [node("Relu", "x", "y")], [info("x", None, 8)], [info("y", None, 8)])
    with pytest.raises(
        UsageError, match=r"dimension 'x:0' \(axis 0 of input 'x'\) is not fixed: give --dim x:0=N or --batch N"
    ):
        estimate_onnx(path)
    assert estimate_onnx(path, {"x:0": 2}).total_of("inputs") == 64
    assert estimate_onnx(path, batch=7).total_of("outputs") == 7 * 32


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, r"dimension 'n' \(axis 0 of input 'x'\) is not fixed, and 1 more: give --dim n=N or --batch N"),
        ({"batch": 1}, r"dimension 'len' \(axis 1 of input 'x'\) is not fixed: give --dim len=N$"),
        ({"dims": {"n": 1, "size": 2}}, "no open dimension 'size': those of its inputs: len"),
    ],
)
def test_what_stays_open_is_named(tmp_path, given, words):
    path = save(tmp_path, [node("Relu", "x", "y")], [info("x", "n", "len")], [info("y", "n", "len")])
    with pytest.raises(UsageError, match=words):
        estimate_onnx(path, **given)


def test_a_batch_that_the_file_fixes_cannot_be_changed(tmp_path):
    assert estimate_onnx(mlp(tmp_path), batch=2).total_of("inputs") == 8192
    with pytest.raises(UsageError, match=r"--batch 4: the first dimension of input 'x' of net\.onnx is fixed at 2"):
        estimate_onnx(mlp(tmp_path), batch=4)


def test_a_batch_goes_where_the_first_dimension_is_open(tmp_path):
    inputs = [info("x", "n", 8), info("table", 8, 4)]
    found = estimate_onnx(save(tmp_path, [node("MatMul", "x table", "y")], inputs, [info("y", "n", 4)]), batch=3)
    assert [p.name for p in found.parts] == ["x 3x8", "table 8x4", "y 3x4"]


def test_a_shape_that_depends_on_data_is_left_out_and_said(tmp_path):
    nodes = [node("NonZero", "x", "i"), node("Cast", "i", "y", to=TensorProto.INT32)]
    found = estimate_onnx(save(tmp_path, nodes, [info("x", 6)], [info("y", 1, "found", kind=TensorProto.INT32)]))
    assert found.notes == ("net.onnx: 2 tensors have no size that is known, and are left out: i, y",)
    assert [layer.bytes for layer in found.layers] == [None, None]
    assert kinds(found) == [("inputs", 6, "float32", 24)]


def branch(name, width):
    nodes = [node("Concat", " ".join(["x"] * width), f"c{name}", axis=0), node("ReduceSum", f"c{name}", f"s{name}"),
             node("Add", f"s{name} w{name}", f"o{name}")]  # fmt: skip
    return helper.make_graph(nodes, name, [], [info(f"o{name}", 1, 7)], [stored(f"w{name}", 7)])


def test_of_two_branches_the_larger_counts_and_the_weights_of_both(tmp_path):
    choose = helper.make_node("If", ["c"], ["y"], then_branch=branch("t", 2), else_branch=branch("e", 5))
    path = save(tmp_path, [choose, node("Relu", "y", "z")],
                [info("x", 10, 4), info("c", kind=TensorProto.BOOL)], [info("z", 1, 7)])  # fmt: skip
    found = estimate_onnx(path)
    assert found.total_of("weights") == 2 * 7 * 4
    assert found.total_of("activations") == 5 * 160 + 4 + 28
    assert found.peak_bytes == 5 * 160 + 4 + 28
    assert [layer.op for layer in found.layers].count("Concat") == 2


def test_a_loop_body_counts_once_and_keeps_what_it_uses_alive(tmp_path):
    body = helper.make_graph(
        [node("Identity", "go", "go_on"), node("Mul", "v big", "m"), node("Add", "m w", "next")], "body",
        [info("i", kind=TensorProto.INT64), info("go", kind=TensorProto.BOOL), info("v", 50)],
        [info("go_on", kind=TensorProto.BOOL), info("next", 50)], [stored("w", 50)],
    )  # fmt: skip
    nodes = [
        node("Relu", "x", "big"),
        node("Relu", "x", "v0"),
        helper.make_node("Loop", ["n", "", "v0"], ["y"], body=body),
    ]
    count = numpy_helper.from_array(np.array(9, "int64"), "n")
    found = estimate_onnx(save(tmp_path, nodes, [info("x", 50)], [info("y", 50)], [count]))
    assert found.total_of("weights") == 200 + 8
    assert found.total_of("activations") == 3 * 200
    assert found.peak_bytes == 3 * 200


def test_functions_of_the_file_are_opened(tmp_path):
    inside = [node("Relu", "a", "t"), node("Relu", "t", "b")]
    twice = helper.make_function("own", "Twice", ["a"], ["b"], inside, [helper.make_opsetid("", 21)])
    graph = helper.make_graph(
        [helper.make_node("Twice", ["x"], ["y"], domain="own")], "g", [info("x", 25)], [info("y", 25)]
    )
    model = helper.make_model(graph, functions=[twice], ir_version=10,
                              opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid("own", 1)])  # fmt: skip
    onnx.save(model, str(tmp_path / "f.onnx"))
    found = estimate_onnx(tmp_path / "f.onnx")
    assert [layer.op for layer in found.layers] == ["Relu", "Relu"]
    assert found.total_of("activations") == 100


def external(folder):
    path = mlp(folder)
    onnx.save(onnx.load(str(path)), str(path), save_as_external_data=True, location="net.data", size_threshold=1024)
    assert (folder / "net.data").stat().st_size > 2_000_000 > path.stat().st_size
    return path


def test_weights_in_an_external_file_count_whether_it_is_there_or_not(tmp_path):
    path = external(tmp_path)
    assert estimate_onnx(path).total_of("weights") == 2_119_720
    (tmp_path / "net.data").rename(tmp_path / "lost")
    with pytest.raises(UsageError, match=r"net\.data cannot be read.*put it beside the \.onnx"):
        estimate_onnx(path)


def test_two_constants_at_one_place_of_an_external_file_are_one(tmp_path):
    path = external(tmp_path)
    model = onnx.load(str(path), load_external_data=False)
    twin = model.graph.initializer.add()
    twin.CopyFrom(model.graph.initializer[0])
    twin.name = "w1_again"
    onnx.save(model, str(path))
    assert estimate_onnx(path).total_of("weights") == 2_119_720


def test_a_shape_stored_as_a_constant_is_used(tmp_path):
    target = numpy_helper.from_array(np.array([4, -1], "int64"), "s")
    nodes = [node("Reshape", "x s", "r"), node("Relu", "r", "y")]
    found = estimate_onnx(save(tmp_path, nodes, [info("x", 8, 6)], [info("y", 4, 12)], [target]))
    assert found.layers[0].shape == (4, 12) and found.notes == ()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "has no network in it"),
        (b"not a network at all, but a text\n" * 20, "is no ONNX file"),
        (b"\x7fELF" + bytes(range(256)), "is no ONNX file"),
        (bytes(100), "is no ONNX file"),
    ],
)
def test_a_file_that_is_no_network(tmp_path, content, words):
    path = tmp_path / "x.onnx"
    path.write_bytes(content)
    with pytest.raises(InputError, match=words) as caught:
        estimate_onnx(path)
    assert "\n" not in str(caught.value)


def test_a_network_cut_anywhere_raises_one_line_or_is_whole(tmp_path):
    data = quantised(tmp_path).read_bytes()
    path = tmp_path / "cut.onnx"
    for end in range(0, len(data), 3):
        path.write_bytes(data[:end])
        with pytest.raises(UcpmonError) as caught:
            estimate_onnx(path)
        assert "\n" not in str(caught.value)


def test_bytes_changed_anywhere_raise_nothing_else(tmp_path):
    data = quantised(tmp_path).read_bytes()
    path = tmp_path / "changed.onnx"
    for place in range(0, len(data), 2):
        path.write_bytes(data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :])
        try:
            to_json(estimate_onnx(path))
        except UcpmonError as error:
            assert "\n" not in str(error)


def test_shapes_that_contradict_each_other_are_said(tmp_path):
    nodes = [node("MatMul", "x w", "y")]
    path = save(tmp_path, nodes, [info("x", 2, 3)], [info("y", 2, 2)], [stored("w", 5, 2)])
    (note,) = estimate_onnx(path).notes
    assert note.startswith("net.onnx: its shapes contradict each other: ") and "matmul_y" in note


def test_an_operation_that_nobody_knows_is_left_out_alone(tmp_path):
    own = helper.make_node("Secret", ["x"], ["a"], domain="own")
    found = estimate_onnx(
        save(tmp_path, [own, node("Relu", "x", "b"), node("Add", "a b", "y")], [info("x", 9)], [info("y", 9)])
    )
    assert found.notes == ("net.onnx: 1 tensors have no size that is known, and are left out: a",)
    assert found.total_of("activations") == 36


def test_nodes_out_of_order_are_an_error(tmp_path):
    nodes = [node("Relu", "a", "y"), node("Relu", "x", "a")]
    with pytest.raises(InputError, match="tensor 'a' is read before it is made, or made twice"):
        estimate_onnx(save(tmp_path, nodes, [info("x", 2)], [info("y", 2)]))


@pytest.mark.parametrize(
    ("name", "parameters"), [("vgg19", 143_667_240), ("bvlc_alexnet", 60_965_224), ("squeezenet", 1_235_496)]
)
def test_real_networks_have_their_published_number_of_parameters(name, parameters):
    path = SHIPPED / f"light_{name}.onnx"
    if not path.exists():
        pytest.skip("this onnx package ships no networks")
    found = estimate_onnx(path)
    assert sum(p.elements for p in found.parts if p.kind == "weights" and p.dtype == "float32") == parameters
    # A few int64 beside the parameters say shapes.
    assert 0 <= sum(layer.weight_bytes for layer in found.layers) - parameters * 4 < 100
    assert found.total_of("inputs") == 3 * 224 * 224 * 4 and found.total_of("outputs") == 4000
    assert max(layer.live_bytes for layer in found.layers) == found.peak_bytes < found.total_of("activations")
    assert found.notes == ()


def test_without_the_package_the_extra_is_named(tmp_path, monkeypatch):
    path = mlp(tmp_path)
    monkeypatch.setitem(__import__("sys").modules, "onnx", None)
    with pytest.raises(MissingExtra, match=r"pip install 'ucpmon\[onnx\]'"):
        estimate_onnx(path)


def test_a_graph_can_be_estimated_without_onnx(tmp_path):
    graph = read_onnx(mlp(tmp_path), {}, None)
    assert estimate_graph(graph, "net.onnx") == estimate_onnx(tmp_path / "net.onnx")
