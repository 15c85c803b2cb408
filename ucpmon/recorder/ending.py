"""Why a recording ends, the exit code that says so, and the signals that ask for it."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from types import FrameType
from typing import Any

from ucpmon.errors import Exit

ENDING = {
    signal.SIGINT: ("interrupted (SIGINT)", Exit.INTERRUPT),
    signal.SIGTERM: ("terminated (SIGTERM)", Exit.TERMINATED),
    signal.SIGHUP: ("hung up (SIGHUP)", Exit.HANGUP),
}


@dataclass(frozen=True)
class Ending:
    """``reason`` is for run.json and stderr; ``remedy`` for stderr alone."""

    reason: str
    code: int
    remedy: str = ""

    @property
    def early(self) -> bool:
        """Whether this is not what the user had asked for."""
        return self.code in (Exit.NOT_STARTED, Exit.NOT_UNDERSTOOD, Exit.ENDED_EARLY, Exit.WORKLOAD_TOOL)


def how_it_ended(status: int | None) -> str:
    """An exit status in words; a shell says 128 + N of a death by signal N."""
    if status is None:
        return "cannot be ended"
    number = -status if status < 0 else status - 128
    try:
        name = signal.Signals(number).name if status < 0 or status > 128 else ""
    except ValueError:
        name = ""
    return f"was killed by {name}" if name else f"exited with status {status}"


class Signals:
    """While entered, ending signals are noted, not obeyed; also those that a background job inherits as ignored."""

    def __init__(self) -> None:
        self.received: list[signal.Signals] = []
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Signals:
        for number in ENDING:
            self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.received.append(signal.Signals(number))
