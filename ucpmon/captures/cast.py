"""asciicast v2 and v3: a header line, then a line an event (docs.asciinema.org/manual/asciicast).

v2 events carry seconds since the start, v3 the seconds since the event before. The codes: ``o`` output, ``m`` marker,
``r`` resize; the rest is of no use here. Our own ``b`` holds, in base64, the exact bytes of the ``o`` that follows it.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator
from typing import Any, TypeGuard

from ucpmon.captures.base import Opened, Options, interval_of
from ucpmon.captures.byte_source import Source, lines
from ucpmon.captures.timestamps import Clock, epoch_us, nanos, parse_iso
from ucpmon.errors import InputError
from ucpmon.records import CaptureInfo, Chunk

Header = dict[str, Any]
Event = tuple[int, str, str]

# Known codes that carry nothing for us: what was typed, and the exit status.
_IGNORED = frozenset("ix")


def read(source: Source, _options: Options) -> Opened:
    events = lines(source)
    header = parse_header(next(events)[1], source.name)
    notes: list[str] = []
    info, chunks = describe(header), _Player(source, header, notes).chunks(events)
    return Opened(info, chunks if info.clock else (chunk._replace(t_us=None) for chunk in chunks), notes)


def parse_header(line: bytes, name: str) -> Header:
    """The header of a v2 or v3 cast. Raises InputError where it is broken or of another version."""
    try:
        header = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name}: the header of this asciicast is broken", f"line 1 is no JSON: {error}") from error
    if header.get("version") not in (2, 3):
        raise InputError(f"{name} is an asciicast of version {header.get('version')}", "1, 2 and 3 can be read")
    return dict(header)


def describe(header: Header) -> CaptureInfo:
    """What a cast's header says; numbers that are none are left out."""
    term, ours = _object(header.get("term")), _object(header.get("ucpmon"))
    command = str(header.get("command") or "")
    interval = ours.get("interval_s")
    return CaptureInfo(
        f"asciicast-v{header.get('version')}",
        rows=_side(header.get("height", term.get("rows"))),
        cols=_side(header.get("width", term.get("cols"))),
        started_us=started_of(header),
        interval_us=round(interval * 1e6) if _is_number(interval) else interval_of(command),
        # A copy that ucpmon made of a capture without a clock has times for players only.
        clock=ours.get("clock") is not False,
        command=command,
        run=ours,
    )


def started_of(header: Header) -> int | None:
    """µs since 1970: our own exact ``started``, else the recorder's ``timestamp``."""
    try:
        return epoch_us(parse_iso(str(_object(header.get("ucpmon")).get("started"))))
    except (ValueError, OverflowError):
        stamp = header.get("timestamp")
        return round(stamp * 1e6) if _is_number(stamp) else None


class _Player:
    """The events of one file, in order, with the clock that they share."""

    def __init__(self, source: Source, header: Header, notes: list[str]) -> None:
        self._source = source
        self._notes = notes
        self._clock = Clock(notes)
        self._first = started_of(header)
        self._deltas = header["version"] == 3
        self._zero_us = 0
        self._sum_ns = 0
        self._exact: bytes | None = None
        self._strangers: set[str] = set()

    def chunks(self, events: Iterator[tuple[int, bytes, bool]]) -> Iterator[Chunk]:
        now = 0
        for offset, line, whole in events:
            if not line.strip() or line.startswith(b"#"):
                continue
            event = parse_event(line)
            if event is not None:
                now = self._time(event[0], offset)
                if event[1] == "o" and self._exact is None:
                    yield Chunk(now, as_bytes(event[2]))
                else:
                    yield from self._play(now, event, offset)
            elif (later := _header_in_passing(line)) is not None:
                yield self._restart(later)
            else:
                what = "what should be an event is none" if whole else "an event is cut off"
                self._source.lost(f"{what}: nothing was read from there on,", offset)
                break
        if self._exact is not None:
            yield Chunk(now, self._exact)

    def _time(self, ns: int, offset: int) -> int:
        self._sum_ns = self._sum_ns + ns if self._deltas else ns
        return self._clock.at(self._zero_us + (self._sum_ns + 500) // 1000, offset)

    def _play(self, now: int, event: Event, offset: int) -> Iterator[Chunk]:
        _, code, data = event
        exact, self._exact = self._exact, None
        if code == "o":
            # Only with exact bytes: other output is played in `chunks`, which must be quick.
            yield Chunk(now, exact or b"")
            return
        if exact is not None:
            yield Chunk(now, exact)
        if code == "b":
            self._exact = self._decode(data, offset)
        elif code == "m":
            yield Chunk(now, b"", mark=data or "marker")
        elif code == "r" and (size := re.fullmatch(r"(\d{1,4})x(\d{1,4})", data)):
            yield Chunk(now, b"", size=(int(size[2]), int(size[1])))
        elif code not in _IGNORED:
            self._stranger(code, offset)

    def _decode(self, data: str, offset: int) -> bytes | None:
        try:
            return base64.b64decode(data, validate=True)
        except (binascii.Error, ValueError):
            # The text of the next event stands in: it lacks only what is no UTF-8.
            self._source.lost("the exact bytes of an event are broken: its text was used,", offset, ends=False)
            return None

    def _restart(self, later: Header) -> Chunk:
        """Casts that were put one after the other: the next one's clock begins anew."""
        begins, info = started_of(later), describe(later)
        known = begins is not None and self._first is not None
        self._zero_us = self._clock.restart(begins - self._first if known else 0)  # type: ignore[operator]
        self._deltas, self._sum_ns = later["version"] == 3, 0
        return Chunk(self._zero_us, b"", size=(info.rows, info.cols) if info.rows and info.cols else None)

    def _stranger(self, code: str, offset: int) -> None:
        if code not in self._strangers and len(self._strangers) < 4:
            self._notes.append(
                f"events of code {code[:8]!r}, the first at byte {offset}, are not known and were left out"
            )
        self._strangers.add(code[:8])


def parse_event(line: bytes) -> Event | None:
    """``(nanoseconds, code, data)`` of an event's line, ``None`` where it is none."""
    try:
        event = _decode(line.decode())
    except (ValueError, RecursionError, ArithmeticError):
        return None
    if not (isinstance(event, list) and len(event) >= 3):
        return None
    time, code, data = event[:3]
    if isinstance(time, bool) or not (isinstance(time, int) and isinstance(code, str) and isinstance(data, str)):
        return None
    return time, code, data


def as_bytes(text: str) -> bytes:
    """The bytes of an event's text; an unpaired surrogate, which JSON can hold, becomes what is no UTF-8."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def _no_number(name: str) -> int:
    raise ValueError(f"{name} is no time")


# Made once: making it for each line took half of the time.
_decode = json.JSONDecoder(parse_float=nanos, parse_int=nanos, parse_constant=_no_number).decode


def _header_in_passing(line: bytes) -> Header | None:
    if not line.startswith(b"{"):
        return None
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return dict(found) if isinstance(found, dict) and found.get("version") in (2, 3) else None


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 1e11


def _side(value: Any) -> int | None:
    return value if isinstance(value, int) and 0 < value < 10_000 else None
