"""The files of a run: exact columns, columns that come later, marks, gaps, casts that keep every byte."""

import csv
import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ucpmon.captures import open_capture
from ucpmon.errors import InputError
from ucpmon.records import Chunk, Mark, ProcessRow, Sample
from ucpmon.runs import CastWriter, RunFiles, RunWriter, append_mark, read_json
from ucpmon.runs.files import from_iso, iso
from ucpmon.runs.writer import MOST_COLUMNS, Silences

START = from_iso("2026-12-01T04:10:40.123456Z")


def sample(t_us, values, processes=(), quanta=None, cut=False):
    rows = [ProcessRow(*p) for p in processes]
    return Sample(t_us, cut, False, tuple(values), tuple(values.values()), quanta or {}, rows, 1, 0, [])


def written(tmp_path, samples, started_us=START, interval_us=1_000_000):
    writer = RunWriter(RunFiles(tmp_path / "run.csv"), started_us, interval_us)
    for s in samples:
        writer.add(s)
    writer.close()
    return writer


def test_a_row_is_written_as_the_schema_says(tmp_path):
    written(tmp_path, [sample(1_500_000, {"bpu0_load_pct": 95.4, "ddr_read_mibps": 208}, cut=True)])
    assert (tmp_path / "run.csv").read_text() == (
        "screen,time,elapsed_s,cut,bpu0_load_pct,ddr_read_mibps\n0,2026-12-01T04:10:41.623456Z,1.500000,1,95.4,208\n"
    )


def test_without_a_wall_clock_time_is_empty_and_without_any_clock_nominal(tmp_path):
    written(tmp_path, [sample(None, {"bpu0_load_pct": 1.0})] * 3, None, 200_000)
    rows = list(csv.DictReader((tmp_path / "run.csv").open()))
    assert [r["time"] for r in rows] == ["", "", ""]
    assert [r["elapsed_s"] for r in rows] == ["0.000000", "0.200000", "0.400000"]


def test_a_column_that_comes_later_widens_the_file_and_absent_is_empty(tmp_path):
    written(tmp_path, [sample(0, {"a_load_pct": 1.0}), sample(1, {"b_load_pct": 2.0}), sample(2, {"a_load_pct": 3.0})])
    rows = list(csv.DictReader((tmp_path / "run.csv").open()))
    assert [(r["a_load_pct"], r["b_load_pct"]) for r in rows] == [("1.0", ""), ("", "2.0"), ("3.0", "")]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["run.csv", "run.procs.csv"]


def test_columns_have_an_end(tmp_path):
    writer = written(tmp_path, [sample(i, {f"h{i}_used_bytes": i}) for i in range(MOST_COLUMNS + 5)])
    header, *rows = (tmp_path / "run.csv").read_text().splitlines()
    assert header.count(",") == 3 + MOST_COLUMNS
    assert {row.count(",") for row in rows} == {3 + MOST_COLUMNS}
    assert writer.rows == MOST_COLUMNS + 5


def test_process_names_survive_as_they_are(tmp_path):
    names = ["a,b", 'say "hi"', "=1+1", "模型", "two  spaces"]
    written(tmp_path, [sample(0, {}, [(i, name, 1, 2) for i, name in enumerate(names)])])
    rows = list(csv.DictReader((tmp_path / "run.procs.csv").open(newline="")))
    assert [r["process"] for r in rows] == names
    assert rows[0] == {
        "screen": "0", "time": iso(START), "elapsed_s": "0.000000", "pid": "0", "process": "a,b",
        "rss_bytes": "1", "hbmem_bytes": "2",
    }  # fmt: skip


def test_resolution_is_kept_as_runs(tmp_path):
    quanta = [105, 105, 107374182, 105]
    writer = written(
        tmp_path, [sample(i, {"a_used_bytes": 1}, quanta={"a_used_bytes": q}) for i, q in enumerate(quanta)]
    )
    assert writer.resolution == {"a_used_bytes": [[0, 105], [2, 107374182], [3, 105]]}


def test_a_pause_is_a_gap_only_beside_the_usual_pause():
    silences = Silences()
    times = [0, 200, 400, 600, 3600, 3800, 4300]
    for a, b in itertools.pairwise(times):
        silences.add(a * 1000, b * 1000)
    assert silences.gaps() == [[0.6, 3.6]]
    assert silences.gaps(asked_us=1_000_000) == []


def test_marks_are_appended_one_by_one(tmp_path):
    path = tmp_path / "run.marks.csv"
    append_mark(path, Mark(500_000, "load, done", "user"), START)
    append_mark(path, Mark(1_500_000, "workload end", "workload"), None)
    assert path.read_text() == (
        "time,elapsed_s,label,source\n"
        '2026-12-01T04:10:40.623456Z,0.500000,"load, done",user\n'
        ",1.500000,workload end,workload\n"
    )


@pytest.mark.parametrize("name", ["run.csv", "run.procs.csv", "run.marks.csv", "run.json", "run.cast", "run.cast.gz"])
def test_any_file_of_a_run_names_the_run(name, tmp_path):
    assert RunFiles.of(tmp_path / name).csv == tmp_path / "run.csv"


def test_a_json_that_is_none_is_said(tmp_path):
    (tmp_path / "run.json").write_text("[1]")
    with pytest.raises(InputError, match="it holds no object"):
        read_json(tmp_path / "run.json")
    assert read_json(tmp_path / "none.json") == {}


@given(st.lists(st.binary(min_size=1, max_size=40), min_size=1, max_size=6))
def test_a_cast_keeps_every_byte(tmp_path_factory, pieces):
    path = tmp_path_factory.mktemp("cast") / "run.cast"
    writer = CastWriter(path, 50, 100, START, {"simulated": True}, "monitor")
    for i, data in enumerate(pieces):
        writer.write(Chunk(i * 250_001, data))
    writer.write(Chunk(9_000_000, b"", "ucpmon: stopped"))
    writer.close()
    with open_capture(path) as capture:
        chunks = list(capture.chunks())
        assert capture.info.started_us == START
        assert (capture.info.rows, capture.info.cols, capture.info.run["simulated"]) == (50, 100, True)
    assert [(c.t_us, c.data) for c in chunks if c.data] == [(i * 250_001, d) for i, d in enumerate(pieces)]
    assert [(c.t_us, c.mark) for c in chunks if c.mark] == [(9_000_000, "ucpmon: stopped")]
    for line in path.read_text(encoding="utf-8").splitlines():
        json.loads(line)
