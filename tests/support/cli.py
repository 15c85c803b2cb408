"""Runs the command line as a user does, in a process of its own, or in this one where that is enough."""

import os
import subprocess
import sys

from ucpmon.cli.app import run


def ucpmon(*args, cwd=None, stdin=None, env=None, timeout=60):
    """A finished process: exit code, stdout, stderr as text. No terminal, no display."""
    clean = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    return subprocess.run(
        [sys.executable, "-m", "ucpmon", *map(str, args)],
        cwd=cwd, input=stdin, env=clean | (env or {}), capture_output=True, timeout=timeout,
        text=not isinstance(stdin, bytes),
    )  # fmt: skip


def call(*args):
    """The exit code of a command run in this process."""
    return run([str(a) for a in args])
