"""``ucpmon plot`` from the outside: which file comes out, what is said, and how bad input ends."""

import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
from matplotlib.image import imread
from support.cli import call, ucpmon
from support.require import require
from support.simulation import wait_for
from support.truth import FIXTURES

CAST = FIXTURES / "asciinema" / "clear--s100-load.cast"
BATCH = FIXTURES / "batch" / "batch--ruled-s600-procs.log"


@pytest.fixture
def run(tmp_path):
    """A replayed run in a folder of its own."""
    assert call("replay", CAST, "-o", tmp_path / "run.csv") == 0
    return tmp_path / "run.csv"


def test_without_a_display_the_picture_is_written_beside_the_run_and_it_is_said(run, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    done = ucpmon("plot", run, cwd=elsewhere)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == f"wrote {tmp_path}/run.png: no window can be opened here\n"
    assert imread(tmp_path / "run.png").shape[1] == 1276
    assert list(elsewhere.iterdir()) == []


def test_a_second_picture_does_not_overwrite_the_first(run):
    assert call("plot", run, "-o", run.with_suffix(".png")) == 0
    first = run.with_suffix(".png").read_bytes()
    assert "run-2.png" in ucpmon("plot", run).stderr
    assert run.with_suffix(".png").read_bytes() == first


@pytest.mark.parametrize(("ending", "first"), [("png", b"\x89PNG"), ("SVG", b"<?xml"), ("pdf", b"%PDF-")])
def test_the_ending_names_the_format_and_equal_runs_give_equal_files(run, ending, first):
    one, two = run.with_name(f"one.{ending}"), run.with_name(f"two.{ending}")
    assert (call("plot", run, "-o", one), call("plot", run, "-o", two)) == (0, 0)
    assert one.read_bytes().startswith(first)
    assert one.read_bytes() == two.read_bytes()


def test_a_capture_a_run_and_its_side_files_give_the_same_picture(run):
    shutil.copy(CAST, run.with_name("run.cast"))
    for name in ("run.csv", "run.json", "run.procs.csv"):
        assert call("plot", run.with_name(name), "--series", "bpu*", "-o", run.with_name(f"{name}.png")) == 0
    pictures = [imread(run.with_name(f"{n}.png"))[60:] for n in ("run.csv", "run.json", "run.procs.csv")]
    assert all(np.array_equal(pictures[0], p) for p in pictures)
    assert call("plot", CAST, "-o", run.with_name("cast.png")) == 0


def test_a_png_goes_to_standard_output_alone(run):
    done = ucpmon("plot", run, "-o", "-", stdin=b"")
    assert done.returncode == 0
    assert done.stdout.startswith(b"\x89PNG") and done.stdout.endswith(b"IEND\xaeB`\x82")
    assert done.stderr == b""


def test_a_recording_in_progress(run):
    """No run.json yet, and the last row is half written."""
    run.with_suffix(".json").unlink()
    text = run.read_text()
    run.write_text(text[: text.rindex(",") - 3])
    assert call("plot", run, "-o", run.with_name("live.png")) == 0
    assert run.with_name("live.png").stat().st_size > 10_000


def test_several_runs_are_overlaid(run):
    assert call("plot", run, BATCH, "--style", "dark", "-o", run.with_name("both.png")) == 0
    ground = imread(run.with_name("both.png"))[2, 2, :3] * 255
    assert ground.round().tolist() == [0x16, 0x19, 0x1D]


BAD = {
    "unknown ending": (["-o", "x.bmp"], 2, "x.bmp ends in .bmp, which is no picture format: use .png, .svg or .pdf"),
    "no ending": (["-o", "x"], 2, "x has no ending, which is no picture format"),
    "no folder": (["-o", "no/where.png"], 2, "there is no directory no"),
    "a folder": (["-o", "folder.png"], 2, "folder.png is a directory"),
    "exists": (["-o", "there.png"], 2, "there.png exists: add --force to overwrite it"),
    "no such series": (["-o", "x.png", "--series", "gpu*"], 4, "no series fits 'gpu*': there are: bpu0_load_pct"),
    "no such marker": (["-o", "x.png", "--align", "marker:go"], 4, "run.csv has no marker 'go'"),
    "align": (["-o", "x.png", "--align", "middle"], 2, "cannot align at 'middle'"),
    "style": (["-o", "x.png", "--style", "pink"], 2, "style 'pink' is not known: choose light or dark"),
    "from": (["-o", "x.png", "--from", "soon"], 2, "--from 'soon' is not a duration"),
    "from nan": (["-o", "x.png", "--from", "nan"], 2, "--from 'nan' is not a duration"),
    "from after to": (["-o", "x.png", "--from", "9", "--to", "3"], 2, "--from 9 s is not before --to 3 s"),
    "nothing there": (["-o", "x.png", "--from", "1h"], 4, "no screen lies between --from and --to"),
    "top": (["-o", "x.png", "--top", "0"], 2, "Invalid value for '--top'"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_line_and_changes_nothing(case, run, monkeypatch, capsys):
    monkeypatch.chdir(run.parent)
    options, code, said = BAD[case]
    run.with_name("folder.png").mkdir()
    run.with_name("there.png").write_bytes(b"mine")
    before = sorted(p.name for p in run.parent.iterdir())
    capsys.readouterr()
    assert call("plot", "run.csv", *options) == code
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1
    assert sorted(p.name for p in run.parent.iterdir()) == before
    assert run.with_name("there.png").read_bytes() == b"mine"


def test_force_overwrites(run):
    run.with_name("there.png").write_bytes(b"mine")
    assert call("plot", run, "--force", "-o", run.with_name("there.png")) == 0
    assert run.with_name("there.png").read_bytes().startswith(b"\x89PNG")


@pytest.fixture
def screen(tmp_path):
    """A real X server without a monitor: its display, and its picture as (rows, columns, RGB)."""
    (tmp_path / "screen").mkdir()
    read, write = os.pipe()
    command = [require("Xvfb"), "-displayfd", str(write), "-screen", "0", "1600x1200x24", "-fbdir", tmp_path / "screen"]
    server = subprocess.Popen(command, pass_fds=[write], stderr=subprocess.DEVNULL)
    os.close(write)
    yield ":" + os.read(read, 20).decode().strip(), lambda: _pixels(tmp_path / "screen" / "Xvfb_screen0")
    server.terminate()
    server.wait()


def _pixels(dump):
    """What an X window dump shows: after its header come the rows, blue, green, red and a spare byte each."""
    data = np.frombuffer(dump.read_bytes()[-1600 * 1200 * 4 :], dtype=np.uint8)
    return data.reshape(1200, 1600, 4)[..., 2::-1]


def _strokes(pixels):
    """How many pixels have the colour of the first line."""
    return int((pixels == (0x00, 0x72, 0xB2)).all(axis=2).sum())


def test_with_a_display_a_window_opens_and_no_file_is_written(run, screen):
    pytest.importorskip("tkinter")
    display, picture = screen
    before = sorted(run.parent.glob("*.png"))
    window = subprocess.Popen(
        [sys.executable, "-m", "ucpmon", "plot", run], env=os.environ | {"DISPLAY": display, "MPLBACKEND": "tkagg"}
    )
    try:
        assert wait_for(lambda: _strokes(picture()) > 500, 15)
        assert window.poll() is None
    finally:
        window.terminate()
        window.wait()
    assert sorted(run.parent.glob("*.png")) == before


def test_a_display_that_does_not_answer_ends_in_a_file(run):
    done = ucpmon("plot", run, env={"DISPLAY": ":987"})
    assert (done.returncode, done.stderr) == (0, f"wrote {run.with_suffix('.png')}: no window can be opened here\n")


def test_phases_that_the_memory_shows_are_drawn(run):
    from ucpmon.plot import build_figure, phases_of
    from ucpmon.runs.reader import read_run

    found = phases_of(read_run(run))
    assert [name for _, _, name in found] == ["baseline", "loading", "running", "released"]
    assert [start for start, _, _ in found][1:] == pytest.approx([1.03, 1.63, 4.44], abs=0.05)
    assert build_figure([read_run(run)]).axes


def test_true_bandwidth_of_hrut_ddr_is_laid_on_the_run(run, tmp_path):
    (tmp_path / "ddr.csv").write_text("timestamp,read_MiB/s,write_MiB/s\n0,11000,5000\n1,11500,5100\n2,300,200\n")
    done = ucpmon("plot", run, "--ddr", "ddr.csv", "-o", "x.svg", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stderr.startswith("ddr.csv is laid on the run from the run's start")
    assert 'id="hrut_ddr_read_mibps"' in (tmp_path / "x.svg").read_text()
    several = ucpmon("plot", run, BATCH, "--ddr", "ddr.csv", "-o", "y.svg", cwd=tmp_path)
    assert (several.returncode, several.stderr) == (2, "ucpmon: --ddr belongs to one run: plot that run alone\n")


def test_a_simulation_says_so_in_the_picture(tmp_path):
    pytest.importorskip("pexpect")
    done = ucpmon("record", "--simulate", "--duration", "1", "--interval", "100", "-o", "sim.csv", cwd=tmp_path)
    assert done.returncode == 0
    assert ucpmon("plot", "sim.csv", "-o", "sim.svg", cwd=tmp_path).returncode == 0
    assert "<!-- SIMULATED -->" in (tmp_path / "sim.svg").read_text()
