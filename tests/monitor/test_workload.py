"""A workload beside the monitor: its marks, its output, its exit code, and who gets Ctrl-C."""

import re
import signal
import subprocess
import sys
import time

import pytest
from support.recording import finished, info, record, table, ucpmon
from support.simulation import alive, drawn, wait_for

BUSY = ["--scenario", "busy"]


def marks(folder):
    return [(m["label"], m["source"]) for m in table(folder / "run.marks.csv")]


def when(folder, label):
    return next(float(m["elapsed_s"]) for m in table(folder / "run.marks.csv") if m["label"] == label)


def test_a_workload_runs_between_a_baseline_and_an_aftermath(tmp_path):
    script = "echo loading; sleep 0.4; echo 'step 17 done'; echo 'bad \x1b[31mred\x1b[0m' >&2; exit 7"
    process = record(
        tmp_path, "--before", "500ms", "--after", "600ms", "--mark-regex", r"step (\d+)", "--mark-regex", "red",
        "--", "sh", "-c", script, simulator=BUSY, stdout=-1,
    )  # fmt: skip
    out, said = process.communicate(timeout=20)
    assert process.returncode == 7
    assert out == (tmp_path / "run.workload.log").read_text() == "loading\nstep 17 done\nbad \x1b[31mred\x1b[0m\n"
    assert marks(tmp_path) == [
        ("workload start", "workload"), ("17", "regex"), ("bad red", "regex"), ("workload end", "workload"),
        ("ucpmon: the workload exited with status 7", "ucpmon"),
    ]  # fmt: skip
    first = float(table(tmp_path / "run.csv")[0]["elapsed_s"])
    assert 0.4 < when(tmp_path, "workload start") - first < 0.9
    assert 0.35 < when(tmp_path, "17") - when(tmp_path, "workload start") < 0.8
    end = when(tmp_path, "workload end")
    assert 0.5 < when(tmp_path, "ucpmon: the workload exited with status 7") - end < 1.2
    assert "the workload exited with status 7" in said
    labels = re.findall(r'\[[\d.]+, "m", "([^"]+)"\]', (tmp_path / "run.cast").read_text())
    assert labels == [label for label, _ in marks(tmp_path)]
    assert [m["label"] for m in info(tmp_path)["markers"]] == labels


@pytest.mark.parametrize(
    ("argv", "code"), [(["sh", "-c", "kill -9 $$"], 137), (["no-such-program-here"], 127), (["true"], 0)]
)
def test_the_workloads_own_exit_code_is_passed_on(tmp_path, argv, code):
    options = ["--before", "100ms", "--after", "100ms", "--", *argv]
    assert finished(record(tmp_path, *options, simulator=BUSY))[0] == code


def test_a_reader_who_has_read_enough_ends_nothing(tmp_path):
    process = record(
        tmp_path, "--before", "0", "--after", "200ms", "--", "sh", "-c", "echo one; sleep 0.4; echo two; exit 3",
        simulator=BUSY, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout.readline() == "one\n"
    process.stdout.close()
    assert process.wait(20) == 3
    assert (tmp_path / "run.workload.log").read_text() == "one\ntwo\n"
    process.stderr.close()


def test_words_of_a_workload_are_no_shell_code(tmp_path):
    code, _ = finished(
        record(tmp_path, "--before", "0", "--after", "0", "--", "printf", "%s\n", "$(touch x); a b", simulator=BUSY)
    )
    assert code == 0
    assert (tmp_path / "run.workload.log").read_text() == "$(touch x); a b\n"
    assert not (tmp_path / "x").exists()


def test_ctrl_c_goes_to_the_workload_first(tmp_path):
    script = "trap 'echo caught; exit 3' INT; echo ready; while :; do sleep 0.1; done"
    process = record(tmp_path, "--before", "0", "--after", "300ms", "--", "sh", "-c", script, simulator=BUSY)
    log = tmp_path / "run.workload.log"
    assert wait_for(lambda: log.exists() and "ready" in log.read_text())
    process.send_signal(signal.SIGINT)
    code, _ = finished(process)
    assert code == 3
    assert "caught" in log.read_text()
    assert info(tmp_path)["ended"] == "the workload exited with status 3"


def test_a_second_ctrl_c_ends_both(tmp_path):
    script = "trap '' INT; echo $$; while :; do sleep 0.1; done"
    process = record(tmp_path, "--before", "0", "--", "sh", "-c", script, simulator=BUSY)
    log = tmp_path / "run.workload.log"
    assert wait_for(lambda: log.exists() and log.read_text().strip().isdecimal())
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    code, _ = finished(process)
    assert code == 130
    assert info(tmp_path)["ended"] == "interrupted (SIGINT)"
    assert not alive(int(log.read_text().strip()))
    assert not alive(drawn(tmp_path / "log")[0]["pid"])


def test_a_monitor_that_dies_takes_the_workload_along_with_ucpmons_own_code(tmp_path):
    process = record(
        tmp_path, "--before", "0", "--", sys.executable, "-c", "import os, time; print(os.getpid()); time.sleep(60)",
        simulator=[*BUSY, "--fault", "crash@0.6"],
    )  # fmt: skip
    code, _ = finished(process)
    assert code == 125
    assert "SIGSEGV" in info(tmp_path)["ended"]
    assert not alive(int((tmp_path / "run.workload.log").read_text().split()[0]))


def test_a_workload_dies_with_a_killed_recorder(tmp_path):
    process = record(
        tmp_path, "--before", "0", "--", "sh", "-c", "trap '' HUP INT TERM; echo $$; sleep 60", simulator=BUSY
    )
    log = tmp_path / "run.workload.log"
    assert wait_for(lambda: log.exists() and log.read_text().strip().isdecimal())
    process.kill()
    process.communicate()
    assert wait_for(lambda: not alive(int(log.read_text().strip())))


def test_a_workload_runs_on_the_board(tmp_path, server):
    options = [*server.options, "--before", "200ms", "--after", "200ms", "--mark-regex", "ssh"]
    code, said = finished(
        record(
            tmp_path,
            *options,
            "--",
            "sh",
            "-c",
            'echo "$SSH_CONNECTION" | cut -c 1-5; echo ssh it is; exit 4',
            simulator=BUSY,
        )
    )
    assert code == 4, said
    assert (tmp_path / "run.workload.log").read_text() == "127.0\nssh it is\n"
    assert ("ssh it is", "regex") in marks(tmp_path)


def test_a_recording_that_ends_before_its_workload_is_no_success(tmp_path):
    code, _, said = ucpmon("record", "--simulate", "--duration", "3", "--", "true", cwd=tmp_path)
    assert (code, "--duration 3 is over before the workload starts" in said) == (2, True)
    assert list(tmp_path.iterdir()) == []
    code, said = finished(record(tmp_path, "--count", "2", "--before", "30s", "--", "true"))
    assert (code, "before the workload was started" in said) == (125, True)
    assert info(tmp_path)["ended"] == "count reached before the workload was started"
