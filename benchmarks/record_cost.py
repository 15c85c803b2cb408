"""What recording costs: CPU and memory of ucpmon alone, as the kernel counts them, beside psrecord and mprof.

    python benchmarks/record_cost.py [--seconds 60] [--mode batch page pyte avt] [--json FILE]

Ten screens a second of about 3 KB come from the stand-in, in each way a monitor may draw them. psrecord and mprof
sample a sleeping process ten times a second meanwhile. CPU is user and system time from /proc/PID/stat between two
moments, without start-up. Lateness compares each row's time with the stand-in's draw log.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from bisect import bisect
from datetime import datetime
from pathlib import Path

TICK = os.sysconf("SC_CLK_TCK")
SETTLE_S = 5
MODES = {
    "batch": (["--batch"], [], {}),
    "page": ([], ["--draw", "page"], {}),
    "pyte": ([], [], {"UCPMON_EMULATOR": "pyte"}),
    "avt": ([], [], {}),
}
SAYS = {
    "batch": "ucpmon, batch blocks",
    "page": "ucpmon, full redraws",
    "pyte": "ucpmon, changes alone, pyte",
    "avt": "ucpmon, changes alone, avt",
}


def cpu_s(pid: int) -> float:
    """User and system seconds of a process itself, its children's not counted."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def rss_mib(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024


def watch(pids: dict[str, int], seconds: float) -> dict[str, dict[str, float]]:
    """CPU in percent of a core over ``seconds``, and resident memory at both ends and at its most."""
    time.sleep(SETTLE_S)
    began, before = time.monotonic(), {name: cpu_s(pid) for name, pid in pids.items()}
    memory = {name: [rss_mib(pid)] for name, pid in pids.items()}
    while (left := seconds - (time.monotonic() - began)) > 0:
        time.sleep(min(left, 10))
        for name, pid in pids.items():
            memory[name].append(rss_mib(pid))
    took = time.monotonic() - began
    return {
        name: {
            "cpu_pct": 100 * (cpu_s(pid) - before[name]) / took,
            "rss_first": memory[name][0], "rss_last": memory[name][-1], "rss_most": max(memory[name]),
        }
        for name, pid in pids.items()
    }  # fmt: skip


def simulator(folder: Path, extra: list[str]) -> Path:
    path = folder / "hrt_ucp_monitor"
    words = f"--profile s600 --scenario busy --log {folder}/log {' '.join(extra)}"
    path.write_text(f'#!/bin/sh\nexec {sys.executable} -m ucpmon.monitor.simulator {words} "$@"\n')
    path.chmod(0o755)
    return path


def lateness_ms(folder: Path) -> float:
    """95th percentile of the time between a row and the draw that is nearest to it."""
    drawn = [json.loads(line)["time"] for line in (folder / "log").read_text().splitlines()]
    with (folder / "run.csv").open() as stream:
        rows = [datetime.fromisoformat(r["time"].replace("Z", "+00:00")).timestamp() for r in csv.DictReader(stream)]
    late = []
    for row in rows:
        at = bisect(drawn, row)
        late.append(min(abs(row - moment) for moment in drawn[max(0, at - 1) : at + 1]))
    return 1000 * sorted(late)[int(0.95 * len(late))]


def start(mode: str, folder: Path) -> subprocess.Popen[bytes]:
    """One recording, into a folder of its own."""
    options, extra, env = MODES[mode]
    folder.mkdir()
    command = [sys.executable, "-m", "ucpmon", "record", "--interval", "100", "--monitor", simulator(folder, extra)]
    return subprocess.Popen([*command, *options], cwd=folder, env={**os.environ, **env}, stderr=subprocess.DEVNULL)


def peers(folder: Path, seconds: float) -> dict[str, subprocess.Popen[bytes]]:
    """psrecord and mprof on a sleeping process, where they are installed."""
    asleep = f"import time; time.sleep({seconds})"
    commands = {
        "psrecord": ["psrecord", f'"{sys.executable}" -c "{asleep}"', "--interval", "0.1", "--log", "psrecord.txt"],
        "mprof": ["mprof", "run", "--interval", "0.1", "--output", "mprof.dat", sys.executable, "-c", asleep],
    }
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return {name: subprocess.Popen(c, cwd=folder, **quiet) for name, c in commands.items() if shutil.which(name)}


def measure(modes: list[str], seconds: float) -> list[dict]:
    """All modes and the others at the same time, so that they meet the same machine."""
    with tempfile.TemporaryDirectory(prefix="record-cost-") as name:
        folder = Path(name)
        running = {mode: start(mode, folder / mode) for mode in modes} | peers(folder, seconds + SETTLE_S + 10)
        try:
            found = watch({n: p.pid for n, p in running.items()}, seconds)
        finally:
            for process in running.values():
                process.terminate()
            for process in running.values():
                process.wait()
        return [
            {"name": n, "seconds": seconds, **found[n], **(seen(folder / n) if n in modes else {})} for n in running
        ]


def seen(folder: Path) -> dict[str, float]:
    """What a recording has come to."""
    quality = json.loads((folder / "run.json").read_text())["quality"]
    return {
        "screens": quality["screens"],
        "bytes_per_screen": quality["bytes"] / max(1, quality["screens"]),
        "late_p95_ms": lateness_ms(folder),
    }


def table(results: list[dict]) -> str:
    lines = ["| recorder | CPU, % of a core | RSS, MiB: first, last, most | rows | late, p95 |", "|-|-|-|-|-|"]
    for r in results:
        memory = f"{r['rss_first']:.1f}, {r['rss_last']:.1f}, {r['rss_most']:.1f}"
        rows = f"{r['screens']} of {r['bytes_per_screen']:.0f} B" if "screens" in r else "10 a second"
        late = f"{r['late_p95_ms']:.1f} ms" if "screens" in r else "–"
        lines.append(f"| {SAYS.get(r['name'], r['name'])} | {r['cpu_pct']:.2f} | {memory} | {rows} | {late} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--mode", nargs="+", choices=MODES, default=list(MODES))
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    results = measure(options.mode, options.seconds)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")
    print(table(results))


if __name__ == "__main__":
    main()
