"""The forms of time stamp that ``ts`` (and people's own loops) put before each line.

======== ============================================ =================================
wall     ``2026-12-01T04:27:48.000120+08:00``         a zone, a fraction, brackets: optional
syslog   ``Dec 01 04:27:48``, ``12月 01 04:27:48.5``  no year: the latest that is not in the future
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

from ucpmon.captures.clock import epoch_us, micros, parse_iso

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


_FORMS = (
    Form(
        "wall", re.compile(rb"\[?(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)\]? "), False
    ),
    Form(
        "syslog",
        re.compile(rb"\[?((?:[A-Z][a-z]{2}|\d{1,2}\xe6\x9c\x88) [ \d]\d \d\d:\d\d:\d\d(?:\.\d{1,9})?)\]? "),
        False,
    ),
    Form("epoch", re.compile(rb"\[?(\d{9,10}(?:\.\d{1,9})?)\]? "), False),
    Form("daytime", re.compile(rb"\[?(\d\d:\d\d:\d\d(?:\.\d{1,9})?)\]? "), True),
    Form("seconds", re.compile(rb"\[?(\d{1,8}\.\d{1,9})\]? "), True),
)


def form_of(head: bytes) -> Form | None:
    """The form that the first lines consistently carry, ``None`` where they do not.

    Cursor-addressed output has no newlines: there one stamp, right before the first escape, is all there is.
    """
    whole = head.split(b"\n")
    first, whole = whole[0], whole[:-1]
    form = next((f for f in _FORMS if f.stamp.match(first)), None)
    if form is None:
        return None
    if len(whole) < FEWEST_LINES:
        after = form.stamp.match(first)
        return form if after and first[after.end() : after.end() + 1] == b"\x1b" else None
    stamped = sum(form.stamp.match(line) is not None for line in whole)
    # A flipped byte may spoil one; log lines at the top of an unstamped file are a small part of its head.
    return form if stamped >= 0.9 * len(whole) else None


def are_steps(values: list[int]) -> bool:
    """Whether relative stamps count from the line before (``ts -i``): most are far smaller than the largest.

    A fall of a day is midnight.
    """
    falls = any(0 < a - b < DAY_US // 2 for a, b in pairwise(values))
    return falls and sorted(values)[len(values) // 2] * 4 <= max(values)


def relative_us(stamp: bytes) -> int:
    """µs of a ``daytime`` or ``seconds`` stamp."""
    text = stamp.decode()
    if ":" not in text:
        return micros(text)
    hours, minutes, seconds = text.split(":")
    return int(hours) * _HOUR_US + int(minutes) * 60_000_000 + micros(seconds)


class WallClock:
    """Absolute stamps → µs since 1970, in stream order: ``year``-less ones, and hours that a clock shows twice."""

    def __init__(self, form: Form, zone: tzinfo | None, newest_us: int) -> None:
        self._parse: Callable[[bytes], datetime] = parse_wall if form.name == "wall" else self._syslog
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


def parse_wall(stamp: bytes) -> datetime:
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
