"""``ucpmon doctor``: what a capture is, why little of it was understood, and a sample without names."""

import json
import shutil

import pytest
from support.cli import call, ucpmon
from support.truth import FIXTURES, captures

from ucpmon.captures import open_capture
from ucpmon.doctor import anonymize, diagnose
from ucpmon.doctor.masks import Masker, Masks
from ucpmon.screens.pipeline import Pipeline

SOMSTATUS = """=====================1=====================
temperature-->
        CPU      : 37.5 (C)
bpu status information---->
        bpu0: 400000000 1000000000      1000000000      0
"""
TOP = """top - 06:34:22 up 52 min,  0 user,  load average: 4.10, 4.56, 3.34
Tasks: 111 total,   6 running, 103 sleeping,   0 stopped,   2 zombie
    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
   5351 root      20   0 2314152 971776  66808 R  93.3   3.9   0:58.38 python
"""


def diagnosed(path):
    with open_capture(path) as capture:
        return diagnose(capture)


def told(tmp_path, text):
    path = tmp_path / "capture"
    path.write_text(text)
    causes = diagnosed(path).causes
    return causes[0].what if causes else ""


def test_a_capture_that_is_understood():
    found = diagnosed(FIXTURES / "asciinema/clear--s100-load.cast")
    assert (found.format, found.screens, found.unknown, found.cut) == ("asciicast-v2", 25, 0, 0)
    assert (found.rows, found.cols, found.size_inferred) == (60, 120, False)
    assert found.layout.loads == ["bpu0", "dsp0"]
    assert found.layout.rates == ["ddr_read", "ddr_write"]
    assert found.layout.heaps == ["cma_reserved", "ion_cma", "carveout"]
    assert found.layout.processes == 1
    assert 199_000 < found.interval_us < 202_000 and found.lasts_us == 4_806_752
    assert found.causes == []


def test_a_terminal_that_was_too_small():
    found = diagnosed(FIXTURES / "asciinema/curses--s600-24x80.cast")
    assert found.clipped == found.screens == 8
    assert "too small (24 rows)" in found.causes[0].what


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("timestamp,read_MiB/s,write_MiB/s\n1,2,3\n", "hrut_ddr"),
        (SOMSTATUS, "hrut_somstatus"),
        (TOP, "log of top"),
        ("the heap id is 2\n  carveout  heap total size   536870912\n", "ION debug file"),
        ("Usage: hrt_ucp_monitor [Option...] [Parameter]\n", "help text"),
        ("memory is invalid\n", "refuses an option"),
        ("Error: Open failed!\n", "DDR counters"),
        ("bash: hrt_ucp_monitor: command not found\n", "not found"),
        ("hrt_ucp_monitor: Permission denied\n", "needs root"),
        ("Error opening terminal: unknown.\n", "found no terminal"),
        ("\x1b[?1049h\x1b[2J\x1b[H\x1b[?1049l", "redirected without -b"),
        ("\n\n", "redirected without -b"),
        ("\x1b[32mroot@board\x1b[0m:~# ls\r\n", "interactive session of something else"),
        ("a,b,c\n1,2,3\n", "nothing in it looks like"),
    ],
)
def test_likely_causes(tmp_path, text, what):
    assert what in told(tmp_path, text)


def test_an_unknown_layout_is_told_beside_what_was_understood(tmp_path):
    text = "| BPU0 1.0 |\n" + "".join(f"| NPU-{i} load is {i} of 7 |\n" for i in range(9))
    path = tmp_path / "log"
    path.write_text(text)
    found = diagnosed(path)
    assert (found.screens, found.unknown, len(found.examples)) == (1, 9, 9)
    assert "only partly known" in found.causes[0].what


def test_the_text_and_exit_code(tmp_path):
    done = ucpmon("doctor", FIXTURES / "script/home--s600-load.typescript")
    assert done.returncode == 0 and done.stderr == ""
    rows = dict(line.split(maxsplit=1) for line in done.stdout.splitlines()[1:])
    assert rows["format"] == "typescript of script, 22,809 bytes"
    assert rows["clock"].startswith("recorded, from 2026-12-01 04:44:12Z, 2.")
    assert rows["lines"].endswith(" understood, 0 noise, 0 unknown")
    assert rows["heaps"] == "cma_reserved, ion_cma, carveout, ion_uncache, custom"
    (tmp_path / "top").write_text(TOP)
    done = ucpmon("doctor", tmp_path / "top")
    assert done.returncode == 4
    assert "Most likely a log of top" in done.stdout and "\x1b" not in done.stdout


def test_json_is_all_of_it(capsys):
    assert call("doctor", "--json", FIXTURES / "batch/batch--cut-s100.log") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["cut"], found["clock"], found["layout"]["processes"]) == (1, False, 1)


def rows(path, timing=None):
    with open_capture(path, timing=timing) as capture:
        pipeline = Pipeline(capture.info)
        found = [s for chunk in capture.chunks() for s in pipeline.feed(chunk)]
        return found + pipeline.finish(capture.ends_early)


@pytest.mark.parametrize("path", captures(), ids=lambda p: f"{p.parent.name}/{p.name}")
def test_a_sample_has_the_figures_and_none_of_the_names(path, tmp_path):
    out = tmp_path / "sample"
    with open_capture(path) as capture:
        shared = anonymize(capture, out)
    before, after = rows(path), rows(out)
    assert after
    names = {p.process for s in before for p in s.processes}
    data = out.read_bytes()
    for name in names:
        # A name that is a word of the table, or a number, stands elsewhere too.
        if len(name) > 4 and not name.isdigit():
            assert name.encode() not in data
    for i, (got, want) in enumerate(zip(after, before, strict=False)):
        assert got.values == want.values, f"row {i}"
        assert [(p.pid, p.rss_bytes, p.hbmem_bytes, len(p.process.encode())) for p in got.processes] == [
            (p.pid, p.rss_bytes, p.hbmem_bytes, len(p.process.encode())) for p in want.processes
        ]
    assert len(after) >= min(len(before) - 1, 2)
    assert shared.bytes == len(data) < 100_000


def test_a_plain_sample_is_as_long_as_what_it_is_a_sample_of(tmp_path):
    source = FIXTURES / "batch/batch--ruled-s600-procs.log"
    out = tmp_path / "sample"
    with open_capture(source) as capture:
        anonymize(capture, out)
    got, want = out.read_bytes().split(b"\n"), source.read_bytes().split(b"\n")
    assert [len(line) for line in got] == [len(line) for line in want]
    assert sum(a != b for a, b in zip(got, want, strict=True)) > 5


def test_a_long_capture_gives_a_small_sample_of_whole_lines(tmp_path):
    source, out = tmp_path / "log", tmp_path / "sample"
    source.write_bytes((FIXTURES / "batch/batch--noise-j6p.log").read_bytes() * 20)
    with open_capture(source) as capture:
        anonymize(capture, out)
    assert 60_000 < out.stat().st_size <= 1 << 16
    assert out.read_bytes().endswith(b"\n")


def test_hosts_and_paths_are_replaced_and_the_boards_own_are_not():
    text = (
        "sunrise@board7:~/nets/model.hbm$ /usr/hobot/bin/hrt_ucp_monitor -b > /home/li/run_1.log # 10.0.12.7 v3.15.3\n"
    )
    masked = Masker(set()).text(text)
    assert len(masked) == len(text)
    for secret in ("sunrise", "board7", "nets", "model", "home", "li/", "run_1", "10.0.12.7"):
        assert secret not in masked
    for kept in ("/usr/hobot/bin/hrt_ucp_monitor -b > /", " v3.15.3\n", "@", " # "):
        assert kept in masked


def test_a_stand_in_is_as_wide_and_as_long_as_the_word():
    masks = Masks()
    for word in ("hrt_model_exec", "相机服务", "my app: v2", "4805", "é😀", "a\udcff"):
        mask = masks.of(word)
        assert mask != word or word == "é😀"
        assert len(mask.encode("utf-8", "surrogateescape")) == len(word.encode("utf-8", "surrogateescape"))
        assert masks.of(word) == mask


def test_a_name_that_is_a_word_of_the_table_is_replaced_in_its_row_only():
    masked = Masker({"BPU0", "total"}).text("| BPU0 1.0 |\n| 7 BPU0 1.0M 2.0M |\n| total 1.0G 0.0 1.0G |\n")
    first, second, third, _ = masked.split("\n")
    assert first == "| BPU0 1.0 |" and third == "| total 1.0G 0.0 1.0G |"
    assert "BPU0" not in second and second.endswith(" 1.0M 2.0M |")


def test_a_sample_is_not_written_over_another_file(tmp_path):
    source, out = tmp_path / "log", tmp_path / "sample"
    shutil.copy(FIXTURES / "batch/batch--cut-s100.log", source)
    out.write_text("mine")
    assert call("doctor", source, "--anonymize", out) == 2
    assert out.read_text() == "mine"
    assert call("doctor", source, "--anonymize", out, "--force") == 0
    assert out.read_bytes() != b"mine"


def test_names_drawn_in_pieces_have_their_screens_drawn_anew(tmp_path):
    table = "\x1b[2J\x1b[1;1H| BPU0 1.0 |\x1b[2;1H| Process Mem Info |\x1b[3;1H| 12 secret_model_a 1.0M 2.0M |"
    lines = [
        {"version": 2, "width": 80, "height": 24},
        [0.1, "o", table],
        [1.1, "o", "\x1b[1;8H2\x1b[3;13Hsauce"],
        [2.1, "o", "\x1b[1;8H3"],
        [3.1, "o", "\x1b[1;8H4"],
    ]
    source, out = tmp_path / "in.cast", tmp_path / "out.cast"
    source.write_text("".join(json.dumps(x) + "\n" for x in lines))
    with open_capture(source) as capture:
        shared = anonymize(capture, out)
    assert shared.redrawn
    assert b"secre" not in out.read_bytes() and b"sauce" not in out.read_bytes()
    assert [s.values["bpu0_load_pct"] for s in rows(out)] == [1.0, 2.0, 3.0]


def test_no_letter_and_no_digit_of_a_name_stays():
    """A name of one letter between signs would else tell itself now and then."""
    word = "['o', 7] aA0"
    for _ in range(200):
        masked = Masks().of(word)
        assert [(a, b) for a, b in zip(word, masked, strict=True) if (a == b) == a.isalnum()] == []
