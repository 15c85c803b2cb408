"""What is drawn beside the screens' own columns: phases, exact heaps, true DDR bandwidth, runs of one name."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from support.plot_runs import MIB, axes_of, busy_run, line_of, lines_of, make_run, misplaced, words_of

from ucpmon.plot import Extra, PlotOptions, build_figure
from ucpmon.runs.frames import HEAP_COLUMNS

PHASES = ((0, 12, "baseline"), (12, 13, "loading"), (13, 51, "running"), (51, 60, "released"))


def bars(figure, name):
    """The (start, end) of the bars of a phase."""
    found = [c for ax in figure.axes for c in ax.collections if c.get_gid() == f"phase {name}"]
    return [tuple(path.get_extents().intervalx) for c in found for path in c.get_paths()]


def test_phases_are_bars_over_their_time_and_all_are_named():
    figure = build_figure([busy_run()], extras=[Extra(PHASES)])
    assert bars(figure, "running") == [(13, 51)]
    assert bars(figure, "loading") == [(12, 13)]
    words = words_of(figure)
    assert [words.count(name) for _, _, name in PHASES] == [1, 1, 1, 1]
    assert misplaced(figure) == ([], [])


def test_neighbours_in_a_row_differ_in_shade_whatever_stands_below():
    # As of two models in turn: the second's baseline lies over the first's release.
    spans = [
        (0, 10, "baseline"), (10, 15, "loading"), (15, 30, "running"), (30, 45, "baseline"), (30, 40, "released"),
        (45, 50, "loading"), (50, 60, "running"),
    ]  # fmt: skip
    figure = build_figure([busy_run()], extras=[Extra(spans)])
    bars = [c for ax in figure.axes for c in ax.collections if str(c.get_gid()).startswith("phase")]
    boxes = [(c.get_paths()[0].get_extents(), tuple(c.get_facecolor()[0])) for c in bars]
    top = sorted((box.x0, shade) for box, shade in boxes if box.y0 < 0.1)
    assert len(top) == 6
    assert all(a[1] != b[1] for a, b in pairwise(top))


def test_phases_follow_the_alignment_and_the_window():
    figure = build_figure(
        [busy_run(named=[(12, "go")])], PlotOptions(align="marker:go", start_s=-5, end_s=20), [Extra(PHASES)]
    )
    assert bars(figure, "running") == [(1, 20)]
    assert bars(figure, "released") == []


def test_phases_of_two_models_at_once_have_rows_of_their_own():
    figure = build_figure([busy_run()], extras=[Extra((*PHASES, (20, 40, "loading")))])
    heights = {
        path.get_extents().intervaly[0]
        for ax in figure.axes
        for c in ax.collections
        if str(c.get_gid()).startswith("phase")
        for path in c.get_paths()
    }
    assert len(heights) == 2


@pytest.mark.parametrize("count", [2, 5])
def test_phases_of_several_runs_do_not_cover_each_other(count):
    runs = [busy_run(seed=i, name=f"run {i}") for i in range(count)]
    assert misplaced(build_figure(runs, extras=[Extra(PHASES)] * count)) == ([], [])


def exact_run():
    run = make_run({"carveout_total_bytes": [512 * MIB] * 4, "carveout_used_bytes": [10 * MIB] * 4})
    rows = [
        (pd.NaT, float(t), heap, kind, "", pd.NA, size)
        for t, size in ((0, 10_000_000), (2, 10_500_000))
        for heap, kind in (("carveout", "allocated"), ("carveout", "total"), ("custom", "allocated"))
    ]
    return replace(run, heaps=pd.DataFrame(rows, columns=list(HEAP_COLUMNS)))


def test_exact_bytes_stand_in_their_heaps_panel():
    figure = build_figure([exact_run()])
    x, y = line_of(figure, "carveout_exact")
    assert (x.tolist(), y.tolist()) == ([0, 2, 4], [10_000_000, 10_500_000, 10_500_000])
    assert axes_of(figure, "carveout_exact") is axes_of(figure, "carveout_used_bytes")
    assert "dumps' peak 10.0 MiB" in words_of(figure)
    assert lines_of(figure, "custom_exact") == []


def test_true_bandwidth_is_drawn_at_its_own_times_and_named_by_its_source():
    ddr = pd.DataFrame({"elapsed_s": [0.5, 1.5, 2.5], "hrut_ddr_read_mibps": [100.0, 11_000.0, 90.0]})
    run = make_run({"ddr_read_mibps": [200, 210, 205]})
    figure = build_figure([run], extras=[Extra(ddr=ddr)])
    x, y = line_of(figure, "hrut_ddr_read_mibps")
    assert (x.tolist(), y.tolist()) == ([0.5, 1.5, 2.5, 3.5], [100, 11_000, 90, 90])
    words = words_of(figure)
    assert "DDR bandwidth, MiB/s: the monitor's and hrut_ddr's" in words
    assert any(w.startswith("read (hrut_ddr)") for w in words)
    alone = words_of(build_figure([run]))
    assert "DDR bandwidth, MiB/s, as the monitor prints it" in alone


def test_runs_of_one_name_are_told_apart_by_their_folders():
    runs = [busy_run(path=f"/data/{d}/run.csv") for d in ("monday", "tuesday")]
    assert {"monday/run.csv", "tuesday/run.csv"} <= {w.split(" · ")[0] for w in words_of(build_figure(runs))}


def test_several_runs_have_a_colour_each_in_every_panel_and_in_the_heading():
    figure = build_figure([busy_run(name="a", seed=1), busy_run(name="b", seed=2, rows=80)])
    colors = [
        [line.get_color() for line in ax.lines if str(line.get_gid()).endswith(("pct", "mibps", "used_bytes"))]
        for ax in figure.axes
    ]
    assert {tuple(c) for c in colors if c} == {("#0072b2", "#d55e00")}
    assert figure.axes[0].get_xlim() == (0, 80)


def test_runs_are_aligned_at_a_marker_by_its_name_or_by_the_clock():
    early = make_run({"bpu0_load_pct": [1, 2, 3]}, name="a", named=[(1.0, "Load done")])
    late = make_run(
        {"bpu0_load_pct": [4, 5, 6]}, name="b", named=[(2.0, "load done: m.hbm")], start="2026-12-01T04:10:50Z"
    )
    at_mark = lines_of(build_figure([early, late], PlotOptions(align="marker:load done")), "bpu0_load_pct")
    assert [x[0] for x, _ in at_mark] == [-1, -2]
    by_clock = lines_of(build_figure([early, late], PlotOptions(align="wall")), "bpu0_load_pct")
    assert [x[0] for x, _ in by_clock] == [0, 10]
    assert np.isfinite(by_clock[0][1]).all()


def test_a_run_without_the_marker_or_the_clock_is_named():
    from ucpmon.errors import InputError

    run = busy_run(name="b.csv", named=[(1, "start")])
    with pytest.raises(InputError, match=r"b.csv has no marker 'go': its markers: start"):
        build_figure([run], PlotOptions(align="marker:go"))
    run.frame["time"] = pd.NaT
    with pytest.raises(InputError, match=r"b.csv has no wall clock: use --align start"):
        build_figure([run], PlotOptions(align="wall"))
