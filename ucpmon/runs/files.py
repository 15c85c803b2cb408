"""The names of a run's files, and how each is replaced whole or not at all."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from ucpmon.errors import InputError, UsageError
from ucpmon.runs.shape import misshapen

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


_ENDINGS = (
    ".procs.csv", ".heaps.csv", ".heaps.txt.gz", ".marks.csv", ".workload.log", ".cast.gz", ".cast", ".json", ".csv",
)  # fmt: skip


@dataclass(frozen=True)
class RunFiles:
    """A run is a stem: ``run.csv`` and, beside it, what else the run has."""

    csv: Path

    @classmethod
    def of(cls, path: Path) -> RunFiles:
        """The run that ``path`` belongs to: any of its files, or the name of its CSV."""
        name = path.name
        for ending in _ENDINGS:
            if name.endswith(ending) and name != ending:
                return cls(path.with_name(name.removesuffix(ending) + ".csv"))
        return cls(path)

    def _beside(self, ending: str) -> Path:
        name = self.csv.name.removesuffix(".csv")
        return self.csv.with_name(name + ending)

    @property
    def procs(self) -> Path:
        return self._beside(".procs.csv")

    @property
    def heaps(self) -> Path:
        return self._beside(".heaps.csv")

    @property
    def heaps_text(self) -> Path:
        """What run.heaps.csv was read from."""
        return self._beside(".heaps.txt.gz")

    @property
    def workload(self) -> Path:
        """What a workload printed."""
        return self._beside(".workload.log")

    @property
    def marks(self) -> Path:
        return self._beside(".marks.csv")

    @property
    def cast(self) -> Path:
        return self._beside(".cast")

    @property
    def json(self) -> Path:
        return self._beside(".json")

    def existing(self) -> list[Path]:
        """Those of a run's files that are there."""
        return [path for path in map(self._beside, _ENDINGS) if path.exists()]

    def tables(self) -> list[Path]:
        """Those of them that are there and that a replay writes, or removes because they are another run's."""
        return [path for path in (self.csv, self.procs, self.marks, self.heaps, self.json) if path.exists()]


def replace_file(path: Path, text: str) -> None:
    """Write ``path`` through a temporary file and a rename: a reader sees the old or the new, never half."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as out:
            out.write(text)
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_json(path: Path, info: Mapping[str, Any]) -> None:
    replace_file(path, json.dumps(info, ensure_ascii=False, indent=1) + "\n")


def read_json(path: Path) -> dict[str, Any]:
    """run.json; empty where there is none. Raises InputError where it is no JSON object, or not of a run's shape."""
    try:
        info = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}", "name a file that can be read") from error
    except ValueError as error:
        raise InputError(f"{path} is not a run's JSON", str(error)) from error
    if not isinstance(info, dict):
        raise InputError(f"{path} is not a run's JSON", "it holds no object")
    if problem := misshapen(info):
        raise InputError(f"{path} is not a run's JSON", problem)
    return info


def iso(us: int) -> str:
    """A wall-clock time as a run writes it: UTC, six decimals, ``Z``."""
    return (_EPOCH + timedelta(microseconds=us)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def from_iso(text: str) -> int:
    """Microseconds since 1970 of a time as a run writes it. Raises ValueError."""
    when = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return (when - _EPOCH) // timedelta(microseconds=1)
