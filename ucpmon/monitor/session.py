"""Runs a program on a pseudo-terminal, by pexpect: its output with times, its ending, its exit status.

``pexpect.read_nonblocking`` is not used: at the end of the stream it waits for the process, for ever if that lives on.
"""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress

import pexpect
import ptyprocess

from ucpmon.errors import StartError
from ucpmon.monitor.link import ENVIRONMENT
from ucpmon.records import Chunk

TICK_US = 50_000
GRACE_US = 1_000_000
"""How long each way of asking a program to end is given before the next, ruder one."""
_READ = 65536
_STEP_US = 1_000_000


# Where there is one, the clock that goes on while the machine is suspended: a gap then shows as the gap it is.
_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class RecordingClock:
    """Microseconds since the start of a recording by the monotonic clock, and the wall clock of that start.

    ``zero`` is the start that several recordings share, as ``start`` of the first gives it.
    """

    def __init__(self, zero: tuple[int, int] | None = None) -> None:
        self.start = zero or (time.clock_gettime_ns(_CLOCK), time.time_ns() // 1000)
        self.started_us = self.start[1]
        self._stepped_us = 0

    def now(self) -> int:
        return (time.clock_gettime_ns(_CLOCK) - self.start[0]) // 1000

    def wall_step(self) -> int:
        """How far the wall clock has been set forward since this was asked, in µs: 0 for less than a second."""
        step = time.time_ns() // 1000 - self.started_us - self.now() - self._stepped_us
        if abs(step) < _STEP_US:
            return 0
        self._stepped_us += step
        return step


class Session:
    """One program on a terminal of ``rows`` × ``cols``.

    Raises StartError where the command cannot be started. ``close`` leaves nothing of it running.
    """

    def __init__(self, argv: Sequence[str], rows: int, cols: int, quit_key: str = "q") -> None:
        self._ending = self._ways_to_end(quit_key)
        self._next_us: int | None = None
        self.ended = False
        self.ended_by = ""
        try:
            self._child = pexpect.spawn(
                argv[0],
                list(argv[1:]),
                timeout=None,
                echo=False,
                dimensions=(rows, cols),
                env=_environment(),
                preexec_fn=_default_signals,
            )
        except (pexpect.ExceptionPexpect, OSError) as error:
            raise StartError(f"{argv[0]} could not be started", str(error).splitlines()[0]) from error
        self._child.delaybeforesend = None
        self.pid: int = self._child.pid
        self._tend_us = 0
        self._closed = False

    def fileno(self) -> int:
        return int(self._child.child_fd)

    def read(self) -> bytes:
        """What can be read at once; empty where the program's output has ended."""
        try:
            data = os.read(self.fileno(), _READ)
        except OSError:
            # Linux says EIO when nobody holds the other side of the terminal any more.
            data = b""
        self.ended = self.ended or not data
        return data

    def stop(self, now_us: int) -> None:
        """Ask the program to end: by its quit key, then ever more firmly as ``tend`` finds it still there."""
        if self._next_us is None or now_us >= self._next_us:
            self._next_us = now_us + GRACE_US
            self.ended_by = next(self._ending, self.ended_by)

    def interrupt(self) -> None:
        """Press Ctrl-C, and leave it to the program what it makes of that."""
        self._send("\x03")

    def hurry(self) -> None:
        """Take the next way of ending at once."""
        self._next_us = 0

    def tend(self, now_us: int) -> None:
        """What time asks for: go on with an ending; notice a program that ended while others hold its terminal."""
        if self._next_us is not None and now_us >= self._next_us:
            self.stop(now_us)
        if now_us >= self._tend_us:
            self._tend_us = now_us + TICK_US
            self.ended = self.ended or not (self._alive() or select.select([self], [], [], 0)[0])

    def close(self) -> int | None:
        """End what is left of the program. Its exit status, negative for a signal; ``None`` where it lives on."""
        if not self._closed:
            self._closed = self.ended = True
            self._signal(signal.SIGKILL)
            self._child.delayafterclose = self._child.ptyproc.delayafterclose = 0
            with suppress(pexpect.ExceptionPexpect, ptyprocess.PtyProcessError, OSError):
                self._child.close(force=True)
        if self._child.signalstatus is not None:
            return -int(self._child.signalstatus)
        return self._child.exitstatus  # type: ignore[no-any-return]  # pexpect ships no types

    def _ways_to_end(self, quit_key: str) -> Iterator[str]:
        if quit_key:
            self._send(quit_key)
            yield quit_key
        self._send("\x03")
        yield "Ctrl-C"
        for number in (signal.SIGTERM, signal.SIGKILL):
            self._signal(number)
            yield number.name
        # Not even SIGKILL ended it: a process in the kernel's hands. Nothing more can be done.
        self.ended = True

    def _send(self, key: str) -> None:
        # A terminal whose input is full, because nobody reads it, would block the writer.
        if select.select([], [self.fileno()], [], 0)[1]:
            with suppress(OSError):
                self._child.send(key)

    def _signal(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)

    def _alive(self) -> bool:
        with suppress(pexpect.ExceptionPexpect):
            return bool(self._child.isalive())
        return False


def wait(clock: RecordingClock, *sessions: Session, wait_us: int = TICK_US) -> list[Chunk]:
    """What each program prints next and when; an empty chunk where that is nothing, or where its output has ended.

    Waits ``wait_us`` at the most. A tick's time is never later than the next chunk's: it is when nothing had come yet,
    and not when that was noticed.
    """
    poll = select.poll()
    for session in sessions:
        poll.register(session, select.POLLIN)
    began = clock.now()
    ready = {fd for fd, _ in poll.poll(-(-wait_us // 1000))}
    quiet_us = began if ready else began + wait_us
    chunks = []
    for session in sessions:
        data = session.read() if session.fileno() in ready else b""
        chunks.append(Chunk(clock.now() if data else quiet_us, data))
        session.tend(clock.now())
    return chunks


def _environment() -> dict[str, str]:
    """Ours, without the size of the terminal we stand in, which a program would believe."""
    ours = {k: v for k, v in os.environ.items() if k not in ("LINES", "COLUMNS")}
    return {**ours, **ENVIRONMENT}


def _default_signals() -> None:
    """Python ignores SIGPIPE, and a shell's background job SIGINT: the program must not inherit that."""
    for number in (signal.SIGPIPE, signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
