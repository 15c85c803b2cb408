"""The disk that a run is written to: how much is left, and what to do when it is none."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO

RESERVE = 64 * 1024
"""Kept free for the last words of run.json."""
AHEAD_S = 300
"""The capture stops when there is no room for this much more of it."""


def free_bytes(folder: Path) -> int | None:
    """What an ordinary user may still write there; ``None`` where that cannot be told."""
    try:
        found = os.statvfs(folder)
    except OSError:
        return None
    return found.f_bavail * found.f_frsize


class Reserve:
    """Holds some space of a disk until ``release``, in a file without a name, so that a kill leaves nothing behind."""

    def __init__(self, folder: Path) -> None:
        self._file: IO[bytes] | None = None
        # macOS has no posix_fallocate: it goes without a reserve.
        with suppress(OSError, AttributeError):
            self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - held until release
            os.posix_fallocate(self._file.fileno(), 0, RESERVE)

    def release(self) -> None:
        if self._file:
            self._file.close()
        self._file = None


def cut_to_whole_lines(path: Path) -> None:
    """Drop half a last line, as a full disk leaves it."""
    with suppress(OSError), path.open("rb+") as stream:
        end = stream.seek(0, os.SEEK_END)
        while end:
            begin = max(0, end - 65536)
            stream.seek(begin)
            newline = stream.read(end - begin).rfind(b"\n")
            if newline >= 0:
                stream.truncate(begin + newline + 1)
                return
            end = begin


def is_gone(path: Path, handle: int) -> bool:
    """Whether the file that is open as ``handle`` is no longer the one called ``path``."""
    try:
        return not os.path.samestat(path.stat(), os.fstat(handle))
    except OSError:
        return True


def rescue(handles: Mapping[Path, int]) -> Path:
    """Copy files that were deleted while open to where they were, else into a new folder; the folder.

    Where another file has taken a name, all of them go to a folder beside it. Raises OSError where none can be written.
    """
    folder = next(iter(handles)).parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        folder = Path(tempfile.mkdtemp(prefix="ucpmon-"))
    if any((folder / path.name).exists() and is_gone(folder / path.name, handle) for path, handle in handles.items()):
        folder = Path(tempfile.mkdtemp(prefix="ucpmon-", dir=folder))
    for path, handle in handles.items():
        target = folder / path.name
        if not target.exists():
            shutil.copyfile(f"/proc/self/fd/{handle}", target)
    return folder
