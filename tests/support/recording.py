"""Recordings as tests make them: the real command in a process of its own, on a stand-in that logs what it draws."""

import csv
import json
import os
import subprocess
import sys
from datetime import datetime

from support.simulation import drawn, program
from ucpmon.captures import open_capture
from ucpmon.runs import RunFiles
from ucpmon.runs.replay import replay

UCPMON = [sys.executable, "-m", "ucpmon"]


def record(folder, *options, simulator=(), **popen):
    """Start ``ucpmon record`` in ``folder`` on a stand-in that logs to ``folder/log``; the process.

    The stand-in has a name of its own: a real one's would be noticed by the recordings of other tests.
    """
    monitor = program(folder / "stand-in", "--log", folder / "log", *simulator)
    argv = [*UCPMON, "record", "--monitor", monitor, "--interval", 100, *options]
    return subprocess.Popen(
        list(map(str, argv)), cwd=folder, text=True, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, **popen
    )


def finished(process, seconds=20):
    """The exit code of a process and what it said on stderr."""
    _, said = process.communicate(timeout=seconds)
    return process.returncode, said


def ucpmon(*words, cwd, env=None):
    done = subprocess.run(
        [*UCPMON, *map(str, words)],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=20,
        stdin=subprocess.DEVNULL,
        env={**os.environ, **(env or {})},
    )
    return done.returncode, done.stdout, done.stderr


def patiently(folder, once):
    """Do a test that a busy machine may spoil (it can keep us waiting for longer than a redraw lasts) twice at most."""
    try:
        once(_made(folder / "first"))
    except AssertionError:
        once(_made(folder / "again"))


def _made(folder):
    folder.mkdir()
    return folder


def check_replay(folder, capture="run.cast"):
    """Replaying the stream gives the tables again, byte for byte."""
    again = folder / "replayed"
    again.mkdir()
    with open_capture(folder / capture) as opened:
        replay([opened], RunFiles(again / "run.csv"), [])
    for name in ("run.csv", "run.procs.csv"):
        assert (again / name).read_bytes() == (folder / name).read_bytes(), name


def table(path):
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def info(folder, stem="run"):
    return json.loads((folder / f"{stem}.json").read_text())


def figures(row):
    """The metrics of a row of run.csv."""
    return {k: float(v) for k, v in row.items() if k.endswith(("_pct", "_mibps", "_bytes")) and v}


def wall(row):
    """The time of a row in seconds since 1970."""
    return datetime.fromisoformat(row["time"].replace("Z", "+00:00")).timestamp()


def expected(folder, batch):
    """The screens that the stand-in drew; on a terminal an unchanged one is no row."""
    return [r for r in drawn(folder / "log") if batch or r["changed"]]
