"""``replay --to-cast``: any capture as an asciicast v2 that asciinema's own reader takes, and that replays alike."""

import json
import subprocess
import sys

import pytest
from support.cli import call
from support.truth import FIXTURES, captures

from ucpmon.captures import open_capture

asciicast = pytest.importorskip("asciinema.asciicast")


def text_of(path):
    with open_capture(path) as capture:
        return b"".join(c.data for c in capture.chunks())


@pytest.mark.parametrize("path", captures(), ids=lambda p: f"{p.parent.name}/{p.name}")
def test_asciinema_reads_the_copy_and_a_replay_of_it_is_the_same_run(path, tmp_path):
    copy = tmp_path / "copy.cast"
    assert call("replay", path, "-o", tmp_path / "a.csv", "--to-cast", copy) == 0
    with asciicast.open_from_url(str(copy)) as cast:
        assert cast.version == 2 and cast.v2_header["width"] > 20
        events = list(cast.events())
    times = [time for time, _, _ in events]
    assert times == sorted(times)
    shown = "".join(data for _, code, data in events if code == "o")
    assert shown == text_of(path).decode("utf-8", "replace")
    assert call("replay", copy, "-o", tmp_path / "b.csv") == 0
    for name in ("a.csv", "a.procs.csv"):
        assert (tmp_path / name).read_bytes() == (tmp_path / name.replace("a.", "b.")).read_bytes()
    a, b = (json.loads((tmp_path / name).read_text()) for name in ("a.json", "b.json"))
    for key in ("started", "time_basis", "frames", "interval_s"):
        assert a[key] == b[key] or (key == "interval_s" and a[key] is None)


def test_asciinema_cat_prints_the_stream(tmp_path):
    source, copy = FIXTURES / "tmux/clear--s100-load.log", tmp_path / "copy.cast"
    assert call("replay", source, "-o", tmp_path / "a.csv", "--to-cast", copy) == 0
    done = subprocess.run([sys.executable, "-m", "asciinema", "cat", copy], capture_output=True, check=True)
    assert done.stdout.replace(b"\r\n", b"\n") == source.read_bytes().replace(b"\r\n", b"\n")


def test_a_player_shows_the_screens_of_a_log_without_a_clock_one_after_the_other(tmp_path):
    source, copy = FIXTURES / "batch/batch--box50-s100-load.log", tmp_path / "copy.cast"
    assert call("replay", source, "-o", tmp_path / "a.csv", "--interval", "200", "--to-cast", copy) == 0
    events = [json.loads(line) for line in copy.read_text().splitlines()[1:]]
    begins = [time for time, _, data in events if "BPU0" in data]
    assert begins == [round(i * 0.2, 6) for i in range(len(begins))] and len(begins) == 40


def test_marks_sizes_and_bytes_that_are_no_text_are_kept(tmp_path):
    lines = [
        {"version": 2, "width": 80, "height": 24, "timestamp": 1796100243},
        [0.5, "o", "\x1b[2J\x1b[H| BPU0 1.0 |\r\n"],
        [0.6, "m", "load"],
        [0.7, "r", "90x30"],
        [1.5, "b", "G1syShtbSHwgQlBVMCAyLjAgfP8NCg=="],
        [1.5, "o", "\x1b[2J\x1b[H| BPU0 2.0 |\ufffd\r\n"],
    ]
    source, copy = tmp_path / "in.cast", tmp_path / "copy.cast"
    source.write_text("".join(json.dumps(x) + "\n" for x in lines))
    assert call("replay", source, "-o", tmp_path / "a.csv", "--to-cast", copy) == 0
    header, *events = (json.loads(line) for line in copy.read_text().splitlines())
    assert (header["width"], header["height"], header["timestamp"]) == (80, 24, 1796100243)
    assert [e for e in events if e[1] in "mrb"] == lines[2:5]
