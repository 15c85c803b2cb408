"""Budgets: what is allowed, what was seen, and that nothing missing ever passes."""

import numpy as np
import pandas as pd
import pytest

from ucpmon.comparison.budget import bound, read_budget, requirement
from ucpmon.comparison.check import check, verdict
from ucpmon.errors import UsageError

MIB = 1 << 20
CLEAN = {"quality": {"cut": 0, "gaps": [], "lines": {"understood": 100, "noise": 5, "unknown": 0}}}


@pytest.fixture
def frame():
    rows = 10
    return pd.DataFrame(
        {
            "screen": range(rows),
            "time": pd.NaT,
            "elapsed_s": np.arange(rows, dtype="float64"),
            "cut": False,
            "bpu0_load_pct": [0, 10, 20, 30, 40, 50, 60, 70, 99.5, 80],
            "bpu1_load_pct": [50.0] * rows,
            "ddr_read_mibps": [800.0] * rows,
            "carveout_used_bytes": [300.0 * MIB] * 9 + [401 * MIB],
            "carveout_free_bytes": [200.0 * MIB] * 4 + [99 * MIB] + [200 * MIB] * 5,
            "gone_used_bytes": np.nan,
        }
    )


def findings(frame, *rules, info=CLEAN):
    return {f.name: f for f in check(frame, info, rules)}


def test_a_peak_over_its_limit_fails_at_its_moment(frame):
    found = findings(frame, bound("max", "carveout_used_bytes.peak=400M"))["carveout_used_bytes.peak"]
    assert (found.limit, found.seen, found.at_s, found.passed) == (400 * MIB, 401 * MIB, 9.0, False)
    assert findings(frame, bound("max", "carveout_used_bytes.peak=401M"))["carveout_used_bytes.peak"].passed


def test_a_minimum_fails_at_the_lowest_moment(frame):
    found = findings(frame, bound("min", "carveout_free_bytes.min=100M"))["carveout_free_bytes.min"]
    assert (found.seen, found.at_s, found.passed) == (99 * MIB, 4.0, False)


def test_a_pattern_stands_for_every_metric_it_matches(frame):
    found = findings(frame, bound("max", "bpu*_load_pct.p90=80%"))
    assert (found["bpu0_load_pct.p90"].seen, found["bpu0_load_pct.p90"].passed) == (80.0, True)
    assert (found["bpu1_load_pct.p90"].seen, found["bpu1_load_pct.p90"].passed) == (50.0, True)


@pytest.mark.parametrize("limit", ["800", "800MiB/s", "839 MB/s", "0.79GiB/s"])
def test_a_rate_has_units(frame, limit):
    assert findings(frame, bound("max", f"ddr_read_mibps.mean={limit}"))["ddr_read_mibps.mean"].passed


@pytest.mark.parametrize("target", ["nope_used_bytes.peak", "dsp*_load_pct.mean", "gone_used_bytes.peak"])
def test_a_missing_metric_is_never_a_pass(frame, target):
    found = check(frame, CLEAN, [bound("max", f"{target}=1"), bound("max", "bpu1_load_pct.peak=1")])
    assert found[0].passed is None
    assert verdict(found) is None


@pytest.mark.parametrize(
    ("quality", "broken"),
    [
        ({"gaps": [[1.0, 2.0]]}, {"gap_pct"}),
        ({"cut": 1}, {"cut"}),
        ({"lines": {"understood": 90, "noise": 0, "unknown": 2}}, {"unknown_pct"}),
        ({"lines": {"understood": 990, "noise": 0, "unknown": 9}}, set()),
        ({}, set()),
    ],
)
def test_a_run_of_bad_quality_fails_its_own_check(frame, quality, broken):
    found = findings(frame, info={"quality": CLEAN["quality"] | quality})
    assert {name for name, f in found.items() if not f.passed} == broken
    assert set(found) == {"cut", "gap_pct", "unknown_pct"}


def test_an_own_rule_on_quality_replaces_the_default(frame):
    info = {"quality": {"gaps": [[1.0, 2.0]]}}
    found = findings(frame, bound("max", "gap_pct=15"), requirement("screens >= 50"), info=info)
    assert (found["gap_pct"].seen, found["gap_pct"].passed) == (10.0, True)
    assert (found["screens"].seen, found["screens"].passed) == (10.0, False)


def test_a_budget_file_reads_like_the_options(frame, tmp_path):
    budget = tmp_path / "budget.toml"
    budget.write_text(
        '[max]\nbpu0_load_pct.p95 = 90\n"carveout_used_bytes.peak" = "400M"\n[min]\ndsp0_load_pct.mean = 1.5\n'
        '[require]\nscreens = ">=10"\n',
        "utf-8",
    )
    found = findings(frame, *read_budget(budget))
    assert {n: f.passed for n, f in found.items() if f.origin == str(budget)} == {
        "bpu0_load_pct.p95": False,
        "carveout_used_bytes.peak": False,
        "dsp0_load_pct.mean": None,
        "screens": True,
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1", "not a table of a budget"),
        ("[maximum]\n", "the tables are max, min, require"),
        ("[max]\nbpu0_load_pct.p95 = true", "is not a limit"),
        ("[max]\nbpu0_load_pct.p95 = nan", "write a number"),
        ("[max]\nbpu0_load_pct = 3", "names no statistic"),
        ("[max", "not a TOML file"),
        ("[require]\nscreens = 5", "require: screens = '5' is no condition: write screens = "),
        ("[max]\nbpu0_load_pct.p9x = 90", "max: there is no statistic 'p9x'"),
        ("", "holds no limit"),
        ("[max]\n[require]\n", "holds no limit"),
    ],
)
def test_a_budget_that_says_nothing_sensible_is_refused(tmp_path, text, message):
    budget = tmp_path / "budget.toml"
    budget.write_text(text, "utf-8")
    with pytest.raises(UsageError, match=message) as raised:
        read_budget(budget)
    assert str(raised.value).startswith(str(budget))


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("bpu0_load_pct.p9x=90", "did you mean"),
        ("bpu0_load_pct.p95", "is not a limit"),
        ("bpu0_load_pct.p95=", "is not a limit"),
        ("bpu0_load_pct.p95=nan", "is not a limit"),
        ("bpu0_load_pct.p95=inf", "is not a limit"),
        ("bpu0_load_pct=90", "METRIC.p95"),
    ],
)
def test_a_mistyped_limit_is_refused_before_anything_is_read(option, message):
    with pytest.raises(UsageError, match=message):
        bound("max", option)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("bpu0_load_pct.p95=90M", "its unit is %"),
        ("carveout_used_bytes.peak=90%", "is not a limit for"),
        ("carveout_used_bytes.busy_pct=3", "statistic of loads"),
        ("screens=5M", "bare number"),
    ],
)
def test_a_limit_in_the_wrong_unit_is_refused(frame, option, message):
    with pytest.raises(UsageError, match=message):
        check(frame, CLEAN, [bound("max", option)])
