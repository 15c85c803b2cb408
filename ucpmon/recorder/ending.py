"""Why a recording ends, and the exit code that says so."""

from __future__ import annotations

import signal
from dataclasses import dataclass

from ucpmon.errors import Exit


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
