"""hrut_ddr's figures: read in every form, never mixed with the monitor's, and laid on the run's time."""

import numpy as np
import pandas as pd
import pytest
from support.paths import ROOT

from ucpmon.errors import InputError, UsageError
from ucpmon.metrics import metric
from ucpmon.neighbours.hrut_ddr import COLUMNS, align, read_ddr
from ucpmon.runs.frames import MARK_COLUMNS

FIXTURES = ROOT / "fixtures" / "ddr"
READ, WRITE = COLUMNS


def written(tmp_path, text):
    path = tmp_path / "ddr.txt"
    path.write_text(text, "utf-8")
    return path


def run(start="2026-12-01T04:10:35Z", rows=20, marks=()):
    elapsed = np.arange(rows, dtype="float64")
    time = pd.Timestamp(start) + pd.to_timedelta(elapsed, unit="s")
    frame = pd.DataFrame({"screen": range(rows), "time": time, "elapsed_s": elapsed, "cut": False, "bpu0_load_pct": 1})
    return frame, pd.DataFrame([(pd.NaT, at, name, "user") for name, at in marks], columns=list(MARK_COLUMNS))


def test_its_csv_is_read_up_to_a_row_that_was_cut_off():
    ddr = read_ddr(FIXTURES / "bpu--s100.csv")
    assert ddr.clock
    assert ddr.frame[READ].tolist() == [2048.5, 11210.0, 11150.2]
    assert ddr.frame[WRITE].tolist() == [1024.3, 980.7, 1003.0]
    assert ddr.frame["elapsed_s"].tolist() == [0, 1, 2]
    assert ddr.frame["time"].iloc[0] == pd.Timestamp("2026-12-01T04:10:40Z")


def test_its_tables_give_the_sum_of_all_masters_in_mib():
    ddr = read_ddr(FIXTURES / "tables--j5-all.txt")
    assert not ddr.clock
    assert ddr.frame["elapsed_s"].tolist() == pytest.approx([0.0, 0.454])
    assert ddr.frame[READ].tolist() == pytest.approx([4208e6 / 2**20, 4065e6 / 2**20])
    assert ddr.frame[WRITE].tolist() == pytest.approx([1330e6 / 2**20, 1305e6 / 2**20])


@pytest.mark.parametrize(
    ("text", "clock", "elapsed", "read"),
    [
        ("timestamp,read_MB/s,write_MB/s\n1796098240123,1048.576,1\n1796098240623,0,1\n", True, [0, 0.5], [1000, 0]),
        ("time,read_GiB/s,write_GiB/s\n0.5,1,1\n1.5,2,1\n", False, [0, 1], [1024, 2048]),
        ('"Timestamp", "Read", "Write"\r\n1796098240000000,7,1\r\n', True, [0], [7]),
        ("\ufefftimestamp,device,read_MiB/s,write_MiB/s\n1796098240000000000,3,7,1\n", True, [0], [7]),
        ("timestamp,read,write\n2026-12-01T12:10:40+08:00,7,1\n2026-12-01T04:10:42Z,8,1\n", True, [0, 2], [7, 8]),
        ("Time 12.5s\nMiB/s | BPU\n| Read : | 70 |\n| Write: | 30 |\n", False, [0], [70]),
        (
            "Time: 1 s\nMiB/s  range0  Bandwidth\nREAD 5 70\nwrite 1 30\nTime: 3 s\nREAD 6 80\nwrite 1 30\n",
            False,
            [0, 2],
            [70, 80],
        ),
        ("log line\ntimestamp,read,write\n5,7,1\ntimestamp,read,write\n6,8,1\n", False, [0, 1], [7, 8]),
    ],
)
def test_times_and_units_in_every_form(tmp_path, text, clock, elapsed, read):
    ddr = read_ddr(written(tmp_path, text))
    assert ddr.clock is clock
    assert ddr.frame["elapsed_s"].tolist() == pytest.approx(elapsed)
    assert ddr.frame[READ].tolist() == pytest.approx(read)
    if clock:
        assert abs(ddr.frame["time"].iloc[0] - pd.Timestamp("2026-12-01T04:10:40Z")) < pd.Timedelta("1s")


def test_the_wall_clock_lays_it_on_the_run():
    frame, how = align(read_ddr(FIXTURES / "bpu--s100.csv"), *run())
    assert frame["elapsed_s"].tolist() == pytest.approx([5, 6, 7])
    assert how == "by the wall clock"


def test_a_mark_lays_a_second_pass_on_the_first():
    ddr = read_ddr(FIXTURES / "tables--j5-all.txt")
    frame, how = align(ddr, *run(marks=[("load", 3.0), ("run", 8.0)]), at="run")
    assert frame["elapsed_s"].tolist() == pytest.approx([8.0, 8.454])
    assert how == "its first row at the mark 'run'"
    frame, how = align(ddr, *run())
    assert frame["elapsed_s"].tolist() == pytest.approx([0.0, 0.454])
    assert how.startswith("from the run's start")


def test_figures_of_another_day_are_refused():
    with pytest.raises(UsageError, match=r"not of the time of the run.*--ddr-at"):
        align(read_ddr(FIXTURES / "bpu--s100.csv"), *run("2026-12-02T04:10:35Z"))


def test_a_mark_that_is_not_there_names_those_that_are():
    with pytest.raises(UsageError, match="its marks are 'load', 'run'"):
        align(read_ddr(FIXTURES / "bpu--s100.csv"), *run(marks=[("load", 3.0), ("run", 8.0)]), at="go")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no figures"),
        ("timestamp,read_MiB/s,write_MiB/s\n", "holds no figures"),
        ("Error: Open failed!\n", "holds no figures"),
        ("Time 1s\nMB/s CPU BPU\nRead : 1 2\nWrite: 1 2\n", "without a column of the whole"),
        ("timestamp,read,write\nyesterday,1,2\n", "is not a time"),
        ("timestamp,read,write\nnan,1,2\n", "a time is no number"),
        ("timestamp,read,write\n5,1,2\n4,1,2\n", "run backwards"),
    ],
)
def test_what_is_no_log_of_hrut_ddr_is_not_understood(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        read_ddr(written(tmp_path, text))


def test_a_file_that_cannot_be_read_is_a_usage_error(tmp_path):
    for path in (tmp_path, tmp_path / "none.csv"):
        with pytest.raises(UsageError, match="name a file"):
            read_ddr(path)


def test_its_columns_are_labelled_by_their_source():
    assert metric(READ).label == "DDR read (hrut_ddr)"
    assert metric(WRITE).unit == "MiB/s"
    assert metric("ddr_read_mibps").label == "DDR read"
