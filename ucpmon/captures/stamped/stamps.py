"""The forms of time stamp that ``ts`` (and people's own loops) put before each line.

======== ============================================ =================================
wall     ``2026-12-01T04:27:48.000120+08:00``         a zone, a fraction, brackets: optional
syslog   ``Dec 01 04:27:48``, ``12月 01 04:27:48.5``  no year: the latest that is not in the future
ctime    ``Tue Dec  1 04:27:48 2026``
epoch    ``1796098072.133353``                        seconds since 1970
daytime  ``00:00:01.068602``                          since the start (-s) or the line before (-i); or of the day
seconds  ``0.000028``                                 the same in seconds
======== ============================================ =================================
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import datetime, timedelta, tzinfo
from itertools import pairwise
from typing import NamedTuple

from ucpmon.captures.timestamps import epoch_us, micros, parse_iso

# With fewer newlines in its head a stream is one that addresses the cursor.
FEWEST_LINES = 2
DAY_US = 86_400_000_000
_HOUR_US = 3_600_000_000
_MONTHS = {
    m: n
    for n, m in enumerate(
        (b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec"), 1
    )
}


class Form(NamedTuple):
    """``stamp`` matches a stamp and the one space behind it; group 1 is the stamp without brackets."""

    name: str
    stamp: re.Pattern[bytes]
    relative: bool


# journalctl and syslog add the host and the program: `s100 hrt_ucp_monitor[123]: `.
_UNIT = rb"(?:[\w.-]+ [\w./-]+(?:\[\d+\])?: )?"
_CLOCK = rb"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
_FORMS = (
    Form("wall", re.compile(rb"\[?(\d{4}-\d\d-\d\d[T ]" + _CLOCK + rb"(?:Z|[+-]\d\d:?\d\d)?)\]? " + _UNIT), False),
    Form(
        "syslog", re.compile(rb"\[?((?:[A-Z][a-z]{2}|\d{1,2}\xe6\x9c\x88) [ \d]\d " + _CLOCK + rb")\]? " + _UNIT), False
    ),
    Form("ctime", re.compile(rb"\[?([A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4})\]? "), False),
    Form("epoch", re.compile(rb"\[?(\d{9,10}(?:\.\d{1,9})?)\]? "), False),
    Form("daytime", re.compile(rb"\[?(" + _CLOCK + rb")\]? "), True),
    Form("seconds", re.compile(rb"\[?(\d{1,8}\.\d{1,9})\]? "), True),
    # Whole seconds look like any number: what follows must look like a table or a log line, or be nothing.
    Form("seconds", re.compile(rb"(\d{1,8}) (?=[|+=\[\x1b\xe2-]|\r?$)"), True),
)
_FIRST_LINES = 50


def form_of(head: bytes) -> Form | None:
    """The form that the first lines consistently carry, ``None`` where they do not.

    Cursor-addressed output has no newlines: there one stamp, right before the first escape, is all there is.
    """
    whole = head.split(b"\n")
    first, whole = whole[0], whole[:-1]
    if len(whole) < FEWEST_LINES:
        alone = [(f, found) for f in _FORMS if (found := f.stamp.match(first))]
        return next((f for f, found in alone if first[found.end() : found.end() + 1] == b"\x1b"), None)
    form = max(_FORMS, key=lambda f: _stamped(f, whole[:_FIRST_LINES]))
    # A flipped byte may spoil one; log lines at the top of an unstamped file are a small part of its head.
    return form if _stamped(form, whole) >= 0.9 * len(whole) else None


def _stamped(form: Form, lines: list[bytes]) -> int:
    return sum(form.stamp.match(line) is not None for line in lines)


def are_steps(values: list[int]) -> bool:
    """Whether relative stamps count from the line before (``ts -i``): most are far smaller than the largest.

    A fall of a day is midnight.
    """
    falls = any(0 < a - b < DAY_US // 2 for a, b in pairwise(values))
    return falls and sorted(values)[len(values) // 2] * 4 <= max(values)


def relative_us(stamp: bytes) -> int:
    """µs of a ``daytime`` or ``seconds`` stamp."""
    text = stamp.decode().replace(",", ".")
    if ":" not in text:
        return micros(text)
    hours, minutes, seconds = text.split(":")
    return int(hours) * _HOUR_US + int(minutes) * 60_000_000 + micros(seconds)


class WallClock:
    """Absolute stamps → µs since 1970, in stream order: ``year``-less ones, and hours that a clock shows twice."""

    def __init__(self, form: Form, zone: tzinfo | None, newest_us: int) -> None:
        by_form: dict[str, Callable[[bytes], datetime]] = {"wall": _parse_wall, "ctime": _parse_ctime}
        self._parse = by_form.get(form.name, self._syslog)
        self._zone = zone
        self._newest = datetime.fromtimestamp(newest_us // 1_000_000, tz=zone).replace(tzinfo=None)
        self._year: int | None = None
        self._month = 0
        self._last_us: int | None = None
        # Most stamps share their second with the one before: only the fraction is new.
        self._second, self._second_us = b"", 0

    def at(self, stamp: bytes) -> int:
        """ValueError where it only looks like a stamp."""
        second, dot, fraction = stamp.partition(b".")
        if dot and fraction.isdigit() and second == self._second:
            now = self._second_us + int(fraction[:6].ljust(6, b"0"))
        else:
            moment = self._parse(stamp)
            now = self._resolve(moment)
            self._second, self._second_us = (second, now - moment.microsecond) if fraction.isdigit() else (b"", 0)
        self._last_us = now
        return now

    def _resolve(self, moment: datetime) -> int:
        now = epoch_us(moment, self._zone)
        if moment.tzinfo is None and self._last_us is not None and now < self._last_us - _HOUR_US // 2:
            # At the end of summer time an hour comes twice; its second pass is an hour later than it looks.
            again = epoch_us(moment.replace(fold=1), self._zone)
            if now < again and self._last_us - 1_000_000 <= again:
                return again
        return now

    def _syslog(self, stamp: bytes) -> datetime:
        month_text, day, clock = stamp.replace(b"\xe6\x9c\x88", b"").split()
        month = _MONTHS.get(month_text) or int(month_text)
        if self._year is None:
            self._year = self._latest_year(month, int(day))
        elif month < self._month - 6:
            self._year += 1
        self._month = month
        return datetime.fromisoformat(f"{self._year}-{month:02d}-{int(day):02d}") + timedelta(
            microseconds=relative_us(clock)
        )

    def _latest_year(self, month: int, day: int) -> int:
        """The latest year in which this day is not after the file's own date (a day's grace for zones)."""
        limit = self._newest + timedelta(days=1)
        # Nine years hold a 29 February, whatever century they are in.
        for year in range(limit.year, limit.year - 9, -1):
            if day <= monthrange(year, month)[1] and datetime(year, month, day) <= limit:  # noqa: DTZ001 (local, as limit)
                return year
        raise ValueError(f"there is no day {day} in month {month}")


class EpochClock:
    """Seconds since 1970 → µs."""

    def at(self, stamp: bytes) -> int:
        seconds, _, fraction = stamp.partition(b".")
        return int(seconds) * 1_000_000 + int(fraction[:6].ljust(6, b"0"))


def _parse_ctime(stamp: bytes) -> datetime:
    _, month, day, clock, year = stamp.split()
    if month not in _MONTHS:
        raise ValueError(f"{month!r} is no month")
    return datetime.fromisoformat(f"{int(year):04d}-{_MONTHS[month]:02d}-{int(day):02d}T{clock.decode()}")


def _parse_wall(stamp: bytes) -> datetime:
    return parse_iso(stamp.decode())


class RelativeClock:
    """Relative stamps → µs since the first line's zero: sums of steps, or times that wrap at midnight."""

    def __init__(self, steps: bool) -> None:
        self._steps = steps
        self._days = self._last = self._sum = 0

    def at(self, stamp: bytes) -> int:
        value = relative_us(stamp)
        if self._steps:
            self._sum += value
            return self._sum
        if b":" in stamp and value < self._last - DAY_US // 2:
            self._days += 1
        self._last = value
        return value + self._days * DAY_US
