"""Programs on a real terminal: times, ends, exit codes, and nothing left behind."""

import os
import signal
import subprocess
import sys
from itertools import pairwise

import pytest
from support.require import require
from support.simulation import alive, drawn, simulator, wait_for

from ucpmon.monitor.commands import capture
from ucpmon.monitor.link import GUARD, Local
from ucpmon.monitor.session import RecordingClock, Session, wait


def start(*options, rows=200, cols=200, quit_key="q"):
    return Session(Local().on_terminal(simulator("-d", 100, *options)), rows, cols, quit_key)


def record(session, stop_at_us):
    """Every chunk of a session that is asked to stop, and its exit status."""
    clock, seen = RecordingClock(), []
    while not session.ended:
        [chunk] = wait(clock, session)
        seen.append(chunk)
        if chunk.t_us >= stop_at_us:
            session.stop(clock.now())
    return seen, session.close()


def test_times_never_go_back_and_silence_ticks():
    seen, status = record(start("-d", "1000"), 900_000)
    times = [c.t_us for c in seen]
    assert times == sorted(times)
    assert status == 0
    silent = [c.t_us for c in seen if not c.data and 200_000 < c.t_us < 900_000]
    assert all(40_000 < b - a < 120_000 for a, b in pairwise(silent))
    assert len(silent) > 10


def test_a_large_screen_arrives_whole():
    seen, _ = record(start("--profile", "s600", "--scenario", "busy", cols=200), 300_000)
    text = b"".join(c.data for c in seen)
    assert b"cma_reserved" in text
    assert b"ucp_service" in text


@pytest.mark.parametrize(
    ("ignored", "ended_by", "status"),
    [("", "q", 0), ("q", "Ctrl-C", 0), ("q,int,hup", "SIGTERM", 0), ("q,int,hup,term", "SIGKILL", -9)],
)
def test_each_way_of_ending_is_tried_until_one_works(monkeypatch, ignored, ended_by, status):
    monkeypatch.setattr("ucpmon.monitor.session.GRACE_US", 250_000)
    session = start(*(["--ignore", ignored] if ignored else []))
    _, got = record(session, 200_000)
    assert (session.ended_by, got) == (ended_by, status)
    assert not alive(session.pid)


def test_a_program_inherits_no_ignored_interrupt():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        session = start("-b", quit_key="")
        _, status = record(session, 200_000)
    finally:
        signal.signal(signal.SIGINT, before)
    assert (session.ended_by, status) == ("Ctrl-C", 0)


@pytest.mark.parametrize(("fault", "status"), [("crash@0.2", -11), ("close@0.2", -9), ("fail@0.2", 1)])
def test_a_program_that_ends_by_itself_is_noticed_at_once(fault, status):
    seen, got = record(start("--fault", fault), 5_000_000)
    assert seen[-1].t_us < 2_000_000
    assert got == status


def test_a_flood_does_not_hide_the_deadline():
    session = start("--fault", "flood@0.1")
    seen, status = record(session, 400_000)
    assert sum(len(c.data) for c in seen) > 100_000
    assert seen[-1].t_us < 2_500_000
    assert status == 0


def test_nothing_is_left_after_sigkill_even_of_a_stubborn_program(tmp_path):
    log = tmp_path / "log"
    script = (
        "import sys; from ucpmon.monitor.session import *; from ucpmon.monitor.link import Local\n"
        "s, c = Session(Local().on_terminal(sys.argv[1:]), 50, 100), RecordingClock()\n"
        "while True: wait(c, s)\n"
    )
    argv = simulator("-d", 100, "--ignore", "q,int,hup,term", "--log", log)
    ours = subprocess.Popen([sys.executable, "-c", script, *argv])
    assert wait_for(lambda: log.exists() and log.read_text().count("\n") > 1)
    pid = drawn(log)[0]["pid"]
    os.kill(ours.pid, signal.SIGKILL)
    ours.wait()
    assert wait_for(lambda: not alive(pid), 10)


def test_the_guard_works_in_the_shells_of_boards(tmp_path):
    watched = subprocess.Popen(["sleep", "60"])
    sessions = []
    for shell in ("dash", "bash", "busybox"):
        words = [require(shell), *(["sh"] if shell == "busybox" else [])]
        argv = simulator("-d", 100, "--ignore", "q,int,hup,term", "--log", tmp_path / shell)
        # As on another machine: the program is a child of the shell, and what is watched is the link's other side.
        guarded = [*words, "-c", GUARD + 'trap : INT; "$@"', "ucpmon", str(watched.pid), *argv]
        sessions.append(Session(guarded, 50, 100))
    assert wait_for(lambda: len(list(tmp_path.iterdir())) == 3 and all(map(drawn, tmp_path.iterdir())))
    watched.kill()
    watched.wait()
    try:
        assert wait_for(lambda: not any(alive(drawn(log)[0]["pid"]) for log in tmp_path.iterdir()), 10)
    finally:
        for session in sessions:
            session.close()


def test_a_short_command_is_kept_to_its_time_and_size():
    quick = capture(Local(), ["sh", "-c", "echo out; echo err >&2; exit 3"], 5)
    assert (quick.status, quick.output) == (3, b"out\nerr\n")
    slow = capture(Local(), ["sh", "-c", "echo begun; sleep 60"], 0.3)
    assert (slow.status, slow.output) == (None, b"begun\n")
    endless = capture(Local(), ["yes"], 5)
    assert endless.status is None
    assert len(endless.output) < 2**19
