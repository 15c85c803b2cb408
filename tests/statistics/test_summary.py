"""Statistics over time, against sums done by hand and against a second way of computing them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ucpmon.errors import UsageError
from ucpmon.statistics.quality import quality
from ucpmon.statistics.summary import Series, imbalances, series, statistic, summary
from ucpmon.statistics.weights import hold_seconds, row_seconds


def screens(elapsed, **columns):
    rows = len(elapsed)
    head = {"screen": range(rows), "time": pd.NaT, "elapsed_s": np.asarray(elapsed, "float64"), "cut": False}
    return pd.DataFrame(head | {k: np.asarray(v, "float64") for k, v in columns.items()})


def held(values, seconds):
    at = np.cumsum([0.0, *seconds[:-1]])
    return Series(np.asarray(values, "float64"), np.asarray(seconds, "float64"), at)


def test_a_value_holds_until_the_next_row_and_the_last_for_the_usual_interval():
    assert hold_seconds(np.array([0.0, 1.0, 4.0, 5.0])).tolist() == [1.0, 3.0, 1.0, 1.0]


def test_the_last_row_of_a_quiet_terminal_holds_for_the_asked_interval():
    assert hold_seconds(np.array([0.0, 10.0, 20.0]), interval_s=1.0).tolist() == [10.0, 10.0, 1.0]


@pytest.mark.parametrize(
    ("gap", "expected"),
    [
        ((1.0, 9.0), [1.0, 1.0, 1.0]),  # starts with a row: it holds for the usual interval
        ((2.5, 8.0), [1.0, 1.5, 1.0]),  # what comes after the gap is as unknown as the gap
        ((12.0, 20.0), [1.0, 8.0, 1.0]),
        ((-5.0, 0.0), [1.0, 8.0, 1.0]),
    ],
)
def test_no_value_holds_across_a_gap(gap, expected):
    assert hold_seconds(np.array([0.0, 1.0, 9.0]), [gap], interval_s=1.0).tolist() == expected


def test_two_gaps_and_a_stall_are_all_unknown():
    info = {"quality": {"gaps": [[2, 4], [6, 8]], "stalls": [[11, 19]]}, "interval_s": 1.0}
    frame = screens([0, 1, 5, 9, 10, 20], bpu0_load_pct=[1] * 6)
    assert row_seconds(frame, info).tolist() == [1, 1, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("ended", "stalls", "last"),
    [
        ("duration reached", [], 59.0),
        ("interrupted (SIGINT)", [], 59.0),
        ("the workload exited with status 0", [], 59.0),
        ("duration reached", [[1.0, 60.0]], 1.0),
        ("duration reached while the link was lost", [], 1.0),
        ("end of capture", [], 1.0),
    ],
)
def test_the_last_value_holds_until_a_live_recording_was_ended(ended, stalls, last):
    """A terminal that shows the same for a minute sends nothing: its only screens are the first ones."""
    frame = pd.DataFrame({"elapsed_s": [0.0, 1.0]})
    marks = [{"elapsed_s": 60.0, "label": f"ucpmon: {ended}", "source": "ucpmon"}]
    info = {"interval_s": 1.0, "ended": ended, "markers": marks, "quality": {"stalls": stalls}}
    assert row_seconds(frame, info).tolist() == [1.0, last]


def test_rows_without_a_clock_count_the_same():
    assert len(set(hold_seconds(np.zeros(4), interval_s=0.5))) == 1
    assert hold_seconds(np.array([7.0]), interval_s=0.5).tolist() == [0.5]
    assert hold_seconds(np.array([])).tolist() == []


def test_statistics_weigh_by_time():
    data = held([0, 100, 50], [8, 1, 1])
    assert data.mean() == pytest.approx(15.0)
    assert [data.percentile(q) for q in (0, 50, 80, 81, 90, 91, 100)] == [0, 0, 0, 50, 50, 100, 100]
    assert data.busy_pct() == pytest.approx(20.0)
    assert data.busy_mean() == pytest.approx(75.0)
    assert data.std() == pytest.approx(np.sqrt((8 * 15**2 + 85**2 + 35**2) / 10))
    assert (data.peak_at_s(), data.least_at_s()) == (8.0, 0.0)


@given(
    st.lists(st.tuples(st.integers(0, 1000), st.integers(1, 20)), min_size=1, max_size=60),
    st.sampled_from([1, 5, 25, 50, 75, 90, 95, 99, 100]),
)
def test_a_percentile_is_that_of_the_values_repeated_second_by_second(pairs, q):
    values, seconds = zip(*pairs, strict=True)
    expected = np.percentile(np.repeat(values, seconds), q, method="inverted_cdf")
    assert held(values, seconds).percentile(q) == expected


def test_a_missing_value_is_neither_zero_nor_the_one_before():
    frame = screens([0, 1, 2, 3], bpu0_load_pct=[90, np.nan, np.nan, 30])
    data = series(frame, "bpu0_load_pct", row_seconds(frame, {}))
    assert (data.mean(), data.values.min(), data.at_s.tolist()) == (60.0, 30.0, [0.0, 3.0])
    assert summary(screens([0.0], x_load_pct=[np.nan]), "x_load_pct", np.ones(1)) is None


def test_a_summary_gives_busy_figures_for_loads_alone():
    frame = screens([0, 1, 2], bpu0_load_pct=[0, 80, 100], carveout_used_bytes=[1 << 20, 3 << 20, 2 << 20])
    load = summary(frame, "bpu0_load_pct", np.ones(3))
    heap = summary(frame, "carveout_used_bytes", np.ones(3))
    assert (load.busy_pct, load.busy_mean, load.p95) == (pytest.approx(200 / 3), 90.0, 100.0)
    assert (heap.busy_pct, heap.mean, heap.peak_at_s, heap.last) == (None, 2 << 20, 1.0, 2 << 20)


def test_the_imbalance_is_of_cores_of_one_kind():
    frame = screens([0, 1], bpu0_load_pct=[90, 70], bpu1_load_pct=[10, 30], dsp0_load_pct=[5, 5], gdc0_load_pct=[0, 0])
    (found,) = imbalances(frame, np.array([3.0, 1.0]))
    assert (found.kind, found.busiest, found.idlest) == ("bpu", "bpu0", "bpu1")
    assert found.spread_pct == pytest.approx((3 * 80 + 40) / 4)
    assert found.ratio == pytest.approx(85 / 50)


@pytest.mark.parametrize("name", ["p9x", "avg", "p101", "", "P95", "mean "])
def test_a_mistyped_statistic_names_the_possible_ones(name):
    with pytest.raises(UsageError, match="possible are mean, min, peak"):
        statistic(name)


def test_a_near_miss_is_guessed():
    with pytest.raises(UsageError, match="did you mean peak"):
        statistic("paek")
    assert statistic("p99.9")(held(range(1000), [1] * 1000)) == 998


def test_quality_figures_come_from_run_json_and_the_rows():
    info = {
        "interval_s": 1.0,
        "quality": {
            "cut": 1, "dropped": 2, "repeated": 3, "clipped": 4, "gaps": [[2.0, 4.0]], "stalls": [],
            "lines": {"understood": 90, "noise": 500, "unknown": 10, "examples": []},
            "interval": {"asked_s": 1.0, "achieved_s": 1.01},
        },
    }  # fmt: skip
    found = quality(screens([0, 1, 2, 9], bpu0_load_pct=[1] * 4), info)
    assert (found.screens, found.duration_s, found.interval_s) == (4, 10.0, 1.01)
    assert (found.unknown_pct, found.gap_pct, found.stall_pct) == (10.0, 20.0, 0.0)
    assert (found.cut, found.dropped, found.repeated, found.clipped, found.gaps) == (1, 2, 3, 4, 1)


def test_quality_of_a_run_without_notes_and_of_one_without_rows():
    found = quality(screens([0, 2, 4, 10], bpu0_load_pct=[1] * 4), {})
    assert (found.interval_s, found.duration_s, found.unknown_pct) == (2.0, 12.0, 0.0)
    assert quality(screens([], bpu0_load_pct=[]), {}).duration_s == 0.0
