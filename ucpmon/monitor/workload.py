"""A program that runs beside the monitor: its output kept and shown, its lines made into marks, its exit status."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from ucpmon.errors import UsageError
from ucpmon.monitor.link import Link
from ucpmon.monitor.session import Session
from ucpmon.text import without_escapes

_ROWS, _COLS = 50, 200
_LONGEST_LINE = 65536
_MOST_LABEL = 200


def compile_patterns(texts: Sequence[str]) -> list[re.Pattern[str]]:
    """The patterns of --mark-regex. Raises UsageError for one that is none."""
    try:
        return [re.compile(text) for text in texts]
    except re.error as error:
        raise UsageError(f"--mark-regex {error.pattern!r} is no regular expression", str(error)) from error


class Workload:
    """One program on a terminal of its own, so that it prints lines when they happen and dies when we do.

    ``log`` receives what it prints, with plain line ends; so does ``show``. A line that one of ``patterns`` is found in
    becomes a label: the pattern's first group if it has one, else the line. ``trouble`` is why the log could not be
    written, if so. Raises StartError from ``start``.
    """

    def __init__(
        self,
        link: Link,
        argv: Sequence[str],
        log: Path,
        patterns: Sequence[re.Pattern[str]] = (),
        show: Callable[[bytes], None] = lambda data: None,
    ) -> None:
        self.argv = list(argv)
        self.session: Session | None = None
        self.status: int | None = None
        self._link, self._log_path, self._patterns, self._show = link, log, patterns, show
        self._line = b""
        self._log: IO[bytes] | None = None
        self.trouble = ""

    @property
    def running(self) -> bool:
        return self.session is not None and not self.session.ended

    @property
    def exit_code(self) -> int:
        """Its exit status as a shell has it: 128 + N for a death by signal N."""
        status = 1 if self.status is None else self.status
        return 128 - status if status < 0 else status

    def start(self) -> None:
        try:
            self._log = self._log_path.open("wb")
        except OSError as error:
            self._lose_log(error)
        self.session = Session(self._link.on_terminal(self.argv), _ROWS, _COLS, quit_key="")

    def take(self, data: bytes) -> list[str]:
        """Keep and show what it printed; the labels of the lines that it completes."""
        plain = data.replace(b"\r\n", b"\n")
        try:
            if self._log:
                self._log.write(plain)
                self._log.flush()
        except OSError as error:
            self._lose_log(error)
        self._show(plain)
        *lines, self._line = (self._line + plain).split(b"\n")
        self._line = self._line[-_LONGEST_LINE:]
        return [label for line in lines if (label := self._label(line))]

    def close(self) -> None:
        """End it, and know its exit status."""
        if self.session:
            self.status = self.session.close()
        if self._log:
            self._log.close()

    def _lose_log(self, error: OSError) -> None:
        """The log cannot be written: the workload goes on without."""
        self.trouble = f"{self._log_path.name} cannot be written: {error.strerror}"
        if self._log:
            with suppress(OSError):
                self._log.close()
        self._log = None

    def _label(self, line: bytes) -> str:
        text = without_escapes(line.decode("utf-8", "replace")).expandtabs(1).strip()
        for pattern in self._patterns:
            if found := pattern.search(text):
                group = found[1] if pattern.groups and found[1] else text
                return group.strip()[:_MOST_LABEL]
        return ""
