"""Where a program runs. What is started is always a local process: this machine's own, or a client of the other's."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Protocol

ENVIRONMENT = {"TERM": "linux", "LC_ALL": "C.UTF-8"}
"""A terminal without REP (repeat character), which emulators do not know; every system has its description."""
# sudo and ssh pass on no environment. (`env` would do, but takes a program with = in its path for an assignment.)
EXPORT = "export " + " ".join(f"{name}={value}" for name, value in ENVIRONMENT.items()) + "\n"

# A guard beside the program watches process $1: ucpmon, or on another machine the server's side of the link. When that
# dies in whatever way the kernel hangs up the program's terminal; a program may ignore that, so the guard insists. It
# polls, because only the leader of a session is told of a hang-up. It signals the whole process group, itself last.
GUARD = """\
watched=${1:-$PPID}; shift
read -r _ _ _ _ group _ 2>/dev/null <"/proc/$$/stat" || group=$$
(
  trap '' HUP INT TERM
  while kill -0 "$watched" && kill -0 $$; do sleep 2; done
  for s in HUP TERM KILL; do sleep 1; kill -s $s -- "-$group"; done
) </dev/null >/dev/null 2>&1 &
"""


class Link(Protocol):
    """Where programs run: ``name`` is the host as the user wrote it, empty for this machine."""

    @property
    def name(self) -> str: ...

    def on_terminal(self, argv: Sequence[str], sweep: bool = False) -> list[str]:
        """The local command that runs ``argv`` there on a terminal, so that it never outlives us.

        ``sweep``: what an earlier one has left over there is ended first.
        """
        ...

    def plain(self, argv: Sequence[str]) -> list[str]:
        """The local command that runs ``argv`` there without a terminal."""
        ...

    def sweep(self) -> list[str]:
        """The argv that ends over there what is left of what we started, and prints ids; empty where that cannot be."""
        ...

    def failure(self, status: int | None, output: str) -> tuple[str, str] | None:
        """What is wrong with the link and the remedy, where that is why a command ended; ``None`` where it is not."""
        ...


class Local:
    """This machine; as root by way of sudo where ``sudo`` says so."""

    name = ""

    def __init__(self, sudo: bool = False) -> None:
        self._elevate = ["sudo", "-n", "--"] if sudo else []

    def on_terminal(self, argv: Sequence[str], sweep: bool = False) -> list[str]:
        return [*self._elevate, *guarded(argv)]

    def plain(self, argv: Sequence[str]) -> list[str]:
        return [*self._elevate, *exported(argv)]

    def sweep(self) -> list[str]:
        return []

    def failure(self, status: int | None, output: str) -> tuple[str, str] | None:
        return sudo_failure(output, "this machine") if self._elevate else None


def guarded(argv: Sequence[str]) -> list[str]:
    """The command that runs ``argv`` here and ends it when this process is gone."""
    return ["/bin/sh", "-c", f'{GUARD}{EXPORT}exec "$@"', "ucpmon", str(os.getpid()), *argv]


def exported(argv: Sequence[str]) -> list[str]:
    """The command that runs ``argv`` in the environment that a monitor is read in."""
    return ["sh", "-c", f'{EXPORT}exec "$@"', "ucpmon", *argv]


def sudo_failure(output: str, where: str) -> tuple[str, str] | None:
    if "sudo:" not in output:
        return None
    said = next(line for line in output.splitlines() if "sudo:" in line).strip()
    return f"sudo does not work on {where} ({said})", "allow the login NOPASSWD for the monitor, or log in as root"
