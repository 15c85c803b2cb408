"""The console blocks of a README or a page of docs/: found, run, and held against what is printed under them.

A ``console`` block holds commands (``$ …``) and below each what it prints, on stdout and stderr together. It is run in
what looks like a checkout, so that it works for whoever types it there. After ``<!-- figures vary -->`` only the words
must be the same. An ``sh`` block needs a board or a network, and is not run.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
VARY = "<!-- figures vary -->"
_BLOCK = re.compile(rf"(?P<vary>{re.escape(VARY)}\n)?```console\n(?P<body>.*?)```", re.DOTALL)
# What is counted and measured: from the first figure of a line to a semicolon, or its end.
_FIGURES = re.compile(r"\d[^;\n]*")


class Block(NamedTuple):
    """``shown`` is the text between the fences."""

    shown: str
    varies: bool

    @property
    def commands(self) -> list[str]:
        return [line[2:] for line in self.shown.splitlines() if line.startswith("$ ")]

    def same(self, printed: str) -> bool:
        return _words(printed) == _words(self.shown) if self.varies else printed == self.shown


def blocks(text: str) -> list[Block]:
    return [Block(found["body"], bool(found["vary"])) for found in _BLOCK.finditer(text)]


def run(block: Block, folder: Path) -> str:
    """What the block shows when its commands are run in ``folder``, made to look like a checkout."""
    for name in ("docs", "fixtures"):
        if not (folder / name).exists():
            (folder / name).symlink_to(ROOT / name)
    return "".join(f"$ {command}\n{_output(command, folder)}" for command in block.commands)


def refreshed(text: str, folder: Path) -> str:
    """The text with every block as it is printed now; one whose figures vary stays while its words are right."""

    def anew(found: re.Match[str]) -> str:
        block = Block(found["body"], bool(found["vary"]))
        printed = run(block, folder)
        return found[0] if block.same(printed) else f"{found['vary'] or ''}```console\n{printed}```"

    return _BLOCK.sub(anew, text)


def with_blocks_of(source: str, text: str) -> str:
    """The text with the console blocks of ``source``, of which a translation has as many in the same order."""
    replacements = (found[0] for found in _BLOCK.finditer(source))
    return _BLOCK.sub(lambda _: next(replacements), text)


def _words(text: str) -> str:
    return _FIGURES.sub("#", text)


def _output(command: str, folder: Path) -> str:
    bin_folder = folder / ".bin"
    bin_folder.mkdir(exist_ok=True)
    ucpmon = bin_folder / "ucpmon"
    ucpmon.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m ucpmon "$@"\n')
    ucpmon.chmod(0o755)
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "COLUMNS", "LINES")
    clean = {name: value for name, value in os.environ.items() if name not in hidden}
    path = f"{bin_folder}{os.pathsep}{os.environ['PATH']}"
    env = {**clean, "PATH": path, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "TZ": "UTC"}
    env |= {"COLUMNS": "100", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        ["bash", "-c", f"exec 2>&1; {command}"],
        cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, timeout=60,
    )  # fmt: skip
    return done.stdout
