"""``ucpmon estimate`` as a user meets it: its tables, its JSON and its errors."""

import json
import shutil
from pathlib import Path

import pytest

from ucpmon.cli.app import run

ARTICLE = ["--dense", "1024x512", "--bias", "--conv", "64x64x256", "--tensor", "32x3x224x224"]

TABLES = """\
PART            WHAT                    ELEMENTS  TYPE          BYTES      SIZE
weights         dense 1024x512 + bias    524,800  float32   2,099,200   2.0 MiB
activations     conv 64x64x256         1,048,576  float32   4,194,304   4.0 MiB
inputs/outputs  tensor 32x3x224x224    4,816,896  float32  19,267,584  18.4 MiB

SUM                          BYTES      SIZE
weights                  2,099,200   2.0 MiB
inputs/outputs          19,267,584  18.4 MiB
activations, plain sum   4,194,304   4.0 MiB
total                   25,561,088  24.4 MiB
"""


def shipped(name):
    onnx = pytest.importorskip("onnx")
    path = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light" / name
    if not path.exists():
        pytest.skip("this onnx package ships no networks")
    return path


def test_the_articles_examples_in_one_table(capsys):
    assert run(["estimate", *ARTICLE]) == 0
    assert capsys.readouterr() == (TABLES, "")


def test_the_same_as_json(capsys):
    assert run(["estimate", *ARTICLE, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["totals"] == {
        "weights": 2099200, "inputs/outputs": 19267584, "activations": 4194304, "peak activations": None,
        "least": 25561088, "most": 25561088,
    }  # fmt: skip
    assert found["parts"][0] == {
        "kind": "weights", "name": "dense 1024x512 + bias", "elements": 524800, "dtype": "float32", "bytes": 2099200,
    }  # fmt: skip


def test_a_network_has_a_line_per_layer_and_fits_a_terminal(capsys):
    assert run(["estimate", str(shipped("light_squeezenet.onnx")), "--dtype", "int8"]) == 0
    out, err = capsys.readouterr()
    assert err.startswith("ucpmon: light_squeezenet.onnx: floating-point tensors are counted as int8, all others")
    lines = out.split("\n")
    assert max(map(len, lines)) <= 80
    assert lines[0].split() == ["LAYER", "OUTPUT", "SIZE", "ALIVE", "WEIGHTS"]
    assert lines[1].split("  ")[0] == "Conv n0" and "1x64x111x111" in lines[1]
    assert "activations, most alive at once  1,577,088    1.5 MiB" in lines


def test_a_compiled_model_is_its_files_size_and_the_table_adds_it_up(capsys, tmp_path):
    (tmp_path / "m.hbm").write_bytes(bytes(5_000_000))
    assert run(["estimate", str(tmp_path / "m.hbm"), "--tensor", "1x3x640x640", "--dtype", "int8"]) == 0
    out, err = capsys.readouterr()
    assert "model file      m.hbm                       -  -     5,000,000  4.8 MiB\n" in out
    assert "total           6,228,800  5.9 MiB\n" in out
    assert "m.hbm: the size of the file, taken as the model's memory" in err


def test_a_long_name_keeps_both_ends_and_every_number(capsys, tmp_path):
    path = tmp_path / ("a" * 40 + "-final.hbm")
    path.write_bytes(b"1" * 1234567)
    assert run(["estimate", str(path)]) == 0
    out = capsys.readouterr().out
    assert "aaaa…" in out and "-final.hbm" in out and "1,234,567" in out and max(map(len, out.split("\n"))) <= 80


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        ([], 2, "nothing to estimate: name a model file"),
        (["--dense", "3"], 2, "--dense '3' is not INPUTSxOUTPUTS"),
        (["--conv", "0x3"], 2, "'0x3' is not a shape"),
        (["--conv", "3", "--dtype", "x9"], 2, "there is no element type 'x9'"),
        (["--conv", "3", "--batch", "-1"], 2, "--batch -1 is out of range"),
        (["--conv", "3", "--batch", "nan"], 2, "Invalid value for '--batch'"),
        (["--bias", "--conv", "3"], 2, "--bias needs a layer"),
        (["x.onnx", "--dim", "n"], 2, "--dim 'n' is not NAME=NUMBER"),
        (["x.onnx"], 2, "x.onnx: No such file or directory"),
        (["x.hbm"], 2, "x.hbm: No such file or directory"),
        (["."], 2, "Is a directory"),
        (["empty.hbm"], 4, "empty.hbm is empty"),
        (["text.onnx"], 4, "text.onnx is no ONNX file"),
    ],
)
def test_what_cannot_be_estimated_ends_in_one_line(args, code, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("empty.hbm").write_bytes(b"")
    Path("text.onnx").write_text("not a network\n" * 9)
    assert run(["estimate", *args]) == code
    out, err = capsys.readouterr()
    assert out == "" and words in err and err.startswith("ucpmon: ") and err.count("\n") == 1


def test_an_open_dimension_is_named(capsys, tmp_path):
    onnx = pytest.importorskip("onnx")
    shutil.copy(shipped("light_squeezenet.onnx"), tmp_path / "n.onnx")
    model = onnx.load(str(tmp_path / "n.onnx"))
    (data,) = [i for i in model.graph.input if i.name == "data_0"]
    data.type.tensor_type.shape.dim[0].dim_param = "batch"
    onnx.save(model, str(tmp_path / "n.onnx"))
    assert run(["estimate", str(tmp_path / "n.onnx")]) == 2
    assert (
        "dimension 'batch' (axis 0 of input 'data_0') is not fixed: give --dim batch=N or --batch N"
        in capsys.readouterr().err
    )
    assert run(["estimate", str(tmp_path / "n.onnx"), "--dim", "batch=2"]) == 0
    assert "inputs       data_0 2x3x224x224" in capsys.readouterr().out
