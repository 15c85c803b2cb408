"""What a printed figure looks like, and its number.

The one place that knows the digits of a load, a rate or a size: the grammar finds them by these patterns, and forms
read them by these readers, which remember what they read and raise KeyError for a text that is no figure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from ucpmon.metrics import DECIMALS, SCALE, size_of

LOAD = rf"\d{{1,3}}{DECIMALS}"
RATE = rf"\d{{1,9}}{DECIMALS}"
_LOAD = re.compile(rf" *{LOAD} *")
_RATE = re.compile(rf" *{RATE} *")
# The unit of a size that stands right behind its number, or none.
_UNIT = "(?:[KMGTkmgt](?:[Ii]?[Bb])?|[Bb])?"
_LETTERS = "KMGTkmgtIiBb"
_SIZE = re.compile(rf" *(\d{{1,15}}({DECIMALS}))({_UNIT}) *")
NUMBER_ALIKE = r"([\d.]+)"
"""What may stand where a number without a unit stood; its reader says whether it is one."""
SIZE_ALIKE = rf"([\d.]+{_UNIT})"
Texts = Sequence[str] | Sequence[bytes]
"""A printed figure of each block, with or without blanks around it."""
_MANY = 16
# A recorder keeps little: what it saw an hour ago is of no use. A log that is read at once may take more.
_MOST, _MOST_AT_ONCE = 1 << 14, 1 << 16


class Figures(dict[str | bytes, Any]):
    """The numbers of one kind of figure by their text, which may have blanks around it."""

    def __init__(self, convert: Callable[[str], Any], most: int = _MOST) -> None:
        self._convert = convert
        self._most = most
        self._at_once: Figures | None = None

    def __missing__(self, token: str | bytes) -> Any:
        if len(self) >= self._most:
            self.clear()
        self[token] = number = self._convert(token if isinstance(token, str) else token.decode())
        return number

    def read(self, texts: Texts) -> list[Any]:
        """The numbers of many texts."""
        if len(texts) < _MANY:
            return list(map(self.__getitem__, texts))
        if self._at_once is None:
            self._at_once = Figures(self._convert, _MOST_AT_ONCE)
        return list(map(self._at_once.__getitem__, texts))

    def forget(self) -> None:
        self.clear()
        self._at_once = None


class _Units(dict[tuple[str, int], tuple[int, int]]):
    """Bytes of one and of the last printed digit, by the letter and the length of the point and decimals."""

    def __missing__(self, form: tuple[str, int]) -> tuple[int, int]:
        letter, length = form
        self[form] = found = SCALE[letter.upper()], size_of("0.000000"[: 1 + length], letter)[1]
        return found


_units = _Units()


SIZE_UNIT = r"([KMGT])?(?:i?B)?|bytes?|字节"
"""The unit of sizes in a title or a header; group 1 is its letter."""


def adds_up(total: tuple[float, int], one: tuple[float, int], other: tuple[float, int]) -> bool:
    """Whether a size is the sum of two others, each a number and its step, known to half a unit of its last digit."""
    return abs(total[0] - one[0] - other[0]) <= (total[1] + one[1] + other[1]) / 2 + 1


def number_of(printed: str) -> float:
    """A bandwidth as it was printed: a whole number stays one."""
    return float(printed) if "." in printed else int(printed)


def in_mibps(number: float, factor: float) -> float:
    """A printed bandwidth whose unit is ``factor`` MiB/s; as it was printed where that is the unit."""
    return number if factor == 1.0 else round(number * factor, 3)


def pattern_like(printed: str) -> str:
    """A size with as many decimals as this one, and any unit."""
    decimals = sum(map(str.isdecimal, printed.partition(".")[2]))
    return rf"(\d+\.\d{{{decimals}}}{_UNIT})" if decimals else rf"(\d+{_UNIT})"


def _load(text: str) -> float:
    if not _LOAD.fullmatch(text):
        raise KeyError(text)
    return float(text)


def _rate(factor: float) -> Callable[[str], float]:
    def convert(text: str) -> float:
        found = _RATE.fullmatch(text)
        if not found:
            raise KeyError(text)
        return in_mibps(number_of(found[0]), factor)

    return convert


def _size_and_step(text: str) -> tuple[int, int]:
    found = _SIZE.fullmatch(text)
    if not found:
        raise KeyError(text)
    number, decimals, unit = found.groups("")
    scale, step = _units[unit[:1].upper().removeprefix("B"), len(decimals)]
    return round(float(number) * scale), step


loads = Figures(_load)
sizes = Figures(lambda text: _size_and_step(text)[0])
sizes_and_steps = Figures(_size_and_step)
"""Bytes, and the resolution in bytes."""
_rates: dict[float, Figures] = {}


def rates(factor: float) -> Figures:
    """Bandwidths that are printed in units of ``factor`` MiB/s."""
    return _rates.setdefault(factor, Figures(_rate(factor)))


def forget() -> None:
    """Empty every cache of what was read."""
    for figures in (loads, sizes, sizes_and_steps, *_rates.values()):
        figures.forget()


def steps(texts: Texts) -> Sequence[int]:
    """The resolution of each printed size in bytes, or the one that all of them have."""
    return [step for _, step in sizes_and_steps.read(texts[:1] if _are_alike(texts) else texts)]


def _are_alike(texts: Texts) -> bool:
    """Whether all end in the same unit, and have their point in the same place or none."""
    first, count, width = texts[0], len(texts), len(texts[0])
    joined = first[:0].join(texts)  # type: ignore[arg-type]
    number = first.rstrip(_LETTERS if isinstance(first, str) else _LETTERS.encode())  # type: ignore[arg-type]
    unit, last_digits = len(number), joined[len(number) - 1 :: width]
    if len(joined) != width * count or unit == width or not last_digits.isdigit():
        return False
    point = first.find("." if isinstance(first, str) else b".")  # type: ignore[arg-type]
    if point < 0 and not joined.isalnum():
        return False
    stay = [*range(unit, width), *([point] if point >= 0 else ())]
    return all(joined[i::width] == first[i : i + 1] * count for i in stay)
