"""``ucpmon.read_run``: every way to name a run, and a recording that is still being written."""

import csv
import re

import pytest
from support.cli import call
from support.streams import block
from support.truth import FIXTURES

import ucpmon
from ucpmon.errors import InputError, UcpmonError, UsageError

CAST = next((FIXTURES / "asciinema").glob("clear*.cast"))


@pytest.fixture
def folder(tmp_path):
    assert call("replay", CAST, "-o", tmp_path / "run.csv") == 0
    return tmp_path


def test_a_run_its_json_and_its_capture_are_the_same_run(folder):
    run = ucpmon.read_run(folder / "run.csv")
    for other in (ucpmon.read_run(str(folder / "run.json")), ucpmon.read_run(CAST)):
        assert other.frame.equals(run.frame)
        assert other.processes.equals(run.processes)
    assert len(run.frame) == 25
    assert run.frame["bpu0_load_pct"].max() == 100.0
    assert list(run.frame.columns[:4]) == ["screen", "time", "elapsed_s", "cut"]
    assert run.info["quality"]["screens"] == 25
    assert run.frame["time"].iloc[0].isoformat().startswith("2026-12-01T")


def test_types_are_fixed_and_absent_is_nan(tmp_path):
    (tmp_path / "log").write_text(block("1.0") + "| DSP0 4.0 |\n" + block("2.0"))
    frame = ucpmon.read_run(tmp_path / "log").frame
    assert {str(frame[c].dtype) for c in frame.columns[4:]} == {"float64"}
    assert (str(frame["screen"].dtype), str(frame["cut"].dtype)) == ("int64", "bool")
    assert frame["dsp0_load_pct"].tolist()[1:] == [4.0]
    assert frame["time"].isna().all()


@pytest.mark.parametrize("lost", range(1, 12))
def test_half_a_row_of_a_recording_in_progress_is_not_read(folder, lost):
    path = folder / "run.csv"
    path.write_bytes(path.read_bytes()[:-lost])
    (folder / "run.json").unlink()
    run = ucpmon.read_run(path)
    assert len(run.frame) == 24
    assert run.info == {}


def test_errors(tmp_path):
    with pytest.raises(UsageError, match="no such file"):
        ucpmon.read_run(tmp_path / "none.csv")
    with pytest.raises(UsageError, match="directory"):
        ucpmon.read_run(tmp_path)
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError):
        ucpmon.read_run(tmp_path / "other.csv")
    (tmp_path / "run.csv").write_text("screen,time,elapsed_s,cut\n")
    with pytest.raises(InputError, match="no metric"):
        ucpmon.read_run(tmp_path / "run.csv")
    assert issubclass(ucpmon.UcpmonError, UcpmonError)


def test_the_heaps_of_a_recording_are_read_with_their_own_rows(folder):
    (folder / "run.heaps.csv").write_text(
        "time,elapsed_s,heap,kind,client,pid,bytes\n"
        "2026-12-01T04:10:40.000000Z,0.010000,carveout,total,,,536870912\n"
        "2026-12-01T04:10:40.000000Z,0.010000,carveout,client,NA,541,2097153\n"
    )
    heaps = ucpmon.read_run(folder / "run.csv").heaps
    assert heaps["bytes"].tolist() == [536870912, 2097153]
    assert heaps["client"].tolist() == ["", "NA"]
    assert (heaps["pid"].isna().tolist(), heaps["pid"].iloc[1]) == ([True, False], 541)
    assert str(heaps["pid"].dtype) == "Int64"


@pytest.mark.parametrize(
    ("file", "column", "text"),
    [
        ("run.procs.csv", "pid", "12x"),
        ("run.csv", "screen", ""),
        ("run.csv", "elapsed_s", "oops"),
        ("run.csv", "bpu0_load_pct", "12,5"),
        ("run.csv", "bpu0_load_pct", "inf"),
    ],
)
def test_a_damaged_number_is_said_with_its_file_and_row(folder, file, column, text):
    path = folder / file
    with path.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    rows[1][column] = text
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    with pytest.raises(InputError, match=rf"{re.escape(file)}: row 2 has no number under '{column}'"):
        ucpmon.read_run(folder / "run.csv")
