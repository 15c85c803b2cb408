"""A bar on stderr for work that takes its time; nothing where stderr is no terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_AFTER_S = 1.0


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int | None, int], None] | None]:
    """Gives a callback of (bytes done, bytes in all, screens); the bar appears when the work has taken a second."""
    if not sys.stderr.isatty():
        yield None
        return
    bar = _Bar(what)
    try:
        yield bar.update
    finally:
        bar.close()


class _Bar:
    def __init__(self, what: str) -> None:
        self._what = what
        self._since = time.monotonic()
        self._bar: object = None

    def update(self, done: int, total: int | None, screens: int) -> None:
        if time.monotonic() - self._since < _AFTER_S:
            return
        if self._bar is None:
            self._start(total)
        self._progress.update(self._task, completed=done, screens=screens)

    def _start(self, total: int | None) -> None:
        # rich's live display costs 60 ms to import: only who sees it pays.
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

        self._progress = self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            DownloadColumn(binary_units=True),
            TextColumn("{task.fields[screens]} screens"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._progress.add_task(self._what, total=total, screens=0)
        self._progress.start()

    def close(self) -> None:
        if self._bar is not None:
            self._progress.stop()
