"""``ucpmon memory`` as a user runs it: on captures of real recorders, and on the stand-in."""

import json
import re
import subprocess
import sys

import pytest
from support.paths import ROOT
from support.simulation import drawn, program

from ucpmon.cli.app import run as run_cli
from ucpmon.memory.measurement import memory
from ucpmon.metrics import MIB
from ucpmon.runs.reader import read_run

FIXTURES = ROOT / "fixtures"


def call(capsys, *args):
    """Exit code, stdout, stderr of a command run in this process."""
    code = run_cli(["memory", *map(str, args)])
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """The stand-in's scenarios, each recorded on a terminal at ten refreshes a second: run and log of what it drew."""
    folder = tmp_path_factory.mktemp("recorded")
    runs = {}
    for number, scenario in enumerate(("idle", "load", "leak", "busy")):
        log, csv = folder / f"{scenario}.jsonl", folder / f"{scenario}.csv"
        options = ("--scenario", scenario, "--speed", 10, "--seed", 31 + number, "--log", log)
        monitor = program(folder / scenario, *options)
        command = ("record", "--monitor", monitor, "--interval", 100, "--duration", "5.5s", "-o", csv)
        started = subprocess.Popen([sys.executable, "-m", "ucpmon", *map(str, command)], stderr=subprocess.PIPE)
        runs[scenario] = (csv, log, started)
    for _, _, started in runs.values():
        assert started.wait(60) == 0, started.stderr.read()
        started.stderr.close()
    return {name: (read_run(csv), drawn(log)) for name, (csv, log, _) in runs.items()}


def held(record, name):
    """The hbmem of a process on a drawn screen, 0 where it is not there."""
    return sum(hbmem for _, process, _, hbmem in record["processes"] if process == name)


def answer(run):
    """As in a notebook."""
    return memory(run)


def test_phases_of_the_load_scenario_within_one_refresh(recorded):
    run, log = recorded["load"]
    (model,) = answer(run).models
    drawn_s = [r["monotonic_us"] / 1e6 - log[0]["monotonic_us"] / 1e6 + run.frame["elapsed_s"][0] for r in log]
    levels = [held(r, "hrt_model_exec") for r in log]
    peak, steady = levels.index(max(levels)), levels[30]
    truth = {
        "loading": next(i for i, level in enumerate(levels) if level),
        "running": next(i for i, level in enumerate(levels) if i > peak and level == steady),
        "released": next(i for i, level in enumerate(levels) if i > peak and not level),
    }
    for name, row in truth.items():
        assert abs(model.life.phases[name].start_s - drawn_s[row]) < 0.11 + 0.02
    use = model.processes[0].hbmem
    assert model.life.processes == ("hrt_model_exec",)
    assert abs(use.share.bytes - steady) <= use.share.error_bytes
    assert abs(use.transient.bytes - (max(levels) - steady)) <= use.transient.error_bytes
    heap = next(h.used for h in model.heaps if h.heap == "carveout")
    assert abs(heap.share.bytes - steady) <= heap.share.error_bytes
    assert abs(heap.left_behind.bytes) <= heap.left_behind.error_bytes
    assert [g for g in model.growth if g.verdict == "leak"] == []


def test_the_leak_scenario_leaks_as_fast_as_it_does(recorded):
    run, log = recorded["leak"]
    report = answer(run)
    assert report.models == ()
    first, last = log[5], log[-1]
    seconds = (last["monotonic_us"] - first["monotonic_us"]) / 1e6
    slope = (held(last, "leaky_node") - held(first, "leaky_node")) / seconds
    leaks = {(g.subject, g.kind): g for g in report.growth if g.verdict == "leak"}
    assert {("leaky_node (3177)", "hbmem"), ("carveout", "used")} <= set(leaks)
    for found in (leaks["leaky_node (3177)", "hbmem"], leaks["carveout", "used"]):
        assert found.low <= slope <= found.high
    assert {subject for subject, _ in leaks} == {"leaky_node (3177)", "carveout"}


@pytest.mark.parametrize("scenario", ["idle", "busy"])
def test_idle_and_busy_show_no_model_and_no_leak(recorded, scenario):
    report = answer(recorded[scenario][0])
    assert report.models == ()
    assert {g.verdict for g in report.growth} == {"no leak seen"}
    assert all(g.smallest > 0 for g in report.growth)


TRUTH = {
    "batch/batch--box50-s100-load.log": (8, 12, 36),
    "batch/batch--ruled-s600-procs.log": (4, 6, 18),
    "batch/batch--noise-j6p.log": (3, 5, 14),
}


@pytest.mark.parametrize("name", TRUTH)
def test_phases_and_share_of_captures_with_known_values(name):
    run = read_run(FIXTURES / name)
    (model,) = answer(run).models
    assert tuple(model.life.phases[p].start_s for p in ("loading", "running", "released")) == TRUTH[name]
    assert model.life.processes == ("infer_hbm",)
    use = model.processes[0].hbmem
    assert use.share.bytes == pytest.approx(310.4 * MIB, abs=1)
    assert use.transient.bytes == pytest.approx(220.0 * MIB, abs=1)


def test_tables_fit_their_terminal(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, err = call(capsys, FIXTURES / "batch/batch--box50-s100-load.log")
    assert (code, err) == (0, "")
    assert max(len(line) for line in out.splitlines() if "±" in line) <= 80
    assert "infer_hbm (18342) hbmem\n" in out
    assert "> 512.0 ±0.05 MiB" in out
    assert "310.4 ±0.05 MiB" in out
    assert "\x1b" not in out
    monkeypatch.setenv("COLUMNS", "200")
    wide = call(capsys, FIXTURES / "batch/batch--box50-s100-load.log")[1]
    (row,) = [line for line in wide.splitlines() if line.startswith("infer_hbm (18342) hbmem  ") and "530.4" in line]
    cells = re.split(r"  +", row)
    assert cells[1:5] == ["0 B", "530.4 ±0.05 MiB", "310.4 ±0.05 MiB", "0 B"]
    assert cells[5:] == ["310.4 ±0.05 MiB", "220.0 ±0.10 MiB", "0 B"]


def test_a_heap_that_grew_before_the_run_ended_is_not_called_still(capsys, tmp_path):
    lines = (FIXTURES / "batch/batch--box50-s100-load.log").read_text().splitlines(keepends=True)
    starts = [i for i, line in enumerate(lines) if "BPU0" in line]
    cut = tmp_path / "cut.log"
    cut.write_text("".join(lines[: starts[10]]))
    out = call(capsys, cut)[1]
    assert re.search(r"^running +not determined$", out, re.MULTILINE)
    (row,) = [line for line in out.splitlines() if line.startswith("carveout used  ") and "±" in line]
    assert row.split()[-2:] == ["–", "–"]
    (still,) = [line for line in out.splitlines() if line.startswith("Moved by no more")]
    assert "carveout" not in still


def test_what_there_is_to_doubt_is_said_first(capsys, tmp_path):
    capture = FIXTURES / "batch/batch--box50-s100-load.log"
    lines = call(capsys, capture)[1].splitlines()
    assert lines[0] == "The capture kept no clock: times count the asked interval from screen to screen."
    assert run_cli(["replay", str(capture), "-o", str(tmp_path / "run.csv")]) == 0
    info = json.loads((tmp_path / "run.json").read_text())
    info["time_basis"], info["quality"]["gaps"] = "recorded", [[20, 24]]
    (tmp_path / "run.json").write_text(json.dumps(info))
    capsys.readouterr()
    lines = call(capsys, tmp_path / "run.csv")[1].splitlines()
    assert lines[:2] == ["1 gap, 10.0 % of the time: nothing is known of it, no figure counts it.", ""]


def test_need_decides_the_exit_code(capsys):
    capture = FIXTURES / "batch/batch--box50-s100-load.log"
    assert call(capsys, capture, "--need", "1000M")[0] == 0
    code, out, _ = call(capsys, capture, "--need", "1100M")
    assert code == 1
    assert "1.1 GiB more, tried in carveout first: does not fit." in out
    assert call(capsys, capture, "--need", "600M", "--heap", "ion_cma")[0] == 1


def test_json_holds_the_figures(capsys):
    code, out, _ = call(capsys, FIXTURES / "batch/batch--box50-s100-load.log", "--json", "--need", "1G")
    data = json.loads(out)
    assert code == 1
    (model,) = data["models"]
    assert model["processes"][0]["hbmem"]["share"] == {"bytes": 325477990.0, "error_bytes": 52429.3, "source": "hbmem"}
    assert model["life"]["phases"]["running"]["start_s"] == 12.0
    assert data["fit"]["verdict"] == "does not fit"


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--process", "nobody"], 4, "there is no process nobody"),
        (["--phase", "running"], 2, "NAME=START..END"),
        (["--phase", "running=99999..100000"], 2, "ends at 40 s"),
        (["--need", "much"], 2, "--need: 'much' is not a size"),
        (["--heap", "carveout"], 2, "add --need SIZE"),
        (["--need", "1G", "--heap", "vram"], 4, "there is no heap vram"),
    ],
)
def test_bad_input_ends_in_one_line(capsys, options, code, message):
    got, out, err = call(capsys, FIXTURES / "batch/batch--box50-s100-load.log", *options)
    assert (got, out) == (code, "")
    assert message in err
    assert err.count("\n") == 1


def test_files_that_are_no_runs(capsys, tmp_path):
    empty = tmp_path / "empty.csv"
    empty.touch()
    for path, code in ((tmp_path / "none.csv", 2), (tmp_path, 2), (empty, 4)):
        got, out, err = call(capsys, path)
        assert (got, out, err.count("\n")) == (code, "", 1)
