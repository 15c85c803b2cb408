"""The monitor's command line: its options and their ranges, its help text, and where it is installed."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from ucpmon.errors import StartError, UsageError
from ucpmon.metrics import MONITORED_IPS

PROGRAM = "hrt_ucp_monitor"
ION_HEAPS = "/sys/kernel/debug/ion/heaps"
"""Where a board's kernel has the debug files of its heaps."""
VENDOR_DIR = "/usr/hobot/bin"

FREQ_HZ = (10, 1000)
INTERVAL_MS = (100, 10_000)
COUNT = (1, 2**31 - 1)
DEFAULT_SEPARATOR = ","

# Two IP names with one sign between them, wherever the help text lists them: `bpu;dsp;gdc`, `"bpu, dsp"`.
_LIST = re.compile(rf"\b(?:{'|'.join(MONITORED_IPS)}) ?([;,:|/+]) ?(?:{'|'.join(MONITORED_IPS)})\b", re.IGNORECASE)


def check_range(what: str, value: int, limits: tuple[int, int], unit: str = "") -> None:
    """Raises UsageError where ``value`` is outside ``limits`` (both ends belong to the range)."""
    low, high = limits
    if not low <= value <= high:
        raise UsageError(f"{what} {value}{unit} is out of range", f"the monitor takes {low} to {high}{unit}")


def parse_enable(text: str) -> tuple[str, ...]:
    """The IPs of a list such as ``bpu,dsp`` (or with ``;``), in lower case, each once.

    Raises UsageError for a name that the monitor does not know, or for an empty list.
    """
    names = tuple(dict.fromkeys(n.strip().lower() for n in re.split("[,;]", text)))
    for name in names:
        if name not in MONITORED_IPS:
            raise UsageError(
                f"--enable: {name!r} is no IP that the monitor knows", f"choose of {','.join(MONITORED_IPS)}"
            )
    return names


@dataclass(frozen=True)
class MonitorOptions:
    """What the monitor is asked for. Raises UsageError where a value is outside the monitor's own range.

    ``freq_hz`` is how often BPU and DSP are sampled; ``interval_ms`` is the time between two screens; ``enable`` lists
    IPs, empty for all; ``time_s`` is when the monitor ends by itself, ``None`` for never.
    """

    freq_hz: int = 500
    interval_ms: int = 1000
    enable: tuple[str, ...] = ()
    batch: bool = False
    time_s: int | None = None

    def __post_init__(self) -> None:
        check_range("--freq", self.freq_hz, FREQ_HZ, " Hz")
        check_range("--interval", self.interval_ms, INTERVAL_MS, " ms")
        if self.time_s is not None:
            check_range("-t", self.time_s, COUNT, " s")

    def argv(self, separator: str = DEFAULT_SEPARATOR) -> list[str]:
        """The options as the monitor takes them; ``separator`` stands between the names of ``-e``."""
        args = ["-f", str(self.freq_hz), "-d", str(self.interval_ms)]
        if self.enable:
            args += ["-e", separator.join(self.enable)]
        if self.batch:
            args.append("-b")
        if self.time_s is not None:
            args += ["-t", str(self.time_s)]
        return args


def separator_of(help_text: str) -> str | None:
    """The sign that a monitor wants between IP names, learnt from its ``-h``; ``None`` where it is silent."""
    found = _LIST.search(help_text)
    return found[1] if found else None


def find_program(path: str | None = None) -> str:
    """The monitor on this machine: ``path`` if given, else on PATH, else in the vendor's directory.

    Raises StartError where there is none, or where it cannot be executed.
    """
    found = _named(path) if path else shutil.which(PROGRAM, path=f"{os.environ.get('PATH', '')}:{VENDOR_DIR}")
    if not found:
        raise StartError(
            f"{PROGRAM} is neither on PATH nor in {VENDOR_DIR}",
            "name it with --monitor PATH, record a board with --host USER@BOARD, or try --simulate",
        )
    return found


def _named(path: str) -> str:
    found = shutil.which(path)
    if found:
        return found
    if not Path(path).exists():
        raise StartError(f"--monitor {path}: there is no such program", "name the monitor's file")
    why = "is a directory" if Path(path).is_dir() else "is not executable"
    raise StartError(f"--monitor {path} {why}", "name the monitor's file; chmod +x makes it executable")


def is_simulator(help_text: str) -> bool:
    """Whether a program says of itself that it is ucpmon's stand-in and no real monitor."""
    return SIMULATOR_SIGN in help_text


SIMULATOR_SIGN = "ucpmon stand-in"
"""What the stand-in's help text says of itself."""
