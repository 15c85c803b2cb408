"""The HTML report in a real browser: it draws, reacts, computes nothing wrong, and runs nobody's code."""

import csv
import io
import json
import re

import pytest
from PIL import Image, ImageStat
from support.report_files import EVIL, average, model_run, percentile, weighed, write_run
from support.require import require, require_module

from ucpmon.cli.app import run

sync_api = require_module("playwright.sync_api")
axe = require_module("axe_playwright_python.sync_playwright")
require_module("bokeh")

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
FLAGS += ["--disable-component-update", "--disable-sync"]
RANGES = (
    "() => [...Bokeh.documents[0].roots()[0].references()].filter(m => m.type === 'Figure').map(m => m.x_range.start)"
)


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=require("chromium"), args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def opened(browser):
    """Opens a report; at the end nothing may have been complained of or fetched."""
    contexts, wrong = [], []

    def open_(path, **options):
        context = browser.new_context(**{"viewport": {"width": 1200, "height": 900}, **options})
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda m: wrong.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda e: wrong.append(str(e)))
        page.on("dialog", lambda d: wrong.append(f"dialog {d.message}") or d.dismiss())
        page.on("request", lambda r: wrong.append(r.url) if not r.url.startswith(("file:", "data:", "blob:")) else None)
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-charts=ready]")
        page.wait_for_timeout(150)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert wrong == []


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """(the run's CSV, its report)."""
    source = model_run(tmp_path_factory.mktemp("report") / "night.csv", names=["hrt_model_exec", *EVIL])
    return source, written(source)


def written(*sources):
    target = sources[0].with_name("report.html")
    assert run(["report", *map(str, sources), "-o", str(target)]) == 0
    return target


def figures(page, key):
    """First cell of each row of a section's first table → the exact numbers beside it."""
    rows = page.locator(f"table[data-table={key}]").first.locator("tbody tr").all()
    values = "r => [...r.querySelectorAll('[data-value]')].map(c => Number(c.dataset.value))"
    return {row.locator("th").inner_text(): row.evaluate(values) for row in rows}


def plot(page, number):
    """The box of a chart, in pixels of the window."""
    chart = page.locator(".bk-Figure .bk-events").nth(number)
    chart.scroll_into_view_if_needed()
    return chart.bounding_box()


def drag(page, box, start, end):
    y = box["y"] + box["height"] * 0.4
    page.mouse.move(box["x"] + box["width"] * start, y)
    page.mouse.down()
    for step in range(1, 6):
        page.mouse.move(box["x"] + box["width"] * (start + (end - start) * step / 5), y)
    page.mouse.up()
    page.wait_for_timeout(250)


def pointed_at(page, number):
    """What the chart says somewhere on a line before its middle."""
    box = plot(page, number)
    for y in range(int(box["height"]) - 70, 15, -5):
        page.mouse.move(box["x"] + box["width"] * 0.45, box["y"] + y)
        page.wait_for_timeout(40)
        tip = page.locator(".bk-tooltip-content:visible")
        if tip.count():
            return tip.first.inner_text()
    raise AssertionError("the pointer met no line")


def test_the_numbers_in_the_page_are_those_of_the_csv(report, opened):
    source, page = report[0], opened(report[1])
    gaps = json.loads(source.with_suffix(".json").read_text())["quality"]["gaps"]
    loads = figures(page, "load")
    for core in ("bpu0", "bpu1"):
        pairs = weighed(source, f"{core}_load_pct", gaps)
        busy = [(v, s) for v, s in pairs if v >= 5]
        share = 100 * sum(s for _, s in busy) / sum(s for _, s in pairs)
        wanted = [average(pairs), average(busy), share, percentile(pairs, 50), percentile(pairs, 95), max(pairs)[0]]
        assert loads[core.upper()][:-1] == pytest.approx(wanted)
    pairs = weighed(source, "ddr_read_mibps", gaps)
    assert figures(page, "ddr")["read"][:3] == pytest.approx([average(pairs), percentile(pairs, 95), max(pairs)[0]])
    assert figures(page, "quality")["Screens"] == [60]


def test_a_zoom_changes_what_is_drawn_in_every_chart(report, opened):
    page = opened(report[1])
    box = plot(page, 0)
    before, starts = page.locator(".bk-Figure").nth(1).screenshot(), page.evaluate(RANGES)
    assert len(starts) == 4
    drag(page, box, 0.4, 0.6)
    zoomed = page.evaluate(RANGES)
    assert len(set(zoomed)) == 1
    assert zoomed[0] > starts[0] + 15_000
    assert page.locator(".bk-Figure").nth(1).screenshot() != before
    page.locator(".bk-tool-icon-reset, .bk-ResetTool, [title=Reset]").first.click()
    page.wait_for_timeout(250)
    assert page.evaluate(RANGES) == starts


def test_the_pointer_is_told_name_value_and_time(report, opened):
    text = pointed_at(opened(report[1]), 0)
    name, value, at = (line.strip().removeprefix("at:").strip() for line in text.strip().splitlines())
    assert name in ("BPU0", "BPU1")
    minutes, seconds = at.split(":")
    elapsed = int(minutes) * 60 + float(seconds)
    # Between two rows the value is that of the row before; the pointer's time is a corner of the line.
    near = {f"{v:.1f} %" for t, v in timed(report[0], f"{name.lower()}_load_pct") if abs(t - elapsed) < 1.5}
    assert value in near


def timed(path, column):
    with path.open(newline="") as stream:
        return [(float(r["elapsed_s"]), float(r[column])) for r in csv.DictReader(stream) if r[column]]


def test_a_name_is_text_wherever_it_stands(report, opened):
    page = opened(report[1])
    shown = page.locator("table[data-table=processes] tbody th").all_inner_texts()
    assert shown[1:5] == EVIL[:4]
    assert shown[5] == "模型\\x1b[31m\\u202e"
    assert page.evaluate("document.querySelectorAll('img, body b').length") == 0
    assert "load <model>" in page.locator("table[data-table=markers]").inner_text()
    # The pointer's box is made of the line's name too.
    assert "(48" in pointed_at(page, 3)
    assert page.evaluate("document.querySelectorAll('img').length") == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_in_the_page_shuts_people_out(report, opened, scheme):
    page = opened(report[1], color_scheme=scheme)
    found = axe.Axe().run(page).response
    assert [(v["id"], v["nodes"][0]["html"][:90]) for v in found["violations"]] == []
    assert {"color-contrast", "document-title", "html-has-lang"} <= {p["id"] for p in found["passes"]}


def brightness(page):
    """Mean brightness, 0 to 255, of the first chart as it is seen."""
    page.wait_for_timeout(250)
    picture = Image.open(io.BytesIO(page.locator(".bk-Figure").first.screenshot())).convert("L")
    return ImageStat.Stat(picture).mean[0]


def test_the_charts_follow_light_dark_and_paper(report, opened):
    page = opened(report[1], color_scheme="dark")
    assert brightness(page) < 60
    page.emulate_media(color_scheme="light")
    assert brightness(page) > 200
    page.emulate_media(color_scheme="dark", media="print")
    assert brightness(page) > 200
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_it_fits_a_phone(report, opened):
    page = opened(report[1], viewport={"width": 360, "height": 740}, is_mobile=True, has_touch=True)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    widths = [chart.bounding_box()["width"] for chart in page.locator(".bk-Figure").all()]
    assert all(300 < width <= 360 for width in widths)


def test_several_runs_stand_under_each_other(tmp_path, opened):
    sources = [model_run(tmp_path / f"{name}.csv", seconds=50) for name in ("base", "new")]
    page = opened(written(*sources))
    assert page.locator("h2").all_inner_texts() == ["base.csv", "new.csv"]
    assert page.locator(".bk-Figure").count() == 8
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))


def test_a_long_run_keeps_its_peak_and_stays_small(tmp_path, opened):
    rows = [[i / 10, 20 + (i * 7 % 13), 30.0] for i in range(60_000)]
    rows[31_234][1] = 99.9
    source = write_run(tmp_path / "long.csv", rows, ["bpu0_load_pct", "bpu1_load_pct"])
    target = written(source)
    assert target.stat().st_size < 2_500_000
    page = opened(target)
    peak = "() => Math.max(...[...Bokeh.documents[0].roots()[0].references()]"
    peak += ".filter(m => m.type === 'ColumnDataSource').flatMap(m => [...m.get_column('y')]))"
    assert page.evaluate(peak) == pytest.approx(99.9, abs=0.01)
    assert "the lowest and the highest value are drawn" in page.locator("figcaption").inner_text()


def test_the_file_is_whole_and_names_its_library_s_licence(report):
    text = report[1].read_text("utf-8")
    assert report[1].stat().st_size < 2_500_000
    assert "Redistribution and use in source and binary forms" in text
    assert re.findall(r"<(?:link|img|iframe|script[^>]* src|a href=(?!\"#))", text.split("<script>")[0]) == []
