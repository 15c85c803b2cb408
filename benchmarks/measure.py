"""What the benchmarks share: CPU seconds and peak memory of a call or of a whole process, and a table of ratios."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

ROOT = Path(__file__).parent.parent


def cpu_s(call: Callable[[], object], rounds: int = 3) -> float:
    """The least CPU seconds of some rounds: other load on the machine only ever adds."""
    best = float("inf")
    for _ in range(rounds):
        began = time.process_time()
        call()
        best = min(best, time.process_time() - began)
    return best


# A child's peak begins with that of the process that started it: a small one stands between.
_BETWEEN = """
import os, subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
_, status, usage = os.wait4(child.pid, 0)
print(status, usage.ru_utime + usage.ru_stime, usage.ru_maxrss)
"""


def process(*argv: str, rounds: int = 3, cwd: Path = ROOT) -> tuple[float, float]:
    """(least CPU seconds, peak resident MiB) of a whole process, started in the checkout ``cwd``."""
    best, peak = float("inf"), 0.0
    for _ in range(rounds):
        between = [sys.executable, "-S", "-c", _BETWEEN, *argv]
        told = subprocess.run(between, cwd=cwd, capture_output=True, text=True, check=True).stdout.split()
        if told[0] != "0":
            raise SystemExit(f"{' '.join(argv)} ended with status {told[0]}")
        best, peak = min(best, float(told[1])), max(peak, int(told[2]) / 1024)
    return best, peak


def ucpmon(*args: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "ucpmon", *args)


def table(title: str, head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A Markdown table under its title, with the machine and the day."""
    lines = [f"### {title}", "", f"{_machine()}, {datetime.now(timezone.utc).date().isoformat()}", ""]
    lines += ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows), ""])


def _machine() -> str:
    model = next(
        (line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line),
        platform.machine(),
    )
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}"
