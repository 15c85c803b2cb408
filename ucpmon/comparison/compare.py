"""Runs against runs: what changed in each metric and phase, by how much, and whether chance could have done it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ucpmon.comparison.windows import WHOLE, windows
from ucpmon.metrics import metric
from ucpmon.runs.frames import metric_columns
from ucpmon.runs.reader import Run
from ucpmon.statistics.bootstrap import Chance, between_runs, within_runs
from ucpmon.statistics.standard_error import spread
from ucpmon.statistics.summary import Series, series
from ucpmon.statistics.weights import row_seconds

FALSE_ALARMS = 0.05
"""Of a hundred comparisons of the same thing, at most this share judges any metric as changed."""

_LEVEL = 0.03
"""The corrected probability below which a change is called: less than is promised, for errors are estimated too."""

_ROUNDING = 1e-9
"""Weighted sums of one and the same value differ by this much of it at most."""

_RESOLUTION = {"%": 0.1, "MiB/s": 1.0, "bytes": 0.0}
"""What the monitor prints when run.json does not say: one decimal of a load, whole MiB/s."""


@dataclass(frozen=True)
class Difference:
    """One metric in one phase; ``base`` and ``new`` are time-weighted means (over the runs of a side), in its unit.

    ``change`` is new − base, with its 95 % interval ``low``..``high``; ``relative`` is the change as a share of the
    base. ``p`` is the chance of such a change if nothing had changed, ``q`` the same corrected for the number of
    metrics (Benjamini and Hochberg 1995). ``weight`` orders by what matters: the change as a share of what there is
    (100 % of a core, a heap's total, the base's bandwidth). ``verdict`` is ``higher``, ``lower``, ``same`` (no
    difference seen), ``unknown`` (too few rows), ``only base`` or ``only new``. What cannot be told is ``None``.
    """

    column: str
    phase: str
    base: float | None
    new: float | None
    base_peak: float | None
    new_peak: float | None
    change: float | None = None
    relative: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    q: float | None = None
    weight: float = 0.0
    verdict: str = "unknown"


def compare(base: Sequence[Run], new: Sequence[Run]) -> list[Difference]:
    """Every metric of the runs, whole and by the phases that they share (``windows``); what matters comes first.

    With several runs on a side, the spread from run to run judges; with one each, the blocks within them.
    A heap's free memory mirrors its used memory and is left out where that is known.
    """
    runs = [*base, *new]
    columns = _columns(runs)
    cells = [(c, name, spans) for name, spans in windows(runs) for c in columns]
    held = [row_seconds(run.frame, run.info) for run in runs]
    draws = min(20_000, max(4_000, 200 * len(cells)))
    found = []
    for column, name, spans in cells:
        parts = [_part(run, column, h, span) for run, h, span in zip(runs, held, spans, strict=True)]
        scale = _scale(runs, column)
        # That a metric is on one side only is said once, not in each phase.
        there = [any(part is not None for part in side) for side in (parts[: len(base)], parts[len(base) :])]
        if all(there) or (any(there) and name == WHOLE):
            found.append(_difference(column, name, parts[: len(base)], parts[len(base) :], draws, scale))
    judged = _corrected(found, {c: resolution(runs, c) for c in columns})
    return sorted(judged, key=_order)


def judged_by(base: Sequence[Run], new: Sequence[Run]) -> str:
    """In words, what a difference is held against."""
    if len(base) + len(new) > 2:
        return f"the spread from run to run ({len(base)} base, {len(new)} new)"
    return "how each run varies within itself (several --base runs would also show the spread from run to run)"


def _columns(runs: Sequence[Run]) -> list[str]:
    every = dict.fromkeys(c for run in runs for c in metric_columns(run.frame))
    return [c for c in every if not c.endswith("_free_bytes") or c.replace("_free_", "_used_") not in every]


def _part(run: Run, column: str, held: np.ndarray, span: tuple[float, float]) -> Series | None:
    if column not in run.frame:
        return None
    whole = series(run.frame, column, held)
    if span != (-np.inf, np.inf):
        inside = (whole.at_s >= span[0]) & (whole.at_s < span[1])
        whole = Series(whole.values[inside], whole.seconds[inside], whole.at_s[inside])
    return None if whole.empty or not whole.seconds.any() else whole


def _difference(
    column: str, phase: str, base: Sequence[Series | None], new: Sequence[Series | None], draws: int, scale: float
) -> Difference:
    before, after = [s for s in base if s is not None], [s for s in new if s is not None]
    bare = Difference(column, phase, _mean(before), _mean(after), _peak(before), _peak(after))
    if bare.base is None or bare.new is None:
        return replace(bare, verdict="only base" if before else "only new")
    change = bare.new - bare.base
    if abs(change) <= _ROUNDING * abs(bare.base):
        change = 0.0
    chance = _chance(before, after, draws)
    return replace(
        bare,
        change=change,
        relative=change / bare.base if bare.base else None,
        low=chance.low if chance else None,
        high=chance.high if chance else None,
        p=chance.p if chance else None,
        weight=abs(change) / (scale or abs(bare.base) or abs(change) or 1.0),
    )


def _chance(base: Sequence[Series], new: Sequence[Series], draws: int) -> Chance | None:
    """What chance could have done, within the runs where each side is one; ``None`` where a run is too short."""
    before, after = ([s for s in map(spread, side) if s is not None] for side in (base, new))
    if len(before) + len(after) < len(base) + len(new):
        return None
    if len(before) == len(after) == 1:
        return within_runs(before[0], after[0], draws)
    return between_runs(before, after, draws)


def _mean(parts: Sequence[Series]) -> float | None:
    return float(np.mean([s.mean() for s in parts])) if parts else None


def _peak(parts: Sequence[Series]) -> float | None:
    return max(float(s.values.max()) for s in parts) if parts else None


def _scale(runs: Sequence[Run], column: str) -> float:
    """All that there is of a metric: 100 % of a core, the total of a heap; 0 where nothing tells."""
    found = metric(column)
    if found is None or found.kind == "load":
        return 100.0
    totals = [run.frame[f"{found.subject}_total_bytes"].max() for run in runs if _has_total(run, found.subject)]
    return float(np.nanmax(totals)) if totals and found.unit == "bytes" else 0.0


def _has_total(run: Run, heap: str) -> bool:
    return f"{heap}_total_bytes" in run.frame and bool(run.frame[f"{heap}_total_bytes"].notna().any())


def resolution(runs: Sequence[Run], column: str) -> float:
    """The coarsest step in which a column was printed, in its unit: a smaller change may be rounding."""
    noted = [step for run in runs for _, step in (run.info.get("resolution") or {}).get(column) or []]
    found = metric(column)
    return float(max(noted, default=_RESOLUTION.get(found.unit, 0.0) if found else 0.0))


def _corrected(found: Sequence[Difference], steps: Mapping[str, float]) -> Iterator[Difference]:
    # A metric that stood still at one value on both sides cannot be flagged: it takes no part in the correction.
    tested = sorted((d for d in found if d.p is not None and d.change), key=lambda d: -(d.p or 0))
    q, adjusted = 1.0, {}
    for rank, difference in zip(range(len(tested), 0, -1), tested, strict=True):
        q = min(q, (difference.p or 0.0) * len(tested) / rank)
        adjusted[id(difference)] = q
    for difference in found:
        yield _with_verdict(difference, adjusted.get(id(difference), 1.0), steps[difference.column])


def _with_verdict(difference: Difference, q: float, step: float) -> Difference:
    if difference.p is None or difference.change is None:
        return difference
    changed = q <= _LEVEL and abs(difference.change) > step * (1 + 1e-9)
    verdict = ("higher" if difference.change > 0 else "lower") if changed else "same"
    return replace(difference, q=q, verdict=verdict)


def _order(difference: Difference) -> tuple[int, float, float]:
    rank = {"higher": 0, "lower": 0, "only base": 1, "only new": 1, "unknown": 2}.get(difference.verdict, 3)
    return rank, -difference.weight, difference.p if difference.p is not None else 1.0
