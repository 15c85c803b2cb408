"""Printed figure → number, remembered; a text that is no figure raises KeyError."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from ucpmon.metrics import size_of

LOAD = r"\d{1,3}(?:\.\d{1,6})?"
_LOAD = re.compile(LOAD)
_RATE = re.compile(r"\d{1,9}(?:\.\d{1,6})?")
_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,6})?)([KMGTkmgt]?)")
Texts = Sequence[str] | Sequence[bytes]
"""A printed figure of each block, with or without blanks around it."""
_MOST_TOKENS = 1 << 16


class Figures(dict[str | bytes, Any]):
    """The numbers of one kind of figure by their text, which may have blanks around it."""

    def __init__(self, convert: Callable[[str], Any]) -> None:
        self._convert = convert

    def __missing__(self, token: str | bytes) -> Any:
        if len(self) > _MOST_TOKENS:
            self.clear()
        self[token] = number = self._convert((token if isinstance(token, str) else token.decode()).strip())
        return number


def _load(text: str) -> float:
    if not _LOAD.fullmatch(text):
        raise KeyError(text)
    return float(text)


def _rate(text: str, factor: float) -> float:
    if not _RATE.fullmatch(text):
        raise KeyError(text)
    number = float(text) if "." in text else int(text)
    return number if factor == 1.0 else round(number * factor, 3)


def _size(text: str) -> tuple[int, int]:
    found = _SIZE.fullmatch(text)
    if not found:
        raise KeyError(text)
    return size_of(found[1], found[2])


loads = Figures(_load)
sizes = Figures(lambda text: _size(text)[0])
_steps = Figures(lambda text: _size(text)[1])
_rates: dict[float, Figures] = {}


def rates(factor: float) -> Figures:
    """Bandwidths that are printed in units of ``factor`` MiB/s."""
    return _rates.setdefault(factor, Figures(lambda text: _rate(text, factor)))


def step(text: str) -> int:
    """The resolution of a printed size in bytes."""
    found: int = _steps[text]
    return found


def steps(texts: Texts) -> Sequence[int]:
    """The resolution of each of them, or the one that all have."""
    return [_steps[texts[0]]] if _are_alike(texts) else list(map(_steps.__getitem__, texts))


def _are_alike(texts: Texts) -> bool:
    """Whether all end in the same letter and have their point in the same place."""
    first, width = texts[0], len(texts[0])
    joined = first[:0].join(texts)  # type: ignore[arg-type]
    point = first.find("." if isinstance(first, str) else b".")  # type: ignore[arg-type]
    alike = [joined[at::width] == joined[at : at + 1] * len(texts) for at in (width - 1, point)]
    return len(joined) == width * len(texts) and first[-1:].isalpha() and all(alike)
