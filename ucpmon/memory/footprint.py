"""One memory level through a model's life: before, peak, steady, after, and their differences.

A level is the time-weighted median of a phase, a peak its highest row. Differences take the source whose *change* is
printed finest: an unchanging total cancels out of ``total − free``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ucpmon.memory.leaks import Growth
from ucpmon.memory.levels import Track
from ucpmon.memory.phases import Phase
from ucpmon.statistics.resolution import Figure


@dataclass(frozen=True)
class Use:
    """One level through a model's life, in bytes; ``None`` where its phase was not seen.

    ``share`` is ``steady`` minus ``before`` (or minus ``after``, where there is no baseline), ``transient`` is what
    loading took and gave back, ``left_behind`` is ``after`` minus ``before``. ``rise`` is ``peak`` minus ``before``,
    all that is known where a run ends while the model loads. Where the level leaks, ``steady`` is the fitted line at
    the start of running, and the transient is the peak above that line.
    """

    before: Figure | None = None
    peak: Figure | None = None
    steady: Figure | None = None
    after: Figure | None = None
    share: Figure | None = None
    transient: Figure | None = None
    left_behind: Figure | None = None
    rise: Figure | None = None

    @property
    def moved(self) -> bool | None:
        """Whether it changed by more than its resolution; ``None`` where no two phases can be compared."""
        known = [f for f in (self.share, self.transient, self.left_behind, self.rise) if f is not None]
        return any(abs(f.bytes) > f.error_bytes for f in known) if known else None


def use(tracks: Sequence[Track], windows: Mapping[str, Phase], leak: Growth | None = None) -> Use:
    """One level through a model's life. ``tracks`` are its sources, ``windows`` the phases by name."""
    found = _agreeing([_Points.of(track, windows, leak) for track in tracks])
    reference = "baseline" if any("baseline" in p.rows for p in found) else "released"
    transient = best(p.change("peak", "line" if leak else "running") for p in found)
    return Use(
        before=best(p.figure("baseline") for p in found),
        peak=best(p.figure("peak") for p in found),
        steady=best(p.figure("running") for p in found),
        after=best(p.figure("released") for p in found),
        share=best(p.change("running", reference) for p in found),
        transient=None if transient is None else replace(transient, bytes=max(transient.bytes, 0.0)),
        left_behind=best(p.change("released", "baseline") for p in found),
        rise=best(p.change("peak", "baseline") for p in found),
    )


@dataclass(frozen=True)
class _Points:
    """The figures of one source: level, its error, and its error in a difference, by name."""

    source: str
    rows: Mapping[str, tuple[float, float, float]]

    @classmethod
    def of(cls, track: Track, windows: Mapping[str, Phase], leak: Growth | None) -> _Points:
        rows: dict[str, tuple[float, float, float]] = {}
        for name in ("baseline", "running", "released"):
            part = inside(track, windows.get(name))
            row = part.median()
            if row is not None:
                rows[name] = _row(part, row)
        part = inside(track, windows.get("loading"))
        row = part.highest()
        if row is not None:
            rows["peak"] = _row(part, row)
        if leak is not None and "running" in rows:
            rows["running"] = _on_line(leak, windows["running"].start_s, rows["running"])
            if row is not None:
                rows["line"] = _on_line(leak, float(part.times[row]), rows["running"])
        return cls(track.source, rows)

    def figure(self, name: str) -> Figure | None:
        found = self.rows.get(name)
        return Figure(found[0], found[1], self.source) if found else None

    def change(self, name: str, other: str) -> Figure | None:
        a, b = self.rows.get(name), self.rows.get(other)
        return Figure(a[0] - b[0], a[2] + b[2], self.source) if a and b else None


def _agreeing(found: Sequence[_Points]) -> list[_Points]:
    """The sources, without a peak that another one saw exceeded: heap dumps are rare, and may miss it."""
    tops = highest(p.figure("peak") for p in found)
    missed = [p.figure("peak") not in tops for p in found]
    return [
        replace(p, rows={n: r for n, r in p.rows.items() if n not in ("peak", "line")}) if late else p
        for p, late in zip(found, missed, strict=True)
    ]


def _row(track: Track, row: int) -> tuple[float, float, float]:
    return float(track.values[row]), float(track.error[row]), float(track.change_error[row])


def _on_line(leak: Growth, at_s: float, like: tuple[float, float, float]) -> tuple[float, float, float]:
    away = abs(at_s - (leak.start_s + leak.end_s) / 2)
    extra = (leak.high - leak.slope) * away
    return leak.level + leak.slope * (at_s - leak.start_s), like[1] + extra, like[2] + extra


def best(figures: Iterable[Figure | None]) -> Figure | None:
    return min((f for f in figures if f is not None), key=lambda f: f.error_bytes, default=None)


def highest(figures: Iterable[Figure | None]) -> list[Figure]:
    """Those that can be the highest value: none of the others is certainly above them."""
    known = [f for f in figures if f is not None]
    least = max((f.bytes - f.error_bytes for f in known), default=0.0)
    return [f for f in known if f.bytes + f.error_bytes >= least]


def lowest(figures: Iterable[Figure | None]) -> list[Figure]:
    """Those that can be the lowest value: none of the others is certainly below them."""
    known = [f for f in figures if f is not None]
    most = min((f.bytes + f.error_bytes for f in known), default=0.0)
    return [f for f in known if f.bytes - f.error_bytes <= most]


def inside(track: Track, phase: Phase | None) -> Track:
    return track.between(phase.start_s, phase.end_s) if phase else track.where(np.zeros(0, dtype=int))


def level(tracks: Sequence[Track], phase: Phase) -> Figure | None:
    parts = [inside(t, phase) for t in tracks]
    return best(part.figure(row) for part in parts if (row := part.median()) is not None)
