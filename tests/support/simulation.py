"""The stand-in monitor as tests use it: as a program of its own, with a log of what it drew."""

import json
import os
import shlex
import sys
import time
from pathlib import Path


def simulator(*options):
    return [sys.executable, "-m", "ucpmon.monitor.simulator", *map(str, options)]


def program(path, *options):
    """An executable like an installed monitor: the stand-in, with ``options`` that its caller does not see."""
    path.write_text(f'#!/bin/sh\nexec {shlex.join(simulator(*options))} "$@"\n')
    path.chmod(0o755)
    return path


def drawn(log):
    """The records of the simulator's log, without a line that is being written just now."""
    *whole, _ = log.read_text().split("\n")
    return [json.loads(line) for line in whole]


def alive(pid):
    """Whether a process runs; one that has ended and only waits to be noticed does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b") ")[2][:1] != b"Z"
    except OSError:
        return False


def wait_for(condition, seconds=10.0):
    """Poll until ``condition()`` is true; what it said last."""
    deadline = time.monotonic() + seconds
    while not (found := condition()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return found


def end(pid):
    os.kill(pid, 9)
