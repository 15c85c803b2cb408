"""Markers that name a phase: ``workload start``, ``load done``, ``workload end`` and what else people write."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from ucpmon.analysis.phases import NAMES, Life, Phase

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


def marked(lives: list[Life], marks: pd.DataFrame, end_s: float) -> list[Life]:
    """The lives, with the starts of their phases moved to the markers that name them."""
    roles = [
        (float(t), role)
        for t, label, source in zip(marks["elapsed_s"], marks["label"], marks["source"], strict=True)
        if source != "ucpmon" and (role := _role(str(label)))
    ]
    out = list(lives)
    for seconds, role in sorted(roles):
        at = _marked_life(out, seconds, role)
        if at is not None:
            out[at] = _moved(out[at], role, seconds)
        elif role == "loading":
            before = [Phase("baseline", 0.0, seconds, "markers")] if not out and seconds > 0 else []
            phases = [*before, Phase("loading", seconds, end_s, "markers")]
            out.append(Life({p.name: p for p in phases}))
    return sorted(out, key=lambda life: life.start_s)


def _marked_life(lives: Sequence[Life], seconds: float, role: str) -> int | None:
    """The life that a marker speaks of: the first that starts from it on, or the last that started before it."""
    starts = [(min(life.changes()), i) for i, life in enumerate(lives) if life.changes()]
    later = [(t, i) for t, i in starts if t >= seconds]
    earlier = [(t, i) for t, i in starts if t < seconds]
    if role == "loading":
        return min(later)[1] if later else None
    return max(earlier)[1] if earlier else None


def _moved(life: Life, name: str, seconds: float) -> Life:
    """The life with phase ``name`` starting at a marker; its neighbours give way."""
    phases = dict(life.phases)
    old = phases.get(name)
    end = old.end_s if old else max(p.end_s for p in phases.values())
    if name == "released" and old and old.start_s < seconds:
        # The memory was given back a little before the marker was written: the screens tell.
        return replace(life, phases={**phases, name: replace(old, source="markers")})
    for other, phase in list(phases.items()):
        if NAMES.index(other) < NAMES.index(name):
            phases[other] = replace(phase, end_s=min(phase.end_s, seconds))
        elif other != name:
            phases[other] = replace(phase, start_s=max(phase.start_s, seconds))
            end = min(end, phase.start_s)
    phases[name] = Phase(name, seconds, max(end, seconds), "markers")
    if name == "loading" and "baseline" not in phases and seconds > 0:
        phases["baseline"] = Phase("baseline", 0.0, seconds, "markers")
    return replace(life, phases={n: phases[n] for n in NAMES if n in phases and phases[n].seconds > 0})
