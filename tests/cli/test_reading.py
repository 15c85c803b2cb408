"""check, compare and export as a person runs them: text, exit codes, and bad input."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest
from support.paths import ROOT

BATCH = ROOT / "fixtures" / "batch"
LOAD, NOISE = str(BATCH / "batch--box50-s100-load.log"), str(BATCH / "batch--noise-j6p.log")


def truth(name):
    return json.loads((BATCH / f"{name}.json").read_text("utf-8"))


def test_check_passes_and_fails_by_its_exit_code(said):
    code, out, err = said("check", LOAD, "--max", "bpu0_load_pct.peak=100", "--require", "screens>=5", "--max", "cut=0")
    assert (code, err) == (0, "")
    assert out.splitlines()[0].split() == ["CHECK", "LIMIT", "SEEN", "WORST", "AT", "RESULT"]
    code, out, err = said("check", LOAD, "--max", "bpu0_load_pct.peak=1", "--min", "bpu0_load_pct.peak=2")
    assert code == 1
    assert [line.split()[-1] for line in out.splitlines()[1:3]] == ["FAILED", "ok"]
    assert err == "ucpmon: 1 of 5 checks failed\n"


def test_a_missing_metric_is_exit_4_even_beside_a_failure(said):
    code, out, err = said("check", LOAD, "--max", "bpu7_load_pct.p95=90", "--max", "bpu0_load_pct.peak=1")
    assert code == 4
    assert "MISSING" in out
    assert "the run has no bpu7_load_pct.p95" in err


def test_check_json_names_the_moment(said):
    code, out, _ = said("check", LOAD, "--max", "carveout_used_bytes.peak=1M", "--json")
    found = json.loads(out)
    first = found["findings"][0]
    assert (code, found["passed"], first["passed"], first["limit"]) == (1, False, False, 1 << 20)
    assert first["seen"] > 1 << 20
    assert first["at_s"] is not None


def test_a_run_against_itself_is_the_same(said):
    code, out, err = said("compare", LOAD, LOAD)
    assert code == 0
    assert out.splitlines()[1:] == []
    assert "exactly the same on both sides" in err


def test_compare_fails_on_request(said):
    rules = ["--fail-on", "bpu0_load_pct.mean>-200%", "--fail-on", "nothing_used_bytes.peak>+5%"]
    code, out, err = said("compare", LOAD, NOISE, "--json", *rules[:2])
    found = json.loads(out)
    assert code == 1
    assert found["fail_on"][0]["failed"] is True
    assert {d["column"] for d in found["differences"]} >= {"bpu0_load_pct", "carveout_used_bytes"}
    assert "bpu0_load_pct.mean went from" in err
    assert said("compare", LOAD, NOISE, *rules)[0] == 4


@pytest.mark.parametrize(("columns", "interval"), [(80, False), (200, True)])
def test_a_narrow_terminal_gets_a_narrow_table(columns, interval):
    argv = ["-m", "ucpmon", "compare", LOAD, NOISE]
    environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")}
    size = (60, columns)
    child = pexpect.spawn(sys.executable, argv, dimensions=size, encoding="utf-8", timeout=30, env=environment)
    lines = child.read().splitlines()
    assert ("95 % INTERVAL" in lines[0]) is interval
    assert max(len(line) for line in lines if "whole run" in line) <= columns


def test_several_base_runs_are_given_with_an_option(said):
    code, out, _ = said("compare", "--base", LOAD, "--base", LOAD, NOISE, "--json")
    found = json.loads(out)
    assert (code, found["base"], found["new"]) == (0, [LOAD, LOAD], [NOISE])
    assert "2 base, 1 new" in found["judged_by"]


def test_export_writes_beside_us_and_refuses_to_overwrite(said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = said("export", LOAD, "--to", "jsonl")
    assert (code, out, err) == (0, "", "wrote batch--box50-s100-load.jsonl\n")
    rows = [json.loads(line) for line in Path("batch--box50-s100-load.jsonl").read_text("ascii").splitlines()]
    drawn = [frame["row"]["bpu0_load_pct"] for frame in truth("batch--box50-s100-load")["frames"]]
    assert [r["bpu0_load_pct"] for r in rows] == drawn
    target = tmp_path / "there.csv"
    target.write_text("mine")
    code, _, err = said("export", LOAD, "--to", "csv-long", "-o", target)
    assert (code, target.read_text()) == (2, "mine")
    assert "add --force" in err
    assert said("export", LOAD, "--to", "csv-long", "-o", target, "--force")[0] == 0
    assert target.read_text().startswith("screen,time,")


@pytest.mark.parametrize("argv", [["export", "--to", "csv-long", "-o", "-"], ["check", "--max", "bpu0_load_pct.p95=1"]])
def test_a_reader_that_went_away_is_no_failed_check(argv):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as out:
        command = [sys.executable, "-m", "ucpmon", argv[0], LOAD, *argv[1:]]
        done = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("argv", "code", "message"),
    [
        (["check", "none.csv"], 2, "there is no such file"),
        (["check", LOAD, "--max", "bpu0_load_pct.p9x=1"], 2, "did you mean"),
        (["check", LOAD, "--max", "bpu0_load_pct=1"], 2, "METRIC.p95"),
        (["check", LOAD, "--budget", "none.toml"], 2, "No such file"),
        (["check", "."], 2, "is a directory"),
        (["compare", LOAD], 2, "compare needs two runs"),
        (["compare", LOAD, "none.csv"], 2, "there is no such file"),
        (["compare", LOAD, LOAD, "--fail-on", "peak>5"], 2, "is not a condition"),
        (["export", LOAD, "--to", "xlsx"], 2, "there is no format"),
        (["export", LOAD, "--to", "jsonl", "--table", "rows"], 2, "there is no table"),
        (["export", LOAD, "--to", "jsonl", "-o", "no/such/dir.jsonl"], 2, "no directory"),
        (["export", LOAD], 2, "--to"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(said, tmp_path, monkeypatch, argv, code, message):
    monkeypatch.chdir(tmp_path)
    seen, out, err = said(*argv)
    assert (seen, out) == (code, "")
    assert message in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
