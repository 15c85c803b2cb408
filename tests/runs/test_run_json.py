"""A run.json that somebody edited is refused by name, in one line, by everything that reads it."""

import json

import pytest
from support.report_files import model_run

from ucpmon.cli.app import run

COMMANDS = [["check"], ["report", "-o", "-"], ["report", "--row"], ["export", "--to", "perfetto", "-o", "-"]]


@pytest.mark.parametrize(
    ("info", "problem"),
    [
        ({"quality": []}, "quality is not an object"),
        ({"quality": {"gaps": "abc"}}, "quality.gaps is not a list of [start, end]"),
        ({"quality": {"gaps": [[1]]}}, "quality.gaps"),
        ({"quality": {"gaps": [[1, None]]}}, "quality.gaps"),
        ({"quality": {"stalls": [[5, 2]]}}, "quality.stalls"),
        ({"quality": {"gaps": [[float("nan"), 3]]}}, "quality.gaps"),
        ({"quality": {"lines": "x"}}, "quality.lines is not an object"),
        ({"quality": {"cut": "many"}}, "quality.cut is not a number"),
        ({"interval_s": "fast"}, "interval_s is not a number"),
        ({"resolution": {"carveout_used_bytes": "x"}}, "resolution is not an object of lists"),
        ({"monitor": "x"}, "monitor is not an object"),
        ({"started": 5}, "started is not a text"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, capsys, info, problem):
    path = model_run(tmp_path / "r.csv", 10)
    path.with_suffix(".json").write_text(json.dumps(info))
    for command in COMMANDS:
        assert run([command[0], str(path), *command[1:]]) == 4
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1)
        assert f"r.json is not a run's JSON: {problem}" in err


@pytest.mark.parametrize(
    "info", [{}, {"quality": None, "interval_s": None, "board": None}, {"quality": {"gaps": None}}]
)
def test_what_is_missing_is_only_not_known(tmp_path, capsys, info):
    path = model_run(tmp_path / "r.csv", 10)
    path.with_suffix(".json").write_text(json.dumps(info))
    for command in COMMANDS:
        assert run([command[0], str(path), *command[1:]]) == 0
    assert "Traceback" not in capsys.readouterr().err
