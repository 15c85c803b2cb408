"""Text and what it means: durations as people type them, and characters that a terminal would obey, made visible."""

import re

from ucpmon.errors import UsageError

ESCAPE = re.compile(
    r"\x1b(?:\[([0-?]*)[ -/]*([@-~])"
    r"|\][^\x07\x1b]*(?:\x07|\x1b\\)"
    r"|[PX^_][^\x1b]*\x1b\\"
    r"|[ -/]+[0-~]"
    r"|[0-OQ-WYZ\\`-~])"
)
"""A sequence that a terminal obeys: CSI, OSC, DCS and its kin, and those of two and three characters.

Groups 1 and 2 are a CSI's parameters and its final character.
"""
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_UNIT_US = {"us": 1, "ms": 1_000, "s": 1_000_000, "m": 60_000_000, "h": 3_600_000_000, "d": 86_400_000_000}
_PART = re.compile(r"(\d+(?:\.\d+)?)(us|ms|s|m|h|d)")
_MOST_US = 10_000 * 86_400_000_000


def parse_duration(text: str, what: str = "duration", bare_unit: str = "s") -> int:
    """Microseconds of ``text``; a bare number counts in ``bare_unit``.

    Raises UsageError where the text is no duration, or one of more than 10,000 days.
    """
    compact = text.strip().lower().replace(" ", "")
    if re.fullmatch(r"\d+(\.\d+)?", compact):
        compact += bare_unit
    parts = _PART.findall(compact)
    if not parts or "".join(number + unit for number, unit in parts) != compact:
        raise UsageError(f"{what} {text!r} is not a duration", "write 60, 500ms, 90s, 5m or 1h30m")
    total = round(sum(float(number) * _UNIT_US[unit] for number, unit in parts))
    if total > _MOST_US:
        raise UsageError(f"{what} {text!r} is too long", "the most is 10000d")
    return total


def format_duration(us: int) -> str:
    """A duration as short as it reads well: ``250 ms``, ``12.5 s``, ``3 min 20 s``, ``1 h 05 min``."""
    if us < 1_000_000:
        return f"{us / 1000:g} ms"
    seconds = us / 1_000_000
    if seconds < 60:
        return f"{seconds:.1f}".removesuffix(".0") + " s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min"


def format_seconds(seconds: float) -> str:
    """A moment or a span of a run, in s, as ``format_duration`` writes it; to the millisecond."""
    return format_duration(round(seconds * 1000) * 1000)


def without_escapes(text: str) -> str:
    """``text`` without escape sequences and control characters; tabs and line ends stay."""
    return _CONTROL.sub("", ESCAPE.sub("", text))


def counted(number: int, thing: str) -> str:
    """``1 screen``, ``2 screens``."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def printable(text: str, keep: str = "", missing: frozenset[str] = frozenset()) -> str:
    """``text`` with control characters, and those in ``missing``, shown as escapes; those in ``keep`` stay.

    Names come from strangers' captures: a terminal, a page or a picture must not obey them.
    """
    return "".join(c if (c.isprintable() and c not in missing) or c in keep else _escape(c) for c in text)


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode()
