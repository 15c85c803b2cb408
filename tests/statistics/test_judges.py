"""Our own statistics against those of others, on random series with a known truth.

The shares are those that docs/statistics.md tells (``scripts/judged.py``).
"""

import warnings
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pymannkendall
import pytest
import ruptures
from judged import CUTS, DIFFERENCE, GROWTH, INDEPENDENT, JUDGED, LEAST, MEAN, MUCH, SAME, SLOPE, SOME
from scipy import stats
from support.made_series import AT, EACH, ROWS, dependent, made, variance_of_mean

from ucpmon.comparison.compare import compare
from ucpmon.comparison.tolerance import allowance, outcomes
from ucpmon.memory import leaks
from ucpmon.memory.levels import Track
from ucpmon.memory.steady_growth import LEVEL, Window
from ucpmon.runs.frames import HEAP_COLUMNS, MARK_COLUMNS, PROCESS_COLUMNS
from ucpmon.statistics.bootstrap import between_runs, within_runs
from ucpmon.statistics.change_points import Cuts
from ucpmon.statistics.standard_error import spread
from ucpmon.statistics.student import upper_quantile
from ucpmon.statistics.summary import Series

OWN = {INDEPENDENT: 0.0, SOME: 0.6, MUCH: 0.9}
"""How much each row resembles the one before, in the series of this name."""
PAIR_ROWS = 60


def hold(question, series, ours, judge):
    """What was measured, booleans per series, is what is told in percent: a point is two of 200 series."""
    told = JUDGED[question, series]
    assert (100 * np.mean(ours), 100 * np.mean(judge)) == pytest.approx((told.ours, told.judge), abs=1.01)


@pytest.mark.parametrize("level", [0.0005, 0.025])
@pytest.mark.parametrize("freedom", [3, 4, 7, 10])
def test_a_quantile_of_students_t_is_scipys_to_the_last_printed_digit(level, freedom):
    assert upper_quantile(level, freedom) == round(stats.t.isf(level, freedom), 3)


class Lines(ruptures.base.BaseCost):
    """ruptures' cost ``linear``, with the errors of all segments computed at once."""

    model, min_size = "lines", 3

    def fit(self, signal):
        self.signal = signal
        x, y = np.arange(float(len(signal))), signal[:, 0] - signal[:, 0].mean()
        n, sx, sy, sxx, sxy, syy = (self._between(a) for a in (np.ones(len(x)), x, y, x * x, x * y, y * y))
        n = np.maximum(n, 1)
        steep = np.divide((sxy - sx * sy / n) ** 2, sxx - sx * sx / n, out=np.zeros_like(n), where=n > 2)
        self.errors = np.maximum(syy - sy * sy / n - steep, 0.0).tolist()
        return self

    def error(self, start, end):
        return self.errors[start][end]

    @staticmethod
    def _between(rows):
        sums = np.concatenate([[0.0], np.cumsum(rows)])
        return sums[None] - sums[:, None]


def by_lines(level, penalty):
    """The cuts with the least squared error plus ``penalty`` each, and a function that gives this sum of any cuts."""
    cost = Lines().fit(level[:, None])
    cuts = ruptures.Pelt(custom_cost=cost, min_size=3, jump=1).fit(level[:, None]).predict(penalty)[:-1]
    return cuts, lambda of: sum(cost.error(a, b) for a, b in pairwise([0, *of, ROWS])) + penalty * len(of)


def by_levels(level, penalty):
    return ruptures.KernelCPD("linear", min_size=1).fit(level).predict(pen=penalty)[:-1]


def own_cuts(level, material):
    return [p.first for p in Cuts(AT, level).pieces(material)][1:]


def right(cuts, truth):
    """All of the true cuts within one row, and no other."""
    return len(cuts) == len(truth) and all(abs(a - b) <= 1 for a, b in zip(cuts, truth, strict=True))


def scaled(series):
    """Levels in units of their noise, from their mean: rounding error stays small. A change of 6 shows in one row."""
    return (series.values - series.values.mean()) / series.noise, 6.0, 18.0


def test_the_errors_of_lines_are_those_of_ruptures():
    level, _, _ = scaled(made("sawtooth")[0])
    judge = ruptures.costs.CostLinear().fit(np.column_stack([level, np.ones(ROWS), AT]))
    ours = Lines().fit(level[:, None])
    for start, end in ((0, 100), (0, 7), (13, 60), (90, 100)):
        assert ours.error(start, end) == pytest.approx(judge.error(start, end), rel=1e-9)


@pytest.mark.parametrize("kind", ["step", "quantised"])
def test_jumps_are_found_where_ruptures_finds_them(kind):
    ours, judge, same = [], [], []
    for series in made(kind):
        level, material, penalty = scaled(series)
        a, b = own_cuts(level, material), by_levels(level, penalty)
        ours.append(right(a, series.cuts))
        judge.append(right(b, series.cuts))
        same.append(a == b)
    hold(CUTS, kind, ours, judge)
    assert np.mean(same) >= 0.97
    assert np.mean(ours) >= np.mean(judge) - 0.015


@pytest.mark.parametrize("kind", ["ramp", "sawtooth"])
def test_lines_are_parted_where_ruptures_parts_them(kind):
    ours, judge, by_level = [], [], []
    for series in made(kind):
        level, material, penalty = scaled(series)
        ours.append(right(own_cuts(level, material), series.cuts))
        judge.append(right(by_lines(level, penalty)[0], series.cuts))
        by_level.append(right(by_levels(level, penalty), series.cuts))
    hold(CUTS, kind, ours, judge)
    assert np.mean(ours) >= np.mean(judge)
    assert sum(by_level) == 0


def test_the_pieces_of_a_walk_are_nearly_as_good_as_the_best_there_are():
    """A walk has no true cuts: squared error plus a penalty for each cut is what ruptures makes least."""
    ratios = []
    for series in made("walk"):
        level, material, penalty = scaled(series)
        cuts, total = by_lines(level, penalty)
        ratios.append(total(own_cuts(level, material)) / total(cuts))
    hold(LEAST, "walk", np.array(ratios) <= 1.05, np.ones(EACH))
    assert max(ratios) < 1.2


@pytest.fixture(scope="module")
def verdicts_only():
    """Without the smallest leak that would have been seen: that takes a thousand times as long as the verdict."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(leaks, "smallest_leak", lambda *_: None)
        yield


def grown(series):
    half = np.full(ROWS, series.step / 2)
    return leaks.growth("carveout", "used", Track("used", AT, np.ones(ROWS), series.values, half, half))


def mann_kendall(series):
    """Hamed and Rao's (1998) test of the same rows at the same one-sided level."""
    with warnings.catch_warnings():
        # Its variance can come out negative: then it says that there is no trend.
        warnings.simplefilter("ignore", RuntimeWarning)
        return pymannkendall.hamed_rao_modification_test(judged(series.values), alpha=2 * LEVEL)


def judged(rows):
    return rows[int(leaks.WARM_UP * ROWS) :]


@pytest.mark.usefixtures("verdicts_only")
@pytest.mark.parametrize("kind", ["step", "quantised", "ramp", "sawtooth", "walk"])
def test_growth_is_called_steady_where_it_is(kind):
    every = made(kind)
    leaking = kind == "ramp"
    ours = [(grown(series).verdict == leaks.LEAK) == leaking for series in every]
    judge = [(mann_kendall(series).trend == "increasing") == leaking for series in every]
    hold(GROWTH, kind, ours, judge)
    if leaking:
        missed = [series for series, found in zip(every, ours, strict=True) if not found]
        assert max(series.slope * 0.9 * ROWS / series.noise for series in missed) < 10
    else:
        assert np.mean(ours) >= max(0.99, np.mean(judge))


@pytest.mark.usefixtures("verdicts_only")
@pytest.mark.parametrize(("kind", "own"), [("ramp", 0.0), (f"ramp, {SOME}", 0.6), (f"ramp, {MUCH}", 0.9)])
def test_the_interval_of_a_slope_holds_the_true_one(kind, own):
    ours, judge = [], []
    for series in made("ramp", own=own):
        found, line = grown(series), stats.linregress(judged(AT), judged(series.values))
        half = stats.t.isf(0.025, len(judged(AT)) - 2) * line.stderr
        assert found.slope == pytest.approx(line.slope, rel=1e-9)
        assert found.r2 == pytest.approx(line.rvalue**2, rel=1e-9)
        ours.append(found.low <= series.slope <= found.high)
        judge.append(abs(line.slope - series.slope) <= half)
    hold(SLOPE, kind, ours, judge)
    assert np.mean(ours) >= max(0.95, np.mean(judge))


def test_a_random_walk_passes_the_test_of_its_increments_twice_in_a_thousand():
    """Means of blocks next to each other share a part of the walk: their increments are not independent."""
    walks = np.cumsum(np.random.default_rng(0).standard_normal((20_000, ROWS)), axis=1)
    passed = Window.of(AT, np.ones(ROWS)).are_steady(walks, np.zeros(len(walks)))
    assert 2 * LEVEL < passed.mean() < 0.0025


def spread_of(values):
    return spread(Series(values, np.ones(len(values)), np.arange(float(len(values)))))


def pairs(own, rows=PAIR_ROWS):
    """200 pairs of runs of the same thing."""
    rng = np.random.default_rng([rows, int(10 * own)])
    return zip(dependent(rng, (EACH, rows), own), dependent(rng, (EACH, rows), own), strict=True)


def difference(new, base, axis):
    return new.mean(axis) - base.mean(axis)


@pytest.mark.parametrize("series", OWN)
def test_the_interval_of_a_difference_holds_the_true_one(series):
    ours, judge, wider = [], [], []
    for base, new in pairs(OWN[series]):
        chance = within_runs(spread_of(base), spread_of(new), 2000)
        rng = np.random.default_rng(1)
        found = stats.bootstrap((new, base), difference, vectorized=True, n_resamples=999, method="basic", rng=rng)
        low, high = found.confidence_interval
        ours.append(chance.low <= 0 <= chance.high)
        judge.append(low <= 0 <= high)
        wider.append((chance.high - chance.low) / (high - low))
    hold(DIFFERENCE, series, ours, judge)
    assert np.mean(ours) >= 0.94
    assert np.mean(ours) >= np.mean(judge)
    if not OWN[series]:
        assert 1.0 < np.median(wider) < 1.15


@pytest.mark.parametrize("series", OWN)
def test_one_run_each_is_judged_more_cautiously_than_by_a_t_test(series):
    p = []
    for base, new in pairs(OWN[series]):
        ours = within_runs(spread_of(base), spread_of(new), 4000).p
        p.append((ours, stats.ttest_ind(new, base, equal_var=False).pvalue))
    ours, judge = np.transpose(p)
    hold(SAME, series, ours > 0.05, judge > 0.05)
    assert np.mean(ours >= judge - 0.01) >= 0.98
    assert np.mean(ours > 0.05) >= 0.94


@pytest.mark.parametrize("series", OWN)
def test_the_error_of_a_mean_is_the_true_one(series):
    """Shares of the runs in which the error is at least four fifths of the true one."""
    own = OWN[series]
    true = variance_of_mean(120, own) ** 0.5
    ours, judge = np.transpose(
        [(spread_of(run).variance ** 0.5 / true, stats.sem(run) / true) for run, _ in pairs(own, 120)]
    )
    hold(MEAN, series, ours >= 0.8, judge >= 0.8)
    assert 0.95 < np.median(ours) < 1.1
    assert np.median(judge) == pytest.approx(1 / (120 * variance_of_mean(120, own)) ** 0.5, rel=0.1)


def test_several_runs_are_judged_as_by_a_pooled_t_test():
    rng = np.random.default_rng(5)
    ours, judge = [], []
    for _ in range(EACH):
        counts, shift = rng.integers(2, 6, 2), rng.uniform(0, 2)
        base, new = (dependent(rng, (n, PAIR_ROWS), 0.5) + rng.normal(0, 2, (n, 1)) for n in counts)
        chance = between_runs([spread_of(r) for r in base], [spread_of(r + shift) for r in new], 20_000)
        test = stats.ttest_ind((new + shift).mean(axis=1), base.mean(axis=1))
        low, high = test.confidence_interval()
        # Where the runs lie closer together than they vary within, that counts: p is larger then.
        assert chance.p - test.pvalue > -0.01
        assert (chance.high - chance.low) / (high - low) > 0.98
        ours.append((chance.low <= shift <= chance.high, abs(chance.p - test.pvalue) < 0.01))
        judge.append(low <= shift <= high)
    held, alike = np.transpose(ours)
    hold(DIFFERENCE, "several runs", held, judge)
    assert np.mean(alike) >= 0.98


def run_of(columns, step=1.0):
    rows = len(next(iter(columns.values())))
    at = np.cumsum(np.broadcast_to(step, rows)) - np.ravel(step)[0]
    head = {"screen": range(rows), "time": pd.NaT, "elapsed_s": at, "cut": False}
    names = {"marks": MARK_COLUMNS, "processes": PROCESS_COLUMNS, "heaps": HEAP_COLUMNS}
    tables = {name: pd.DataFrame({c: [] for c in of}) for name, of in names.items()}
    # Without an asked interval, how long the last row held would be guessed.
    return SimpleNamespace(frame=pd.DataFrame(head | columns), info={"interval_s": 1.0}, **tables)


def test_the_corrected_probabilities_of_a_comparison_are_scipys():
    rng = np.random.default_rng(9)
    base, new = ({f"bpu{i}_load_pct": dependent(rng, (30,), 0.3) + up * i / 20 for i in range(30)} for up in (0, 1))
    found = compare([run_of(base)], [run_of(new)])
    assert len(found) == 30
    assert 5 < sum(d.verdict == "higher" for d in found) < 25
    assert [d.q for d in found] == pytest.approx(stats.false_discovery_control([d.p for d in found]), rel=1e-12)


@pytest.mark.parametrize(("name", "judge"), [
    ("mean", np.mean),
    ("std", np.std),
    ("median", lambda rows: np.percentile(rows, 50, method="inverted_cdf")),
    ("p95", lambda rows: np.percentile(rows, 95, method="inverted_cdf")),
    ("p12.5", lambda rows: np.percentile(rows, 12.5, method="inverted_cdf")),
])  # fmt: skip
def test_a_tolerance_compares_what_numpy_computes_of_every_second(name, judge):
    """200 series on each side, whose rows hold for one to four seconds."""
    rng = np.random.default_rng(3)
    held = np.append(rng.integers(1, 5, ROWS - 1), 1)
    steps = np.concatenate([[0], held[:-1]])
    sides = [
        {f"bpu{i}_load_pct": np.round(s.values / s.step, 1) for i, s in enumerate(made(k))} for k in ("step", "walk")
    ]
    runs = [run_of(side, steps) for side in sides]
    for row in outcomes(allowance(f"*.{name}>+5%"), runs[:1], runs[1:]):
        base, new = (judge(np.repeat(side[row.column], held)) for side in sides)
        assert (row.base, row.new) == pytest.approx((base, new), rel=1e-9)
        assert row.relative == pytest.approx((new - base) / base, abs=1e-9)
        assert row.failed == (new > 1.05 * base)
