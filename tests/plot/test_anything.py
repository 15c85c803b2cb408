"""Whatever stands in a run's tables, a page comes out on which every word can be read."""

import pandas as pd
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from support.plot_runs import make_run, misplaced

from ucpmon.plot import Extra, build_figure

VALUES = st.one_of(st.floats(allow_nan=True, allow_infinity=True), st.sampled_from([0.0, 1.0, 99.9, 4096.0, 2.0**31]))
TIMES = st.floats(-10, 1e6)
NAMES = st.text("ab 1:/$_^{\n\x1b\u202e\U0001f600推é", min_size=1, max_size=30)
COLUMNS = st.sampled_from(
    ["bpu0_load_pct", "dsp0_load_pct", "ddr_read_mibps", "carveout_used_bytes", "carveout_total_bytes", "x_used_bytes"]
)
SPANS = st.lists(st.tuples(TIMES, TIMES).map(sorted), max_size=3)


@st.composite
def runs(draw):
    rows = draw(st.integers(0, 6))
    exactly = {"min_size": rows, "max_size": rows}
    columns = {c: draw(st.lists(VALUES, **exactly)) for c in draw(st.lists(COLUMNS, unique=True))}
    seconds = draw(st.lists(TIMES, **exactly))
    procs = [(s, 0.0, draw(st.integers(0, 9)), draw(NAMES), draw(VALUES)) for s in range(rows)]
    named = draw(st.lists(st.tuples(TIMES, NAMES), max_size=8))
    return make_run(
        columns, seconds=seconds, name=draw(NAMES), procs=procs, named=named,
        quality={"gaps": draw(SPANS), "stalls": draw(SPANS)}, host=draw(NAMES), labels={draw(NAMES): draw(NAMES)},
        started=draw(st.sampled_from([None, "2026-12-01T04:10:40Z", "nonsense"])),
    )  # fmt: skip


@settings(
    max_examples=20,
    phases=[Phase.explicit, Phase.generate],
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(st.lists(runs(), min_size=1, max_size=3), SPANS)
def test_a_page_comes_out_and_can_be_read(some, phases):
    extra = Extra([(a, b, "running") for a, b in phases])
    figure = build_figure(some, extras=[extra] * len(some))
    assert misplaced(figure) == ([], [])


def test_a_damaged_figure_does_not_flatten_the_others():
    run = make_run({"carveout_used_bytes": [1.0, 1e300, 3.0], "bpu0_load_pct": [1.0, float("inf"), 2.0]})
    figure = build_figure([run])
    assert max(ax.get_ylim()[1] for ax in figure.axes) < 200
    assert pd.notna([y for ax in figure.axes for line in ax.lines for y in line.get_ydata()]).sum() == 6
