"""Every word of a picture can be read: none overlaps another or leaves the page, none is mangled."""

import warnings

import pytest
from support.plot_runs import S600, busy_run, misplaced, words_of

from ucpmon.plot import PlotOptions, build_figure, fonts_of, render
from ucpmon.plot.layout import fonts

LONG = "a-very-long-heap-or-process-name-that-nobody-would-choose"


def draw(*runs, **options):
    return build_figure(runs, PlotOptions(**options))


def many(count):
    return tuple(f"bpu{i}" for i in range(count))


def crowded_marks(count):
    return [(5 + i * 0.7, f"prefill token {i}") for i in range(count)]


CASES = {
    "1 series": lambda: draw(busy_run(many(1), heaps=(), procs=0)),
    "4 series": lambda: draw(busy_run(many(4))),
    "8 series": lambda: draw(busy_run(many(8))),
    "16 series": lambda: draw(busy_run(S600, heaps=("cma_reserved", "ion_cma", "carveout", "ion_uncache", "custom"))),
    "30 series": lambda: draw(busy_run(many(30))),
    "30 heaps": lambda: draw(busy_run(many(1), heaps=tuple(f"heap{i}" for i in range(30)))),
    "20 processes": lambda: draw(busy_run(procs=20), top=20),
    "2 runs": lambda: draw(busy_run(seed=1, name="a"), busy_run(seed=2, name="b", rows=90)),
    "9 runs": lambda: draw(*(busy_run(seed=i, name=f"run {i}") for i in range(9))),
    "70 marks": lambda: draw(busy_run(named=crowded_marks(70))),
    "marks at the ends": lambda: draw(busy_run(named=[(0, "first " * 9), (0, "second"), (60, "last " * 9)])),
    "marks of two runs": lambda: draw(busy_run(named=crowded_marks(30)), busy_run(seed=2, named=crowded_marks(30))),
    "long names": lambda: draw(
        busy_run((LONG,) * 1, heaps=(LONG,), name=LONG * 5, host=LONG, labels={LONG: LONG * 3}, simulated=True)
    ),
    "tiny values": lambda: draw(busy_run(rows=2, procs=1), start_s=0, end_s=0.000_1),
    "wall clock": lambda: draw(busy_run(name="a"), busy_run(name="b", start="2026-12-01T23:59:50Z"), align="wall"),
    "ten days": lambda: draw(busy_run(rows=60, seconds=[i * 14400.0 for i in range(60)])),
    "milliseconds": lambda: draw(busy_run(), start_s=10, end_s=10.05),
    "one row": lambda: draw(busy_run(rows=1)),
    "no row": lambda: draw(busy_run(rows=0, procs=0)),
}


@pytest.mark.parametrize("case", CASES)
def test_no_two_texts_overlap_and_none_leaves_the_page(case):
    figure = CASES[case]()
    assert misplaced(figure) == ([], [])


def test_the_page_keeps_its_width_and_grows_in_height():
    sizes = [CASES[c]().bbox.size for c in ("1 series", "16 series", "30 series")]
    assert {w for w, _ in sizes} == {1276}
    assert sizes[0][1] < sizes[1][1] < sizes[2][1]


def test_no_text_is_smaller_than_can_be_read_at_full_size():
    figure = CASES["30 series"]()
    assert min(text.get_fontsize() * figure.dpi / 72 for text in figure.texts) >= 12


def test_dollars_and_underscores_are_plain_characters():
    run = busy_run(name="$x_{1}$ run", labels={"cost": "$5"}, named=[(10, "$y^2$")])
    run.processes["process"] = run.processes["process"].replace({"python3": "a$b$c", "hrt_model_exec": "_hidden"})
    words = words_of(draw(run))
    assert {"$x_{1}$ run", "$y^2$", "a$b$c (54851)", "_hidden (54852)"} <= set(words)
    assert any("cost=$5" in w for w in words)


def test_control_characters_are_shown_as_escapes():
    run = busy_run(name="a\x1b[31mb", named=[(10, "two\nlines")])
    run.processes["process"] = run.processes["process"].replace({"python3": "x\u202ey", "hrt_model_exec": "\a!\ufffd"})
    words = words_of(draw(run))
    assert {r"a\x1b[31mb", r"two\nlines", r"x\u202ey (54851)", "\\x07!\ufffd (54852)"} <= set(words)


def chinese_run():
    run = busy_run(name="推理.csv", named=[(10, "开始")])
    run.processes["process"] = run.processes["process"].replace({"python3": "推理服务"})
    return run


def test_chinese_names_are_drawn_with_an_installed_font():
    run = chinese_run()
    if fonts_of([run]).missing:
        pytest.skip("no CJK font is installed here")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        render(draw(run), "png")
    assert {"推理.csv", "开始", "推理服务 (54851)"} <= set(words_of(draw(run)))


def test_without_a_font_the_names_are_escaped_and_it_is_said(monkeypatch):
    monkeypatch.setattr(fonts, "_installed", tuple)
    run = chinese_run()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        words = words_of(draw(run))
    assert r"\u63a8\u7406.csv" in words
    warning = fonts_of([run]).warning
    assert all(c in warning for c in "推理服务开始")
    assert "fonts-noto-cjk" in warning and "\n" not in warning


def test_ascii_alone_opens_no_other_font(monkeypatch):
    monkeypatch.setattr(fonts, "_installed", lambda: pytest.fail("fonts were searched"))
    assert fonts_of([busy_run()]).families == ("DejaVu Sans",)
