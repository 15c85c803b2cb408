"""The timing of ``script``, classic (``delay bytes``) or advanced (``O delay bytes``, ``H …``, ``S …``)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from ucpmon.captures.byte_source import Source, lines
from ucpmon.captures.timestamps import nanos
from ucpmon.errors import InputError

_DELAY = rb"(\d{1,12}(?:\.\d{1,9})?)"
_DATA = re.compile(rb"(?:([IO]) )?" + _DELAY + rb" (\d{1,12})")
_SIGNAL = re.compile(rb"S " + _DELAY + rb" \S+(?: ROWS=(\d{1,4}) COLS=(\d{1,4}))?.*")
_HEADER = re.compile(rb"H " + _DELAY + rb" ([A-Z_]+)(?: (.*))?")
_ENDINGS = (".timing", ".tm", ".time")
_PACKING = (".gz", ".xz", ".zst")


class Entry(NamedTuple):
    """A step of the recording: so many bytes of the typescript, ``delay_ns`` after the step before.

    ``output`` is false for bytes that were typed. ``resize`` is (rows, columns). ``begins`` opens a session.
    """

    delay_ns: int
    size: int = 0
    output: bool = True
    resize: tuple[int, int] | None = None
    begins: bool = False


def looks_like_timing(head: bytes) -> bool:
    """These first bytes are a timing file's: a damaged line or two do not matter."""
    whole = head.split(b"\n")[:-1][:200]
    return bool(whole) and sum(_match(line) is not None for line in whole) >= 0.6 * len(whole)


def find_timing(typescript: Path | None, asked: Path | None) -> Path | None:
    """The timing file of a typescript: the one asked for, else one beside it by its name.

    Raises InputError where the one asked for is no timing file, UsageError where it cannot be read.
    """
    if asked is not None:
        if not _is_timing(asked):
            raise InputError(f"{asked} is not a timing file of script", "name the one made with script --timing")
        return asked
    return next((path for path in _beside(typescript) if _is_timing(path)), None)


def no_timing(typescript: Path | None) -> Path | None:
    """A file that has the name of a typescript's timing file, but is none."""
    return next((path for path in _beside(typescript) if not _is_timing(path)), None)


def _beside(typescript: Path | None) -> Iterator[Path]:
    if typescript is None:
        return
    name = typescript.with_suffix("") if typescript.suffix in _PACKING else typescript
    for stem in (str(name), str(name.with_suffix(""))):
        for ending in _ENDINGS:
            paths = [Path(stem + ending + packing) for packing in ("", *_PACKING)]
            yield from (path for path in paths if path.is_file() and path != typescript)


def _is_timing(path: Path) -> bool:
    with closing(Source(path)) as source:
        return looks_like_timing(source.peek(4096))


def entries(path: Path, damage: list[str]) -> Iterator[Entry]:
    """The steps of a timing file, front to back; they end where a line is no entry, which is noted in ``damage``."""
    logs: dict[bytes, bytes] = {}
    with closing(Source(path)) as source:
        for offset, line, whole in lines(source):
            found = _match(line)
            # Half a number reads like a whole one: a line without its newline is not an entry.
            if not whole or found is None:
                damage.append(f"{path}: the line at byte {offset} is {'cut off' if not whole else 'no timing'}")
                break
            if found.re is _HEADER:
                logs[found[2]] = found[3] or b""
                if found[2] == b"START_TIME":
                    yield Entry(0, begins=True)
            else:
                yield _entry(found, logs)
        damage.extend(f"{path}: {text}" for text in source.damage)


def _match(line: bytes) -> re.Match[bytes] | None:
    line = line.removesuffix(b"\r")
    return _DATA.fullmatch(line) or _HEADER.fullmatch(line) or _SIGNAL.fullmatch(line)


def _entry(found: re.Match[bytes], logs: dict[bytes, bytes]) -> Entry:
    if found.re is _SIGNAL:
        size = (int(found[2]), int(found[3])) if found[2] else None
        return Entry(nanos(found[1].decode()), resize=size)
    delay, size_in_file = nanos(found[2].decode()), int(found[3])
    if found[1] != b"I":
        return Entry(delay, size_in_file)
    # What was typed lies in the typescript only where both streams were logged to it.
    both = logs.get(b"INPUT_LOG") == logs.get(b"OUTPUT_LOG")
    return Entry(delay, size_in_file if both else 0, output=False)
