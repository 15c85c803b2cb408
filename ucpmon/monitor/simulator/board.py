"""What a simulated board has, and what happens on it: a pure function of profile, scenario, seed and time."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import NamedTuple

from ucpmon.metrics import GIB, KIB, MIB


class Profile(NamedTuple):
    """A board: its IPs (kind and number of each), its heaps with their totals in bytes, and its list separator."""

    ips: tuple[tuple[str, int], ...]
    heaps: tuple[tuple[str, int], ...]
    separator: str


PROFILES = {
    "s100": Profile(
        (("bpu", 1), ("dsp", 1), ("gdc", 1), ("stitch", 1), ("pym", 2), ("isp", 1), ("jpu", 1), ("vpu", 1)),
        (("cma_reserved", GIB), ("ion_cma", 512 * MIB), ("carveout", 512 * MIB)),
        ",",
    ),
    "s600": Profile(
        (("bpu", 4), ("dsp", 2), ("gdc", 1), ("stitch", 1), ("pym", 3), ("isp", 2), ("jpu", 2), ("vpu", 2)),
        (
            ("cma_reserved", 2 * GIB), ("ion_cma", GIB), ("carveout", 2 * GIB),
            ("ion_uncache", 2 * GIB), ("custom", 24 * MIB),
        ),
        ",",
    ),
    "j6p": Profile(
        (("bpu", 4), ("dsp", 2), ("gdc", 2), ("stitch", 1), ("pym", 3), ("isp", 2), ("jpu", 1), ("vpu", 1)),
        (("cma_reserved", 1536 * MIB), ("ion_cma", GIB), ("carveout", 2 * GIB)),
        ";",
    ),
}  # fmt: skip


class Process(NamedTuple):
    pid: int
    name: str
    rss: int
    hbmem: int


class State(NamedTuple):
    """One moment: loads in percent by IP name, DDR in MiB/s, bytes used by heap, processes."""

    loads: dict[str, float]
    ddr: tuple[int, int]
    used: dict[str, int]
    processes: list[Process]


class Activity(NamedTuple):
    """What programs do at a moment: BPU load 0..1, DDR in MiB/s, and their processes."""

    load: float
    ddr: tuple[int, int]
    processes: list[Process]


BASE_USED = {"cma_reserved": 8_283_750, "ion_uncache": 180 * MIB, "custom": 64 * KIB, "carveout": 2 * MIB}
SHELL = Process(4805, "gnome-initial-s", 42_467_328, 4_128_768)
PERIOD_S = 60.0
# (start in s, hbmem in MiB, BPU load) of a model's life: it reads the file, peaks while parsing, settles, runs, leaves.
MODEL_LIFE = ((5.0, 0, 0.0), (8.0, 212, 0.0), (9.5, 96, 0.0), (10.0, 96, 0.93), (45.0, 96, 0.93))


def _idle(seconds: float, rng: Random) -> Activity:
    return Activity(0.0, (208 + rng.choice((0, 0, 0, 9)), 131), [])


def _load(seconds: float, rng: Random) -> Activity:
    """A model loads with a transient peak, runs, and exits; once a minute."""
    at = seconds % PERIOD_S
    if not MODEL_LIFE[0][0] <= at < MODEL_LIFE[-1][0]:
        return _idle(seconds, rng)
    pid = 54_851 + int(seconds // PERIOD_S)
    after = next(i for i, (start, _, _) in enumerate(MODEL_LIFE) if start > at)
    (t0, m0, load), (t1, m1, _) = MODEL_LIFE[after - 1 : after + 1]
    hbmem = int((m0 + (m1 - m0) * (at - t0) / (t1 - t0)) * MIB)
    model = Process(pid, "hrt_model_exec", 61 * MIB + hbmem // 8, hbmem)
    ddr = (5200 + rng.randrange(400), 1900 + rng.randrange(200)) if load else (900 + rng.randrange(300), 700)
    return Activity(load and load + rng.uniform(-0.04, 0.04), ddr, [model])


def _leak(seconds: float, rng: Random) -> Activity:
    """A program whose hbmem grows by half a MiB a second."""
    hbmem = 24 * MIB + int(seconds * MIB / 2)
    process = Process(3177, "leaky_node", 55 * MIB + int(seconds * 40_000), hbmem)
    return Activity(0.41 + rng.uniform(-0.02, 0.02), (2100 + rng.randrange(80), 840 + rng.randrange(40)), [process])


def _busy(seconds: float, rng: Random) -> Activity:
    """Four programs that keep every IP busy."""
    names = ("camera: front", "lane/segment", "1337", "ucp_service")
    processes = [
        Process(2000 + 7 * i, name, (80 + 13 * i) * MIB + rng.randrange(MIB), (18 + 22 * i) * MIB)
        for i, name in enumerate(names)
    ]
    ddr = (10_900 + rng.randrange(900), 4300 + rng.randrange(400))
    return Activity(0.96 + rng.uniform(-0.04, 0.04), ddr, processes)


SCENARIOS: dict[str, Callable[[float, Random], Activity]] = {
    "idle": _idle, "load": _load, "leak": _leak, "busy": _busy,
}  # fmt: skip


def ip_names(profile: Profile, enabled: tuple[str, ...]) -> list[str]:
    """The names of a board's IP rows; ``enabled`` lists kinds, empty for all."""
    return [f"{kind.upper()}{i}" for kind, n in profile.ips for i in range(n) if not enabled or kind in enabled]


def state(profile: Profile, scenario: str, names: list[str], seconds: float, rng: Random) -> State:
    """The figures of a board at ``seconds`` of scenario time."""
    activity = SCENARIOS[scenario](seconds, rng)
    loads = {name: _ip_load(name, scenario, activity.load, rng) for name in names}
    return State(loads, activity.ddr, _used(profile, activity.processes), [SHELL, *activity.processes])


def _ip_load(name: str, scenario: str, load: float, rng: Random) -> float:
    share = 1.0 if name.startswith("BPU") else 0.6 if scenario == "busy" else 0.25 if name.startswith("DSP") else 0.0
    wobble = rng.uniform(0.92, 1.0) if load else 1.0
    return round(min(100.0, 100 * load * share * wobble), 1)


def _used(profile: Profile, processes: list[Process]) -> dict[str, int]:
    """Bytes used by heap: the drivers' own, and programs' from carveout first, then from where they fall back to."""
    used = {heap: BASE_USED.get(heap, 0) for heap, _ in profile.heaps}
    want = sum(p.hbmem for p in processes)
    total = dict(profile.heaps)
    for heap in ("carveout", "cma_reserved", "ion_cma"):
        taken = min(want, total[heap] - used[heap])
        used[heap] += taken
        want -= taken
    return used
