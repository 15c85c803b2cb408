"""What every format reader is given and hands back, and what it reads out of command lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import tzinfo
from pathlib import Path

from ucpmon.captures.source import Source
from ucpmon.model import CaptureInfo, Chunk


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

# `hrt_ucp_monitor -b -d 200`, also `-bd200`, `--delay=200`, in a shell's prompt or inside `sh -c "…"`.
_DELAY = re.compile(r"ucp_monitor\b[^\n|;&]*?\s(?:-[bv]*d|--delay)[ =]?(\d{3,5})\b")


def interval_of(command: str) -> int | None:
    """The refresh interval, in µs, that a command line asks of the monitor; ``None`` where it does not say."""
    found = _DELAY.search(command)
    return int(found[1]) * 1000 if found and 100 <= int(found[1]) <= 10_000 else None
