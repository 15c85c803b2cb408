"""Text as it may be drawn: long text shortened, parts flowed into lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable

Measure = Callable[[str], float]
SEPARATOR = " · "


def shorten(text: str, width: float, measure: Measure) -> str:
    """``text``, or as much of its start as fits in ``width`` with an ellipsis."""
    if measure(text) <= width:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if measure(text[:middle].rstrip() + "…") <= width:
            low = middle
        else:
            high = middle - 1
    return text[:low].rstrip() + "…"


def flow(parts: Iterable[str], width: float, measure: Measure, most: int = 3) -> list[str]:
    """The parts as at most ``most`` lines, broken between parts; what does not fit is cut with an ellipsis."""
    lines: list[str] = []
    for part in filter(None, parts):
        joined = lines[-1] + SEPARATOR + part if lines else part
        if lines and (measure(joined) <= width or len(lines) == most):
            lines[-1] = joined
        else:
            lines.append(part)
    return [shorten(line, width, measure) for line in lines]
