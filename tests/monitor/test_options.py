"""The monitor's command line: what it is asked for, what it says of itself, where it is found."""

import os

import pytest

from ucpmon.errors import StartError, UsageError
from ucpmon.monitor.options import MonitorOptions, find_program, is_simulator, parse_enable, separator_of


def test_options_become_the_monitors_own():
    options = MonitorOptions(freq_hz=1000, interval_ms=100, enable=("bpu", "dsp"), batch=True, time_s=90)
    assert options.argv(";") == ["-f", "1000", "-d", "100", "-e", "bpu;dsp", "-b", "-t", "90"]
    assert MonitorOptions().argv() == ["-f", "500", "-d", "1000"]


@pytest.mark.parametrize(
    "values", [{"freq_hz": 9}, {"freq_hz": 1001}, {"interval_ms": 99}, {"interval_ms": 10_001}, {"time_s": 0}]
)
def test_values_outside_the_monitors_ranges_are_refused(values):
    with pytest.raises(UsageError, match="out of range"):
        MonitorOptions(**values)


def test_an_enable_list_takes_either_separator_and_any_case():
    assert parse_enable("BPU, dsp;bpu") == ("bpu", "dsp")
    for text in ("memory", "", "bpu,"):
        with pytest.raises(UsageError, match="is no IP"):
            parse_enable(text)


@pytest.mark.parametrize(
    ("help_text", "separator"),
    [
        ("-e --enable [string] enable ip: bpu;dsp;gdc;stitch;pym;isp;jpu;vpu", ";"),
        ('-e --enable  default is "BPU,DSP"', ","),
        ("-e --enable [string] such as bpu, dsp", ","),
        ("-e --enable [string] the ips to monitor", None),
        ("", None),
    ],
)
def test_the_separator_is_learnt_from_the_help_text(help_text, separator):
    assert separator_of(help_text) == separator


def test_only_the_stand_in_is_taken_for_a_simulation():
    assert not is_simulator("Usage: hrt_ucp_monitor [Option...] [Parameter]")


def test_the_program_is_found_by_name_on_the_path_and_then_in_the_vendors_directory(tmp_path, monkeypatch):
    program = tmp_path / "hrt_ucp_monitor"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setattr("ucpmon.monitor.options.VENDOR_DIR", str(tmp_path))
    monkeypatch.setenv("PATH", "/nonexistent")
    assert find_program() == str(program)
    assert find_program(str(program)) == str(program)


@pytest.mark.parametrize(
    ("name", "says"), [("missing", "no such program"), ("folder", "is a directory"), ("plain", "is not executable")]
)
def test_a_program_that_cannot_run_is_refused_with_the_reason(tmp_path, name, says):
    (tmp_path / "folder").mkdir()
    (tmp_path / "plain").write_text("")
    with pytest.raises(StartError, match=says):
        find_program(str(tmp_path / name))


def test_without_a_monitor_the_other_ways_are_named(monkeypatch):
    monkeypatch.setitem(os.environ, "PATH", "/nonexistent")
    monkeypatch.setattr("ucpmon.monitor.options.VENDOR_DIR", "/nonexistent")
    with pytest.raises(StartError, match=r"(?s)--host.*--simulate"):
        find_program()
