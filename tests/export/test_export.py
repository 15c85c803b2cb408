"""Exports read back with other programs' readers give the run's values, and nothing that runs anywhere."""

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ucpmon.errors import UsageError
from ucpmon.export import export
from ucpmon.runs.frames import MARK_COLUMNS, PROCESS_COLUMNS
from ucpmon.runs.reader import Run

MIB = 1 << 20
START = pd.Timestamp("2026-12-01T04:10:40.123456Z")
EVIL = ['=cmd|"/C calc"!A0', "+1", "-1", "@SUM(A1)", "\t=1", "a;=1", "＝1", "\x1b[2J", "模型 run", "</script>"]


def times(elapsed):
    return pd.Series(START + pd.to_timedelta(pd.Series(elapsed, dtype="float64"), unit="s"))


@pytest.fixture
def run():
    elapsed = [0.0, 1.0, 2.000001, 5.0]
    frame = pd.DataFrame(
        {
            "screen": range(4),
            "time": times(elapsed),
            "elapsed_s": elapsed,
            "cut": [False, False, False, True],
            "bpu0_load_pct": [95.4, 0.0, 0.1, np.nan],
            "bpu1_load_pct": [1.0, 1.0, 1.0, 1.0],
            "ddr_read_mibps": [208.0, np.nan, 210.0, 210.0],
            "carveout_used_bytes": [64.0 * 1024, 64 * 1024, 64 * 1024, 512 * MIB],
        }
    )
    rows = [(i % 4, elapsed[i % 4], 100 + i, name, 1024.0 * i, 2048.0) for i, name in enumerate(EVIL)]
    processes = pd.DataFrame(rows, columns=[c for c in PROCESS_COLUMNS if c != "time"])
    processes.insert(1, "time", times(processes["elapsed_s"]))
    marks = pd.DataFrame([(times([1.5])[0], 1.5, "load <b>", "user")], columns=list(MARK_COLUMNS))
    info = {"simulated": True, "quality": {"gaps": [[2.5, 5.0]], "stalls": []}}
    return Run(Path("night.csv"), "night", info, frame, processes, heaps=None, marks=marks)


def exported(run, to, table="screens"):
    out = io.BytesIO()
    export(run, to, out, table)
    return out.getvalue()


def test_parquet_has_values_units_and_the_run_s_own_story(run):
    pq = pytest.importorskip("pyarrow.parquet")
    table = pq.read_table(io.BytesIO(exported(run, "parquet")))
    fields = {f.name: {k.decode(): v.decode() for k, v in (f.metadata or {}).items()} for f in table.schema}
    assert fields["bpu0_load_pct"] == {"unit": "%", "label": "BPU0 load"}
    assert fields["carveout_used_bytes"] == {"unit": "bytes", "label": "carveout used"}
    assert fields["elapsed_s"] == {"unit": "s"}
    assert json.loads(table.schema.metadata[b"ucpmon"]) == run.info
    assert table["bpu0_load_pct"].to_pylist() == [95.4, 0.0, 0.1, None]
    assert table["time"].to_pylist()[2] == times([2.000001])[0].to_pydatetime()


def test_json_lines_have_null_for_what_is_missing(run):
    rows = [json.loads(line) for line in exported(run, "jsonl").splitlines()]
    assert [r["bpu0_load_pct"] for r in rows] == [95.4, 0.0, 0.1, None]
    assert rows[2]["time"] == "2026-12-01T04:10:42.123457Z"
    assert rows[3]["carveout_used_bytes"] == 512 * MIB
    assert [json.loads(line)["process"] for line in exported(run, "jsonl", "processes").splitlines()] == EVIL


def test_json_lines_are_plain_ascii(run):
    run.processes.loc[0, "process"] = "\x9b2J\u2028"
    text = exported(run, "jsonl", "processes")
    assert text.isascii()
    assert b"\x1b" not in text
    assert len(text.splitlines()) == len(EVIL)


def test_long_csv_holds_every_value_once(run):
    rows = list(csv.DictReader(io.StringIO(exported(run, "csv-long").decode(), newline="")))
    loads = [(r["screen"], r["time"], float(r["value"])) for r in rows if r["metric"] == "bpu0_load_pct"]
    assert loads == [
        ("0", "2026-12-01T04:10:40.123456Z", 95.4),
        ("1", "2026-12-01T04:10:41.123456Z", 0.0),
        ("2", "2026-12-01T04:10:42.123457Z", 0.1),
    ]
    assert {(r["metric"], r["unit"]) for r in rows} == {
        ("bpu0_load_pct", "%"), ("bpu1_load_pct", "%"), ("ddr_read_mibps", "MiB/s"),
        ("carveout_used_bytes", "bytes"), ("rss_bytes", "bytes"), ("hbmem_bytes", "bytes"),
    }  # fmt: skip
    assert len(rows) == 3 + 4 + 3 + 4 + 2 * len(EVIL)
    assert [int(r["pid"]) for r in rows if r["metric"] == "rss_bytes"] == [100 + i for i in range(len(EVIL))]


def test_no_name_becomes_a_formula_or_an_escape_sequence(run):
    text = exported(run, "csv-long").decode()
    assert not set(text) & {"\x1b", "\t", "\r"}
    for delimiter in ",;\t":
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
            for field in row:
                assert field.strip()[:1] not in set("=+-@＝＋－＠")
    assert '"模型 run"' in text


def test_a_run_without_a_clock_has_empty_times(run):
    run.frame["time"] = pd.NaT
    run.frame["time"] = pd.to_datetime(run.frame["time"], utc=True)
    assert exported(run, "csv-long").decode().splitlines()[1] == '0,,0.000000,"bpu0_load_pct",%,,,95.4'
    assert [e["ts"] for e in counters(run, "bpu load (%)")] == [0, 1_000_000, 2_000_001, 5_000_000]


def counters(run, name):
    trace = json.loads(exported(run, "perfetto"))
    return [e for e in trace["traceEvents"] if e["ph"] == "C" and e["name"] == name]


def test_perfetto_counters_stand_on_the_wall_clock_and_skip_what_is_missing(run):
    start = round(START.timestamp() * 1e6)
    assert [(e["ts"] - start, e["args"]) for e in counters(run, "bpu load (%)")] == [
        (0, {"bpu0": 95.4, "bpu1": 1.0}),
        (1_000_000, {"bpu0": 0.0, "bpu1": 1.0}),
        (2_000_001, {"bpu0": 0.1, "bpu1": 1.0}),
        (5_000_000, {"bpu1": 1.0}),
    ]
    assert [e["args"] for e in counters(run, "DDR (MiB/s)")] == [{"read": 208.0}, {"read": 210.0}, {"read": 210.0}]


def test_perfetto_writes_an_unchanged_value_once_and_the_last_one_again(run):
    run.frame.loc[3, "carveout_used_bytes"] = 64 * 1024
    found = counters(run, "carveout (MiB)")
    assert [e["ts"] - found[0]["ts"] for e in found] == [0, 5_000_000]
    assert [e["args"] for e in found] == [{"used": 0.0625}] * 2


def test_perfetto_has_marks_gaps_and_processes(run):
    events = json.loads(exported(run, "perfetto"))["traceEvents"]
    start = round(START.timestamp() * 1e6)
    (mark,) = [e for e in events if e["ph"] == "i"]
    (gap,) = [e for e in events if e["ph"] == "X"]
    assert (mark["name"], mark["ts"], mark["s"]) == ("load <b>", start + 1_500_000, "g")
    assert (gap["ts"], gap["dur"]) == (start + 2_500_000, 2_500_000)
    process = counters(run, "模型 run [108] (MiB)")
    assert process[0]["args"] == {"rss": 8 / 1024, "hbmem": 2 / 1024}
    assert all(isinstance(e.get("ts", 0), int) for e in events)


def test_perfetto_shows_that_a_process_ended_but_not_where_a_screen_was_cut(run):
    names = {0: ["ends", "stays"], 1: ["stays"], 2: ["again", "stays"], 3: []}
    rows = [(i, i, 7 + len(n), n, 1.0 * MIB, 2.0 * MIB) for i, held in names.items() for n in held]
    run = replace(run, processes=pd.DataFrame(rows, columns=[c for c in PROCESS_COLUMNS if c != "time"]))
    run.processes.insert(1, "time", times(run.processes["elapsed_s"]))
    start = round(START.timestamp() * 1e6)

    def story(name):
        return [(e["ts"] - start, e["args"]["hbmem"]) for e in counters(run, name)]

    assert story("ends [11] (MiB)") == [(0, 2.0), (1_000_000, 0.0)]
    assert story("stays [12] (MiB)") == [(0, 2.0), (2_000_000, 2.0)]
    run.frame["cut"] = False
    assert story("again [12] (MiB)") == [(2_000_000, 2.0), (5_000_000, 0.0)]


@pytest.mark.parametrize("to", ["jsonl", "csv-long", "perfetto", "parquet"])
def test_a_run_with_no_rows_exports_as_an_empty_one(run, to):
    if to == "parquet":
        pytest.importorskip("pyarrow")
    run = replace(run, frame=run.frame[:0], processes=run.processes[:0], marks=run.marks[:0], info={})
    data = exported(run, to)
    if to == "perfetto":
        assert [e["ph"] for e in json.loads(data)["traceEvents"]] == ["M"]
    elif to != "parquet":
        assert data in (b"", b"screen,time,elapsed_s,metric,unit,process,pid,value\n")


@pytest.mark.parametrize(
    ("to", "table", "message"),
    [
        ("xlsx", "screens", "possible are parquet"),
        ("jsonl", "rows", "possible are screens"),
        ("csv-long", "marks", "leave --table"),
    ],
)
def test_a_format_or_table_that_is_none_is_refused(run, to, table, message):
    with pytest.raises(UsageError, match=message):
        exported(run, to, table)
