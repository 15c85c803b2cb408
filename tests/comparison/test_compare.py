"""Comparisons: how often the same is called different, and whether a true change is found."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from ucpmon.comparison.compare import compare
from ucpmon.comparison.tolerance import allowance, outcomes
from ucpmon.comparison.windows import windows
from ucpmon.errors import UsageError
from ucpmon.runs.frames import HEAP_COLUMNS, MARK_COLUMNS, PROCESS_COLUMNS
from ucpmon.statistics.bootstrap import within_runs
from ucpmon.statistics.standard_error import block_means, spread
from ucpmon.statistics.summary import Series

MIB = 1 << 20


def noise(rng, rows, phi):
    """AR(1) of unit variance: each screen resembles the one before as much as ``phi`` says."""
    values, last = np.empty(rows), rng.standard_normal()
    for i, e in enumerate(rng.standard_normal(rows) * np.sqrt(1 - phi**2)):
        last = values[i] = phi * last + e
    return values


def make(columns, rows=60, step=1.0, marks=(), info=None):
    head = {"screen": range(rows), "time": pd.NaT, "elapsed_s": np.arange(rows) * step, "cut": False}
    marked = pd.DataFrame([(pd.NaT, at, label, "user") for label, at in marks], columns=list(MARK_COLUMNS))
    tables = {
        n: pd.DataFrame({c: [] for c in cs}) for n, cs in (("processes", PROCESS_COLUMNS), ("heaps", HEAP_COLUMNS))
    }
    return SimpleNamespace(frame=pd.DataFrame(head | columns), marks=marked, info=info or {}, **tables)


def board(rng, phi, factor=1.0, rows=60, step=1.0):
    """Four cores, DDR and three heaps, as a monitor prints them while a model runs."""
    loads = {f"bpu{i}_load_pct": np.round(60 * factor + 2 * noise(rng, rows, phi), 1) for i in range(4)}
    loads |= {f"{ip}0_load_pct": np.round(np.abs(3 + noise(rng, rows, phi)), 1) for ip in ("dsp", "gdc", "jpu")}
    ddr = {f"ddr_{d}_mibps": np.round(3000 + 200 * noise(rng, rows, phi)) for d in ("read", "write")}
    used = {f"{h}_used_bytes": np.round(300 + 2 * noise(rng, rows, phi), 1) * MIB for h in ("carveout", "cma_reserved")}
    total = {"carveout_total_bytes": np.full(rows, 512.0 * MIB), "carveout_free_bytes": np.full(rows, 1.0)}
    return make(loads | ddr | used | total, rows, step)


def called(found):
    return {d.column for d in found if d.verdict in ("higher", "lower")}


@pytest.mark.parametrize(("phi", "rows", "step"), [(0.0, 60, 1.0), (0.6, 60, 1.0), (0.9, 60, 1.0), (0.9, 600, 0.1)])
def test_two_runs_of_the_same_thing_seldom_differ(phi, rows, step):
    rng = np.random.default_rng(int(phi * 10) + rows)
    pairs = 60
    wrong = 0
    for _ in range(pairs):
        wrong += bool(called(compare([board(rng, phi, 1, rows, step)], [board(rng, phi, 1, rows, step)])))
    # At exactly 5 % more than 6 of 60 would be seen in three seeds of a hundred.
    assert wrong <= 6


@pytest.mark.parametrize(("phi", "rows", "step"), [(0.0, 60, 1.0), (0.5, 60, 1.0), (0.9, 600, 0.1)])
def test_five_percent_more_load_is_found_in_two_runs_of_a_minute(phi, rows, step):
    rng = np.random.default_rng(3)
    cores = {f"bpu{i}_load_pct" for i in range(4)}
    found = [called(compare([board(rng, phi, 1, rows, step)], [board(rng, phi, 1.05, rows, step)])) for _ in range(12)]
    hits = sum(len(f & cores) for f in found) / (12 * 4)
    false = sum(len(f - cores) for f in found) / (12 * 7)
    assert hits >= 0.9
    assert false <= 0.05


def test_several_base_runs_show_a_spread_that_one_run_hides():
    rng = np.random.default_rng(7)

    def run(shift):
        return make({"bpu0_load_pct": np.round(60 + shift + noise(rng, 60, 0), 1)})

    shifts = [-4.0, 3.0, -1.0, 4.0, -3.0, 1.0]
    one = compare([run(0)], [run(3)])
    several = compare([run(s) for s in shifts], [run(3)])
    assert called(one) == {"bpu0_load_pct"}
    assert called(several) == set()
    assert called(compare([run(s) for s in shifts], [run(25)])) == {"bpu0_load_pct"}


def test_the_interval_covers_the_true_difference_nineteen_times_in_twenty():
    rng = np.random.default_rng(11)
    covered = 0
    for _ in range(300):
        sides = [spread(Series(m + noise(rng, 60, 0.6), np.ones(60), np.arange(60.0))) for m in (10.0, 11.0)]
        chance = within_runs(*sides, draws=4000)
        covered += chance.low <= 1.0 <= chance.high
    assert 0.92 <= covered / 300 <= 0.99


def test_dependent_rows_are_worth_less():
    rng = np.random.default_rng(13)

    def worth(phi):
        return np.median(
            [spread(Series(noise(rng, 120, phi), np.ones(120), np.arange(120.0))).worth for _ in range(60)]
        )

    assert worth(0.0) == pytest.approx(120, rel=0.2)
    assert worth(0.6) == pytest.approx(120 * 0.4 / 1.6, rel=0.3)


def test_blocks_are_equal_times_whatever_the_rows():
    data = Series(np.array([10.0, 20, 40]), np.array([2.0, 1, 1]), np.array([0.0, 2, 3]))
    assert block_means(data, 4).tolist() == pytest.approx([10, 10, 20, 40])
    assert block_means(data, 2).tolist() == pytest.approx([10, 30])


def test_what_matters_comes_first():
    rng = np.random.default_rng(17)
    base = board(rng, 0)
    new = board(rng, 0)
    new.frame["carveout_used_bytes"] += 100 * MIB  # a fifth of the heap
    new.frame["dsp0_load_pct"] += 10  # a tenth of a core, though four times its base
    new.frame["ddr_read_mibps"] *= 3
    found = compare([base], [new])
    assert [d.column for d in found[:3]] == ["ddr_read_mibps", "carveout_used_bytes", "dsp0_load_pct"]
    assert [d.verdict for d in found[:4]] == ["higher", "higher", "higher", "same"]
    assert found[1].change == pytest.approx(100 * MIB, rel=0.01)
    assert found[1].low < 100 * MIB < found[1].high


def test_a_mirror_and_a_missing_metric():
    base = make(
        {"a_used_bytes": [1.0] * 60, "a_free_bytes": [9.0] * 60, "b_free_bytes": [9.0] * 60, "x_load_pct": [1.0] * 60}
    )
    new = make({"a_used_bytes": [1.0] * 60, "b_free_bytes": [9.0] * 60, "y_load_pct": [np.nan] * 59 + [2.0]})
    assert {d.column: d.verdict for d in compare([base], [new])} == {
        "a_used_bytes": "same", "b_free_bytes": "same", "x_load_pct": "only base", "y_load_pct": "only new",
    }  # fmt: skip


def test_a_step_of_the_printed_figure_is_not_a_change():
    info = {"resolution": {"h_used_bytes": [[0, MIB // 10], [5, 100 * MIB]]}}
    base = make({"h_used_bytes": [1000.0 * MIB] * 60}, info=info)
    assert called(compare([base], [make({"h_used_bytes": [1100.0 * MIB] * 60}, info=info)])) == set()
    assert called(compare([base], [make({"h_used_bytes": [1101.0 * MIB] * 60}, info=info)])) == {"h_used_bytes"}


def test_too_few_rows_judge_nothing():
    found = compare([make({"x_load_pct": [1.0] * 5}, 5)], [make({"x_load_pct": [99.0] * 60})])
    assert [(d.verdict, d.p, d.change) for d in found] == [("unknown", None, 98.0)]


def test_phases_are_between_the_marks_that_all_runs_share():
    rng = np.random.default_rng(19)
    load = np.concatenate([np.full(30, 5.0), np.full(30, 80.0)])
    base = make({"x_load_pct": load + rng.random(60)}, marks=[("start", 0), ("run", 30), ("twice", 1), ("twice", 2)])
    new = make(
        {"x_load_pct": np.roll(load, 10) * 1.2 + rng.random(60)}, marks=[("start", 10), ("only", 20), ("run", 40)]
    )
    assert windows([base, new])[1:] == [("start", [(0, 30), (10, 40)]), ("run", [(30, np.inf), (40, np.inf)])]
    by_phase = {d.phase: d for d in compare([base], [new])}
    assert by_phase["run"].base == pytest.approx(80.5, abs=0.5)
    assert by_phase["run"].new == pytest.approx(96.5, abs=0.5)
    assert by_phase["run"].verdict == "higher"
    assert set(by_phase) == {"whole run", "start", "run"}


def with_model(rng, loads_at, load):
    """A minute in which a model loads with a peak and runs: the load is the same until then, and noisy."""
    rows = np.arange(90)
    running = rows >= loads_at + 4
    used = np.where(running, 98.0, np.where(rows >= loads_at, 214.0, 2.0))
    bpu = np.where(running, load, 0.0) + np.where(running, 2 * rng.standard_normal(90), 0.0)
    total = np.full(90, 512.0)
    columns = {f"carveout_{k}_bytes": v * MIB for k, v in (("total", total), ("used", used), ("free", total - used))}
    return make({"bpu0_load_pct": np.round(np.abs(bpu), 1), **columns}, 90)


def test_without_marks_the_phases_are_those_of_the_model():
    rng = np.random.default_rng(23)
    found = compare([with_model(rng, 20, 60.0)], [with_model(rng, 26, 63.0)])
    loads = {d.phase: d for d in found if d.column == "bpu0_load_pct"}
    assert set(loads) == {"whole run", "baseline", "loading", "running"}
    # Over the whole run the model's coming hides it.
    assert loads["whole run"].verdict == "same"
    assert loads["running"].verdict == "higher"
    assert loads["running"].relative == pytest.approx(0.05, abs=0.02)
    assert {(d.column, d.phase) for d in found if d.verdict in ("higher", "lower")} == {("bpu0_load_pct", "running")}


def test_marks_in_another_order_make_no_phases():
    runs = [make({"x_load_pct": [1.0] * 60}, marks=m) for m in ([("a", 1), ("b", 2)], [("b", 1), ("a", 2)])]
    assert [name for name, _ in windows(runs)] == ["whole run"]


@pytest.mark.parametrize(
    ("rule", "new", "failed"),
    [
        ("h_used_bytes.peak>+5%", 105.0, False),
        ("h_used_bytes.peak>+5%", 106.0, True),
        ("h_used_bytes.peak>+5M", 106.0, True),
        ("h_used_bytes.peak>+7MiB", 106.0, False),
        ("h_*.mean<-10%", 106.0, False),
        ("h_*.mean<-10%", 80.0, True),
        ("h_used_bytes.peak > +0.5 %", 100.0, False),
        ("gone_used_bytes.peak>+5%", 100.0, None),
    ],
)
def test_an_allowance_is_of_the_base(rule, new, failed):
    (found,) = outcomes(
        allowance(rule), [make({"h_used_bytes": [100.0 * MIB] * 9}, 9)], [make({"h_used_bytes": [new * MIB] * 9}, 9)]
    )
    assert found.failed is failed


def test_growth_from_nothing_is_beyond_every_share():
    zero, some = make({"x_load_pct": [0.0] * 9}, 9), make({"x_load_pct": [0.1] * 9}, 9)
    assert next(outcomes(allowance("x_load_pct.mean>+500%"), [zero], [some])).failed is True
    assert next(outcomes(allowance("x_load_pct.mean>+500%"), [zero], [zero])).failed is False


@pytest.mark.parametrize("text", ["x.peak", "x.peak>5%", "peak>+5%", "x.peek>+5%", "x.peak>+nan%", ""])
def test_a_mistyped_allowance_is_refused(text):
    with pytest.raises(UsageError, match=r"write '|did you mean peak"):
        allowance(text)
