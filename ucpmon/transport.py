"""Where the monitor runs. A link only wraps command lines: what is started is always a local process."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, NamedTuple, Protocol

TERM = "linux"
"""A terminal without REP (repeat character), which emulators do not know; every system has its description."""
ENVIRONMENT = {"TERM": TERM, "LC_ALL": "C.UTF-8"}

# The program replaces the shell. Beside it a guard watches process $1: ucpmon, or on another host the server's side of
# the link. When that dies in whatever way, the kernel hangs up the program's terminal; a program may ignore that, so
# the guard insists. It polls, because only the leader of a session is told of a hang-up, and that is the program.
GUARD = """\
watched=$1; shift
(
  trap '' HUP INT
  while kill -0 "$watched" && kill -0 $$; do sleep 2; done
  for s in HUP TERM KILL; do kill -s $s $$ || exit; sleep 1; done
) </dev/null >/dev/null 2>&1 &
exec "$@"
"""
_MOST_OUTPUT = 1 << 18


class Link(Protocol):
    """Where a program runs: ``name`` is the host, empty for this machine."""

    name: str

    def on_terminal(self, argv: Sequence[str]) -> list[str]:
        """The local command that runs ``argv`` there on a terminal, so that it never outlives us."""
        ...

    def plain(self, argv: Sequence[str]) -> list[str]:
        """The local command that runs ``argv`` there without a terminal."""
        ...


class Local:
    """This machine."""

    name = ""

    def on_terminal(self, argv: Sequence[str]) -> list[str]:
        return ["/bin/sh", "-c", GUARD, "ucpmon", str(os.getpid()), *argv]

    def plain(self, argv: Sequence[str]) -> list[str]:
        return list(argv)


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
        link.plain(argv),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, **ENVIRONMENT},
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
