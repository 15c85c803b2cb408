"""Typescripts: headers of every age and language, sessions, and timing files that do not fit."""

import pytest
from support.truth import FIXTURES

from ucpmon.captures import open_capture
from ucpmon.captures.timestamps import zone_of
from ucpmon.captures.typescript.headers import footer_in, header_at
from ucpmon.errors import InputError, UsageError

FACTS = b'COMMAND="hrt_ucp_monitor -d 200" TERM="x" COLUMNS="100" LINES="50"'
HEADER = b"Script started on 2026-12-01 04:07:10+00:00 [" + FACTS + b"]\n"
FOOTER = b'\nScript done on 2026-12-01 04:07:12+00:00 [COMMAND_EXIT_CODE="0"]\n'


def read(tmp_path, typescript, timing=None, **options):
    path = tmp_path / "typescript"
    path.write_bytes(typescript)
    if timing is not None:
        (tmp_path / "typescript.timing").write_bytes(timing)
    with open_capture(path, **options) as capture:
        return capture, list(capture.chunks())


def text(chunks):
    return b"".join(c.data for c in chunks)


@pytest.mark.parametrize(
    ("line", "started", "size", "command"),
    [
        (HEADER, 1796098030, (50, 100), "hrt_ucp_monitor -d 200"),
        (
            b'Script started on 2026-12-01 12:07:10+08:00 [COMMAND="sh -c "a\nb"" <not executed on terminal>]\n',
            1796098030,
            (None, None),
            'sh -c "a\nb"',
        ),
        (b"Script started on 2026-12-01 04:07:10+00:00\n", 1796098030, (None, None), ""),
        (b"Script started on Tue Dec  1 04:07:10 2026\n", 1796098030, (None, None), ""),
        (b"Script started on Tue 01 Dec 2026 04:07:10 AM UTC\n", 1796098030, (None, None), ""),
        (b"Script started on Tue 01 Dec 2026 04:07:10 UTC\r\n", 1796098030, (None, None), ""),
        (
            b"Script started on Tue Dec  1 04:07:10 2026\nCommand: hrt_ucp_monitor -b\n",
            1796098030,
            (None, None),
            "hrt_ucp_monitor -b",
        ),
        (
            '脚本启动于 2026-12-01 04:07:10+00:00 [TERM="x" COLUMNS="100" LINES="50"]\n'.encode(),
            1796098030,
            (50, 100),
            "",
        ),
        (b"Script started on mar. 01 d\xc3\xa9c. 2026 04:07:10\n", None, (None, None), ""),
    ],
)
def test_headers(line, started, size, command):
    header = header_at(line + b"\x1b[H|", 0, zone_of("UTC"))
    assert header.length == len(line)
    assert header.started_us == (started and started * 1_000_000)
    assert (header.rows, header.cols, header.command) == (*size, command)


@pytest.mark.parametrize(
    "line",
    [
        b"Script started on the board\n",
        b"|  12  Script started on 04:07  1.0M 0.0 |\n",
        b'2026-12-01 04:07:10+00:00 [COMMAND="x"]\n',
        b"Script started on 2026-12-01 04:07:10+00:00 [COMMAND=",
    ],
)
def test_what_is_no_header(line):
    assert header_at(line) is None


def test_footers():
    for foot in (
        FOOTER,
        b"\r\nScript done on Tue Dec  1 04:07:10 2026\n",
        b"\nScript done on 2026-12-01 04:07:12+00:00 [<max output size exceeded>]",
    ):
        assert footer_in(b"| a |\r\n" + foot) == (7, 7 + len(foot))
    assert footer_in(b'| 12 Script done on  1.0M |\r\n|x="y"|\n') is None


def test_without_timing_only_the_start_is_known(tmp_path):
    capture, chunks = read(tmp_path, HEADER + b"| BPU0 1.0 |\r\n" + FOOTER)
    assert text(chunks) == b"| BPU0 1.0 |\r\n"
    assert (capture.info.clock, capture.info.started_us, capture.info.interval_us) == (
        False,
        1796098030_000000,
        200_000,
    )


def test_a_footer_that_is_cut_off_is_no_line_of_the_screen(tmp_path):
    whole = HEADER + b"| BPU0 1.0 |\r\n" + FOOTER
    for end in range(len(HEADER) + 15, len(whole) - 1):
        capture, chunks = read(tmp_path, whole[:end])
        assert text(chunks).rstrip(b"\n") == b"| BPU0 1.0 |\r"
        assert capture.damage in ([], [f"the closing line is cut off at byte {len(HEADER) + 15}"])


@pytest.mark.parametrize("end", [FOOTER, b""])
def test_appended_sessions(tmp_path, end):
    later = HEADER.replace(b"04:07:10", b"04:17:10").replace(b'LINES="50"', b'LINES="30"')
    data = HEADER + b"| BPU0 1.0 |\r\n" + end + later + b"| BPU0 2.0 |\r\n" + FOOTER
    _, chunks = read(tmp_path, data)
    assert text(chunks) == b"| BPU0 1.0 |\r\n| BPU0 2.0 |\r\n"
    assert [c.size for c in chunks if not c.data] == [(30, 100)]


def test_appended_sessions_with_their_timings_keep_the_time_between_them(tmp_path):
    later = HEADER.replace(b"04:07:10", b"04:17:10")
    data = HEADER + b"abc" + b"de" + FOOTER + later + b"fghi" + FOOTER
    capture, chunks = read(tmp_path, data, b"0.5 3\n0.5 2\n0.25 4\n")
    assert [(c.t_us, c.data) for c in chunks if c.data] == [
        (500_000, b"abc"),
        (1_000_000, b"de"),
        (600_250_000, b"fghi"),
    ]
    assert capture.damage == capture.notes == []


def test_a_timing_file_of_the_last_session_only_is_not_used(tmp_path):
    data = HEADER + b"abcdefgh" + FOOTER + HEADER + b"ij" + FOOTER
    capture, chunks = read(tmp_path, data, b"0.5 2\n")
    assert text(chunks) == b"abcdefghij" and not capture.info.clock
    assert "times only the last session" in capture.notes[0]


def test_advanced_timing_resizes_and_passes_over_what_was_typed(tmp_path):
    logs = b"H 0.000000 INPUT_LOG a\nH 0.000000 OUTPUT_LOG a\n"
    timing = logs + b"O 0.5 2\nI 0.25 1\nS 0.25 SIGWINCH ROWS=30 COLS=90\nO 1.0 2\n"
    _, chunks = read(tmp_path, HEADER + b"abqcd" + FOOTER, timing)
    assert [(c.t_us, c.data, c.size) for c in chunks] == [
        (500_000, b"ab", None),
        (1_000_000, b"", (30, 90)),
        (2_000_000, b"cd", None),
    ]
    _, chunks = read(tmp_path, HEADER + b"abcd" + FOOTER, timing.replace(b"INPUT_LOG a", b"INPUT_LOG b"))
    assert text(chunks) == b"abcd"


def test_a_timing_file_that_ends_early_leaves_out_what_it_does_not_time(tmp_path):
    data = HEADER + b"abcdef" + FOOTER
    for timing in (b"0.5 2\n0.5 2\n", b"0.5 2\n0.5 2\n0.", b"0.5 2\n0.5 2\n\xff\xff 2\n"):
        capture, chunks = read(tmp_path, data, timing)
        assert text(chunks) == b"abcd" and capture.ends_early
        assert capture.damage[-1].endswith(f"at byte {len(HEADER) + 4}")


def test_a_typescript_that_ends_before_its_timing_file(tmp_path):
    capture, chunks = read(tmp_path, HEADER + b"abc", b"0.5 2\n0.5 2\n0.5 9\n")
    assert [(c.t_us, c.data) for c in chunks] == [(500_000, b"ab"), (1_000_000, b"c")]
    assert capture.ends_early and f"at byte {len(HEADER) + 3}" in capture.damage[0]


@pytest.mark.parametrize("name", ["typescript.timing", "typescript.tm", "session.timing", "session.tm"])
def test_where_a_timing_file_is_looked_for(tmp_path, name):
    stem = "typescript" if name.startswith("typescript") else "session.log"
    (tmp_path / stem).write_bytes(HEADER + b"abc" + FOOTER)
    (tmp_path / name).write_bytes(b"0.5 3\n")
    with open_capture(tmp_path / stem) as capture:
        assert capture.info.clock and [c.t_us for c in capture.chunks()] == [500_000]


def test_what_only_has_the_name_of_a_timing_file_is_named(tmp_path):
    (tmp_path / "log").write_bytes(HEADER + b"abc" + FOOTER)
    (tmp_path / "log.timing").write_bytes(b"garbled\n0.5 three\n")
    with open_capture(tmp_path / "log") as capture:
        assert (capture.info.clock, b"".join(c.data for c in capture.chunks())) == (False, b"abc")
    assert [note for note in capture.notes if "log.timing is no timing file" in note]
    (tmp_path / "log.tm").write_bytes(b"0.5 3\n")
    with open_capture(tmp_path / "log") as capture:
        assert capture.info.clock and not capture.notes


def test_a_timing_file_asked_for_must_be_one(tmp_path):
    path = FIXTURES / "script/home--s600-load.typescript"
    with pytest.raises(InputError, match="is not a timing file"):
        open_capture(path, timing=path)
    with pytest.raises(UsageError, match="no such file"):
        open_capture(path, timing=tmp_path / "none")


def test_bytes_without_a_header_can_be_timed_too(tmp_path):
    path, timing = tmp_path / "raw", tmp_path / "t"
    path.write_bytes(b"abcd")
    timing.write_bytes(b"0.5 1\n0.5 3\n")
    with open_capture(path, timing=timing) as capture:
        assert [(c.t_us, c.data) for c in capture.chunks()] == [(500_000, b"a"), (1_000_000, b"bcd")]
