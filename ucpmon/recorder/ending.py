"""Why a recording ends, the exit code that says so, and the signals that ask for it."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

from ucpmon.errors import Exit

_SEND = "send us a small sample of the capture (ucpmon doctor CAPTURE --anonymize OUT)"
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

    def without_screens(self, lines: Sequence[str]) -> Ending:
        """The same of a recording that saw no screen, but ``lines``: it must not look like one of an idle board."""
        if self.code is Exit.ENDED_EARLY:
            return Ending(self.reason, Exit.NOT_STARTED, self.remedy or "run it by hand to see why")
        told = " / ".join(line.strip()[:80] for line in lines[:3])
        seen = f" It printed: {told}" if told else " It printed nothing."
        return Ending(f"{self.reason}, but no screen was understood.{seen}", Exit.NOT_UNDERSTOOD, _SEND)


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
