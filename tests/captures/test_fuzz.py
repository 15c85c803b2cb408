"""Whatever stands in a file, opening and reading it raises nothing but our own errors."""

import contextlib

from hypothesis import given, settings
from hypothesis import strategies as st
from support.truth import FIXTURES

from ucpmon.captures import open_capture
from ucpmon.errors import UcpmonError
from ucpmon.screens.pipeline import Pipeline, samples

BEGINNINGS = [
    b"",
    b'{"version": 2, "width": 80, "height": 24}\n',
    b'{"version": 3, "term": {"cols": 80, "rows": 24}}\n[0.1, "o", "a"]\n',
    b'{"version": 1, "width": 80, "height": 24, "stdout": [[0.1, "a"], ',
    b'Script started on 2026-12-01 04:07:10+00:00 [COMMAND="x" TERM="x" COLUMNS="100" LINES="50"]\n',
    b"2026-12-01T04:27:48.000120 | BPU0 1.0 |\n2026-12-01T04:27:48.000130 | BPU1 1.0 |\n",
    b"Dec 31 23:59:59 a\nDec 31 23:59:59 b\n",
    b"00:00:00.1 a\n00:00:00.2 b\n",
    b"\x1f\x8b\x08\0\0\0\0\0\0\0",
    b"\xfd7zXZ\x00",
    b"\x28\xb5\x2f\xfd",
    b"\xff\xfe",
    b"\x1b[2J\x1b[H| BPU0 1.0 |\r\n",
]
PIECES = st.one_of(
    st.binary(max_size=60),
    st.sampled_from(BEGINNINGS[1:]),
    st.sampled_from(
        [b'[0.2, "o", "x"]\n', b'[1e9, "b", "AA=="]\n', b"Feb 30 25:61:61 x\n", b"2026-13-01T00:00:00 x\n", b"]}"]
    ),
)


def read(path):
    with contextlib.suppress(UcpmonError), open_capture(path) as capture:
        pipeline = Pipeline(capture.info)
        last = 0
        for chunk in capture.chunks():
            assert chunk.t_us is None or chunk.t_us >= last
            last = chunk.t_us or last
            pipeline.feed(chunk)
        pipeline.finish(capture.ends_early)
        assert capture.progress()[0] == path.stat().st_size or capture.ends_early or capture.damage


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(BEGINNINGS), st.lists(PIECES, max_size=6))
def test_anything_at_all(tmp_path_factory, beginning, pieces):
    path = tmp_path_factory.getbasetemp() / "fuzz"
    path.write_bytes(beginning + b"".join(pieces))
    read(path)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_a_real_capture_with_any_byte_changed(tmp_path_factory, data):
    names = ["asciinema/curses--j6p-load.cast", "script/curses--s100-classic.typescript", "ts/batch--s100-syslog.log"]
    names += [
        "converted/clear--s100-gz.cast.gz",
        "converted/batch--cut-xz.log.xz",
        "converted/home--s600-zst.typescript.zst",
    ]
    content = bytearray((FIXTURES / data.draw(st.sampled_from(names))).read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / "fuzz"
    path.write_bytes(content)
    read(path)


def test_damaged_blocks_beside_whole_ones_are_read_as_if_line_by_line(tmp_path):
    content = bytearray((FIXTURES / "ts/batch--s100-syslog.log").read_bytes())
    content[1339] = content[2145] = 0
    path = tmp_path / "log"
    path.write_bytes(content)
    with open_capture(path) as capture:
        chunks = list(capture.chunks())
    pieces = [c._replace(data=bytes([byte])) for c in chunks for byte in c.data]
    assert list(samples(chunks, capture.info)) == list(samples(pieces, capture.info))
