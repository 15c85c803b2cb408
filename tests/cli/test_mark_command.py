"""Marks set from outside into a recording in progress."""

import pytest
from support.recording import finished, info, record, table, ucpmon
from support.simulation import wait_for


def test_a_mark_is_in_the_tables_the_stream_and_the_summary(tmp_path):
    process = record(tmp_path, "--duration", 3, simulator=["--scenario", "busy"])
    assert wait_for(lambda: (tmp_path / "run.csv").exists() and len(table(tmp_path / "run.csv")) > 3)
    code, _, said = ucpmon("mark", "run.csv", 'decode, "fast"', cwd=tmp_path)
    assert code == 0
    assert said.startswith("marked ")
    assert finished(process)[0] == 0
    [mark] = [m for m in table(tmp_path / "run.marks.csv") if m["source"] == "user"]
    assert mark["label"] == 'decode, "fast"'
    assert 0.3 < float(mark["elapsed_s"]) < 2.8
    assert '"m", "decode, \\"fast\\""' in (tmp_path / "run.cast").read_text()
    assert {"elapsed_s": float(mark["elapsed_s"]), "label": mark["label"], "source": "user"} in info(tmp_path)[
        "markers"
    ]


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    """The folder of a recording that has ended."""
    folder = tmp_path_factory.mktemp("ended")
    assert ucpmon("record", "--simulate", "--count", 1, "--interval", 100, cwd=folder)[0] == 0
    return folder


@pytest.mark.parametrize(
    ("run", "label", "says"),
    [
        ("run.csv", "x", "is not being recorded now"),
        ("other.csv", "x", "there is no such run"),
        ("run.csv", " ", "is no label"),
        ("run.csv", "a" * 300, "is no label"),
        ("run.csv", "\x1b[31m", "is no label"),
    ],
)
def test_bad_marks_are_refused(ended, run, label, says):
    before = (ended / "run.marks.csv").read_bytes()
    code, _, said = ucpmon("mark", run, label, cwd=ended)
    assert code == 2
    assert says in said
    assert said.count("\n") == 1
    assert (ended / "run.marks.csv").read_bytes() == before
