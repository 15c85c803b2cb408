"""What stands in the picture: the data, the steps and breaks, the scales, the words."""

import matplotlib
import numpy as np
import pytest
from support.plot_runs import MIB, S600, axes_of, busy_run, line_of, lines_of, make_run, words_of

from ucpmon.errors import InputError, UsageError
from ucpmon.plot import PlotOptions, build_figure

NAN = float("nan")


def draw(*runs, **options):
    return build_figure(runs, PlotOptions(**options))


def test_a_line_is_the_column_as_steps_and_its_last_value_holds_for_one_interval():
    figure = draw(make_run({"bpu0_load_pct": [10, 30, 20]}))
    x, y = line_of(figure, "bpu0_load_pct")
    assert x.tolist() == [0, 1, 2, 3]
    assert y.tolist() == [10, 30, 20, 20]
    assert axes_of(figure, "bpu0_load_pct").lines[0].get_drawstyle() == "steps-post"


def test_nan_breaks_the_line_and_is_never_zero():
    _, y = line_of(draw(make_run({"bpu0_load_pct": [10, NAN, 20]})), "bpu0_load_pct")
    assert np.isnan(y[1])
    assert y[~np.isnan(y)].tolist() == [10, 20, 20]


def test_a_gap_breaks_the_line_where_it_starts_and_is_shaded():
    run = make_run({"bpu0_load_pct": [10, 20, 30]}, seconds=[0, 1, 9], quality={"gaps": [[1.5, 9.0]]})
    figure = draw(run)
    x, y = line_of(figure, "bpu0_load_pct")
    assert x.tolist() == [0, 1, 1.5, 9, 10]
    assert np.isnan(y[2]) and y[3] == 30
    (band,) = [c for c in axes_of(figure, "bpu0_load_pct").collections if c.get_paths()]
    assert band.get_paths()[0].get_extents().intervalx.tolist() == [1.5, 9.0]
    assert "gap: nothing was recorded" in words_of(figure)


def test_a_gap_is_shaded_from_where_the_value_before_it_ends():
    """Gaps are noted from row to row; the row before one still holds for its interval, as in the statistics."""
    run = make_run({"bpu0_load_pct": [10, 20, 30]}, seconds=[0, 1, 9], quality={"gaps": [[1.0, 9.0]]})
    (band,) = axes_of(draw(run), "bpu0_load_pct").collections
    assert band.get_paths()[0].get_extents().intervalx.tolist() == [2.0, 9.0]


def test_a_gap_thinner_than_a_pixel_is_still_seen():
    rows = np.arange(0, 10_000)
    run = make_run({"bpu0_load_pct": rows % 7}, quality={"gaps": [[5000.2, 5000.4]]})
    figure = draw(run)
    ax = axes_of(figure, "bpu0_load_pct")
    (band,) = ax.collections
    left, right = ax.transData.transform([(x, 0) for x in band.get_paths()[0].get_extents().intervalx])[:, 0]
    assert right - left >= 1.4


def test_a_stall_ends_the_value_as_the_statistics_have_it():
    run = make_run({"bpu0_load_pct": [10, 20]}, seconds=[0, 8], quality={"stalls": [[2, 8]]})
    figure = draw(run)
    x, y = line_of(figure, "bpu0_load_pct")
    assert x.tolist()[:3] == [0, 2, 8] and np.isnan(y[1])
    assert "stall: the monitor stood still" in words_of(figure)


def test_rows_that_were_cut_are_marked_and_counted():
    run = make_run({"bpu0_load_pct": [10, 20, 30]}, quality={"cut": 1})
    run.frame.loc[2, "cut"] = True
    figure = draw(run)
    assert line_of(figure, "cut")[0].tolist() == [2]
    assert "▾ screen that was cut off" in words_of(figure)
    assert any("3 screens, 1 cut" in w for w in words_of(figure))


def test_a_total_far_above_the_use_is_said_but_does_not_squash_the_curve():
    columns = {"carveout_total_bytes": [512 * MIB] * 2, "carveout_used_bytes": [2 * MIB, 40 * MIB]}
    figure = draw(make_run(columns))
    assert lines_of(figure, "carveout_total_bytes") == []
    assert axes_of(figure, "carveout_used_bytes").get_ylim()[1] < 50 * MIB
    assert {"peak 40.0 MiB", "of 512.0 MiB"} <= set(words_of(figure))


def test_a_total_near_the_use_is_a_line():
    columns = {"carveout_total_bytes": [512 * MIB] * 2, "carveout_used_bytes": [2 * MIB, 400 * MIB]}
    figure = draw(make_run(columns))
    assert set(line_of(figure, "carveout_total_bytes")[1]) == {512 * MIB}
    assert axes_of(figure, "carveout_used_bytes").get_ylim()[1] > 512 * MIB


def test_each_heap_has_its_own_axes_from_zero_in_binary_units():
    figure = draw(busy_run())
    heaps = [axes_of(figure, f"{h}_used_bytes") for h in ("cma_reserved", "ion_cma", "carveout")]
    assert len(set(map(id, heaps))) == 3
    for ax in heaps:
        assert ax.get_ylim()[0] <= 0
        assert [label.get_text() for label in ax.get_yticklabels()] == ["0", "50 MiB"]


def test_loads_share_axes_from_0_to_100_percent_up_to_four_and_have_a_strip_each_above():
    few, many = draw(busy_run(loads=S600[:4])), draw(busy_run(loads=S600))
    assert len({id(axes_of(few, f"{n}_load_pct")) for n in S600[:4]}) == 1
    assert len({id(axes_of(many, f"{n}_load_pct")) for n in S600}) == 16
    assert {"BPU0", "STITCH0", "VPU0"} <= set(words_of(many))
    assert axes_of(few, "bpu0_load_pct").get_ylim() == pytest.approx((0, 100), abs=5)


def test_of_many_loads_those_that_are_zero_throughout_are_named_instead():
    run = busy_run(loads=S600)
    run.frame[["gdc0_load_pct", "vpu0_load_pct"]] = 0.0
    figure = draw(run)
    assert lines_of(figure, "gdc0_load_pct") == []
    assert "0 % throughout: GDC0, VPU0" in words_of(figure)
    assert len(lines_of(draw(run, series=("gdc0*",)), "gdc0_load_pct")) == 1


def test_all_panels_share_the_time_axis():
    figure = draw(busy_run())
    limits = {ax.get_xlim() for ax in figure.axes if ax.get_label()}
    assert limits == {(0.0, 60.0)}
    assert "time since start, s" in words_of(figure)


def test_zooming_a_panel_moves_all_of_them_and_finds_new_round_times():
    figure = draw(busy_run(named=[(20.0, "load done")]))
    axes_of(figure, "bpu0_load_pct").set_xlim(19.5, 20.5)
    assert {ax.get_xlim() for ax in figure.axes} == {(19.5, 20.5)}
    assert {"19.5", "20.0", "20.5"} <= set(words_of(figure))
    (label,) = [t for ax in figure.axes for t in ax.texts if t.get_text() == "load done"]
    assert label.xy[0] == pytest.approx(20.0)


def test_the_largest_processes_are_drawn_and_the_rest_is_said():
    figure = draw(busy_run(procs=7), top=5)
    drawn = {"python3", "hrt_model_exec", "gnome-initial-s", "camera:main", "isp/service"}
    assert {n for n in drawn | {"x264 enc", "vio"} if lines_of(figure, f"{n}_hbmem_bytes")} == drawn
    words = words_of(figure)
    assert {"2 more", "each at most 39.0 MiB"} <= set(words)
    assert "hrt_model_exec (54852)" in words


def test_a_process_is_drawn_only_where_it_was_listed_and_a_reused_pid_is_two():
    rows = [(1, 1.0, 9, "a", MIB), (2, 2.0, 9, "a", 2 * MIB), (4, 4.0, 9, "b", MIB)]
    figure = draw(make_run({"bpu0_load_pct": [0] * 5}, procs=rows))
    assert np.isnan(line_of(figure, "a_hbmem_bytes")[1]).tolist() == [True, False, False, True, True, True]
    assert np.isnan(line_of(figure, "b_hbmem_bytes")[1]).tolist() == [True, True, True, True, False, False]


def test_title_and_footer_say_what_where_when_and_how():
    board = {"/proc/device-tree/model": "RDK S100\0", "os": 'PRETTY_NAME="Ubuntu 22.04"', "uname": "Linux 6.1 aarch64"}
    run = busy_run(
        name="bench.csv", host="root@10.0.0.7", board=board, labels={"model": "yolo"}, freq_hz=500,
        started="2026-12-01T04:10:40.123456Z", monitor={"path": "/usr/hobot/bin/hrt_ucp_monitor"},
        ended="duration reached", quality={"interval": {"asked_s": 1.0, "achieved_s": 1.0024}, "lines": {"unknown": 3}},
    )  # fmt: skip
    words = " ".join(words_of(draw(run)))
    for said in (
        "bench.csv", "host root@10.0.0.7", "RDK S100 · Ubuntu 22.04 · aarch64", "model=yolo",
        "2026-12-01 04:10:40 UTC", "59 s", "at 500 Hz",
        "interval 1 s asked, 1002 ms achieved", "60 screens, 3 lines not understood", "ended: duration reached",
        "/usr/hobot/bin/hrt_ucp_monitor",
    ):  # fmt: skip
        assert said in words, said
    assert "SIMULATED" not in words and "nominal" not in words


def test_a_run_of_several_captures_names_them_all():
    joined = [{"name": "a.log", "format": "ts", "sha256": ""}, {"name": "b.log", "format": "text", "sha256": ""}]
    assert "from a.log (ts), b.log (text)" in " ".join(words_of(draw(busy_run(source=joined))))


def test_a_simulation_and_nominal_times_are_said_plainly():
    words = words_of(draw(busy_run(simulated=True, time_basis="nominal")))
    assert "SIMULATED" in words
    assert any(w.startswith("SIMULATED: drawn by ucpmon's stand-in") for w in words)
    assert any("times are nominal" in w for w in words)
    assert "nominal time since start, s" in words


def test_local_time_stands_beside_utc(monkeypatch):
    import time

    monkeypatch.setenv("TZ", "Asia/Shanghai")
    time.tzset()
    words = " ".join(words_of(draw(busy_run(started="2026-12-01T20:10:40Z"))))
    monkeypatch.undo()
    time.tzset()
    assert "2026-12-01 20:10:40 UTC (2026-12-02 04:10:40 CST)" in words


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_few_rows_make_a_sensible_picture(rows):
    figure = draw(busy_run(rows=rows, procs=0))
    words = words_of(figure)
    assert ("there is no figure to draw" in words) == (rows == 0)
    low, high = figure.axes[0].get_xlim()
    assert high - low >= 1


def test_columns_without_any_value_are_named():
    figure = draw(make_run({"bpu0_load_pct": [NAN, NAN], "carveout_used_bytes": [NAN, NAN]}))
    assert "no value: BPU0 load, carveout used" in words_of(figure)
    assert "there is no figure to draw" in words_of(figure)


def test_only_loads_and_only_heaps():
    loads = draw(make_run({"bpu0_load_pct": [1, 2]}))
    heaps = draw(make_run({"carveout_used_bytes": [MIB, 2 * MIB]}))
    assert "Load, %" in words_of(loads) and not any("Heap" in w for w in words_of(loads))
    assert not any("Load" in w for w in words_of(heaps)) and any("Heap memory" in w for w in words_of(heaps))


def test_series_are_chosen_by_globs_and_a_glob_that_fits_nothing_is_an_error():
    figure = draw(busy_run(), series=("bpu*_load_pct", "carveout_*", "python3_*"))
    drawn = {line.get_gid() for ax in figure.axes for line in ax.lines}
    assert drawn == {"bpu0_load_pct", "carveout_used_bytes", "carveout_free_bytes", "carveout_total_bytes",
                     "python3_hbmem_bytes", "python3_rss_bytes"}  # fmt: skip
    with pytest.raises(InputError, match=r"no series fits 'gpu\*': there are: bpu0_load_pct"):
        draw(busy_run(), series=("bpu*", "gpu*"))


def test_a_window_cuts_the_axis_and_keeps_the_value_that_reaches_into_it():
    figure = draw(make_run({"bpu0_load_pct": [10, 90, 30, 40]}), start_s=1.5, end_s=2.5)
    x, y = line_of(figure, "bpu0_load_pct")
    assert (x[0], y[0]) == (1.5, 90) and 40 not in y
    assert axes_of(figure, "bpu0_load_pct").get_xlim() == (1.5, 2.5)
    assert any("shown from 1.5 s to 2.5 s" in w for w in words_of(figure))


def test_a_window_with_nothing_in_it_is_an_error():
    with pytest.raises(InputError, match="no screen lies between"):
        draw(make_run({"bpu0_load_pct": [1, 2]}), start_s=100)
    with pytest.raises(UsageError):
        PlotOptions(start_s=5, end_s=5)


def test_no_run_is_an_error():
    with pytest.raises(UsageError):
        build_figure([])


def test_pyplot_is_left_alone_and_the_users_settings_neither_count_nor_change():
    with matplotlib.rc_context({"lines.linewidth": 9, "text.usetex": True, "figure.dpi": 33}):
        before = dict(matplotlib.rcParams)
        figure = draw(busy_run())
        assert dict(matplotlib.rcParams) == before
    from matplotlib import pyplot

    assert pyplot.get_fignums() == []
    assert figure.dpi == 110
    assert not any(text.get_usetex() for text in figure.texts)
