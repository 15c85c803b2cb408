"""``ucpmon replay`` from the outside: golden runs, bad input, several captures, nothing lost."""

import csv
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

import pytest
from support.cli import call, ucpmon
from support.streams import block
from support.truth import FIXTURES, captures, differences, rows_of_run, truth_path

BOX = FIXTURES / "batch" / "batch--box50-s100-load.log"


def test_the_fixture_is_there():
    assert BOX.exists()


@pytest.mark.parametrize("path", captures(), ids=lambda p: p.name)
def test_golden(path, tmp_path):
    assert call("replay", path, "-o", tmp_path / "run.csv") == 0
    assert differences(rows_of_run(tmp_path / "run.csv"), truth_path(path)) == []


def test_run_json_says_what_and_how_well(tmp_path):
    assert call("replay", BOX, "-o", tmp_path / "run.csv", "--interval", "200") == 0
    info = json.loads((tmp_path / "run.json").read_text())
    assert info["source"] == {
        "name": BOX.name, "format": info["source"]["format"], "sha256": hashlib.sha256(BOX.read_bytes()).hexdigest(),
    }  # fmt: skip
    assert (info["time_basis"], info["frames"], info["simulated"], info["started"]) == ("nominal", "exact", False, None)
    assert info["interval_s"] == 0.2
    assert info["quality"]["screens"] == 40
    assert info["quality"]["lines"]["unknown"] == 0
    assert info["quality"]["interval"] == {"asked_s": 0.2, "achieved_s": 0.2}
    assert info["quality"]["bytes"] == BOX.stat().st_size
    assert info["resolution"]["cma_reserved_total_bytes"] == [[0, 107374182]]


def test_standard_input_to_standard_output(tmp_path):
    done = ucpmon("replay", "-", "-o", "-", stdin=BOX.read_text(), cwd=tmp_path)
    assert done.returncode == 0
    rows = list(csv.DictReader(done.stdout.splitlines()))
    assert len(rows) == 40
    assert list(tmp_path.iterdir()) == []


def test_a_single_pasted_screen(tmp_path):
    (tmp_path / "paste.txt").write_text(block("42.0"))
    assert call("replay", tmp_path / "paste.txt", "-o", tmp_path / "run.csv") == 0
    (row,) = rows_of_run(tmp_path / "run.csv")
    assert row.values["bpu0_load_pct"] == 42.0


@pytest.fixture
def bad(said, tmp_path, monkeypatch):
    """Replays what cannot be replayed: one line on stderr, and nothing written; the exit code and the line."""
    monkeypatch.chdir(tmp_path)

    def call(path, *options):
        before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
        code, _, err = said("replay", path, *options)
        assert "Traceback" not in err
        assert len(err.strip().splitlines()) == 1, err
        assert {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()} == before
        return code, err.strip()

    return call


@pytest.mark.parametrize(
    ("name", "content", "code", "says"),
    [
        ("missing.log", None, 2, "missing.log"),
        ("empty.log", b"", 4, "empty"),
        ("picture.png", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(100), 4, "picture.png"),
        ("junk.bin", bytes(range(256)) * 40, 4, "junk.bin"),
        ("empty.cast", b"", 4, "empty"),
        ("head.cast", b'{"version": 2, "width"\n[0.1, "o", "x"]\n', 4, "head.cast"),
        ("other.csv", b"a,b\n1,2\n3,4\n", 4, "other.csv"),
        ("words.txt", b"nothing of the kind\n" * 10, 4, "nothing of the kind"),
    ],
)
def test_input_that_is_none(name, content, code, says, bad, tmp_path):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    returned, message = bad(name, "-o", "out.csv")
    assert (returned, says in message) == (code, True), message


def test_what_was_not_understood_shows_its_first_lines_and_asks_for_a_sample(bad, tmp_path):
    (tmp_path / "x.log").write_text("fan 1200 rpm\ntemp 51\n")
    code, message = bad("x.log")
    assert code == 4
    assert "fan 1200 rpm / temp 51" in message
    assert "doctor" in message


def test_a_directory(bad, tmp_path):
    (tmp_path / "d").mkdir()
    assert bad("d")[0] == 2


def test_outputs_that_cannot_be(bad, tmp_path):
    (tmp_path / "run.csv").write_text("precious")
    (tmp_path / "log").write_text(block())
    assert bad("log", "-o", "run.csv") == (
        2,
        "ucpmon: run.csv exists: add --force to overwrite it, or name another output",
    )
    assert bad("log", "-o", "none/run.csv")[0] == 2
    assert bad("log", "-o", tmp_path)[0] == 2
    assert "run.png is no name for a run" in bad("log", "-o", "run.png")[1]
    assert bad("log", "--interval", "abc")[0] == 2
    code, message = bad("log", "--interval", "5")
    assert (code, "--interval 5 ms is out of range" in message) == (2, True)
    assert bad("log", "--start", "yesterday")[0] == 2


def test_force_overwrites_and_a_failure_under_force_keeps_the_old(tmp_path):
    (tmp_path / "log").write_text(block("3.0"))
    (tmp_path / "bad").write_text("nothing 1\n")
    (tmp_path / "run.csv").write_text("precious")
    assert ucpmon("replay", "bad", "-o", "run.csv", "--force", cwd=tmp_path).returncode == 4
    assert (tmp_path / "run.csv").read_text() == "precious"
    assert ucpmon("replay", "log", "-o", "run.csv", "--force", cwd=tmp_path).returncode == 0
    assert rows_of_run(tmp_path / "run.csv")[0].values["bpu0_load_pct"] == 3.0


def test_no_file_of_another_run_is_taken_unasked(bad, tmp_path):
    (tmp_path / "log").write_text(block())
    for name in ("run.json", "run-2.heaps.csv"):
        (tmp_path / name).write_text("precious")
    assert "run.json exists: add --force" in bad("log", "-o", "run.csv")[1]
    assert "run-2.heaps.csv exists: add --force" in bad("log", "-o", "run-2.csv")[1]
    assert "wrote run-3.csv" in ucpmon("replay", "log", cwd=tmp_path).stderr
    assert [(tmp_path / name).read_text() for name in ("run.json", "run-2.heaps.csv")] == ["precious"] * 2


def test_a_new_reading_of_a_recording_keeps_its_exact_heaps(tmp_path):
    shutil.copy(FIXTURES / "asciinema" / "curses--s600-procs.cast", tmp_path / "run.cast")
    (tmp_path / "log").write_text(block("3.0"))
    (tmp_path / "run.heaps.csv").write_text("precious")
    again = ucpmon("replay", "run.cast", "-o", "run.csv", "--force", cwd=tmp_path)
    assert "wrote run.csv: 15 screens" in again.stderr
    assert (tmp_path / "run.heaps.csv").read_text() == "precious"
    assert ucpmon("replay", "log", "-o", "run.csv", "--force", cwd=tmp_path).returncode == 0
    assert not (tmp_path / "run.heaps.csv").exists()


def test_default_names_never_collide(tmp_path):
    (tmp_path / "log").write_text(block())
    first, second = (ucpmon("replay", "log", cwd=tmp_path) for _ in range(2))
    assert "run.csv" in first.stderr
    assert "run-2.csv" in second.stderr
    assert (tmp_path / "run-2.csv").read_bytes() == (tmp_path / "run.csv").read_bytes()


def test_a_glob_makes_one_run_each_and_join_makes_one_of_all(tmp_path):
    for i in range(3):
        (tmp_path / f"part{i}.log").write_text(block(f"{i}.0") * 2)
    assert ucpmon("replay", "part*.log", cwd=tmp_path).returncode == 0
    assert {p.name for p in tmp_path.glob("run*.csv")} >= {"run.csv", "run-2.csv", "run-3.csv"}
    assert ucpmon("replay", "part*.log", "--join", "-o", "all.csv", cwd=tmp_path).returncode == 0
    assert [r.values["bpu0_load_pct"] for r in rows_of_run(tmp_path / "all.csv")] == [0.0, 0.0, 1.0, 1.0, 2.0, 2.0]
    done = ucpmon("replay", "part*.log", "-o", "x.csv", cwd=tmp_path)
    assert (done.returncode, "--join" in done.stderr) == (2, True)


def test_join_orders_by_the_clocks(tmp_path):
    stamp = "2026-12-01T04:00:{:02d}+00:00 "
    for name, second in (("late", 30), ("early", 10)):
        lines = (block("1.0") if name == "early" else block("2.0")).splitlines()
        (tmp_path / f"{name}.log").write_text("".join(stamp.format(second) + line + "\n" for line in lines))
    assert call("replay", tmp_path / "late.log", tmp_path / "early.log", "--join", "-o", tmp_path / "all.csv") == 0
    rows = rows_of_run(tmp_path / "all.csv")
    assert [(r.values["bpu0_load_pct"], r.elapsed_s) for r in rows] == [(1.0, 0.0), (2.0, 20.0)]
    assert call("report", tmp_path / "all.csv", "-o", tmp_path / "all.md") == 0
    assert re.search(r"Capture \| early.log \(ts.*\), late.log \(ts", (tmp_path / "all.md").read_text())
    assert re.search(r"SHA-256 \| \w{64}, \w{64} ", (tmp_path / "all.md").read_text())


def test_a_cast_of_a_replay_replays_to_the_same_run(tmp_path):
    source = FIXTURES / "script" / "home--box50-s600.typescript"
    source = source if source.exists() else next((FIXTURES / "script").glob("home*.typescript"))
    assert call("replay", source, "-o", tmp_path / "a.csv", "--to-cast", tmp_path / "a.cast") == 0
    assert call("replay", tmp_path / "a.cast", "-o", tmp_path / "b.csv") == 0
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    assert (tmp_path / "a.procs.csv").read_bytes() == (tmp_path / "b.procs.csv").read_bytes()


@pytest.mark.parametrize(
    "command",
    [
        "replay log.csv -o log.csv --force", "replay log.csv -o x.csv --to-cast log.csv --force",
        "replay link.csv --to-cast log.csv -o x.csv --force", "doctor log.csv --anonymize log.csv --force",
        "plot log.csv -o log.png --force", "report log.csv -o log.html --force",
        "export log.csv --to csv-long -o log.csv --force",
    ],
)  # fmt: skip
def test_no_command_writes_over_what_it_reads(command, tmp_path):
    text = block() * 3
    for name in ("log.csv", "log.png", "log.html"):
        (tmp_path / name).write_text(text)
    (tmp_path / "link.csv").symlink_to("log.csv")
    words = command.split()
    words[1] = words[words.index("-o") + 1] if words[0] in ("plot", "report") else words[1]
    done = ucpmon(*words, cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "is what is to be read: name another output" in done.stderr
    assert [(tmp_path / name).read_text() for name in ("log.csv", "log.png", "log.html")] == [text] * 3


def test_a_line_without_end_is_quoted_in_short(tmp_path):
    (tmp_path / "a.log").write_text(f"| BPU0 {'9' * 5000} |\n{block() * 3}")
    done = ucpmon("replay", "a.log", "-o", "a.csv", cwd=tmp_path)
    assert f"1 line not understood, such as '| BPU0 {'9' * 93}'" in done.stderr


def test_damage_is_a_warning_and_strict_is_exit_4(tmp_path):
    whole = (FIXTURES / "asciinema").glob("clear*.cast")
    text = next(whole).read_text()
    (tmp_path / "cut.cast").write_text(text[: len(text) * 2 // 3])
    done = ucpmon("replay", "cut.cast", "-o", "a.csv", cwd=tmp_path)
    assert done.returncode == 0
    assert "warning: " in done.stderr
    assert ucpmon("replay", "cut.cast", "-o", "b.csv", "--strict", cwd=tmp_path).returncode == 4


def test_no_heavy_import_for_help_or_replay(tmp_path):
    shutil.copy(BOX, tmp_path / "log")
    code = (
        "import sys; from ucpmon.cli.app import run; rc = run(sys.argv[1:]);"
        "print(rc, [m for m in ('pandas', 'numpy', 'matplotlib', 'pexpect') if m in sys.modules], file=sys.stderr)"
    )
    for args in (["--help"], ["replay", "log", "-o", "run.csv"]):
        done = subprocess.run([sys.executable, "-c", code, *args], cwd=tmp_path, capture_output=True, text=True)
        assert done.stderr.splitlines()[-1] == "0 []", done.stderr


def test_a_long_replay_shows_how_far_it_is_on_a_terminal(tmp_path):
    pexpect = pytest.importorskip("pexpect")
    (tmp_path / "long.log").write_text(block() * 200_000)
    # The bar waits a second before it shows; here it does not.
    code = (
        "import sys; from ucpmon.cli import progress_bar; progress_bar._AFTER_S = 0;"
        "from ucpmon.cli.app import run; sys.exit(run(sys.argv[1:]))"
    )
    child = pexpect.spawn(
        sys.executable, ["-c", code, "replay", "long.log", "-o", "run.csv"], cwd=str(tmp_path), dimensions=(24, 80),
        env={**os.environ, "TERM": "xterm", "NO_COLOR": "1"}, timeout=60,
    )  # fmt: skip
    child.expect(r" ([1-9]\d*\.\d)/([\d.]+) MiB (\d+) screens")
    done, total, screens = (float(found) for found in child.match.groups())
    child.expect(r"wrote run\.csv: 200000 screens")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert 0 < done < total == round((tmp_path / "long.log").stat().st_size / 2**20, 1)
    assert 0 < screens < 200_000
