"""What a report says, in Markdown and in one line, and that no name in it does anything."""

import json
import re

import pytest
from support.paths import ROOT
from support.report_files import EVIL, MIB, average, model_run, percentile, weighed, write_run

FIXTURES = ROOT / "fixtures"


@pytest.fixture
def one(tmp_path):
    return model_run(tmp_path / "one.csv")


def gaps_of(path):
    return json.loads(path.with_suffix(".json").read_text())["quality"]["gaps"]


def table(markdown, title):
    """The first table under a heading, as rows of cells."""
    part = markdown.split(f"## {title}\n")[1].split("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("|")]
    return [[c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines if "---" not in line]


def test_loads_are_those_of_the_csv(said, one):
    code, out, err = said("report", one, "-o", "-")
    assert (code, err) == (0, "")
    header, *rows = table(out, "Load")
    assert header == ["Core", "Average", "Average while busy", "Busy", "p50", "p95", "Peak", "Peak at"]
    for core, row in zip(("bpu0", "bpu1"), rows, strict=True):
        pairs = weighed(one, f"{core}_load_pct", gaps_of(one))
        busy = [(v, s) for v, s in pairs if v >= 5]
        share = 100 * sum(s for _, s in busy) / sum(s for _, s in pairs)
        figures = [average(pairs), average(busy), share, percentile(pairs, 50), percentile(pairs, 95), max(pairs)[0]]
        assert row[:-1] == [core.upper(), *(f"{x:.1f} %" for x in figures)]
    assert "No load at any time: DSP0." in out


def test_the_row_says_it_in_one_line(said, one):
    code, out, err = said("report", one, "--row")
    assert (code, err, out.count("\n")) == (0, "", 1)
    means = [average(weighed(one, f"bpu{i}_load_pct", gaps_of(one))) for i in (0, 1)]
    peak = max(weighed(one, "bpu0_load_pct"))[0]
    parts = out.strip().split(" · ")
    assert parts[0] == f"BPU (2 cores) {sum(means) / 2:.1f} % avg, {peak:.1f} % peak"
    assert parts[1] == "carveout 96.0 MiB model, 214.0 MiB peak"
    assert parts[2].startswith(
        f"DDR read {average(weighed(one, 'ddr_read_mibps', gaps_of(one))):,.0f} MiB/s, write 131"
    )
    assert parts[3].startswith("60 screens, every 1")


def test_the_model_s_memory_stands_in_the_table(said, one):
    out = said("report", one, "-o", "-")[1]
    header, first, *_ = table(out, "Memory")
    cells = dict(zip(header, first, strict=True))
    assert cells[""] == "carveout used"
    assert (cells["Before"], cells["Load peak"]) == ("2.0 ±0.05 MiB", "214.0 ±0.05 MiB")
    assert (cells["Running"], cells["Model's share"]) == ("98.0 ±0.05 MiB", "96.0 ±0.10 MiB")


def test_true_ddr_stands_beside_the_monitor_s(said, one):
    ddr = FIXTURES / "ddr" / "tables--j5-all.txt"
    code, out, _ = said("report", one, "-o", "-", "--ddr", ddr, "--ddr-at", "load <model>")
    rows = table(out, "DDR bandwidth")
    assert code == 0
    assert [r[:2] for r in rows[1:]] == [[d, s] for s in ("monitor", r"hrut\_ddr") for d in ("read", "write")]
    assert rows[3][4] == f"{4208e6 / MIB:,.0f} MiB/s"
    assert r"its first row at the mark 'load \<model\>'" in out
    assert "(hrut_ddr)" in said("report", one, "--row", "--ddr", ddr, "--ddr-at", "load <model>")[1]


def test_warnings_come_first_and_name_the_doubts(said, tmp_path):
    quality = {"gaps": [[10.5, 12.0]], "stalls": [], "cut": 2, "clipped": 3}
    quality["lines"] = {"understood": 90, "noise": 0, "unknown": 10, "examples": ["<b>what|is"]}
    info = {"simulated": True, "warnings": ["two monitors ran"], "time_basis": "nominal", "quality": quality}
    out = said("report", model_run(tmp_path / "r.csv", info=info), "-o", "-")[1]
    warnings = out.split("## ")[1]
    assert warnings.startswith("Warnings")
    for text in (
        "simulation",
        "two monitors ran",
        "1 gap, ",
        "2 screens; the values",
        "10 lines (10.0 %)",
        "no clock",
    ):
        assert text in warnings
    assert r"\<b\>what\|is" in out


def test_markdown_shows_every_name_as_text(said, tmp_path):
    out = said("report", model_run(tmp_path / "r.csv", names=EVIL), "-o", "-")[1]
    assert not set(out) & {"\x1b", "\u202e"}
    assert not re.search(r"(?<!\\)[<>]", out)
    rows = table(out, "Processes")
    assert {len(row) for row in rows} == {6}
    assert [re.sub(r"\\([^\w]|_)", r"\1", row[0]) for row in rows[1:5]] == EVIL[:4]


def test_several_runs_have_a_line_each(said, one, tmp_path):
    other = model_run(tmp_path / "two.csv", seconds=30)
    lines = said("report", one, other, "--row")[1].splitlines()
    assert [line.split(":")[0] for line in lines] == ["one.csv", "two.csv"]
    out = said("report", one, other, "-o", "-")[1]
    assert re.findall(r"^# (.*)", out, re.M) == ["one.csv", "two.csv"]


@pytest.mark.parametrize("columns", [["carveout_used_bytes"], ["bpu0_load_pct"], ["ddr_read_mibps"]])
def test_a_run_of_one_row_and_one_metric_is_reported(said, tmp_path, columns):
    path = write_run(tmp_path / "r.csv", [[0.0, 5.0]], columns)
    assert said("report", path, "-o", "-")[0] == 0
    code, out, err = said("report", path, "--row")
    assert (code, err) == (0, "")
    assert "1 screen, " in out


@pytest.mark.parametrize(
    ("argv", "code", "message"),
    [
        (["none.csv"], 2, "there is no such file"),
        (["{run}", "-o", "x.pdf"], 2, "a report is .html or .md"),
        (["{run}", "-o", "no/x.html"], 2, "no directory"),
        (["{run}", "{run}", "--ddr", "d.csv"], 2, "--ddr belongs to one run"),
        (["{run}", "-o", "-", "--ddr", "none.csv"], 2, "No such file"),
        (["{run}", "-o", "-", "--ddr", "{run}"], 4, "holds no figures"),
        (["{run}", "--row", "--busy", "nan"], 2, "busy"),
        (["{run}", "--row", "--busy", "101"], 2, "busy"),
        (["{empty}", "--row"], 4, "has no rows"),
        ([], 2, "RUN"),
    ],
)
def test_bad_input_is_one_line(said, one, tmp_path, monkeypatch, argv, code, message):
    monkeypatch.chdir(tmp_path)
    empty = write_run(tmp_path / "empty.csv", [], ["bpu0_load_pct"])
    seen, out, err = said("report", *(a.format(run=one, empty=empty) for a in argv))
    assert (seen, out, err.count("\n")) == (code, "", 1)
    assert message in err
    assert not list(tmp_path.glob("*.html"))


def test_an_output_that_exists_is_kept(said, one, tmp_path):
    target = tmp_path / "mine.md"
    target.write_text("mine")
    assert said("report", one, "-o", target)[0] == 2
    assert target.read_text() == "mine"
    assert said("report", one, "-o", target, "--force")[0] == 0
    assert target.read_text().startswith("# one.csv")
