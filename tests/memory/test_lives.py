"""Random models of every shape: their phases are found to the refresh, whatever they do while they run."""

import numpy as np
import pytest
from support.memory_runs import MadeRun, nan

from ucpmon.memory.measurement import memory
from ucpmon.metrics import GIB, MIB


class Shape:
    """Levels in MiB, built phase by phase, and the rows at which phases start."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.levels = []
        self.truth = []
        self.share = self.rng.uniform(30, 400)
        self.peak = self.share * self.rng.uniform(1.2, 2.0)

    def rows(self, low, high):
        return int(self.rng.integers(low, high))

    def idle(self, low=4, high=40):
        self.levels += [0.0] * self.rows(low, high)

    def line(self, start, stop, rows):
        self.levels += list(np.linspace(start, stop, rows + 1)[1:])

    def start(self, phase):
        if phase == "loading":
            self.truth.append({})
        self.truth[-1][phase] = len(self.levels)

    def run(self, low=20, high=150):
        self.start("running")
        rows = self.rows(low, high)
        self.levels += [self.share] * rows
        return slice(len(self.levels) - rows, len(self.levels))

    def done(self):
        self.start("released")
        self.idle(2, 30)


def at_once(s):
    s.start("loading")
    s.line(s.peak, s.peak, s.rows(1, 10))


def along_a_slope(s):
    s.start("loading")
    s.line(0, s.peak, s.rows(8, 30))
    s.line(s.peak, s.share, s.rows(4, 15))
    del s.levels[-1]


def along_a_curve(s):
    s.start("loading")
    s.levels += list(s.peak * (1 - np.exp(-np.linspace(0.3, 4, s.rows(6, 30)))))


def in_stages(s):
    s.start("loading")
    s.line(0.6 * s.share, 0.6 * s.share, s.rows(1, 4))
    s.line(s.peak, s.peak, s.rows(2, 10))


def quietly(s, rows):
    pass


def with_a_leak(s, rows):
    for i, row in enumerate(range(rows.start, rows.stop)):
        s.levels[row] += 0.01 * s.share * i


def with_steps(s, rows):
    for _ in range(3):
        step = s.rng.uniform(-0.06, 0.06) * s.share
        for row in range(s.rows(rows.start + 3, rows.stop), rows.stop):
            s.levels[row] += step


def noisily(s, rows):
    for row in range(rows.start, rows.stop):
        s.levels[row] += s.rng.normal(0, 0.008) * s.share


def found(shape, interval, **options):
    """The rows at which each model's phases were found to start."""
    exact = np.array(shape.levels) * MIB
    process = np.where(exact > 0, exact, nan)
    made = MadeRun([(7, "infer", process)], interval=interval, totals={"carveout": 3 * GIB}, **options)
    models = memory(made).models
    return [{n: p.start_s / interval for n, p in m.life.phases.items() if n != "baseline"} for m in models]


def check(shape, seen):
    assert len(seen) == len(shape.truth)
    for life, truth in zip(seen, shape.truth, strict=True):
        assert life == pytest.approx(truth, abs=1.01)


@pytest.mark.parametrize("load", [at_once, along_a_slope, along_a_curve, in_stages])
@pytest.mark.parametrize("work", [quietly, with_a_leak, with_steps, noisily])
@pytest.mark.parametrize("seed", range(5))
def test_one_model(load, work, seed):
    shape = Shape([seed, 1])
    shape.idle()
    load(shape)
    work(shape, shape.run(40))
    shape.done()
    check(shape, found(shape, 0.1))


@pytest.mark.parametrize("load", [at_once, along_a_slope])
@pytest.mark.parametrize("seed", range(5))
def test_one_after_the_other(load, seed):
    shape = Shape([seed, 2])
    shape.idle()
    for _ in range(3):
        load(shape)
        shape.run()
        shape.done()
        shape.share, shape.peak = shape.share * 0.6, shape.peak * 0.7
    check(shape, found(shape, 1.0))


@pytest.mark.parametrize("seed", range(8))
def test_the_same_pid_again_with_hardly_a_screen_between(seed):
    shape = Shape([seed, 3])
    shape.idle()
    for _ in range(2):
        at_once(shape)
        shape.run()
        shape.start("released")
        shape.idle(1, 3)
    check(shape, found(shape, 5.0))


@pytest.mark.parametrize("seed", range(8))
def test_under_way_at_the_start_and_never_released(seed):
    shape = Shape([seed, 4])
    shape.truth.append({})
    shape.run()
    shape.done()
    at_once(shape)
    shape.run()
    check(shape, found(shape, 0.2))


@pytest.mark.parametrize("seed", range(6))
def test_a_sawtooth_at_work_is_one_model(seed):
    shape = Shape([seed, 5])
    shape.idle()
    at_once(shape)
    rows = shape.run(60)
    period = shape.rows(4, 12)
    for row in range(rows.start, rows.stop):
        shape.levels[row] += 0.05 * shape.share * (row % period) / period
    shape.done()
    check(shape, found(shape, 1.0))
