"""The one error tree. ``cli`` is the only place that catches it."""

from enum import IntEnum


class Exit(IntEnum):
    """Exit codes of the command line, each with its ``meaning``."""

    OK = 0
    FAILED = 1
    USAGE = 2
    NOT_STARTED = 3
    NOT_UNDERSTOOD = 4
    ENDED_EARLY = 5
    WORKLOAD_TOOL = 125
    HANGUP = 129
    INTERRUPT = 130
    TERMINATED = 143

    @property
    def meaning(self) -> str:
        return _MEANINGS[self]


_MEANINGS = {
    Exit.OK: "done",
    Exit.FAILED: "a check, a comparison or a need failed",
    Exit.USAGE: "usage: a bad option, a missing input, an output that exists or cannot be written",
    Exit.NOT_STARTED: "the monitor or the link could not be started",
    Exit.NOT_UNDERSTOOD: "the input was not understood: no screen in it, no run, or a metric that is not there",
    Exit.ENDED_EARLY: "ended early, what was seen is kept: monitor dead or frozen, link lost, disk full",
    Exit.WORKLOAD_TOOL: "ucpmon itself failed beside a workload, whose own exit code is passed on otherwise",
    Exit.HANGUP: "stopped by SIGHUP; what was seen is kept",
    Exit.INTERRUPT: "stopped by Ctrl-C; what was seen is kept",
    Exit.TERMINATED: "stopped by SIGTERM; what was seen is kept",
}


class UcpmonError(Exception):
    """What went wrong, where, and what the user can do about it.

    ``message`` says what and where in one line; ``hint`` names the remedy.
    """

    exit_code: Exit = Exit.FAILED

    def __init__(self, message: str, hint: str = "", exit_code: Exit | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if exit_code is not None:
            self.exit_code = exit_code

    def __str__(self) -> str:
        return f"{self.message}: {self.hint}" if self.hint else self.message


class UsageError(UcpmonError):
    """A bad option or value, a missing input file, an output that cannot be written."""

    exit_code = Exit.USAGE


class StartError(UcpmonError):
    """The monitor, the workload or the link could not be started."""

    exit_code = Exit.NOT_STARTED


class InputError(UcpmonError):
    """Input that was read but not understood."""

    exit_code = Exit.NOT_UNDERSTOOD


class MissingExtra(UsageError):
    """An optional package is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional package", f"pip install 'ucpmon[{extra}]'")
