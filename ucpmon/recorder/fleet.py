"""Several machines at once: a recording of its own for each, on one clock; one that fails does not stop the others."""

from __future__ import annotations

import os
import re
import selectors
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import IO, cast

from ucpmon.errors import UsageError
from ucpmon.monitor.link import guarded
from ucpmon.monitor.session import TICK_US, RecordingClock
from ucpmon.recorder.ending import Signals
from ucpmon.recorder.progress import Progress, time_of


def short_names(hosts: Sequence[str]) -> list[str]:
    """A name for the files of each host: without the user, and of letters that any file may have.

    Raises UsageError where two would have the same.
    """
    names = [re.sub(r"[^\w.-]+", "_", host.rpartition("@")[2]).strip("._") or "host" for host in hosts]
    for i, name in enumerate(names):
        if name in names[:i]:
            raise UsageError(f"--host {hosts[i]} is named twice", "name each machine once")
    return names


class Fleet:
    """Runs ``ucpmon record`` once for each name, with the words that ``words`` has for it, and passes signals on."""

    def __init__(self, words: Mapping[str, Sequence[str]], signals: Signals, say: Callable[[str], None]) -> None:
        self._signals, self._heeded, self._say = signals, 0, say
        self._clock = RecordingClock()
        self._selector = selectors.DefaultSelector()
        shared = f"{self._clock.start[0]}:{self._clock.start[1]}"
        self._running = {name: self._start(name, [*own, "--clock", shared]) for name, own in words.items()}
        self._partial = dict.fromkeys(self._running, b"")

    def run(self, asked_us: int | None) -> dict[str, int]:
        """Wait for all of them; their exit codes. None is left running, whatever happens here."""
        codes: dict[str, int] = {}
        progress = Progress(asked_us)
        try:
            while len(codes) < len(self._running):
                self._listen(progress)
                self._pass_signals_on()
                codes.update({n: c for n, p in self._running.items() if (c := p.poll()) is not None})
                left = [n for n in self._running if n not in codes]
                now = self._clock.now()
                progress.say(now, f"{time_of(now, asked_us)} · recording {', '.join(left)}")
        finally:
            for process in self._running.values():
                if process.poll() is None:
                    process.terminate()
        self._listen(progress)
        progress.clear()
        return codes

    def _start(self, name: str, words: list[str]) -> subprocess.Popen[bytes]:
        # In a session of its own a keyboard's Ctrl-C reaches it once: through us.
        process = subprocess.Popen(
            guarded([sys.executable, "-m", "ucpmon", "record", *words]),
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self._selector.register(cast(IO[bytes], process.stderr), selectors.EVENT_READ, name)
        return process

    def _listen(self, progress: Progress) -> None:
        """Pass on what they say, line by line, each with its name."""
        for key, _ in self._selector.select(TICK_US / 1e6):
            data = os.read(key.fd, 65536)
            if not data:
                self._selector.unregister(key.fileobj)
            *lines, self._partial[key.data] = (self._partial[key.data] + data).split(b"\n")
            if lines:
                progress.clear()
            for line in lines:
                self._say(f"{key.data}: {line.decode('utf-8', 'replace').removeprefix('ucpmon: ')}")

    def _pass_signals_on(self) -> None:
        for number in self._signals.received[self._heeded :]:
            for process in self._running.values():
                with suppress(ProcessLookupError):
                    process.send_signal(number)
        self._heeded = len(self._signals.received)
