"""Exact memory beside a recording: the ION debug files, read again and again over the same link."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Callable
from contextlib import suppress

from ucpmon.heaps import HeapRow, parse_heaps, rows
from ucpmon.heaps.live import PRINT_ALL
from ucpmon.monitor.link import Link
from ucpmon.monitor.session import Session
from ucpmon.runs import RunFiles
from ucpmon.runs.files import iso
from ucpmon.runs.schema import HEAPS, names

_BEGIN, _END = b"@@heaps", b"@@end"
_SCRIPT = f"""\
stty -opost 2>/dev/null
cd "$1" 2>/dev/null || {{ echo "$1 cannot be entered"; exit 1; }}
while :; do
  echo @@heaps
  {PRINT_ALL}
  echo @@end
  sleep "$2"
done 2>&1
"""
_MOST_PENDING = 1 << 24
_RETRY_US = 5_000_000


class ExactMemory:
    """Writes run.heaps.csv, and the raw text compressed beside it. What cannot be read is said once, by ``warn``."""

    def __init__(
        self,
        link: Link,
        files: RunFiles,
        started_us: int,
        interval_us: int,
        warn: Callable[[str], None],
        folder: str,
    ) -> None:
        self._started_us = started_us
        self._warn = warn
        self._pending = b""
        self._read = 0
        self._given_up = False
        self._retry_us = 0
        self._paths = (files.heaps, files.heaps_text)
        self._table = files.heaps.open("w", encoding="utf-8", errors="surrogateescape", newline="")
        self._csv = csv.writer(self._table, lineterminator="\n")
        self._csv.writerow(names(HEAPS))
        self._table.flush()
        self._raw = gzip.GzipFile(files.heaps_text, "wb", compresslevel=6)
        # One login and one shell for the whole recording: another a second would be felt on the board.
        self._command = link.on_terminal(["sh", "-c", _SCRIPT, "ucpmon", folder, f"{interval_us / 1e6:g}"])
        self.session = self._start()

    def take(self, t_us: int, data: bytes) -> None:
        """Read the dumps that ``data`` completes."""
        self._pending = (self._pending + data)[-_MOST_PENDING:]
        while (end := self._pending.find(_END)) >= 0:
            begin = self._pending.find(_BEGIN)
            text, self._pending = self._pending[begin + len(_BEGIN) : end], self._pending[end + len(_END) :]
            self._take_dump(t_us, text.lstrip(b"\r\n"))

    def look(self, now_us: int) -> None:
        """Say, once, that nothing can be read; go on after a link that was lost."""
        if not self.session.ended or self._given_up:
            return
        if not self._read:
            self._give_up(_why_nothing(self._pending))
        elif now_us >= self._retry_us:
            self._retry_us = now_us + _RETRY_US
            self.session.close()
            self.session = self._start()

    def close(self) -> None:
        """End the reading; where nothing could be read, no files are left that say so little."""
        self.session.close()
        for stream in (self._table, self._raw):
            with suppress(OSError):
                stream.close()
        if not self._read:
            for path in self._paths:
                path.unlink(missing_ok=True)

    def _start(self) -> Session:
        self._pending = b""
        return Session(self._command, 50, 500, quit_key="")

    def _take_dump(self, t_us: int, text: bytes) -> None:
        found = list(rows(parse_heaps(text.decode("utf-8", "surrogateescape"))))
        try:
            if found:
                self._write(t_us, text, found)
            elif not self._read:
                self._give_up(_why_nothing(text))
        except OSError as error:
            self._give_up(f"{self._paths[0].name} cannot be written: {error.strerror}")

    def _write(self, t_us: int, text: bytes, found: list[HeapRow]) -> None:
        time, elapsed = iso(self._started_us + t_us), f"{t_us / 1e6:.6f}"
        self._csv.writerows((time, elapsed, *(("" if cell is None else cell) for cell in row)) for row in found)
        self._table.flush()
        self._raw.write(f"# {time}\n".encode() + text)
        self._raw.flush(zlib.Z_SYNC_FLUSH)
        self._read += 1

    def _give_up(self, why: str) -> None:
        if not self._given_up:
            self._given_up = True
            self._warn(f"--heaps: {why}. The recording goes on")
            self.session.close()


def _why_nothing(text: bytes) -> str:
    """The first words of what was printed instead of heaps, and what they need."""
    lines = (line.strip() for line in text.decode("utf-8", "replace").splitlines())
    first = next((line for line in lines if line), "nothing is there")
    return f"{first[:200]}; the ION debug files need root and a mounted debugfs"
