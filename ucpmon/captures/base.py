"""What every format reader is given and hands back, and what it reads out of command lines."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import tzinfo
from pathlib import Path

from ucpmon.captures.byte_source import Source
from ucpmon.records import CaptureInfo, Chunk


@dataclass(frozen=True)
class Options:
    """What the user said about the capture: a timing file, the zone of stamps without one."""

    timing: Path | None = None
    zone: tzinfo | None = None


@dataclass(frozen=True)
class Opened:
    """A recognised capture: what it says of itself, and its chunks (to be read once)."""

    info: CaptureInfo
    chunks: Iterator[Chunk]
    notes: list[str] = field(default_factory=list)


Reader = Callable[[Source, Options], Opened]

# The run.json of a day's recording is some KiB long.
_MOST_JSON = 1 << 20
# `hrt_ucp_monitor -b -d 200`, also `-bd200`, `--delay=200`, in a shell's prompt or inside `sh -c "…"`.
_DELAY = re.compile(r"ucp_monitor\b[^\n|;&]*?\s(?:-[bv]*d|--delay)[ =]?(\d{3,5})\b")


def interval_of(command: str) -> int | None:
    """The refresh interval, in µs, that a command line asks of the monitor; ``None`` where it does not say."""
    found = _DELAY.search(command)
    return int(found[1]) * 1000 if found and 100 <= int(found[1]) <= 10_000 else None


def interval_beside(path: Path | None) -> int | None:
    """The interval, in µs, in the run.json beside a log of the same stem; ``None`` where there is none of ours."""
    if path is None:
        return None
    try:
        with path.with_suffix(".json").open("rb") as file:
            found = json.loads(file.read(_MOST_JSON))
    except (OSError, ValueError, RecursionError):
        return None
    asked = found.get("interval_s") if isinstance(found, dict) and "ucpmon" in found else None
    return round(asked * 1e6) if isinstance(asked, (int, float)) and 0 < asked < 1e6 else None
