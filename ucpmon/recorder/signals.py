"""The signals that end a recording, noted instead of obeyed."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Any

from ucpmon.errors import Exit

ENDING = {
    signal.SIGINT: ("interrupted (SIGINT)", Exit.INTERRUPT),
    signal.SIGTERM: ("terminated (SIGTERM)", Exit.TERMINATED),
    signal.SIGHUP: ("hung up (SIGHUP)", Exit.HANGUP),
}


class Signals:
    """While entered, ending signals are counted; also those that a background job inherits as ignored."""

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
