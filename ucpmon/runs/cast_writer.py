"""The raw stream as an asciicast v2 file: what players show, and every byte beside it."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, cast

from ucpmon.records import Chunk
from ucpmon.runs.files import iso


class CastWriter:
    """Writes a cast event by event; ``flush`` puts what was written on disk.

    Players skip event codes that they do not know: where a chunk is no UTF-8, an event ``b`` before it holds its exact
    bytes in base64. The header's ``ucpmon`` object holds the start with its microseconds, and ``run``.
    """

    def __init__(
        self,
        path: Path,
        rows: int,
        cols: int,
        started_us: int | None,
        run: Mapping[str, Any] | None = None,
        command: str = "",
        compress: bool = False,
    ) -> None:
        self.path = path
        self._file = _open(path, compress)
        self.bytes = 0
        header: dict[str, Any] = {"version": 2, "width": cols, "height": rows}
        own = dict(run or {})
        if started_us is not None:
            header["timestamp"] = started_us // 1_000_000
            own["started"] = iso(started_us)
        if command:
            header["command"] = command
        self._line(header | {"ucpmon": own})
        self.flush()

    def write(self, chunk: Chunk) -> None:
        """One chunk, with its mark and its resize; a tick without either leaves no trace."""
        seconds = (chunk.t_us or 0) / 1_000_000
        if chunk.size:
            self._line([seconds, "r", f"{chunk.size[1]}x{chunk.size[0]}"])
        if chunk.mark:
            self._line([seconds, "m", chunk.mark])
        if chunk.data:
            text = chunk.data.decode("utf-8", "replace")
            if text.encode("utf-8") != chunk.data:
                self._line([seconds, "b", base64.b64encode(chunk.data).decode("ascii")])
            self._line([seconds, "o", text])

    def fileno(self) -> int:
        return self._file.fileno()

    def flush(self) -> None:
        self._file.flush()

    def close(self) -> None:
        self._file.close()

    def _line(self, value: Any) -> None:
        line = json.dumps(value, ensure_ascii=False, separators=(", ", ": ")).encode("utf-8", "surrogatepass")
        self._file.write(line + b"\n")
        self.bytes += len(line) + 1


def _open(path: Path, compress: bool) -> IO[bytes]:
    if compress:
        return cast(IO[bytes], gzip.GzipFile(path, "wb", compresslevel=6))
    return path.open("wb")
