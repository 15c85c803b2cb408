"""The parts of runs that can be compared with one another: the same phase of each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ucpmon.memory.detection.lives import find_lives
from ucpmon.memory.leaks import WARM_UP
from ucpmon.memory.levels import run_levels
from ucpmon.memory.phases import Phase
from ucpmon.runs.frames import set_marks
from ucpmon.runs.reader import Run

WHOLE = "whole run"
Span = tuple[float, float]


def windows(runs: Sequence[Run]) -> list[tuple[str, list[Span]]]:
    """(name, [(start, end) in seconds, for each run]): the whole run, then the phases that all runs share.

    Phases go from each shared mark to the next; a mark is shared when its label stands exactly once in every run, in
    the same order. Without shared marks they are those of the model's memory, where every run shows just one model;
    running is then without its first tenth, the warm-up.
    """
    whole: list[tuple[str, list[Span]]] = [(WHOLE, [(-np.inf, np.inf)] * len(runs))]
    return whole + (_marked(runs) or _found(runs))


def _marked(runs: Sequence[Run]) -> list[tuple[str, list[Span]]]:
    times = [_single_marks(run.marks) for run in runs]
    shared = [[label for label in t if all(label in other for other in times)] for t in times]
    labels = shared[0] if shared and all(s == shared[0] for s in shared) else []
    found = []
    for place, label in enumerate(labels):
        following = labels[place + 1 : place + 2]
        found.append((label, [(t[label], t[following[0]] if following else np.inf) for t in times]))
    return found


def _single_marks(marks: pd.DataFrame) -> dict[str, float]:
    known = set_marks(marks).drop_duplicates("label", keep=False).sort_values("elapsed_s")
    return {str(label): float(at) for label, at in zip(known["label"], known["elapsed_s"], strict=True)}


def _found(runs: Sequence[Run]) -> list[tuple[str, list[Span]]]:
    spans: list[dict[str, Span]] = []
    for run in runs:
        spans.append(_model_phases(run))
        if not spans[-1]:
            return []
    return [(name, [s[name] for s in spans]) for name in spans[0] if all(name in s for s in spans)]


def _model_phases(run: Run) -> dict[str, Span]:
    """The phases of the one model that a run shows; empty where it shows none, or several."""
    if len(run.frame) == 0:
        return {}
    # The heap that moves most is the one that a model is in; the levels of all of them would not fit beside a day.
    used = [str(c) for c in run.frame.columns if str(c).endswith("_used_bytes")]
    moved = run.frame[used].max() - run.frame[used].min()
    heap = str(moved.idxmax()).removesuffix("_used_bytes") if len(used) and moved.notna().any() else ""
    columns = ["screen", "elapsed_s", "cut", *(c for c in run.frame.columns if heap and c.startswith(f"{heap}_"))]
    lives = find_lives(run_levels(run, run.frame[columns]), run.marks)
    return {name: _settled(phase) for name, phase in lives[0].phases.items()} if len(lives) == 1 else {}


def _settled(phase: Phase) -> Span:
    """A model's memory stands before its first inference: running is compared without its first part."""
    warm_up = WARM_UP * phase.seconds if phase.name == "running" else 0.0
    return phase.start_s + warm_up, phase.end_s
