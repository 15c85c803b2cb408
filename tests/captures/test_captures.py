"""Every format gives its bytes, times, size and marks; the format is told by content alone."""

import base64
import gzip
import json
import lzma
import shutil
import subprocess
import sys

import pytest
from support.truth import FIXTURES

from ucpmon.captures import infer_size, open_capture
from ucpmon.errors import InputError, UsageError
from ucpmon.records import Chunk
from ucpmon.screens.pipeline import samples

SCREEN = b"|  BPU0  1.0  |\r\n|  BPU1  2.5  |\r\n"
HEADER2 = {"version": 2, "width": 100, "height": 50, "timestamp": 1796100243}


def read(path, **options):
    with open_capture(path, **options) as capture:
        return capture, list(capture.chunks())


def text(chunks):
    return b"".join(c.data for c in chunks)


def write(tmp_path, data, name="capture"):
    path = tmp_path / name
    path.write_bytes(data)
    return path


def cast(*events, header=HEADER2):
    return "\n".join([json.dumps(header), *(e if isinstance(e, str) else json.dumps(e) for e in events), ""]).encode()


@pytest.mark.parametrize(
    ("name", "format", "size", "clock", "bytes_"),
    [
        ("batch/batch--box50-s100-load.log", "text", (None, None), False, 21856),
        ("asciinema/clear--s100-load.cast", "asciicast-v2", (60, 120), True, 14343),
        ("asciinema/curses--s600-24x80.cast", "asciicast-v2", (24, 80), True, 4276),
        ("script/home--s600-load.typescript", "script", (60, 120), True, 22500),
        ("script/alt--s100-leak.typescript", "script", (60, 120), True, 34606),
        ("script/clear--s100-untimed.typescript", "script", (60, 120), False, 8604),
        ("ts/batch--iso-s100.log", "ts (wall)", (None, None), True, 6484),
        ("tmux/clear--s100-load.log", "tty", (12, 51), False, 6822),
    ],
)
def test_recorders_files_are_told_by_content(tmp_path, name, format, size, clock, bytes_):
    original = FIXTURES / name
    nameless = tmp_path / "capture"
    shutil.copy(original, nameless)
    timing = original.with_suffix(".timing")
    capture, chunks = read(nameless, timing=timing if timing.exists() else None)
    assert (capture.info.format, capture.info.clock) == (format, clock)
    assert (capture.info.rows, capture.info.cols) == size
    assert len(text(chunks)) == bytes_
    assert all((c.t_us is not None) == clock for c in chunks)
    assert capture.damage == capture.notes == []
    assert capture.progress() == (original.stat().st_size, original.stat().st_size)


def test_a_timing_file_is_found_beside_its_typescript():
    capture, chunks = read(FIXTURES / "script/alt--s100-leak.typescript")
    assert capture.info.started_us == 1796100255_000000
    assert (chunks[0].t_us, chunks[-1].t_us, len(chunks)) == (27696, 4034698, 22)


def test_typescript_lines_of_script_itself_are_no_bytes_of_the_screen():
    for name in ("script/home--s600-load", "script/clear--s100-untimed"):
        _, chunks = read(FIXTURES / f"{name}.typescript")
        assert b"Script" not in text(chunks)


def test_text_is_handed_on_in_large_pieces(tmp_path):
    data = SCREEN * 20_000
    _, chunks = read(write(tmp_path, data))
    assert text(chunks) == data
    assert min(len(c.data) for c in chunks[:-1]) >= 1 << 16


def test_cast_events_become_chunks_marks_and_sizes(tmp_path):
    path = write(
        tmp_path,
        cast(
            [0.1, "o", "a"], [0.2, "m", "load"], [5e-06, "i", "q"], [0.3, "r", "90x30"], [0.4, "x", "0"], [1, "o", "é"]
        ),
    )
    capture, chunks = read(path)
    assert chunks == [
        Chunk(100_000, b"a"),
        Chunk(200_000, b"", mark="load"),
        Chunk(300_000, b"", size=(30, 90)),
        Chunk(1_000_000, "é".encode()),
    ]
    assert capture.info.started_us == 1796100243_000000


def test_exact_bytes_stand_in_for_the_text_they_precede(tmp_path):
    raw = b"\xff\xfe|BPU0\r\n"
    encoded = base64.b64encode(raw).decode()
    path = write(tmp_path, cast([0.5, "b", encoded], [0.5, "o", raw.decode("utf-8", "replace")], [1.5, "o", "b"]))
    assert read(path)[1] == [Chunk(500_000, raw), Chunk(1_500_000, b"b")]


def test_v3_intervals_add_up_without_drift(tmp_path):
    header = {"version": 3, "term": {"cols": 90, "rows": 30}, "timestamp": 1796100243}
    events = ["# a comment", *('[0.1, "o", "x"]' for _ in range(100_000))]
    capture, chunks = read(write(tmp_path, cast(*events, header=header)))
    assert (capture.info.rows, capture.info.cols) == (30, 90)
    assert chunks[-1].t_us == 10_000_000_000


def test_v1_is_read_as_a_stream(tmp_path):
    frames = [[0.1, "a\u2502\r\n"]] * 60_000
    path = write(tmp_path, json.dumps({"version": 1, "width": 80, "height": 24, "stdout": frames}, indent=1).encode())
    capture, chunks = read(path)
    assert (capture.info.format, capture.info.rows) == ("asciicast-v1", 24)
    assert chunks[-1] == Chunk(6_000_000_000, "a\u2502\r\n".encode())
    assert len(chunks) == 60_000 and capture.damage == []


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, lambda b: gzip.compress(lzma.compress(b))])
def test_packed_captures_are_unpacked(tmp_path, pack):
    data = SCREEN * 10_000
    path = write(tmp_path, pack(data))
    capture, chunks = read(path)
    assert text(chunks) == data and capture.damage == []
    assert capture.progress() == (path.stat().st_size,) * 2


def test_zstd(tmp_path):
    zstandard = pytest.importorskip("zstandard")
    data = SCREEN * 10_000
    _, chunks = read(write(tmp_path, zstandard.compress(data)))
    assert text(chunks) == data


def test_a_cut_gzip_gives_all_up_to_the_cut(tmp_path):
    data = b"".join(b"| BPU0 %d |\n" % i for i in range(40_000))
    packed = gzip.compress(data)
    for cut in (len(packed) - 4, len(packed) // 2, 4000):
        capture, chunks = read(write(tmp_path, packed[:cut]))
        got = text(chunks)
        assert data.startswith(got) and len(got) > 0.9 * len(data) * (cut - 3000) / len(packed)
        assert capture.damage == [f"the gzip data end early at byte {cut}"]


@pytest.mark.parametrize(
    ("data", "error", "says"),
    [
        (b"", InputError, "is empty"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", InputError, "PNG picture"),
        (bytes(range(256)) * 8, InputError, "binary data"),
        (b'{"version": 2, "width": 80, "hei\n', InputError, "header of this asciicast is broken"),
        (b'{"version": 9, "width": 80, "height": 24}\n[0.1, "o", ""]\n', InputError, "version 9"),
        (b"screen,time,elapsed_s,cut\n0,,0.0,0\n", InputError, "a run's table"),
        (b"0.10 12\n0.20 13\n", InputError, "timing file"),
    ],
)
def test_what_is_no_capture_is_refused_in_one_line(tmp_path, data, error, says):
    with pytest.raises(error) as caught:
        open_capture(write(tmp_path, data))
    assert says in str(caught.value) and "\n" not in str(caught.value)
    assert caught.value.exit_code == 4


def test_what_cannot_be_opened_is_a_usage_error(tmp_path):
    for path, says in ((tmp_path / "none", "no such file"), (tmp_path, "is a directory")):
        with pytest.raises(UsageError) as caught:
            open_capture(path)
        assert says in str(caught.value)


@pytest.mark.parametrize(
    "top",
    [
        b"Script started on the board\n",
        b'{"level": "info", "version": 2, "message": "load"}\n',
        b'{"version": 2, "width": 3, "height": 1}\n',
        b"2026-12-01 04:27:48 [INFO] BPULib verion(2, 1, 2)\n",
        b"1796098072.5 [UCP]: log level = 3\n",
        b"0.10 12\n",
        b'[0.1, "o", "x"]\n',
    ],
)
def test_a_line_at_the_top_makes_no_format(tmp_path, top):
    capture, chunks = read(write(tmp_path, top + SCREEN * 5))
    assert capture.info.format == "text"
    assert text(chunks) == top + SCREEN * 5


def test_size_is_what_the_stream_reaches():
    assert infer_size(b"plain\ntext\n") is None
    assert infer_size(b"\x1b[1;50r\x1b[12;80Hx") == (50, 80)
    assert infer_size(b"\x1b[2J\x1b[H|a|\r\n|bcd|\r\n") == (3, 5)
    assert infer_size(b"\x1b[999;999H\x1b[6n\x1b[H\x1b[3;4Hab") == (3, 5)


def test_standard_input_is_a_capture(tmp_path):
    code = (
        "from ucpmon.captures import open_capture\n"
        "c = open_capture(None)\n"
        "print(c.info.format, sum(len(x.data) for x in c.chunks()), c.progress()[1])"
    )
    done = subprocess.run([sys.executable, "-c", code], input=gzip.compress(SCREEN), capture_output=True, check=True)
    assert done.stdout.decode().split() == ["text", str(len(SCREEN)), "None"]


@pytest.mark.parametrize(
    ("top", "interval_us"),
    [
        ("root@s100:~# hrt_ucp_monitor -b -d 200\n", 200_000),
        ("$ /usr/hobot/bin/hrt_ucp_monitor -f 500 -bd150 -n 3\n", 150_000),
        ("+ hrt_ucp_monitor --delay=2000 -b\n", 2_000_000),
        ("$ hrt_ucp_monitor -b; sleep -d 200\n", None),
        ("$ hrt_ucp_monitor -b -d 20\n", None),
        ("$ hrt_ucp_monitor -b\n", None),
    ],
)
def test_a_log_that_begins_with_its_command_tells_its_interval(tmp_path, top, interval_us):
    path = write(tmp_path, top.encode() + SCREEN)
    assert read(path)[0].info.interval_us == interval_us
    assert read(path, interval_us=77)[0].info.interval_us == 77


def test_so_does_a_run_json_of_ours_beside_it(tmp_path):
    path = write(tmp_path, SCREEN, "run.log")
    beside = tmp_path / "run.json"
    for content, interval_us in (
        ('{"ucpmon": {}, "interval_s": 0.25}', 250_000),
        ('{"interval_s": 0.25}', None),
        ('{"ucpmon": {}, "interval_s": "x"}', None),
        ("[]", None),
        ("{", None),
    ):
        beside.write_text(content)
        assert read(path)[0].info.interval_us == interval_us


def test_a_table_that_grows_beyond_what_the_beginning_shows_is_not_clipped(tmp_path):
    def page(i, processes):
        rows = [f"| BPU0 {i % 90}.0 |", "| Process Mem Info |", *(f"| {n} p{n} 1.0M 2.0M |" for n in range(processes))]
        return "".join(f"\x1b[{y + 1};1H{row}\x1b[K" for y, row in enumerate(rows))

    pages = [page(i, 3) for i in range(4000)] + [page(i, 30) for i in range(5)]
    capture, chunks = read(write(tmp_path, "".join(pages).encode()))
    assert capture.info.rows == 5
    *_, last = list(samples(chunks, capture.info))
    assert [p.pid for p in last.processes] == list(range(30)) and not last.clipped
