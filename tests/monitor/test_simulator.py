"""The stand-in behaves as the monitor is documented to."""

import subprocess
import time

import pytest
from support.simulation import drawn, simulator

from ucpmon.monitor.options import is_simulator, separator_of
from ucpmon.monitor.simulator.draw import redraw


def run(*options):
    return subprocess.run(simulator(*options), capture_output=True, text=True, timeout=10, stdin=subprocess.DEVNULL)


@pytest.mark.parametrize(("profile", "separator"), [("s100", ","), ("j6p", ";")])
def test_help_names_the_ips_with_the_boards_separator(profile, separator):
    text = run("-h", "--profile", profile).stdout
    assert separator_of(text) == separator
    assert is_simulator(text)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["-e", "memory"], "memory is invalid"),
        (["-e", "bpu;dsp"], "bpu;dsp is invalid"),
        (["-d", "99"], "[100, 10000]"),
        (["-d", "10001"], "[100, 10000]"),
        (["-f", "9"], "[10, 1000]"),
        (["-n", "0"], "[1, 2147483647]"),
        (["-t", "x"], "invalid int value"),
        (["--nonsense"], "--nonsense"),
    ],
)
def test_bad_options_are_refused(options, says):
    done = run("-b", *options)
    assert done.returncode == 1
    assert says in done.stdout


def test_batch_prints_a_block_per_refresh_and_logs_what_it_drew(tmp_path):
    log = tmp_path / "log"
    done = run("-b", "-n", 3, "-d", 100, "-e", "bpu,dsp", "--scenario", "busy", "--log", log)
    assert done.returncode == 0
    assert [len(b.splitlines()) for b in done.stdout.split("UCP Monitor")[1:]][:2] == [25, 25]
    records = drawn(log)
    assert [r["screen"] for r in records] == [0, 1, 2]
    assert f"{records[1]['values']['bpu0_load_pct']:.1f}" in done.stdout
    assert records[0]["values"]["carveout_total_bytes"] == 512 * 2**20
    assert "gdc0_load_pct" not in records[0]["values"]


def test_the_same_seed_draws_the_same(tmp_path):
    assert run("-b", "-n", 3, "-d", 100, "--seed", 7).stdout == run("-b", "-n", 3, "-d", 100, "--seed", 7).stdout
    assert (
        run("-b", "-n", 1, "--scenario", "busy").stdout != run("-b", "-n", 1, "--scenario", "busy", "--seed", 1).stdout
    )


def test_a_model_loads_with_a_peak_runs_and_leaves(tmp_path):
    log = tmp_path / "log"
    run("-b", "-n", 11, "-d", 100, "--speed", 50, "--log", log)
    used = [r["values"]["carveout_used_bytes"] // 2**20 for r in drawn(log)]
    load = [r["values"]["bpu0_load_pct"] for r in drawn(log)]
    assert used == [2, 2, 98, 98, 98, 98, 98, 98, 98, 2, 2]
    assert load[0] == load[1] == load[-1] == 0
    assert min(load[2:9]) > 75


def test_running_time_ends_it():
    before = time.monotonic()
    assert run("-b", "-t", 1, "-d", 100).returncode == 0
    assert 0.9 < time.monotonic() - before < 2


def test_a_redraw_writes_what_changed_and_nothing_off_the_terminal():
    assert redraw(["load  0.0 %", "same"], ["load 95.0 %", "same"], 50, 80) == "\x1b[1;6H95"
    assert redraw(["longer"], ["long"], 50, 80) == "\x1b[1;5H  "
    assert redraw(["a"], ["b", "c", "d"], 2, 80) == "\x1b[1;1Hb\x1b[2;1Hc"
    assert redraw([""], ["abcdef"], 2, 3) == "\x1b[1;1Habc"
