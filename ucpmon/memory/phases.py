"""What happened when in a run: baseline, loading, running, released, of each model that it shows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from ucpmon.errors import UsageError
from ucpmon.text import parse_duration

NAMES = ("baseline", "loading", "running", "released")


@dataclass(frozen=True)
class Phase:
    """``start_s`` ≤ time < ``end_s``, in s from the start of the run.

    ``source`` is ``data``, ``markers`` or ``user``. What starts the phase happened at most ``start_error_s`` before
    ``start_s``: the time since the row before, 0 for a marker.
    """

    name: str
    start_s: float
    end_s: float
    source: str = "data"
    start_error_s: float = 0.0

    @property
    def seconds(self) -> float:
        return self.end_s - self.start_s


@dataclass(frozen=True)
class Life:
    """The phases of one model (or of what was loaded with it), by name; one that is missing is not determined.

    ``pids`` and ``processes`` name whose memory showed it, ``heap`` the heap that did where no process did.
    ``stacked``: it was loaded while another model ran, whose memory is its baseline.
    """

    phases: Mapping[str, Phase]
    pids: tuple[int, ...] = ()
    processes: tuple[str, ...] = ()
    heap: str = ""
    stacked: bool = False

    @property
    def who(self) -> str:
        """The processes and their pids, ``infer (812)``; empty where none showed it."""
        return ", ".join(f"{name} ({pid})" for name, pid in zip(self.processes, self.pids, strict=True))

    @property
    def start_s(self) -> float:
        return min(p.start_s for p in self.phases.values())

    def first_change(self) -> Phase | None:
        """The phase with which its memory first moved; ``None`` where it has none but a baseline."""
        return next((self.phases[n] for n in NAMES[1:] if n in self.phases), None)

    def changes(self) -> list[float]:
        """The times at which its memory moved: from the start of loading to that of running, and at the release."""
        named = (self.phases.get(n) for n in NAMES[1:])
        return [p.start_s for p in named if p]


def parse_phase(text: str) -> Phase:
    """``NAME=START..END`` as a phase; an empty END is the run's end. Raises UsageError where it is none."""
    name, equals, span = text.partition("=")
    first, dots, last = span.partition("..")
    if name not in NAMES or not equals or not dots:
        raise UsageError(f"phase {text!r} is not NAME=START..END", f"NAME is one of {', '.join(NAMES)}: running=30..2m")
    start = parse_duration(first, "the start of the phase") / 1e6 if first.strip() else 0.0
    end = parse_duration(last, "the end of the phase") / 1e6 if last.strip() else float("inf")
    if end <= start:
        raise UsageError(f"phase {text!r} ends before it starts", "write NAME=START..END, START being the earlier")
    return Phase(name, start, end, "user")


def corrected(lives: Sequence[Life], given: Sequence[Phase], end_s: float) -> list[Life]:
    """What a user says the phases are, completed by those that were found: one life.

    Raises UsageError for a phase that starts after the run's end.
    """
    mine = {p.name: replace(p, end_s=min(p.end_s, end_s)) for p in given}
    late = next((p for p in mine.values() if p.start_s >= p.end_s), None)
    if late:
        raise UsageError(
            f"phase {late.name} starts at {late.start_s:g} s, the run ends at {end_s:.6g} s", "start it earlier"
        )
    base = max(lives, key=lambda life: _overlap(life, mine.values()), default=Life({}))
    phases = {**{n: _trimmed(p, mine) for n, p in base.phases.items()}, **mine}
    left = {n: p for n in NAMES if (p := phases.get(n)) is not None and p.seconds > 0}
    return [replace(base, phases=left)]


def _overlap(life: Life, given: Collection[Phase]) -> float:
    pairs = ((p, g) for p in life.phases.values() for g in given)
    return sum(max(0.0, min(p.end_s, g.end_s) - max(p.start_s, g.start_s)) for p, g in pairs)


def _trimmed(phase: Phase, given: Mapping[str, Phase]) -> Phase:
    """A found phase without what the user gave to others."""
    start, end = phase.start_s, phase.end_s
    for name, other in given.items():
        if NAMES.index(name) > NAMES.index(phase.name):
            end = min(end, other.start_s)
        elif name != phase.name:
            start = max(start, other.end_s)
    return replace(phase, start_s=start, end_s=max(start, end))
