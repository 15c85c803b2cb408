"""The models that a run shows, found in the data: in the hbmem of its processes, else in its heaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from ucpmon.memory.detection.load_cycles import Cycle, cycles
from ucpmon.memory.detection.markers import marked
from ucpmon.memory.levels import HeapLevels, Levels, ProcessLevels, Track
from ucpmon.memory.phases import NAMES, Life, Phase
from ucpmon.metrics import KIB, MIB
from ucpmon.statistics.resolution import Figure

_FACING = 4
"""Rows on each side of a change that are looked at to see whether the heaps moved too."""


def find_lives(shown: Levels, marks: pd.DataFrame) -> list[Life]:
    """The models that a run shows, in order of time; empty where none was loaded or released."""
    processes, heaps, end_s = shown.processes, shown.heaps, shown.end_s
    found = [life for p in processes for life in _process_lives(p, end_s) if _borne_out(life, p, processes, heaps)]
    if not found:
        found = _heap_lives(heaps, end_s)
    lives = _together(sorted(found, key=lambda life: life.start_s))
    return [_apart(life, lives) for life in marked(lives, marks, end_s)]


def _process_lives(levels: ProcessLevels, end_s: float) -> list[Life]:
    lives = (_life(levels.hbmem, c, end_s) for c in _cycles(levels.hbmem, 256 * KIB))
    return [replace(life, pids=(levels.pid,), processes=(levels.process,)) for life in lives]


def _heap_lives(heaps: Sequence[HeapLevels], end_s: float) -> list[Life]:
    """Lives in the heap that moves most; one that only goes up and down all the time shows none."""
    tracks = {h.heap: track for h in heaps if (track := _finest(h))}
    if not tracks:
        return []
    heap = max(tracks, key=lambda name: float(np.ptp(tracks[name].values)))
    track = tracks[heap]
    found = _cycles(track, MIB)
    lives = [replace(_life(track, c, end_s), heap=heap) for c in found]
    settled = [life for life in lives if _rests(life, track)]
    return settled if len(settled) == len(lives) else []


def _cycles(track: Track, least: float) -> list[Cycle]:
    if not len(track.values) or float(np.ptp(track.values)) < least or float(np.ptp(track.times)) <= 0:
        return []
    return cycles(track.times, track.values, 2 * float(track.change_error.max()), least)


def _rests(life: Life, track: Track) -> bool:
    """Whether the level stays put while running: a sawtooth's does not."""
    phase = life.phases.get("running")
    rows = track.between(phase.start_s, phase.end_s).values if phase else np.zeros(0)
    own = float(np.ptp(track.values))
    return len(rows) > 2 and float(np.percentile(rows, 90) - np.percentile(rows, 10)) < 0.5 * own


def _life(track: Track, cycle: Cycle, end_s: float) -> Life:
    def moment(row: int | None) -> float | None:
        return None if row is None else float(track.times[row]) if row < len(track.times) else end_s

    rows = (cycle.before[0] if cycle.before else None, cycle.load, cycle.run, cycle.release)
    starts = dict(zip(NAMES, (moment(r) for r in rows), strict=True))
    phases: dict[str, Phase] = {}
    following = end_s if cycle.end >= len(track.times) else moment(cycle.end) or end_s
    for name, row in reversed(list(zip(NAMES, rows, strict=True))):
        start = starts[name]
        if start is None or row is None:
            continue
        if start < following:
            phases[name] = Phase(name, start, following, "data", start - float(track.times[max(row - 1, 0)]))
        following = min(start, following)
    if cycle.before and "baseline" in phases:
        idle_end = moment(cycle.before[1]) or 0.0
        phases["baseline"] = replace(phases["baseline"], end_s=min(phases["baseline"].end_s, idle_end))
    return Life({n: phases[n] for n in NAMES if n in phases}, stacked=cycle.stacked)


def _borne_out(life: Life, owner: ProcessLevels, owners: Sequence[ProcessLevels], heaps: Sequence[HeapLevels]) -> bool:
    """Whether the heaps moved with the process: a row that comes and goes in the table is no model.

    What is much smaller than the largest process must be seen in the heaps; of the others they must not say otherwise.
    """
    high = life.phases.get("running") or life.phases.get("loading")
    low = life.phases.get("baseline") or life.phases.get("released")
    ours = _change(owner.hbmem, high, low)
    if ours is None or not heaps:
        return True
    small = ours.bytes < 0.1 * max(float(p.hbmem.values.max(initial=0.0)) for p in owners)
    moved = [_change(finest, high, low) for h in heaps if (finest := _finest(h))]
    spans = [(p.start_s, p.end_s) for p in (high, low) if p]
    if None in moved or any(h.ran_out(*span) is not False for h in heaps for span in spans):
        return not small
    others = sum(c.bytes for p in owners if p is not owner and (c := _change(p.hbmem, high, low)))
    rest = sum(c.bytes for c in moved if c) - others
    slack = sum(c.error_bytes for c in moved if c)
    return rest - slack >= 0.3 * ours.bytes if small else rest + slack >= 0.3 * ours.bytes


def _change(track: Track, high: Phase | None, low: Phase | None) -> Figure | None:
    """How much higher a level is in one phase than in another, of the few rows that face each other where they meet.

    Its error covers how much they move by themselves.
    """
    if high is None or low is None:
        return None
    later = low.start_s > high.start_s
    rows = slice(None, _FACING) if later else slice(-_FACING, None)
    top = track.between(high.start_s, high.end_s).values[slice(-_FACING, None) if later else slice(None, _FACING)]
    near = track.between(low.start_s, low.end_s)
    bottom = near.values[rows]
    if not len(top) or not len(bottom):
        return None
    moves = (float(np.ptp(top)) + float(np.ptp(bottom))) / 2
    change = float(np.median(top) - np.median(bottom))
    return Figure(change, moves + 2 * float(near.change_error.max()), track.source)


def _finest(heap: HeapLevels) -> Track | None:
    return min(heap.used, key=lambda t: float(np.median(t.change_error)), default=None)


def _together(lives: list[Life]) -> list[Life]:
    """Lives that load at the same time as one: their shares of a heap cannot be told apart."""
    out: list[Life] = []
    for life in lives:
        last = next((i for i, other in enumerate(out) if _same_load(other, life)), None)
        if last is None:
            out.append(life)
        else:
            out[last] = _joined(out[last], life)
    return out


def _same_load(a: Life, b: Life) -> bool:
    one, two = _load_span(a), _load_span(b)
    if one is None or two is None or a.pids == b.pids:
        return False
    return one[0] < two[1] and two[0] < one[1]


def _load_span(life: Life) -> tuple[float, float] | None:
    phase = life.phases.get("loading") or life.phases.get("running")
    if phase is None or "baseline" not in life.phases:
        return None
    # Loading that took less than a row still took the time since the row before.
    end = phase.end_s if phase.name == "loading" else phase.start_s
    return phase.start_s - phase.start_error_s, max(end, phase.start_s)


def _joined(a: Life, b: Life) -> Life:
    """Two lives as one: loading from the first start to the last end, released when the first of them is."""
    both = [(x.phases[n].start_s, x.phases[n]) for x in (a, b) for n in NAMES if n in x.phases]
    starts = {n: sorted((t, i) for i, (t, p) in enumerate(both) if p.name == n) for n in NAMES}
    chosen: dict[str, Phase] = {}
    for name, last in zip(NAMES, (True, False, True, False), strict=True):
        later = [(t, i) for t, i in starts[name] if not chosen or t > max(p.start_s for p in chosen.values())]
        if later:
            chosen[name] = both[(later[-1] if last else later[0])[1]][1]
    ends = [*(p.start_s for p in chosen.values()), max(p.end_s for _, p in both)][1:]
    phases = {n: replace(p, end_s=end) for (n, p), end in zip(chosen.items(), ends, strict=True)}
    return Life(phases, a.pids + b.pids, a.processes + b.processes, a.heap, a.stacked or b.stacked)


def _apart(life: Life, lives: Sequence[Life]) -> Life:
    """A life whose baseline and release reach only as far as no other model moved."""
    moves = sorted(t for other in lives if other is not life for t in other.changes())
    phases = dict(life.phases)
    if "baseline" in phases:
        start = max([t for t in moves if t < phases["baseline"].end_s], default=0.0)
        phases["baseline"] = replace(phases["baseline"], start_s=max(start, phases["baseline"].start_s))
    if "released" in phases:
        end = min([t for t in moves if t > phases["released"].start_s], default=phases["released"].end_s)
        phases["released"] = replace(phases["released"], end_s=min(end, phases["released"].end_s))
    return replace(life, phases=phases)
