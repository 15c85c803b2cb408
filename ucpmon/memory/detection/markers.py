"""Markers that name a phase: ``workload start``, ``load done``, ``workload end`` and what else people write."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pandas as pd

from ucpmon.memory.phases import NAMES, Life, Phase
from ucpmon.runs.frames import set_marks

_START = re.compile(r"(workload|model|program|app|load(ing)?)? ?(start|begin|began|launch)\w*\b|load(ing)?$")
_LOADED = re.compile(
    r"(model )?(load(ing)?|init\w*) ?(done|end|finish|complete|ok)\w*\b"
    r"|(model )?(loaded|initiali[sz]ed|ready|running|steady)\b"
    r"|(run\w*|infer\w*) (start|begin)\w*\b|warm\w*( up)?( done)?$"
)
_END = re.compile(
    r"(workload|model|program|app|run\w*|infer\w*)? ?(end|exit|stop|finish|done|release|unload|kill|die)\w*\b"
)


def _role(label: str) -> str | None:
    text = re.sub(r"[\s_:,.-]+", " ", label.strip().lower())
    for name, pattern in (("running", _LOADED), ("loading", _START), ("released", _END)):
        if pattern.match(text):
            return name
    return None


def marked(lives: Sequence[Life], marks: pd.DataFrame, end_s: float) -> list[Life]:
    """The lives, with the starts of their phases moved to the markers that name them; else those of markers alone.

    A marker that contradicts what the memory does (a workload that ends while the model stays loaded) moves nothing.
    """
    known = set_marks(marks)
    pairs = zip(known["elapsed_s"], known["label"], strict=True)
    roles = sorted((float(t), role) for t, label in pairs if (role := _role(str(label))))
    if not lives:
        return _of_markers(roles, end_s)
    out = list(lives)
    for seconds, role in roles:
        at = _MEANT[role](out, seconds)
        if at is not None:
            out[at] = _moved(out[at], role, seconds)
    return out


def _of_markers(roles: Sequence[tuple[float, str]], end_s: float) -> list[Life]:
    """Lives that only markers show: a phase lasts until the next marker."""
    out: list[dict[str, Phase]] = []
    for (start, name), (end, _) in pairwise([*roles, (end_s, "")]):
        opens = name == "loading" or not out or "released" in out[-1]
        if opens and name != "released":
            before = Phase("baseline", 0.0, start, "markers")
            out.append({"baseline": before} if not out and name == "loading" and start > 0 else {})
        if out and end > start:
            out[-1].setdefault(name, Phase(name, start, end, "markers"))
    return [Life(phases) for phases in out if phases]


def _loaded_from(lives: Sequence[Life], seconds: float) -> int | None:
    """The first life whose memory moves from this moment on, a screen's time before it included."""
    for i, life in enumerate(lives):
        first = life.first_change()
        if first and "baseline" in life.phases and seconds <= first.start_s + first.start_error_s:
            # Without a screen before it there would be no baseline: then the memory's own start is the better one.
            late = seconds > life.phases["baseline"].start_s + first.start_error_s
            return i if late else None
    return None


def _running_at(lives: Sequence[Life], seconds: float) -> int | None:
    """The last life that has begun to load and is not released yet."""
    found = None
    for i, life in enumerate(lives):
        first, released = life.first_change(), life.phases.get("released")
        if first and first.start_s <= seconds and (released is None or seconds < released.start_s):
            found = i
    return found


def _released_at(lives: Sequence[Life], seconds: float) -> int | None:
    """The life whose memory is given back about now."""
    for i, life in enumerate(lives):
        released = life.phases.get("released")
        if released and abs(released.start_s - seconds) <= max(2.0, 2 * released.start_error_s):
            return i
    return None


_MEANT = {"loading": _loaded_from, "running": _running_at, "released": _released_at}


def _moved(life: Life, name: str, seconds: float) -> Life:
    """The life with phase ``name`` starting at a marker; its neighbours give way."""
    phases = dict(life.phases)
    old = phases.get(name)
    if name == "released" and old and old.start_s < seconds:
        # The memory was given back a little before the marker was written: the screens tell.
        return replace(life, phases={**phases, name: replace(old, source="markers")})
    end = old.end_s if old else max(p.end_s for p in phases.values())
    for other, phase in list(phases.items()):
        if NAMES.index(other) < NAMES.index(name):
            phases[other] = replace(phase, end_s=min(phase.end_s, seconds))
        elif other != name:
            phases[other] = replace(phase, start_s=max(phase.start_s, seconds))
            end = min(end, phase.start_s)
    phases[name] = Phase(name, seconds, max(end, seconds), "markers")
    return replace(life, phases={n: phases[n] for n in NAMES if n in phases and phases[n].seconds > 0})
