"""Exact memory beside a recording: the ION debug files, read again and again over the same link."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Callable

from ucpmon.driver import Session
from ucpmon.heaps import parse_heaps, rows
from ucpmon.recording import RunFiles
from ucpmon.recording.files import iso
from ucpmon.schema import HEAPS, names
from ucpmon.transport import Link

ION = "/sys/kernel/debug/ion/heaps"
_BEGIN, _END = b"@@heaps", b"@@end"
_SCRIPT = """\
stty -opost 2>/dev/null
cd "$1" 2>/dev/null || { echo "$1 cannot be entered"; exit 1; }
while :; do
  echo @@heaps
  if [ -e all_heap_info ]; then cat all_heap_info; else for f in *; do echo "# cat heaps/$f"; cat "./$f"; done; fi
  echo @@end
  sleep "$2"
done 2>&1
"""
_MOST_PENDING = 1 << 24


class ExactMemory:
    """Writes run.heaps.csv, and the raw text compressed beside it. What cannot be read is said once, by ``warn``."""

    def __init__(
        self,
        link: Link,
        files: RunFiles,
        started_us: int,
        interval_us: int,
        warn: Callable[[str], None],
        folder: str = ION,
    ) -> None:
        self._started_us = started_us
        self._warn = warn
        self._pending = b""
        self._seen = 0
        self._table = files.heaps.open("w", encoding="utf-8", errors="surrogateescape", newline="")
        self._csv = csv.writer(self._table, lineterminator="\n")
        self._csv.writerow(names(HEAPS))
        self._table.flush()
        self._raw = gzip.GzipFile(files.heaps_text, "wb", compresslevel=6)
        # One login and one shell for the whole recording: another a second would be felt on the board.
        argv = ["sh", "-c", _SCRIPT, "ucpmon", folder, f"{interval_us / 1e6:g}"]
        self.session = Session(link.on_terminal(argv), 50, 500, quit_key="")

    def take(self, t_us: int, data: bytes) -> None:
        """Read the dumps that ``data`` completes."""
        self._pending = (self._pending + data)[-_MOST_PENDING:]
        while (end := self._pending.find(_END)) >= 0:
            begin = self._pending.find(_BEGIN)
            text, self._pending = self._pending[begin + len(_BEGIN) : end], self._pending[end + len(_END) :]
            self._write(t_us, text.lstrip(b"\r\n"))

    def look(self) -> None:
        """Say, once, that nothing can be read."""
        if self.session.ended and not self._seen:
            self._give_up(self._pending)

    def close(self) -> None:
        self.session.close()
        self._table.close()
        self._raw.close()

    def _write(self, t_us: int, text: bytes) -> None:
        found = list(rows(parse_heaps(text.decode("utf-8", "surrogateescape"))))
        if not found:
            if not self._seen:
                self._give_up(text)
            return
        time, elapsed = iso(self._started_us + t_us), f"{t_us / 1e6:.6f}"
        self._csv.writerows((time, elapsed, *(("" if cell is None else cell) for cell in row)) for row in found)
        self._table.flush()
        self._raw.write(f"# {time}\n".encode() + text)
        self._raw.flush(zlib.Z_SYNC_FLUSH)
        self._seen += 1

    def _give_up(self, text: bytes) -> None:
        said = next((line.strip() for line in text.decode("utf-8", "replace").splitlines() if line.strip()), "no heap")
        self._warn(f"--heaps: {said[:200]}; the ION debug files need root and a mounted debugfs. The recording goes on")
        self._seen = -1
        self.session.close()
