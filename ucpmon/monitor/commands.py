"""Short commands, run to their end within a time."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, NamedTuple

from ucpmon.monitor.link import Link, guarded

_MOST_OUTPUT = 1 << 18


class Captured(NamedTuple):
    """What a short command printed (both streams) and how it ended; ``status`` is ``None`` where it ran out of time."""

    status: int | None
    output: bytes


def capture(link: Link, argv: Sequence[str], timeout_s: float) -> Captured:
    """Run a short command to its end, for ``timeout_s`` at the most, and keep the first 256 KiB it prints.

    Raises OSError where it cannot be started. What it started is ended with it.
    """
    deadline = time.monotonic() + timeout_s
    process = subprocess.Popen(
        guarded(link.plain(argv)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        output = _read(process.stdout, deadline)
        if len(output) < _MOST_OUTPUT:
            with suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, deadline - time.monotonic()))
        return Captured(process.returncode, output)
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if process.stdout:
            process.stdout.close()


def _read(stream: IO[bytes] | None, deadline: float) -> bytes:
    """What comes until the stream ends, the time is up, or it is too much."""
    output = b""
    while stream and len(output) < _MOST_OUTPUT and (left := deadline - time.monotonic()) > 0:
        if not select.select([stream], [], [], left)[0]:
            break
        data = os.read(stream.fileno(), 65536)
        if not data:
            break
        output += data
    return output
