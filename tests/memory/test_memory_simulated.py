"""The analysis of memory on the stand-in's figures, straight from its tables: many seeds, boards and refresh rates."""

from pathlib import Path
from random import Random

import numpy as np
import pandas as pd
import pytest
from support.frames import processes_frame, screens_frame

from ucpmon.memory.measurement import memory
from ucpmon.metrics import MIB
from ucpmon.monitor.simulator.board import PROFILES, ip_names, state
from ucpmon.monitor.simulator.draw import draw
from ucpmon.records import ProcessRow, Sample
from ucpmon.runs.frames import HEAP_COLUMNS, MARK_COLUMNS
from ucpmon.runs.reader import Run


class Simulated:
    """``rows`` screens, one every ``interval`` s from ``start`` s of the scenario on, and the analysis of them."""

    def __init__(self, profile, scenario, seed, interval=1.0, start=0.0, rows=150):
        board = PROFILES[profile]
        self.times = start + np.arange(rows) * interval
        names = ip_names(board, ())
        self.states = [state(board, scenario, names, t, Random(f"{seed}/{i}")) for i, t in enumerate(self.times)]
        samples = [sample(i * interval, draw(board, s)) for i, s in enumerate(self.states)]
        nothing = (pd.DataFrame({c: [] for c in columns}) for columns in (HEAP_COLUMNS, MARK_COLUMNS))
        self.report = memory(
            Run(Path(), "", {}, screens_frame(samples, None), processes_frame(samples, None), *nothing)
        )

    def held(self, name):
        """Exact hbmem of a process, in bytes."""
        return np.array([sum(p.hbmem for p in s.processes if p.name == name) for s in self.states])

    @property
    def leaks(self):
        return {(g.subject, g.kind) for g in self.report.all_growth() if g.verdict == "leak"}


def sample(seconds, drawing):
    processes = tuple(ProcessRow(*p) for p in drawing.processes)
    columns, numbers = tuple(drawing.values), tuple(drawing.values.values())
    return Sample(round(seconds * 1e6), False, False, columns, numbers, {}, processes, 1, 0, [])


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("interval", "start"), [(0.25, 0.0), (1.0, 0.0), (2.0, 1.0), (0.5, 57.0)])
def test_every_model_of_the_load_scenario(profile, seed, interval, start):
    run = Simulated(profile, "load", seed, interval, start)
    clock = run.times % 60
    models = [m for m in run.report.models if "released" in m.life.phases]
    ends = np.flatnonzero((clock[1:] >= 45) & (clock[:-1] < 45)) + 1
    assert [m.life.phases["released"].start_s for m in models] == pytest.approx(list(ends * interval), abs=interval)
    for model, end in zip(models, ends, strict=True):
        loading = np.flatnonzero((np.arange(len(clock)) < end) & (clock >= 5) & (clock < 9.5))
        own = loading[loading > end - 40.5 / interval]
        assert model.life.phases["loading"].start_s == pytest.approx(own[0] * interval, abs=1.01 * interval)
        assert model.life.phases["running"].start_s == pytest.approx((own[-1] + 1) * interval, abs=1.01 * interval)
        use, peak = model.processes[0].hbmem, run.held("hrt_model_exec")[own].max()
        assert abs(use.share.bytes - 96 * MIB) <= use.share.error_bytes
        assert abs(use.transient.bytes - (peak - 96 * MIB)) <= use.transient.error_bytes
    assert run.leaks == set()


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("seed", range(3))
def test_idle_and_busy_boards_show_nothing(profile, seed):
    for scenario in ("idle", "busy"):
        run = Simulated(profile, scenario, seed, interval=(0.1, 1.0, 5.0)[seed % 3])
        assert run.report.models == ()
        assert run.leaks == set()
        assert {g.verdict for g in run.report.growth} == {"no leak seen"}


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("interval", [0.1, 1.0, 3.0])
def test_the_leak_scenario_leaks(profile, interval):
    run = Simulated(profile, "leak", 7, interval, start=11.0)
    assert run.report.models == ()
    assert run.leaks >= {("leaky_node (3177)", "hbmem"), ("carveout", "used")}
    assert {subject for subject, _ in run.leaks} <= {"leaky_node (3177)", "carveout", "cma_reserved"}
    (found,) = [g for g in run.report.growth if g.subject.startswith("leaky") and g.kind == "hbmem"]
    assert found.low <= MIB / 2 <= found.high
    assert found.high - found.low < 0.05 * MIB
