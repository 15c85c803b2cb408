"""Thinning keeps what a person would see: every peak, every break, the average."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.plot_runs import axes_of, head, line_of, lines_of, make_run

from ucpmon.plot import PlotOptions, build_figure
from ucpmon.plot.data.decimation import Columns

DAY = 864_000
FIGURE = st.one_of(st.floats(-1e6, 1e6), st.just(float("nan")))


@given(st.lists(FIGURE, min_size=1, max_size=300), st.integers(1, 40))
def test_each_column_keeps_its_extremes_and_whether_it_has_a_break(values, count):
    y, t = np.array(values), np.arange(len(values), dtype=float)
    columns = Columns.of(t, 0.0, float(len(values)), count)
    kept = columns.keep(y)
    for start, size in zip(columns.starts, columns.counts, strict=True):
        part, thin = y[start : start + size], y[kept[(kept >= start) & (kept < start + size)]]
        assert np.isnan(part).any() == np.isnan(thin).any()
        if not np.isnan(part).all():
            assert (np.nanmin(part), np.nanmax(part)) == (np.nanmin(thin), np.nanmax(thin))
            assert part[~np.isnan(part)][[0, -1]].tolist() == thin[~np.isnan(thin)][[0, -1]].tolist()


@given(st.lists(FIGURE, min_size=2, max_size=300), st.integers(1, 40))
def test_no_line_is_drawn_over_a_missing_value_of_another_column(values, count):
    y = np.array(values)
    columns = Columns.of(np.arange(len(y), dtype=float), 0.0, float(len(y)), count)
    kept = columns.keep(y)
    for a, b in pairwise(kept):
        between = y[a + 1 : b]
        if np.ptp(columns.starts.searchsorted([a, b], "right")) and not np.isnan(y[[a, b]]).any():
            assert not np.isnan(between).any()


def test_averages_are_weighted_by_time():
    columns = Columns.of(np.array([0.0, 1.0, 9.0, 10.0]), 0.0, 10.0, 1)
    assert columns.means(np.array([10.0, 20.0, np.nan, 5.0])).tolist() == [pytest.approx(170 / 9)]
    assert columns.average(np.array([10.0, 20.0, np.nan, 5.0])) == pytest.approx(170 / 9)


def a_day(columns):
    """24 hours at 10 rows a second."""
    return replace(make_run({}), frame=pd.concat([head(np.arange(DAY) / 10), pd.DataFrame(columns)], axis=1))


def test_a_peak_of_one_row_in_a_day_survives_at_its_own_time():
    load = np.full(DAY, 10.0)
    load[345_678] = 99.5
    figure = build_figure([a_day({"bpu0_load_pct": load})])
    (x, y), *_ = lines_of(figure, "bpu0_load_pct")
    assert len(x) < 10_000
    assert y.max() == 99.5
    assert x[y.argmax()] == 34567.8


def test_the_peak_is_there_in_the_pixels():
    load = np.full(DAY, 10.0)
    load[345_678] = 99.5
    figure = build_figure([a_day({"bpu0_load_pct": load})], PlotOptions(series=("bpu0_load_pct",)))
    figure.canvas.draw()
    ax = axes_of(figure, "bpu0_load_pct")
    across, up = ax.transData.transform((34567.8, 60.0))
    image = np.asarray(figure.canvas.buffer_rgba())[..., :3].astype(int)
    near = image[round(image.shape[0] - up), round(across) - 2 : round(across) + 3]
    assert (near[:, 2] - near[:, 0] > 40).any(), "no blue stroke where the peak is"


def test_a_missing_row_in_a_day_breaks_the_line():
    load = np.full(DAY, 10.0)
    load[345_678] = np.nan
    figure = build_figure([a_day({"bpu0_load_pct": load})])
    (x, y), *_ = lines_of(figure, "bpu0_load_pct")
    assert x[np.isnan(y)].tolist() == [34567.8]


def test_dense_rows_have_their_average_drawn_over_their_range():
    load = np.tile([0.0, 100.0], DAY // 2)
    figure = build_figure([a_day({"bpu0_load_pct": load})])
    average = next(line for line in figure.axes[0].lines if line.get_label() == "BPU0 load average")
    assert np.asarray(average.get_ydata()) == pytest.approx(50, abs=0.2)


def test_few_rows_are_drawn_as_they_are():
    figure = build_figure([make_run({"bpu0_load_pct": np.arange(2000) % 100})])
    assert len(line_of(figure, "bpu0_load_pct")[0]) == 2001
