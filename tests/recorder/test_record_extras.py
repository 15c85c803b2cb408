"""Exact memory beside a recording, the stream's size, several machines, and a machine with little installed."""

import gzip
import importlib.metadata
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from itertools import pairwise

import pytest
from support.paths import ROOT
from support.recording import UCPMON, figures, finished, info, record, table, ucpmon
from support.simulation import alive, drawn, program, wait_for

from ucpmon.captures import open_capture
from ucpmon.runs.reader import read_run
from ucpmon.screens.pipeline import samples

FIXTURES = ROOT / "fixtures"
BUSY = ["--scenario", "busy"]


@pytest.fixture
def ion(tmp_path):
    """A folder like the ION debug files', with all of them in one file, as recent kernels have."""
    folder = tmp_path / "ion"
    folder.mkdir()
    shutil.copy(FIXTURES / "heaps" / "dump--all-s100.txt", folder / "all_heap_info")
    return folder


def heap_options(folder):
    return ["--heaps", "--heaps-interval", "300ms", "--heaps-dir", folder]


def check_heaps(folder):
    rows = table(folder / "run.heaps.csv")
    assert read_run(folder / "run.csv").heaps["bytes"].tolist() == [int(r["bytes"]) for r in rows]
    truth = json.loads((FIXTURES / "heaps" / "dump--all-s100.json").read_text())
    times = sorted({r["elapsed_s"] for r in rows}, key=float)
    assert len(times) >= 3
    assert all(0.2 < float(b) - float(a) < 0.8 for a, b in pairwise(times))
    first = [r for r in rows if r["elapsed_s"] == times[0]]
    for heap in truth["heaps"]:
        own = [r for r in first if r["heap"] == heap["heap"]]
        assert [int(r["bytes"]) for r in own if r["kind"] == "total"] == [heap["total_bytes"]]
        assert [(r["client"], int(r["pid"]), int(r["bytes"])) for r in own if r["kind"] == "client"] == [
            (c["client"], c["pid"], c["bytes"]) for c in heap["clients"]
        ]
    with gzip.open(folder / "run.heaps.txt.gz", "rb") as raw:
        text = raw.read()
    assert text.count((folder / "ion" / "all_heap_info").read_bytes()) == len(times)


def test_exact_memory_is_read_beside_the_screens(tmp_path, ion):
    code, said = finished(record(tmp_path, *heap_options(ion), "--duration", 1.5, simulator=BUSY))
    assert (code, "--heaps" in said) == (0, False)
    check_heaps(tmp_path)
    assert len(table(tmp_path / "run.csv")) >= 10


def test_exact_memory_is_read_over_the_same_link(tmp_path, ion, server):
    code, _ = finished(record(tmp_path, *server.options, *heap_options(ion), "--duration", 2.5, simulator=BUSY))
    assert code == 0
    check_heaps(tmp_path)


def test_a_file_for_each_heap_is_read_too(tmp_path):
    folder = tmp_path / "ion"
    folder.mkdir()
    shutil.copy(FIXTURES / "heaps" / "dump--carveout-old-kernel.txt", folder / "carveout")
    assert finished(record(tmp_path, *heap_options(folder), "--duration", 1, simulator=BUSY))[0] == 0
    assert {r["heap"] for r in table(tmp_path / "run.heaps.csv")} == {"carveout"}


@pytest.mark.parametrize("empty", [False, True])
def test_a_missing_debugfs_is_one_warning(tmp_path, empty):
    folder = tmp_path / "ion"
    if empty:
        folder.mkdir()
        (folder / "all_heap_info").write_text("Permission denied\n")
    code, said = finished(record(tmp_path, *heap_options(folder), "--duration", 1, simulator=BUSY))
    assert code == 0
    assert said.count("--heaps: ") == 1
    assert "the ION debug files need root and a mounted debugfs" in said
    assert len(table(tmp_path / "run.csv")) >= 5
    assert any("--heaps" in w for w in info(tmp_path)["warnings"])
    assert not list(tmp_path.glob("run.heaps*"))


def test_exact_memory_goes_on_after_a_lost_link(tmp_path, ion, server):
    options = [*server.options, "--reconnect", *heap_options(ion), "--duration", 7]
    process = record(tmp_path, *options, simulator=BUSY)
    heaps = tmp_path / "run.heaps.csv"
    assert wait_for(lambda: heaps.exists() and len(table(heaps)) > 20)
    server.stop()
    cut = float(table(heaps)[-1]["elapsed_s"])
    server.start()
    code, said = finished(process, 30)
    assert (code, "--heaps" in said) == (0, False)
    assert float(table(heaps)[-1]["elapsed_s"]) > cut + 2


def test_a_compressed_stream_holds_every_byte(tmp_path):
    code, said = finished(record(tmp_path, "--batch", "--compress", "--duration", 2, simulator=BUSY))
    assert code == 0
    assert "about 39.5 MiB an hour" in said
    assert not (tmp_path / "run.cast").exists()
    with open_capture(tmp_path / "run.cast.gz") as capture:
        again = [s.values for s in samples(capture.chunks(), capture.info)]
    assert again == [figures(r) for r in table(tmp_path / "run.csv")]
    assert (tmp_path / "run.cast.gz").stat().st_size < info(tmp_path)["quality"]["bytes"] / 4


def test_no_capture_keeps_the_tables_alone(tmp_path):
    assert finished(record(tmp_path, "--no-capture", "--duration", 1, simulator=BUSY))[0] == 0
    assert len(table(tmp_path / "run.csv")) >= 5
    assert not list(tmp_path.glob("run.cast*"))


def _hosts(folder, server):
    """The folder of an ssh that knows the loopback server by two names, and a machine where nobody listens."""
    config = folder / "ssh_config"
    config.write_text(
        f"Host a b\n HostName 127.0.0.1\n Port {server.port}\n User {server.options[1].partition('@')[0]}\n"
        f" IdentityFile {server.folder}/client_key\n UserKnownHostsFile {server.folder}/known_hosts\n"
        f"Host dead\n HostName 127.0.0.1\n Port 1\n"
    )
    ssh = folder / "bin" / "ssh"
    ssh.parent.mkdir()
    # The user's own ~/.ssh/config is read in the same way; a test has none.
    ssh.write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F {config} "$@"\n')
    ssh.chmod(0o755)
    return str(ssh.parent)


def test_several_machines_are_recorded_on_one_clock_and_one_that_fails_stops_none(tmp_path, server):
    path = _hosts(tmp_path, server)
    monitor = program(tmp_path / "m", *BUSY, "--log", tmp_path / "log")
    code, _, said = ucpmon(
        "record", "--host", "a", "--host", "root@dead", "--host", "b", "--monitor", monitor, "--interval", 100,
        "--duration", 2.5, cwd=tmp_path, env={"PATH": f"{path}:/usr/bin:/bin"},
    )  # fmt: skip
    assert code == 3
    assert "dead: root@dead refuses the connection" in said
    assert re.search(r"^a: run\.a\.csv: \d+ screens", said, re.MULTILINE)
    runs = {name: table(tmp_path / f"run.{name}.csv") for name in "ab"}
    assert min(map(len, runs.values())) >= 5
    starts = {info(tmp_path, f"run.{name}")["started"] for name in "ab"}
    assert len(starts) == 1
    assert not (tmp_path / "run.dead.csv").exists()
    assert wait_for(lambda: not any(alive(d["pid"]) for d in drawn(tmp_path / "log")))


def test_signals_reach_every_machines_recording(tmp_path, server):
    path = _hosts(tmp_path, server)
    monitor = program(tmp_path / "m", *BUSY, "--log", tmp_path / "log")
    process = subprocess.Popen(
        [*UCPMON, "record", "--host", "a", "--host", "b", "--monitor", monitor, "--interval", "100"],
        cwd=tmp_path, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL,
        env={**os.environ, "PATH": f"{path}:/usr/bin:/bin"},
    )  # fmt: skip
    assert wait_for(lambda: (tmp_path / "log").exists() and len({d["pid"] for d in drawn(tmp_path / "log")}) == 2)
    process.send_signal(signal.SIGTERM)
    assert finished(process)[0] == 143
    assert [info(tmp_path, f"run.{n}")["ended"] for n in "ab"] == ["terminated (SIGTERM)"] * 2
    assert not any(alive(d["pid"]) for d in drawn(tmp_path / "log"))


def test_one_machine_is_named_once(tmp_path):
    code, _, said = ucpmon("record", "--host", "x@a", "--host", "y@a", cwd=tmp_path)
    assert code == 2
    assert "y@a is named twice" in said


def _needed(names):
    """The distributions that ``names`` need, with themselves."""
    found, todo = set(), list(names)
    while todo:
        name = re.split(r"[\s<>=!~;\[(]", todo.pop())[0].lower().replace("_", "-")
        if name in found:
            continue
        found.add(name)
        requires = importlib.metadata.requires(name) or []
        todo += [r for r in requires if "extra ==" not in r and "sys_platform" not in r and "platform_system" not in r]
    return found


def _tops():
    """The names that can be imported, each with the distributions that bring it, by the files of those.

    Python 3.10's own such table leaves out a distribution without a list of its names, as pandas is.
    """
    found = {}
    for distribution in importlib.metadata.distributions():
        for file in distribution.files or ():
            top = file.parts[0] if len(file.parts) > 1 else file.name.partition(".")[0] if file.suffix != ".pth" else ""
            if top.isidentifier():
                found.setdefault(top, set()).add(distribution.metadata["Name"])
    return found


def test_recording_needs_pexpect_pyte_and_typer_alone(tmp_path):
    allowed = _needed(["pexpect", "pyte", "typer"])
    banned = sorted(
        top for top, names in _tops().items()
        if top != "ucpmon" and not any(n.lower().replace("_", "-") in allowed for n in names)
    )  # fmt: skip
    assert "pandas" in banned
    # An install with --no-deps and these three: every other installed package is as good as absent.
    script = (
        "import sys\n"
        f"banned = set({banned!r})\n"
        "from importlib.machinery import PathFinder\n"
        "class Poor:\n"
        "    @staticmethod\n"
        "    def find_spec(name, path=None, target=None):\n"
        "        return None if name.partition('.')[0] in banned else PathFinder.find_spec(name, path, target)\n"
        "sys.meta_path[sys.meta_path.index(PathFinder)] = Poor\n"
        "from ucpmon.cli.app import run\n"
        "sys.exit(run(['record', '--simulate', '--count', '3', '--interval', '100']))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=20)
    assert done.returncode == 0, done.stderr
    assert len(table(tmp_path / "run.csv")) == 3
