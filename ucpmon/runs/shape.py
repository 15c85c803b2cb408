"""Whether a run.json has the shape that its readers rely on: people edit these files, and write tools that do."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _object(value: Any) -> bool:
    return isinstance(value, dict)


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _list(value: Any) -> bool:
    return isinstance(value, list)


def _pairs(value: Any) -> bool:
    return _list(value) and all(_list(pair) and len(pair) == 2 and all(map(_number, pair)) for pair in value)


def _spans(value: Any) -> bool:
    return _pairs(value) and all(start <= end for start, end in value)


def _captures(value: Any) -> bool:
    """A capture, or several that were joined."""
    return _object(value) or (_list(value) and all(map(_object, value)))


def _resolution(value: Any) -> bool:
    return _object(value) and all(map(_pairs, value.values()))


_SHAPES: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    **dict.fromkeys(
        ("ucpmon", "monitor", "board", "labels", "terminal", "quality", "quality.lines", "quality.interval"),
        (_object, "an object"),
    ),
    **dict.fromkeys(
        ("interval_s", "freq_hz", "quality.interval.asked_s", "quality.interval.achieved_s"), (_number, "a number")
    ),
    **{f"quality.{n}": (_number, "a number") for n in ("screens", "cut", "clipped", "dropped", "repeated", "bytes")},
    **{f"quality.lines.{n}": (_number, "a number") for n in ("understood", "noise", "unknown")},
    **dict.fromkeys(("started", "ended", "time_basis", "frames"), (_text, "a text")),
    **dict.fromkeys(("argv", "monitor.argv", "markers", "warnings", "quality.lines.examples"), (_list, "a list")),
    **dict.fromkeys(("quality.gaps", "quality.stalls"), (_spans, "a list of [start, end]")),
    "source": (_captures, "an object, or a list of them"),
    "resolution": (_resolution, "an object of lists of [first screen, bytes]"),
}


def misshapen(info: Mapping[str, Any]) -> str:
    """What is wrong with a run.json, ``quality.gaps is not a list of [start, end]``; empty where nothing is.

    What is missing or null is not known, and that is right; what is there must be of its kind.
    """
    for path, (fits, what) in _SHAPES.items():
        value: Any = info
        for key in path.split("."):
            value = value.get(key) if isinstance(value, dict) else None
        if value is not None and not fits(value):
            return f"{path} is not {what}"
    return ""
