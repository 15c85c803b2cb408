"""Recording through a real terminal, against what the stand-in says it drew."""

import os
import pty
import re
import shlex
import signal
import subprocess
import sys
from contextlib import suppress

import pytest
from support.recording import (
    UCPMON,
    check_replay,
    expected,
    figures,
    finished,
    info,
    patiently,
    record,
    table,
    ucpmon,
    wall,
)
from support.simulation import alive, drawn, wait_for


def compare(folder, batch, missing=0):
    """Rows and processes are those drawn, value by value, but for the last ``missing``; the rows and the records."""
    rows, drawings = table(folder / "run.csv"), expected(folder, batch)
    whole = [r for r in rows if r["cut"] == "0"]
    assert len(drawings) - missing <= len(whole) <= len(drawings)
    assert [figures(r) for r in whole] == [d["values"] for d in drawings[: len(whole)]]
    seen = {}
    for p in table(folder / "run.procs.csv"):
        seen.setdefault(p["screen"], []).append(
            [int(p["pid"]), p["process"], int(p["rss_bytes"]), int(p["hbmem_bytes"])]
        )
    assert [seen.get(r["screen"], []) for r in whole] == [d["processes"] for d in drawings[: len(whole)]]
    return whole, drawings


@pytest.mark.alone
@pytest.mark.parametrize(("mode", "board"), [("interactive", "s600"), ("interactive", "s100"), ("batch", "j6p")])
def test_every_drawn_value_is_recorded_within_20_ms(tmp_path, mode, board):
    batch = mode == "batch"
    options = ["--duration", 2, *(["--batch"] if batch else [])]

    def once(folder):
        code, said = finished(record(folder, *options, simulator=["--profile", board, "--speed", 28]))
        assert (code, "duration reached" in said) == (0, True)
        rows, drawings = compare(folder, batch, missing=1)
        assert len(rows) >= 16
        late = sorted(abs(wall(r) - d["time"]) for r, d in zip(rows, drawings, strict=False))
        assert late[int(0.95 * len(late))] < 0.02

        check_replay(folder)

    patiently(tmp_path, once)


def test_the_run_says_what_was_recorded_and_how(tmp_path):
    code, _ = finished(record(tmp_path, "--duration", 1, "--enable", "bpu,dsp", "--label", "model=yolo", "--freq", 100))
    about = info(tmp_path)
    assert code == 0
    assert about["monitor"]["argv"][1:] == ["-f", "100", "-d", "100", "-e", "bpu,dsp", "-t", "31"]
    assert "hrt_ucp_monitor [Option...]" in about["monitor"]["help"]
    assert about["monitor"]["exit_status"] == 0
    assert (about["simulated"], about["freq_hz"], about["interval_s"]) == (True, 100, 0.1)
    assert about["labels"] == {"model": "yolo"}
    assert about["terminal"] == {"rows": 200, "cols": 200}
    assert about["ended"] == "duration reached"
    assert about["quality"]["screens"] == len(table(tmp_path / "run.csv"))
    assert about["quality"]["lines"]["unknown"] == 0
    assert about["board"]["uname"].startswith("Linux")
    assert about["markers"][-1]["label"] == "ucpmon: duration reached"
    header = (tmp_path / "run.cast").read_text().splitlines()[0]
    assert '"simulated": true' in header


@pytest.mark.parametrize(
    ("number", "code", "reason", "inherited"),
    [
        (signal.SIGINT, 130, "interrupted (SIGINT)", signal.SIG_DFL),
        (signal.SIGINT, 130, "interrupted (SIGINT)", signal.SIG_IGN),
        (signal.SIGTERM, 143, "terminated (SIGTERM)", signal.SIG_DFL),
        (signal.SIGHUP, 129, "hung up (SIGHUP)", signal.SIG_IGN),
    ],
)
@pytest.mark.parametrize("batch", [False, True])
def test_signals_end_a_recording_cleanly(tmp_path, number, code, reason, inherited, batch):
    def once(folder):
        process = record(
            folder, *(["--batch"] if batch else []), simulator=["--scenario", "busy"],
            preexec_fn=lambda: signal.signal(number, inherited),
        )  # fmt: skip
        assert wait_for(lambda: (folder / "log").exists() and len(drawn(folder / "log")) >= 6)
        process.send_signal(number)
        assert finished(process)[0] == code
        rows, drawings = compare(folder, batch, missing=1)
        assert len(rows) >= 5
        assert info(folder)["ended"] == reason
        assert not alive(drawings[0]["pid"])
        check_replay(folder)

    patiently(tmp_path, once)


def test_a_closed_stderr_does_not_matter(tmp_path):
    command = shlex.join([*UCPMON, "record", "--simulate", "--count", "3", "--interval", "100"])
    done = subprocess.run(["sh", "-c", f"{command} 2>&-"], cwd=tmp_path, capture_output=True, timeout=20)
    assert (done.returncode, done.stdout) == (0, b"")
    assert len(table(tmp_path / "run.csv")) == 3


def test_count_ends_it_after_so_many_screens(tmp_path):
    started = {}
    for name, options in (("a", []), ("b", ["--batch"])):
        folder = tmp_path / name
        folder.mkdir()
        started[folder] = record(folder, "--count", 5, *options, simulator=["--scenario", "busy"])
    for folder, process in started.items():
        assert finished(process)[0] == 0
        assert len(table(folder / "run.csv")) == 5
        assert info(folder)["ended"] == "count reached"


def test_the_progress_line_tells_time_screens_load_and_memory(tmp_path):
    main, side = pty.openpty()
    process = subprocess.Popen(
        [*UCPMON, "record", "--simulate", "--duration", "1.5", "--interval", "100", "--scenario", "busy"],
        cwd=tmp_path, stderr=side, env={**os.environ, "TERM": "xterm"},
    )  # fmt: skip
    os.close(side)
    said = b""
    with suppress(OSError):
        while True:  # until the other side is closed
            said += os.read(main, 65536)
    os.close(main)
    assert process.wait() == 0
    assert re.search(rb"\r\x1b\[K1 s of 1.5 s \xc2\xb7 \d+ screens \xc2\xb7 BPU [\d.]+ % \xc2\xb7 carveout 206", said)


def test_a_recording_that_nobody_watches_says_two_lines(tmp_path):
    code, out, said = ucpmon("record", "--simulate", "--duration", 1, "--interval", 100, cwd=tmp_path)
    assert (code, out) == (0, "")
    assert re.fullmatch(
        r"recording a SIMULATION \(invented figures\) to run\.csv, at most about 127\.0 MiB an hour\n"
        r"run\.csv: \d+ screens in 1(\.\d)? s, one every 0\.\d+ s \(asked 0\.1 s\), [\d.]+ KiB; duration reached\n",
        said,
    )


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--duration", "0"], "--duration is too short"),
        (["--duration", "abc"], "--duration 'abc' is not a duration"),
        (["--freq", "5"], "--freq 5 Hz is out of range"),
        (["--duration", ""], "--duration '' is not a duration"),
        (["--interval", "50"], "--interval 50 ms is out of range"),
        (["--enable", "memory"], "--enable: 'memory' is no IP"),
        (["--rows", "5"], "--rows 5 is out of range"),
        (["--count", "0"], "--count 0 is out of range"),
        (["--label", "nothing"], "--label 'nothing' has no key"),
        (["60"], "'60' is no option: a workload stands after --, a time: --duration"),
        (["--mark-regex", "(", "--", "true"], "--mark-regex '(' is no regular expression"),
        (["--mark-regex", "x"], "--mark-regex marks lines of a workload"),
        (["--before", "soon", "--", "true"], "--before 'soon' is not a duration"),
        (["--heaps", "--heaps-interval", "1ms"], "--heaps-interval is too short"),
        (["--port", "22"], "--port is for another machine"),
        (["--host", "board"], "--simulate runs on this machine"),
        (["--scenario", "party"], "--scenario 'party' is not known"),
        (["-o", "missing/run.csv"], "there is no directory missing"),
        (["-o", "picture.png"], "is no name for a run"),
        (["-o", "/proc/run.csv"], "cannot be written"),
        (["--output", "."], ". is a directory: name a file in it"),
        (["--output", ""], ". is a directory: name a file in it"),
    ],
)
def test_bad_values_are_refused_before_anything_starts(tmp_path, options, says):
    code, out, said = ucpmon("record", "--simulate", *options, cwd=tmp_path)
    assert (code, out) == (2, "")
    assert says in said
    assert said.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_an_existing_run_is_kept_unless_forced(tmp_path):
    (tmp_path / "run.cast").write_text("precious")
    (tmp_path / "run-2.workload.log").write_text("precious, too")
    code, _, said = ucpmon("record", "--simulate", "-o", "run.csv", "--duration", 1, cwd=tmp_path)
    assert code == 2
    assert "run.cast exists: add --force" in said
    assert ucpmon("record", "--simulate", "--count", 1, cwd=tmp_path)[2].startswith("recording a SIM")
    assert (tmp_path / "run.cast").read_text() == "precious"
    assert not (tmp_path / "run-2.csv").exists()
    assert (tmp_path / "run-3.csv").exists()
    assert ucpmon("record", "--simulate", "-o", "run.csv", "--force", "--count", 1, cwd=tmp_path)[0] == 0
    assert (tmp_path / "run.cast").read_text().startswith('{"version": 2')


def test_without_a_monitor_it_says_what_else_there_is(tmp_path):
    code, _, said = ucpmon("record", "--duration", 1, cwd=tmp_path, env={"PATH": "/nonexistent"})
    assert code == 3
    assert "--simulate" in said
    assert "--host" in said
    assert list(tmp_path.iterdir()) == []


def test_dry_run_shows_the_command_line_and_does_nothing(tmp_path):
    code, out, _ = ucpmon(
        "record", "--simulate", "--profile", "j6p", "--enable", "bpu,dsp", "--duration", "1m", "--dry-run", cwd=tmp_path
    )
    assert code == 0
    assert out.endswith("-f 500 -d 1000 -e 'bpu;dsp' -t 90\n")
    assert list(tmp_path.iterdir()) == []


def test_a_monitor_without_a_usable_help_still_records(tmp_path):
    monitor = tmp_path / "deaf"
    monitor.write_text(
        '#!/bin/sh\ncase "$*" in *-h*) exec sleep 60;; esac\n'
        "while :; do printf '| BPU0 %s.0 |\\n| Process Mem Info |\\n' 4; sleep 0.1; done\n"
    )
    monitor.chmod(0o755)
    options = ["--batch", "--duration", 1, "-o", "r.csv", "--enable", "bpu,dsp"]
    code, _, said = ucpmon("record", "--monitor", monitor, *options, cwd=tmp_path)
    assert code == 0
    assert "does not say how -e separates names: ',' it is" in said
    assert len(table(tmp_path / "r.csv")) >= 5
    assert info(tmp_path, "r")["monitor"]["help"] == ""
    assert info(tmp_path, "r")["simulated"] is False


def test_recording_needs_no_pandas_numpy_or_matplotlib(tmp_path):
    script = (
        "import sys; from ucpmon.cli.app import run\n"
        "code = run(['record', '--simulate', '--count', '1'])\n"
        "print(code, sorted({'pandas', 'numpy', 'matplotlib', 'pyarrow', 'asyncio'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=20)
    assert done.stdout == "0 []\n"
