"""Prediction beside measurement: the parts that a measured share has room for, and what is left."""

import json

import pytest
from support.paths import ROOT

from ucpmon.cli.app import run
from ucpmon.errors import InputError
from ucpmon.memory.against import Comparison, Measured, Step, against
from ucpmon.memory.estimate import Estimate, Part
from ucpmon.memory.footprint import Use
from ucpmon.memory.measurement import HeapUse, MemoryReport, ModelMemory, ProcessUse
from ucpmon.memory.phases import Life, Phase
from ucpmon.statistics.resolution import Figure

MIB = 1 << 20
CAPTURE = ROOT / "fixtures" / "asciinema" / "clear--s100-load.cast"
ESTIMATE = Estimate(
    (Part("weights", "n", None, None, 60 * MIB), Part("inputs", "x", None, None, 4 * MIB),
     Part("outputs", "y", None, None, 1 * MIB), Part("activations", "n", None, None, 40 * MIB)),
    peak_bytes=10 * MIB,
)  # fmt: skip


def use(share, error=0.1, transient=None):
    return Use(
        share=None if share is None else Figure(share * MIB, error * MIB, "used"),
        transient=None if transient is None else Figure(transient * MIB, error * MIB, "used"),
    )


def report(*models):
    return MemoryReport(60.0, models, (), (), (), None)


def model(hbmem=None, heaps=(), transient=None, others=()):
    life = Life({"running": Phase("running", 10, 50)}, (42,), ("net",))
    own = [ProcessUse(42, "net", use(hbmem, transient=transient), use(None))] if hbmem is not None else []
    processes = (*own, *(ProcessUse(7, name, use(share), use(None)) for name, share in others))
    return ModelMemory(life, tuple(HeapUse(name, use(share)) for name, share in heaps), processes, (), None)


def test_the_parts_are_taken_off_the_measured_share_one_by_one():
    (found,) = against(ESTIMATE, report(model(80, [("carveout", 78), ("ion_cma", 2)], transient=12)))
    assert found.levels == (
        Measured("net (42) hbmem", 80 * MIB, pytest.approx(0.1 * MIB), 12 * MIB),
        Measured("carveout", 78 * MIB, pytest.approx(0.1 * MIB), None),
        Measured("ion_cma", 2 * MIB, pytest.approx(0.1 * MIB), None),
    )
    assert found.steps == (
        Step("weights", 60 * MIB, 60 * MIB, 20 * MIB),
        Step("inputs", 4 * MIB, 64 * MIB, 16 * MIB),
        Step("outputs", 1 * MIB, 65 * MIB, 15 * MIB),
        Step("activations alive at once", 10 * MIB, 75 * MIB, 5 * MIB),
        Step("other activations", 30 * MIB, 105 * MIB, -25 * MIB),
    )


@pytest.mark.parametrize(
    ("measured", "words"),
    [
        (120, "15.0 MiB more than all predicted parts"),
        (105.05, "the predicted parts explain it"),
        (75, "the predicted parts explain it"),
        (74.95, "the predicted parts explain it"),
        (70, "everything but 5.0 MiB of the activations alive at once"),
        (65, "everything but 10.0 MiB of the activations alive at once"),
        (30, "35.0 MiB less than weights, inputs and outputs"),
    ],
)
def test_the_verdict_says_which_parts_there_is_room_for(measured, words):
    (found,) = against(ESTIMATE, report(model(measured)))
    assert found.verdict.startswith(words)


def test_without_a_process_the_heap_that_moved_most_is_compared():
    (found,) = against(ESTIMATE, report(model(None, [("ion_cma", 3), ("carveout", 70), ("custom", 0.05)])))
    assert [level.where for level in found.levels] == ["carveout", "ion_cma"]


def test_other_processes_are_not_the_models():
    (found,) = against(ESTIMATE, report(model(70, others=[("camera", 500)])))
    assert [level.where for level in found.levels] == ["net (42) hbmem"]


def test_each_model_of_a_run_is_compared():
    assert [c.levels[0].bytes for c in against(ESTIMATE, report(model(70), model(90)))] == [70 * MIB, 90 * MIB]


@pytest.mark.parametrize("models", [(), (model(0.05),)])
def test_a_run_without_a_model_cannot_be_compared(models):
    with pytest.raises(InputError, match="the run shows no model being loaded"):
        against(ESTIMATE, report(*models))


def test_a_comparison_as_json_keeps_its_numbers():
    found = Comparison((Measured("carveout", 1.5, 0.5, None),), (Step("weights", 1, 1, 0.5),), "so")
    assert json.loads(json.dumps(found.as_dict())) == {
        "levels": [{"where": "carveout", "bytes": 1.5, "error_bytes": 0.5, "transient_bytes": None}],
        "steps": [{"part": "weights", "bytes": 1, "added_bytes": 1, "left_bytes": 0.5}], "verdict": "so",
    }  # fmt: skip


def test_a_capture_beside_an_estimate(capsys):
    """The capture's own truth: infer_hbm holds 310.4 MiB while it runs."""
    args = ["estimate", "--dense", "4096x4096", "--tensor", "1x3x640x640", "--against", str(CAPTURE)]
    assert run(args) == 0
    out = capsys.readouterr().out
    assert f"Against {CAPTURE}\n" in out
    assert "infer_hbm (18342) hbmem  310.4 MiB   ±51.2 KiB" in out
    assert "weights         64.0 MiB  64.0 MiB          246.4 MiB\n" in out
    assert "infer_hbm (18342) hbmem: 241.7 MiB more than all predicted parts" in out
    assert [line.split()[:2] for line in out.split("\n")[-4:-1]] == [
        ["float32", "68.7"],
        ["float16", "34.3"],
        ["int8", "17.2"],
    ]
    assert run([*args, "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["against"]
    assert found["levels"][0]["bytes"] == pytest.approx(310.4 * MIB) and found["steps"][0]["part"] == "weights"


@pytest.mark.parametrize(
    ("content", "code", "words"),
    [(None, 2, "there is no such file"), (b"", 4, "is empty"), (b"hello\n" * 99, 4, "hello")],
)
def test_a_run_that_is_none_ends_in_one_line(content, code, words, capsys, tmp_path):
    path = tmp_path / "run.csv"
    if content is not None:
        path.write_bytes(content)
    assert run(["estimate", "--conv", "3", "--against", str(path)]) == code
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and (words in err or str(path) in err)
