"""Round numbers on the axes: durations, clock times, binary sizes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone

from ucpmon.metrics import GIB, KIB, MIB, TIB, format_bytes

_STEPS = (
    *(digit * 10.0**power for power in range(-6, 0) for digit in (1, 2, 5)),
    1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200,
    *(days * 86400.0 for days in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)),
)  # fmt: skip


def time_ticks(low: float, high: float, most: int, base: float = 0.0) -> tuple[list[float], float]:
    """Moments (s) on round durations, and their step; ``base`` is what is added to read them (a wall clock)."""
    step = next((s for s in _STEPS if (high - low) / s <= most), _STEPS[-1])
    first = math.ceil(round((base + low) / step, 6))
    last = math.floor(round((base + high) / step, 6))
    return [n * step - base for n in range(first, last + 1)], step


def elapsed_form(low: float, high: float, step: float) -> str:
    """How durations on an axis are written: ``s``, ``min:s`` or ``h:min``."""
    longest = max(abs(low), abs(high))
    if longest < 120 or step < 1:
        return "s"
    return "min:s" if longest < 7200 or step < 60 else "h:min"


def elapsed_label(seconds: float, form: str, step: float) -> str:
    if form == "s":
        digits = max(0, -math.floor(math.log10(step) + 1e-9))
        return f"{seconds:.{digits}f}".replace("-", "−")
    sign = "−" if seconds < -1e-9 else ""
    whole = round(abs(seconds))
    large, small = divmod(whole, 60) if form == "min:s" else divmod(whole // 60, 60)
    return f"{sign}{large}:{small:02d}"


def clock_label(unix_s: float, step: float) -> str:
    """A moment of the wall clock in UTC, as finely as the step needs; midnight and whole days show their date."""
    moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=round(unix_s, 6))
    if step >= 86400 or (moment.hour, moment.minute, moment.second) == (0, 0, 0):
        return f"{moment:%m-%d}"
    if step >= 60:
        return f"{moment:%H:%M}"
    return f"{moment:%H:%M:%S}" if step >= 1 else f"{moment:%H:%M:%S.%f}".rstrip("0").rstrip(".")


def size_ticks(high: float, most: int) -> list[float]:
    """Zero and round binary sizes up to ``high`` bytes."""
    unit = next((u for u in (TIB, GIB, MIB, KIB) if high >= u), 1)
    return _multiples(high, most, [unit * m for m in (0.1, 0.2, 0.25, 0.5, *_round_numbers(1024))], 1)


def number_ticks(high: float, most: int) -> list[float]:
    """Zero and round decimal numbers up to ``high``."""
    scale = 10.0 ** math.floor(math.log10(high)) if high > 0 else 1.0
    return _multiples(high, most, [scale * m for m in (0.1, 0.2, 0.25, 0.5, 1, 2, 5, 10)], 0)


def _round_numbers(below: int) -> Sequence[float]:
    return [d * 10**p for p in range(4) for d in (1, 2, 2.5, 5) if d * 10**p < below and (d != 2.5 or p)]


def _multiples(high: float, most: int, steps: Sequence[float], least: float) -> list[float]:
    """Zero and multiples of the finest step that gives at most ``most``; else of a power of ten."""
    fitting = [s for s in steps if least <= s <= high]
    if not fitting:
        return [0.0]
    step = next((s for s in fitting if int(high / s + 1e-9) <= most), 10 ** math.ceil(math.log10(high / most)))
    return [n * step for n in range(min(most, int(high / step + 1e-9)) + 1)]


def number_label(number: float) -> str:
    """``2,500``, ``0.5``, ``2e+09``."""
    if number >= 1e7:
        return f"{number:.2g}"
    return f"{number:,.0f}" if number == int(number) else f"{number:,g}"


def size_label(count: float) -> str:
    """``200 MiB``, ``1.5 GiB``, ``0``."""
    return format_bytes(count).replace(".0 ", " ") if count else "0"
