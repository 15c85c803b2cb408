"""Times in captures: decimal text and wall clocks → whole microseconds, never decreasing."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone, tzinfo
from decimal import Decimal

from ucpmon.errors import UsageError

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_US = timedelta(microseconds=1)
# A few lines out of order are not a new clock: only a larger step is taken for the clock being set.
_JITTER_US = 1_000_000
_MOST_S = 10**12
_PLAIN = re.compile(r"\d{1,12}(?:\.\d{0,9})?")


def nanos(text: str) -> int:
    """Nanoseconds of decimal seconds, exactly: ``0.1`` is no binary fraction. ValueError where it is no number."""
    if not _PLAIN.fullmatch(text):
        value = Decimal(text) if len(text) < 40 else Decimal("NaN")
        if not abs(value) < _MOST_S:
            raise ValueError(f"{text} is no time")
        return int(value.scaleb(9).to_integral_value())
    whole, _, fraction = text.partition(".")
    return int(whole) * 1_000_000_000 + int(fraction.ljust(9, "0") or 0)


def micros(text: str) -> int:
    """Microseconds of decimal seconds, rounded half up."""
    return (nanos(text) + 500) // 1000


class Clock:
    """A clock that never goes back. Where the source's does, time stands for that moment and goes on from there."""

    def __init__(self, notes: list[str]) -> None:
        self._notes = notes
        self._last = 0
        self._shift = 0
        self._said = 0

    def at(self, t_us: int, offset: int) -> int:
        """The time of what stands at ``offset``, a place in the file for the report of a step back."""
        now = t_us + self._shift
        if now >= self._last:
            self._last = now
            return now
        self._report(self._last - now, offset)
        if self._last - now > _JITTER_US:
            self._shift += self._last - now
        return self._last

    def restart(self, at_us: int) -> int:
        """A new session begins at ``at_us``, or now where that is past: its zero."""
        self._shift = 0
        self._last = max(self._last, at_us)
        return self._last

    def _report(self, step_us: int, offset: int) -> None:
        self._said += 1
        if self._said <= 3:
            back = f"the clock steps back by {step_us / 1e6:g} s at byte {offset}"
            self._notes.append(f"{back}; the order of the stream is kept")
        elif self._said == 4:
            self._notes.append("the clock steps back more often; only the first three times are listed")


def zone_of(name: str | None) -> tzinfo | None:
    """A time zone by name (``Asia/Shanghai``, ``UTC``, ``+08:00``); ``None``, this machine's, for ``None``.

    Raises UsageError for a name that is none.
    """
    if name is None:
        return None
    offset = re.fullmatch(r"(?:UTC|GMT)?([+-])(\d{1,2}):?(\d\d)?", name)
    if offset:
        delta = timedelta(hours=int(offset[2]), minutes=int(offset[3] or 0))
        if delta < timedelta(hours=24):
            return timezone(-delta if offset[1] == "-" else delta)
    if name.upper() in ("UTC", "Z"):
        return timezone.utc
    try:
        from zoneinfo import ZoneInfo

        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise UsageError(f"there is no time zone {name!r}", "write Asia/Shanghai, UTC or +08:00") from error


def epoch_us(moment: datetime, zone: tzinfo | None = None) -> int:
    """µs since 1970 UTC; a moment without a zone is in ``zone`` (``None``: this machine's)."""
    if moment.tzinfo is None:
        moment = moment.astimezone() if zone is None else moment.replace(tzinfo=zone)
    return (moment - EPOCH) // _US


def parse_iso(text: str) -> datetime:
    """An ISO moment as recorders write it, on every Python. ValueError where it is none."""
    found = re.fullmatch(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?\s?(Z|[+-]\d\d:?\d\d|)", text.strip())
    if not found:
        raise ValueError(f"{text} is no moment")
    zone = {"Z": "+00:00", "": ""}.get(found[4], found[4])
    if zone and ":" not in zone:
        zone = f"{zone[:3]}:{zone[3:]}"
    return datetime.fromisoformat(f"{found[1]}T{found[2]}.{(found[3] or '')[:6].ljust(6, '0')}{zone}")


def start_of(text: str | None, zone: str | None) -> int | None:
    """µs since 1970 of a start that a user typed; ``None`` for ``None``. Raises UsageError where it is no moment."""
    if text is None:
        return None
    try:
        return epoch_us(parse_iso(text), zone_of(zone))
    except (ValueError, OverflowError) as error:
        raise UsageError(
            f"--start {text!r} is no moment", "write 2026-12-01T04:10:40 or add a zone as in +08:00"
        ) from error
