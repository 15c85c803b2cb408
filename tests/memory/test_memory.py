"""Phases and figures of a model's memory, on runs whose exact levels are known."""

import numpy as np
import pandas as pd
import pytest
from support.memory_runs import MadeRun, levels, nan

from ucpmon.errors import InputError, UsageError
from ucpmon.memory.measurement import memory
from ucpmon.memory.phases import Phase, parse_phase
from ucpmon.metrics import GIB, MIB
from ucpmon.report.memory_section import size as cell
from ucpmon.runs.frames import HEAP_COLUMNS
from ucpmon.statistics.resolution import Figure, figure_text


def report(run, **options):
    return memory(run, **options)


def starts(life):
    return {name: round(phase.start_s, 6) for name, phase in life.phases.items()}


def found(*parts, pid=7, interval=1.0, base=2 * MIB):
    """The phases of each model that a single process's levels show."""
    run = MadeRun([(pid, "infer", levels(*parts))], interval=interval, base=base)
    return [starts(model.life) for model in report(run).models]


WHOLE = {"baseline": 0.0, "loading": 10.0, "running": 13.0, "released": 43.0}


def test_a_model_that_peaks_while_loading():
    assert found((nan, 10), (530, 3), (310, 30), (nan, 10)) == [WHOLE]


def test_a_model_that_loads_along_slopes():
    assert found((nan, 5), (0, 212, 3), (212, 96, 2), (96, 35), (nan, 15)) == [
        {"baseline": 0.0, "loading": 6.0, "running": 10.0, "released": 45.0}
    ]


def test_a_long_load_at_a_fast_refresh():
    (life,) = found((nan, 50), (0, 530, 80), (310, 300), (nan, 50), interval=0.1)
    assert life["loading"] == pytest.approx(5.0, abs=0.1)
    assert life["running"] == pytest.approx(13.0, abs=0.1)
    assert life["released"] == pytest.approx(43.0, abs=0.1)


def test_no_idle_lead_in():
    assert found((310, 30), (nan, 10)) == [{"running": 0.0, "released": 30.0}]


def test_a_run_that_starts_while_loading():
    assert found((530, 3), (310, 30), (nan, 5)) == [{"loading": 0.0, "running": 3.0, "released": 33.0}]


def test_never_released():
    assert found((nan, 10), (530, 3), (310, 30)) == [{"baseline": 0.0, "loading": 10.0, "running": 13.0}]


def test_two_models_one_after_the_other():
    assert found((nan, 10), (530, 3), (310, 30), (nan, 10), (300, 3), (120, 30), (nan, 5)) == [
        WHOLE,
        {"baseline": 43.0, "loading": 53.0, "running": 56.0, "released": 86.0},
    ]


def test_a_small_model_after_a_large_one():
    first, second = found((nan, 10), (530, 3), (310, 30), (nan, 10), (40, 3), (24, 30), (nan, 5))
    assert first == WHOLE
    assert second == {"baseline": 43.0, "loading": 53.0, "running": 56.0, "released": 86.0}


def test_a_restart_between_two_screens():
    first, second = found((nan, 10), (530, 3), (310, 30), (530, 3), (310, 30), (nan, 5))
    assert first == {"baseline": 0.0, "loading": 10.0, "running": 13.0}
    assert second == {"baseline": 0.0, "loading": 43.0, "running": 46.0, "released": 76.0}


def test_a_second_model_beside_the_first():
    run = MadeRun(
        [(7, "infer", levels((nan, 10), (530, 3), (310, 30), (730, 3), (510, 30), (nan, 5)))],
        totals={"carveout": GIB - MIB},
    )
    first, second = report(run).models
    assert not first.life.stacked
    assert second.life.stacked
    assert starts(second.life) == {"baseline": 13.0, "loading": 43.0, "running": 46.0, "released": 76.0}
    assert second.processes[0].hbmem.share.bytes == pytest.approx(200 * MIB, abs=0.1 * MIB)


def test_steps_in_the_work_are_no_models():
    assert found((nan, 10), (530, 3), (310, 30), (318, 30), (305, 10), (nan, 5)) == [
        {"baseline": 0.0, "loading": 10.0, "running": 13.0, "released": 83.0}
    ]


def test_a_load_in_stages():
    assert found((nan, 10), (200, 2), (530, 2), (310, 30), (nan, 5)) == [
        {"baseline": 0.0, "loading": 10.0, "running": 14.0, "released": 44.0}
    ]


def test_what_stays_level_is_no_model():
    assert found((310, 60)) == []
    assert found((24, 80, 100)) == []


def test_a_process_that_holds_a_little_before_its_model():
    assert found((12, 10), (530, 3), (310, 30), (12, 10)) == [WHOLE]


@pytest.mark.parametrize("seed", range(12))
def test_phases_within_one_refresh_at_any_seed(seed):
    rng = np.random.default_rng(seed)
    idle, load, run, after = (int(rng.integers(*r)) for r in ((5, 40), (1, 12), (20, 200), (3, 30)))
    share, transient = rng.uniform(20, 400), rng.uniform(10, 300)
    shape = levels((nan, idle), (share + transient, load), (share, run), (nan, after))
    noise = np.where(np.arange(len(shape)) < idle + load, 0, rng.normal(0, 0.2, len(shape)) * MIB)
    (model,) = report(MadeRun([(1, "m", shape + noise)], totals={"carveout": 2 * GIB})).models
    seen = starts(model.life)
    assert abs(seen["loading"] - idle) <= 1
    assert abs(seen["running"] - idle - load) <= 1
    assert abs(seen["released"] - idle - load - run) <= 1
    use = model.processes[0].hbmem
    assert abs(use.share.bytes - share * MIB) <= use.share.error_bytes + 0.1 * MIB
    assert abs(use.transient.bytes - transient * MIB) <= use.transient.error_bytes + 0.1 * MIB


def test_figures_and_their_resolution():
    shape = levels((nan, 10), (430.04, 3), (310.02, 30), (nan, 10))
    (model,) = report(MadeRun([(7, "infer", shape)], base=2.03 * MIB)).models
    heap = {h.heap: h for h in model.heaps}["carveout"]
    assert heap.full == ()
    assert heap.used.before.bytes == 2.0 * MIB
    for figure, exact in (
        (heap.used.before, 2.03), (heap.used.peak, 432.07), (heap.used.steady, 312.05), (heap.used.after, 2.03),
        (heap.used.share, 310.02), (heap.used.transient, 120.02), (heap.used.left_behind, 0.0),
    ):  # fmt: skip
        assert abs(figure.bytes - exact * MIB) <= figure.error_bytes
        assert figure.error_bytes <= 0.11 * MIB
    hbmem = model.processes[0].hbmem
    assert (hbmem.before.bytes, hbmem.before.error_bytes) == (0.0, 0.0)
    assert hbmem.share.error_bytes == pytest.approx(0.05 * MIB, rel=1e-3)
    assert model.unattributed.bytes == pytest.approx((2.03 + 16) * MIB, abs=model.unattributed.error_bytes)


def test_the_finer_column_is_used_and_named():
    used = levels((1100, 10), (1800, 3), (1500.04, 30), (1100, 10))
    run = MadeRun(used={"carveout": used}, totals={"carveout": 2 * GIB})
    (model,) = report(run).models
    use = model.heaps[0].used
    # used is printed as 1.5G, free as 548.0M: the share is known to 0.1 MiB from free alone.
    assert use.share.source == "total − free"
    assert use.share.bytes == pytest.approx(400.04 * MIB, abs=0.1 * MIB)
    assert use.share.error_bytes == pytest.approx(0.1 * MIB, rel=1e-3)
    assert use.steady.error_bytes >= 0.05 * GIB


def test_coarse_figures_say_so():
    used = levels((2, 10), (2900, 3), (2100, 30), (2, 10))
    run = MadeRun([(7, "big", used)], totals={"carveout": 8 * GIB}, used={"carveout": used})
    (model,) = report(run).models
    assert starts(model.life) == WHOLE
    share = model.processes[0].hbmem.share
    assert share.error_bytes == pytest.approx(0.05 * GIB, rel=1e-3)
    assert abs(share.bytes - 2098 * MIB) <= share.error_bytes


def test_a_heap_without_processes_shows_the_model_too():
    used = levels((2, 10), (430, 3), (310, 30), (22, 10))
    (model,) = report(MadeRun(used={"carveout": used})).models
    assert model.life.heap == "carveout"
    assert starts(model.life) == WHOLE
    assert model.heaps[2].used.left_behind.bytes == pytest.approx(20 * MIB, abs=0.1 * MIB)


def dumps(run, every):
    """Exact dumps of carveout at every so many rows, as run.heaps.csv has them."""
    at = range(0, len(run.times), every)
    rows = [(pd.NaT, run.times[i], "carveout", "allocated", "", pd.NA, int(run.used["carveout"][i])) for i in at]
    return pd.DataFrame(rows, columns=HEAP_COLUMNS)


def test_a_peak_that_no_dump_saw_is_the_screens():
    shape = levels((nan, 10), (96.02, 1), (212.02, 1), (96.02, 30), (nan, 10))
    run = MadeRun([(7, "infer", shape)], interval=0.2)
    run.heaps = dumps(run, 5)
    (model,) = report(run).models
    use = {h.heap: h for h in model.heaps}["carveout"].used
    assert (use.steady.bytes, use.steady.source) == (pytest.approx(98.02 * MIB, abs=1), "heap dumps")
    assert (use.share.error_bytes, use.share.source) == (0.0, "heap dumps")
    assert (use.peak.bytes, use.peak.source) == (214.0 * MIB, "used")
    assert use.transient.bytes == pytest.approx(116 * MIB, abs=0.1 * MIB)
    whole = {h.heap: h for h in report(run).heaps}["carveout"]
    assert (whole.highest.bytes, whole.highest.source) == (214.0 * MIB, "used")
    assert (whole.lowest.bytes, whole.lowest.source) == (2.0 * MIB, "heap dumps")


def test_a_peak_that_a_dump_saw_is_exact():
    run = MadeRun([(7, "infer", levels((nan, 10), (212.02, 5), (96.02, 30), (nan, 10)))], interval=0.2)
    run.heaps = dumps(run, 5)
    (model,) = report(run).models
    use = {h.heap: h for h in model.heaps}["carveout"].used
    assert (use.peak.bytes, use.peak.error_bytes, use.peak.source) == (
        pytest.approx(214.02 * MIB, abs=1),
        0.0,
        "heap dumps",
    )


def test_a_run_that_ends_while_the_model_loads():
    (model,) = report(MadeRun([(7, "infer", levels((nan, 10), (40, 190, 3)))])).models
    assert starts(model.life) == {"baseline": 0.0, "loading": 10.0}
    heap = {h.heap: h.used for h in model.heaps}
    assert heap["carveout"].rise.bytes == pytest.approx(140 * MIB, abs=0.1 * MIB)
    assert (heap["carveout"].share, heap["carveout"].transient) == (None, None)
    assert [heap[name].moved for name in ("cma_reserved", "ion_cma", "carveout")] == [False, False, True]


@pytest.mark.parametrize(
    ("mib", "error", "text"),
    [
        (124.0, 51.25, "124.0 ±51 MiB"),  # 1.0G minus 900.0M
        (96.0, 0.05, "96.0 ±0.05 MiB"),
        (1.9 * 1024, 51.2, "1.9 ±0.05 GiB"),
        (-40.0, 0.1, "-40.0 ±0.10 MiB"),
        (2.0, 0.0, "2.0 MiB"),
    ],
)
def test_a_report_and_the_command_write_a_figure_alike(mib, error, text):
    found = Figure(mib * MIB, error * MIB, "used")
    assert figure_text(found) == text
    assert cell(found) == (text, mib * MIB)


def test_one_phase_alone_does_not_tell_what_moved():
    run = MadeRun([(7, "infer", levels((310, 60)))])
    (model,) = report(run, phases=[Phase("running", 0, 60)]).models
    assert {h.used.moved for h in model.heaps} == {None}


def test_a_row_that_flickers_is_no_model():
    shape = levels((nan, 10), (430, 3), (310, 30), (nan, 10))
    flicker = levels(*[(nan, 4), (2, 3)] * 8)[: len(shape)]
    run = MadeRun([(7, "infer", shape), (9, "perc", flicker)], used={"carveout": 2 * MIB + np.nan_to_num(shape)})
    (model,) = report(run).models
    assert model.life.processes == ("infer",)
    assert starts(model.life) == WHOLE


def test_two_processes_that_load_together_are_one():
    one = levels((nan, 10), (430, 3), (210, 30), (nan, 10))
    two = levels((nan, 10), (230, 5), (110, 28), (nan, 10))
    (model,) = report(MadeRun([(7, "a", one), (8, "b", two)], totals={"carveout": GIB - MIB})).models
    assert model.life.processes == ("a", "b")
    assert starts(model.life) == {"baseline": 0.0, "loading": 10.0, "running": 15.0, "released": 43.0}
    assert model.heaps[0].used.share.bytes == pytest.approx(320 * MIB, abs=0.1 * MIB)


def test_models_of_two_processes_in_turn_have_their_own_baselines():
    one = levels((nan, 10), (330, 3), (210, 60), (nan, 10))
    two = levels((nan, 30), (230, 3), (110, 50))
    first, second = report(MadeRun([(7, "a", one), (8, "b", two)], totals={"carveout": GIB - MIB})).models
    assert first.heaps[0].used.share.bytes == pytest.approx(210 * MIB, abs=0.1 * MIB)
    assert second.heaps[0].used.share.bytes == pytest.approx(110 * MIB, abs=0.1 * MIB)
    assert second.heaps[0].used.before.bytes == pytest.approx(212 * MIB, abs=0.1 * MIB)


def test_a_full_heap_is_said_to_be():
    (model,) = report(MadeRun([(7, "infer", levels((nan, 10), (530, 3), (310, 30), (nan, 5)))])).models
    heap = {h.heap: h for h in model.heaps}["carveout"]
    assert heap.full == ("loading",)
    assert model.processes[0].hbmem.transient.bytes == pytest.approx(220 * MIB, abs=0.1 * MIB)


def test_a_leak_does_not_blur_the_share():
    shape = levels((nan, 10), (430, 3), (310, 370, 60), (nan, 5))
    (model,) = report(MadeRun([(7, "infer", shape)])).models
    use = model.processes[0].hbmem
    assert abs(use.share.bytes - 310 * MIB) <= use.share.error_bytes
    assert abs(use.transient.bytes - 120 * MIB) <= use.transient.error_bytes + 3 * MIB
    (leak,) = [g for g in model.growth if g.kind == "hbmem"]
    assert leak.verdict == "leak"
    assert leak.low <= MIB <= leak.high


def test_markers_move_the_phases():
    shape = levels((nan, 10), (430, 3), (310, 30), (nan, 10))
    marks = [
        (8.2, "workload start"),
        (15.1, "load done", "regex"),
        (43.0, "workload end"),
        (1.0, "ucpmon: stop", "ucpmon"),
    ]
    (model,) = report(MadeRun([(7, "infer", shape)], marks=marks)).models
    assert starts(model.life) == {"baseline": 0.0, "loading": 8.2, "running": 15.1, "released": 43.0}
    assert [p.source for p in model.life.phases.values()] == ["data", "markers", "markers", "markers"]


def test_markers_alone_make_phases():
    run = MadeRun(
        used={"carveout": levels((2, 60))},
        marks=[(10, "workload start"), (20, "model loaded", "user"), (50, "workload end")],
    )
    (model,) = report(run).models
    assert starts(model.life) == {"baseline": 0.0, "loading": 10.0, "running": 20.0, "released": 50.0}
    assert model.heaps[2].used.share.bytes == 0.0


def test_a_marker_that_the_memory_contradicts_moves_nothing():
    shape = levels((nan, 10), (430, 3), (310, 30), (nan, 10))
    marks = [(2.0, "workload end"), (20.0, "workload end"), (25.0, "workload start"), (30.0, "lunch", "user")]
    (model,) = report(MadeRun([(7, "infer", shape)], marks=marks)).models
    assert starts(model.life) == WHOLE
    assert {p.source for p in model.life.phases.values()} == {"data"}


def test_a_workload_that_starts_with_the_recording_keeps_its_baseline():
    shape = levels((nan, 4), (430, 3), (310, 30), (nan, 10))
    marks = [(0.0, "workload start"), (37.0, "workload end")]
    (model,) = report(MadeRun([(7, "infer", shape)], marks=marks)).models
    assert starts(model.life) == {"baseline": 0.0, "loading": 4.0, "running": 7.0, "released": 37.0}


def test_each_model_takes_its_own_markers():
    shape = levels((nan, 10), (430, 3), (310, 30), (nan, 10), (230, 3), (110, 30), (nan, 5))
    marks = [*zip((9.5, 52.5, 14.0, 57.0), ("load start", "load start", "load done", "loaded"), strict=True)]
    first, second = report(MadeRun([(7, "infer", shape)], marks=marks)).models
    assert starts(first.life) == {"baseline": 0.0, "loading": 9.5, "running": 14.0, "released": 43.0}
    assert starts(second.life) == {"baseline": 43.0, "loading": 52.5, "running": 57.0, "released": 86.0}


def test_a_user_corrects_a_phase():
    shape = levels((nan, 10), (430, 3), (310, 30), (nan, 10))
    given = [parse_phase("running=20s..40"), parse_phase("baseline=..5s")]
    (model,) = report(MadeRun([(7, "infer", shape)]), phases=given).models
    assert [(p.name, p.start_s, p.end_s, p.source) for p in model.life.phases.values()] == [
        ("baseline", 0.0, 5.0, "user"),
        ("loading", 10.0, 13.0, "data"),
        ("running", 20.0, 40.0, "user"),
        ("released", 43.0, 53.0, "data"),
    ]


@pytest.mark.parametrize(
    "text", ["running", "running=5", "walking=1..2", "running=5..5", "running=9..3", "running=a..b", "=1..2"]
)
def test_a_bad_phase_is_refused(text):
    with pytest.raises(UsageError):
        parse_phase(text)


def test_a_phase_behind_the_end_is_refused():
    with pytest.raises(UsageError, match="ends at 60 s"):
        report(MadeRun(used={"carveout": levels((2, 60))}), phases=[Phase("running", 70.0, 80.0, "user")])


def test_one_process_can_be_asked_for():
    one = levels((nan, 10), (330, 3), (210, 60))
    two = levels((nan, 30), (230, 3), (110, 40))
    run = MadeRun([(7, "a", one), (8, "b", two)], totals={"carveout": GIB - MIB})
    assert [m.life.processes for m in report(run, process="b").models] == [("b",)]
    assert [m.life.pids for m in report(run, process="7").models] == [(7,)]
    with pytest.raises(InputError, match=r"a \(7\), b \(8\)"):
        report(run, process="c")


def test_the_smallest_free_and_its_time():
    heaps = {h.heap: h for h in report(MadeRun([(7, "infer", levels((nan, 10), (430, 3), (310, 30)))])).heaps}
    assert heaps["carveout"].smallest_free.bytes == pytest.approx(80 * MIB, abs=0.05 * MIB)
    assert heaps["carveout"].smallest_free_at_s == 10.0
    assert heaps["cma_reserved"].smallest_free.bytes == 1016 * MIB


def test_capacity_that_cannot_be_memory():
    used = {"carveout": levels((2, 5)), "window": levels((2, 5)), "none": levels((0, 5))}
    totals = {"carveout": 2 * GIB, "window": 1024 * GIB, "none": 0}
    run = MadeRun(used=used, totals=totals)
    said = {h.heap: h.not_ram for h in report(run).heaps}
    assert said["carveout"] == ""
    assert "window" in said["window"]
    assert "set aside" in said["none"]
    run.info["board"] = {"memory": "MemTotal:       980000 kB"}
    run.frame["carveout_total_bytes"] = 4.0 * GIB
    assert "larger than the board" in {h.heap: h.not_ram for h in report(run).heaps}["carveout"]


def test_an_empty_run_has_no_answer():
    run = MadeRun(used={"carveout": levels((2, 1))})
    run.frame = run.frame[:0]
    empty = memory(run)
    assert empty.models == ()
    assert report(run).models == ()


def test_a_run_without_a_clock_shows_no_phases():
    run = MadeRun([(7, "infer", levels((nan, 10), (430, 3), (310, 30)))], times=np.zeros(43))
    assert report(run).models == ()


def test_a_heap_that_vanishes_leaves_its_figures_until_then():
    run = MadeRun([(7, "infer", levels((nan, 10), (430, 3), (310, 30), (nan, 10)))])
    run.frame.loc[30:, ["carveout_total_bytes", "carveout_used_bytes", "carveout_free_bytes"]] = np.nan
    (model,) = report(run).models
    use = {h.heap: h for h in model.heaps}["carveout"].used
    assert use.share.bytes == pytest.approx(310 * MIB, abs=0.1 * MIB)
    assert (use.after, use.left_behind) == (None, None)


def test_a_block_that_was_cut_off_releases_nothing():
    run = MadeRun([(7, "infer", levels((nan, 10), (430, 3), (310, 30), (nan, 10)))])
    run.frame.loc[25, "cut"] = True
    run.processes = run.processes[run.processes["screen"] != 25]
    (model,) = report(run).models
    assert starts(model.life) == WHOLE
