"""What goes wrong on a test bench: the run keeps what was seen, says why it ended, and nothing is left running."""

import os
import shutil
import signal
import subprocess
import time
from itertools import pairwise
from pathlib import Path

import pytest
from support.recording import check_replay, expected, figures, finished, info, patiently, record, table, ucpmon, wall
from support.require import require
from support.simulation import alive, drawn, wait_for

from ucpmon.captures import open_capture
from ucpmon.runs.reader import read_run
from ucpmon.screens.pipeline import samples

BUSY = ["--scenario", "busy"]


def screens(folder):
    return len(drawn(folder / "log")) if (folder / "log").exists() else 0


def pids(folder):
    return {d["pid"] for d in drawn(folder / "log")}


def check_kept(folder, at_least, batch=False):
    """The run can be read, holds what was drawn but for the last screen, and replays to the same."""
    rows, drawings = table(folder / "run.csv"), expected(folder, batch)
    whole = [figures(r) for r in rows if r["cut"] == "0"]
    assert len(whole) >= at_least
    assert whole == [d["values"] for d in drawings[: len(whole)]]
    assert len(read_run(folder / "run.csv").frame) == len(rows)
    check_replay(folder)
    assert wait_for(lambda: not any(map(alive, pids(folder))))


@pytest.mark.parametrize(
    ("fault", "batch", "reason"),
    [
        ("fail@0.6", True, "the monitor exited with status 1, saying 'Error: Open failed!'"),
        ("fail@0.6", False, "the monitor exited with status 1, saying 'Error: Open failed!'"),
        ("crash@0.6", False, "the monitor was killed by SIGSEGV"),
        ("close@0.6", False, "the monitor was killed by SIGKILL"),
    ],
)
def test_a_monitor_that_dies(tmp_path, fault, batch, reason):
    options = ["--batch"] if batch else []
    code, said = finished(record(tmp_path, "--duration", 60, *options, simulator=[*BUSY, "--fault", fault]))
    assert code == 5
    assert info(tmp_path)["ended"].startswith(reason)
    assert reason in said
    check_kept(tmp_path, 4, batch)


@pytest.mark.parametrize("simulator", [["--fault", "fail"], ["--bogus"]])
def test_a_monitor_that_ends_at_once_was_not_started(tmp_path, simulator):
    code, said = finished(record(tmp_path, "--batch", "--duration", 60, simulator=simulator))
    assert code == 3
    ended = info(tmp_path)["ended"]
    assert ended.startswith("the monitor exited with status 1, saying ")
    assert ended in said
    assert "by hand" in said


def test_a_refused_ip_is_quoted(tmp_path):
    monitor = tmp_path / "m"
    monitor.write_text('#!/bin/sh\n[ "$1" = -h ] && exit\necho "[UCP]: starting"; echo "memory is invalid"; exit 3\n')
    monitor.chmod(0o755)
    code, _, said = ucpmon("record", "--monitor", monitor, "--duration", 9, cwd=tmp_path)
    assert code == 3
    assert "the monitor exited with status 3, saying 'memory is invalid'" in said


def test_a_frozen_batch_is_marked_and_ends_with_its_own_code(tmp_path):
    code, said = finished(
        record(tmp_path, "--batch", "--duration", "2.5", simulator=[*BUSY, "--fault", "freeze@0.8"])
    )  # fmt: skip
    assert code == 5
    assert "it seems to be frozen" in said
    about = info(tmp_path)
    assert about["ended"] == "duration reached while the monitor was frozen"
    [[begin, end]] = about["quality"]["stalls"]
    assert 0.5 < begin < 1
    assert 2.4 < end < 4
    assert about["quality"]["gaps"][-1][0] == begin
    check_kept(tmp_path, 5, batch=True)


def test_a_frozen_monitor_is_started_anew_where_that_is_asked(tmp_path):
    code, said = finished(
        record(tmp_path, "--batch", "--restart", "--duration", 3, simulator=[*BUSY, "--fault", "freeze@0.8"])
    )  # fmt: skip
    assert code in (0, 5)  # the one started last may be frozen at the end
    assert "started it anew" in said
    assert len(pids(tmp_path)) >= 2
    about = info(tmp_path)
    begin, end = about["quality"]["gaps"][0]
    assert 0.9 < end - begin < 2
    assert not any(begin < float(r["elapsed_s"]) < end for r in table(tmp_path / "run.csv"))
    check_replay(tmp_path)
    assert wait_for(lambda: not any(map(alive, pids(tmp_path))))


def test_one_that_always_dies_is_started_anew_but_not_all_the_time(tmp_path):
    code, said = finished(
        record(tmp_path, "--batch", "--restart", "--duration", 5, simulator=[*BUSY, "--fault", "fail@0.3"])
    )  # fmt: skip
    assert code == 0
    assert 2 <= len(pids(tmp_path)) <= 4
    assert "exited with status 1; started it anew" in said
    assert len(info(tmp_path)["quality"]["gaps"]) >= 2
    check_replay(tmp_path)


def test_nothing_understood_is_no_idle_board(tmp_path):
    code, said = finished(record(tmp_path, "--duration", 1, simulator=["--fault", "garbage"]))
    assert code == 4
    assert "no screen was understood. It printed: ?? nothing that anybody can read: 42 ??" in said
    assert "--anonymize" in said
    assert info(tmp_path)["quality"]["screens"] == 0


def test_a_layout_that_changes_goes_on(tmp_path):
    code, _ = finished(record(tmp_path, "--duration", 2, simulator=[*BUSY, "--fault", "layout@1"]))
    assert code == 0
    check_kept(tmp_path, 15)


def test_a_flood_neither_blocks_nor_hides_the_end(tmp_path):
    code, _ = finished(record(tmp_path, "--batch", "--duration", 1.5, simulator=[*BUSY, "--fault", "flood@0.7"]))
    assert code == 0
    about = info(tmp_path)
    assert about["quality"]["bytes"] > 100_000
    assert about["quality"]["lines"]["noise"] > 1000
    assert len(table(tmp_path / "run.csv")) >= 5
    assert wait_for(lambda: not any(map(alive, pids(tmp_path))))


def test_a_redraw_that_comes_in_pieces_is_one_row(tmp_path):
    def once(folder):
        assert finished(record(folder, "--duration", 1.5, simulator=[*BUSY, "--fault", "tear"]))[0] == 0
        check_kept(folder, 10)

    patiently(tmp_path, once)


@pytest.mark.parametrize("compress", [False, True])
def test_sigkill_leaves_a_readable_run_and_no_orphan(tmp_path, compress):
    process = record(
        tmp_path, *(["--compress"] if compress else []), simulator=[*BUSY, "--ignore", "q,int,hup,term"]
    )  # fmt: skip
    assert wait_for(lambda: screens(tmp_path) >= 15)
    process.kill()
    process.communicate()
    assert wait_for(lambda: not any(map(alive, pids(tmp_path))))
    rows, drawings = table(tmp_path / "run.csv"), expected(tmp_path, False)
    before = [d for d in drawings if d["time"] <= drawings[13]["time"]]
    assert len(rows) >= len(before) - 1
    assert [figures(r) for r in rows] == [d["values"] for d in drawings[: len(rows)]]
    assert info(tmp_path)["ended"] == "recording in progress"
    with open_capture(tmp_path / ("run.cast.gz" if compress else "run.cast")) as capture:
        again = list(samples(capture.chunks(), capture.info))
    # A compressed stream is on disk once a second.
    assert len(again) >= len(rows) - (11 if compress else 1)
    assert [s.values for s in again] == [d["values"] for d in drawings[: len(again)]]


def test_a_stubborn_monitor_is_ended_all_the_same(tmp_path):
    process = record(tmp_path, simulator=[*BUSY, "--ignore", "q,int,hup"])
    assert wait_for(lambda: screens(tmp_path) >= 3)
    process.terminate()
    code, _ = finished(process)
    assert code == 143
    assert not any(map(alive, pids(tmp_path)))
    assert info(tmp_path)["monitor"]["exit_status"] == 0


def test_a_stopped_recorder_marks_the_gap(tmp_path):
    process = record(tmp_path, "--duration", 4, simulator=BUSY)
    assert wait_for(lambda: screens(tmp_path) >= 5)
    process.send_signal(signal.SIGSTOP)
    time.sleep(2.5)
    process.send_signal(signal.SIGCONT)
    code, said = finished(process)
    assert code == 0
    assert "ucpmon was stopped for 2" in said
    [[begin, end]] = info(tmp_path)["quality"]["gaps"]
    assert 2.3 < end - begin < 3.5


def test_a_clock_that_is_set_changes_no_times(tmp_path):
    require("faketime")
    library = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
    if library is None:
        pytest.skip("libfaketime is not installed")
    offset = tmp_path / "offset"
    offset.write_text("+0s")
    # libfaketime stands for somebody who sets the clock: nobody may set the real one for a test. It breaks Python's
    # sleep, which waits for a moment of a clock that it does not fake.
    (tmp_path / "sitecustomize.py").write_text(
        "import select, time; time.sleep = lambda s: select.select((), (), (), s)\n"
    )
    fake = {
        "LD_PRELOAD": str(library), "FAKETIME_TIMESTAMP_FILE": str(offset), "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1", "PYTHONPATH": f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}",
    }  # fmt: skip
    process = record(tmp_path, "--duration", 2.5, simulator=BUSY, env={**os.environ, **fake})
    assert wait_for(lambda: screens(tmp_path) >= 5)
    offset.write_text("+3600s")
    code, said = finished(process)
    assert code == 0
    assert "the wall clock was set forward by 1 h 00 min" in said
    rows = table(tmp_path / "run.csv")
    assert max(float(b["elapsed_s"]) - float(a["elapsed_s"]) for a, b in pairwise(rows)) < 1
    assert wall(rows[-1]) - wall(rows[0]) < 4
    assert "ucpmon: the wall clock was set forward by 1 h 00 min" in [m["label"] for m in info(tmp_path)["markers"]]


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 400 KiB."""
    if os.geteuid() != 0:
        pytest.skip("mounting needs root")
    folder = tmp_path / "disk"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", folder], check=False).returncode:
        pytest.skip("nothing may be mounted here")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def test_a_full_disk_ends_it_with_whole_rows_and_the_reason(tmp_path, small_disk):
    process = record(tmp_path, "--batch", "-o", small_disk / "run.csv", "--duration", 60, simulator=BUSY)
    assert wait_for(lambda: (small_disk / "run.csv").exists() and len(table(small_disk / "run.csv")) > 5)
    handle = os.open(small_disk / "other", os.O_WRONLY | os.O_CREAT)
    with pytest.raises(OSError, match="No space"):
        while True:
            os.write(handle, b"x" * 4096)
    os.close(handle)
    code, said = finished(process)
    assert code == 5
    assert "No space left on device" in said
    assert "No space left on device" in info(small_disk)["ended"]
    rows = table(small_disk / "run.csv")
    drawings = expected(tmp_path, batch=True)
    assert len(rows) > 5
    assert [figures(r) for r in rows] == [d["values"] for d in drawings[: len(rows)]]
    assert len(read_run(small_disk / "run.csv").frame) == len(rows)
    with open_capture(small_disk / "run.cast") as capture:
        assert len(list(samples(capture.chunks(), capture.info))) > 5
    assert wait_for(lambda: not any(map(alive, pids(tmp_path))))


def test_a_nearly_full_disk_stops_the_capture_and_the_tables_go_on(tmp_path, small_disk):
    code, said = finished(record(tmp_path, "--batch", "-o", small_disk / "run.csv", "--duration", 3, simulator=BUSY))
    assert code == 0
    assert "the capture stops here, the tables go on" in said
    assert len(table(small_disk / "run.csv")) >= 20
    assert "capture stopped" in (small_disk / "run.cast").read_text().splitlines()[-1]
    assert info(small_disk)["warnings"]


def test_a_deleted_folder_is_made_again_with_what_was_seen(tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    process = record(tmp_path, "-o", folder / "run.csv", "--duration", 60, simulator=BUSY)
    assert wait_for(lambda: (folder / "run.csv").exists() and len(table(folder / "run.csv")) > 5)
    shutil.rmtree(folder)
    code, said = finished(process)
    assert code == 5
    assert f"saved again in {folder}" in said
    assert "were deleted" in info(folder)["ended"]
    rows = table(folder / "run.csv")
    assert len(rows) > 5
    assert [figures(r) for r in rows] == [d["values"] for d in expected(tmp_path, False)[: len(rows)]]
    assert len(read_run(folder / "run.csv").frame) == len(rows)


def test_a_run_that_another_recorder_takes_by_force_is_saved_beside_it(tmp_path):
    ours = record(tmp_path, "-o", "run.csv", "--duration", 60, simulator=BUSY)
    assert wait_for(lambda: (tmp_path / "run.csv").exists() and len(table(tmp_path / "run.csv")) > 2)
    code, said = ucpmon("record", "--simulate", "-o", "run.csv", "--force", "--count", 2, cwd=tmp_path)[::2]
    assert code == 0, said
    code, said = finished(ours)
    assert code == 5
    (folder,) = tmp_path.glob("ucpmon-*")
    assert f"saved again in {folder.name}" in said
    rows = table(folder / "run.csv")
    assert len(rows) > 2
    assert [figures(r) for r in rows] == [d["values"] for d in expected(tmp_path, False)[: len(rows)]]
    assert "were deleted" in info(folder)["ended"]
    assert (len(table(tmp_path / "run.csv")), info(tmp_path)["ended"]) == (2, "count reached")


def test_a_terminal_that_is_too_small_is_said(tmp_path):
    code, said = finished(record(tmp_path, "--rows", 20, "--cols", 80, "--duration", 1, simulator=BUSY))
    assert code == 0
    assert "reach the last row of the terminal (20 rows): what was below it is lost" in said
    assert info(tmp_path)["quality"]["clipped"] == len(table(tmp_path / "run.csv")) > 5
    assert "carveout_used_bytes" not in table(tmp_path / "run.csv")[0]


@pytest.mark.alone  # the monitor that is not ours would be seen by every recording
def test_another_monitor_that_runs_already_is_said(tmp_path):
    other = tmp_path / "bin" / "hrt_ucp_monitor"
    other.parent.mkdir()
    shutil.copy(require("sleep"), other)
    process = subprocess.Popen([other, "60"])
    try:
        code, said = finished(record(tmp_path, "--count", 1))
    finally:
        process.kill()
        process.wait()
    assert code == 0
    assert f"another monitor runs there already (process {process.pid})" in said
