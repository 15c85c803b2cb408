"""Broken captures: all before the damage is kept, the damage is named with its place, and memory stays bounded."""

import contextlib
import gzip
import itertools
import json
import lzma
import random
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from support.truth import FIXTURES

from ucpmon.captures import open_capture
from ucpmon.errors import InputError

rng = random.Random(7)
LOG = b"".join(b"| BPU0 %.1f |\n" % rng.uniform(0, 100) for _ in range(40_000))


def read(tmp_path, data):
    path = tmp_path / "capture"
    path.write_bytes(data)
    with open_capture(path) as capture:
        return capture, b"".join(c.data for c in capture.chunks())


def cast(*lines):
    return "".join(f"{line}\n" for line in ('{"version": 2, "width": 80, "height": 24}', *lines)).encode()


@pytest.mark.parametrize(
    "broken",
    ['X0.3, "o", "c"]', '[0.3, "o", "c"', '[true, "o", "c"]', '["0.3", "o", "c"]', '{"a": 1}', '[NaN, "o", "c"]', "[]"],
)
def test_a_broken_event_ends_a_cast_where_it_stands(tmp_path, broken):
    whole = cast('[0.1, "o", "a"]', '[0.2, "o", "b"]')
    capture, got = read(tmp_path, whole + broken.encode() + b'\n[0.4, "o", "d"]\n')
    assert got == b"ab" and capture.ends_early
    assert capture.damage == [f"what should be an event is none: nothing was read from there on, at byte {len(whole)}"]


def test_broken_exact_bytes_leave_the_text(tmp_path):
    capture, got = read(tmp_path, cast('[0.1, "b", "!!"]', '[0.1, "o", "a\ufffd"]', '[0.2, "o", "b"]'))
    assert got == "a\ufffdb".encode() and not capture.ends_early
    assert capture.damage[0].endswith("at byte 42")


def test_exact_bytes_whose_text_was_cut_off_are_kept(tmp_path):
    capture, got = read(tmp_path, cast('[0.1, "b", "/2E="]', '[0.1, "o", "')[:-1])
    assert got == b"\xffa" and capture.ends_early


def test_events_of_codes_that_nobody_knows_are_told_and_left_out(tmp_path):
    capture, got = read(tmp_path, cast('[0.1, "o", "a"]', '[0.2, "zz", "b"]', '[0.3, "zz", "c"]', '[0.4, "o", "d"]'))
    assert got == b"ad" and capture.damage == []
    assert capture.notes == ["events of code 'zz', the first at byte 58, are not known and were left out"]


@pytest.mark.parametrize("cut", [200, 1000, 5000])
def test_a_v1_cast_that_is_cut_off(tmp_path, cut):
    data = (FIXTURES / "converted/clear--s100-v1.cast").read_bytes()
    _, whole = read(tmp_path, data)
    capture, got = read(tmp_path, data[:-cut])
    assert whole.startswith(got) and 0 < len(got) < len(whole)
    assert capture.ends_early and len(capture.damage) == 1


def test_a_gzip_whose_checksum_is_wrong_is_read_to_its_end(tmp_path):
    packed = bytearray(gzip.compress(LOG))
    packed[-6] ^= 1
    capture, got = read(tmp_path, bytes(packed))
    assert got == LOG
    assert "checksum at byte" in capture.damage[0]


def test_a_gzip_with_a_broken_block_gives_what_was_before(tmp_path):
    first = gzip.compress(LOG)
    capture, got = read(tmp_path, first + b"\x1f\x8b\x08\0\0\0\0\0\0\0\xff" + b"\xff" * 50)
    assert got == LOG and capture.ends_early
    assert capture.damage == [
        f"the gzip data are damaged at byte {len(first) + 10}: the lines just before may be wrong, the rest is lost"
    ]


def test_gzip_members_follow_each_other_and_what_is_none_is_left_out(tmp_path):
    capture, got = read(tmp_path, gzip.compress(LOG) + gzip.compress(b"| a |\n"))
    assert got == LOG + b"| a |\n" and capture.damage == []
    capture, got = read(tmp_path, gzip.compress(LOG) + b"\0" * 512)
    assert got == LOG and capture.damage == []
    capture, got = read(tmp_path, gzip.compress(LOG) + b"something")
    assert got == LOG and "is something else" in capture.damage[0] and not capture.ends_early


@pytest.mark.parametrize("share", [0.3, 0.9])
def test_a_cut_xz_gives_what_was_before(tmp_path, share):
    packed = lzma.compress(LOG)
    cut = int(len(packed) * share)
    capture, got = read(tmp_path, packed[:cut])
    assert LOG.startswith(got) and len(got) > (share - 0.15) * len(LOG)
    assert capture.damage == [f"the xz data end early at byte {cut}"]


def test_a_damaged_xz_gives_what_was_before(tmp_path):
    packed = bytearray(lzma.compress(LOG))
    packed[len(packed) // 2] ^= 0xFF
    capture, got = read(tmp_path, bytes(packed))
    assert len(got) > 0.3 * len(LOG) and got[:1000] == LOG[:1000]
    assert "xz data are damaged near byte" in capture.damage[0]


def test_a_cut_zstd_gives_what_was_before(tmp_path):
    zstandard = pytest.importorskip("zstandard")
    packed = zstandard.compress(LOG)
    capture, got = read(tmp_path, packed[: len(packed) // 2])
    assert LOG.startswith(got) and len(got) > 0.3 * len(LOG)
    assert capture.damage == [f"the zstd data end early at byte {len(packed) // 2}"]


def test_what_needs_too_much_memory_to_unpack_is_refused(tmp_path):
    packed = bytearray(lzma.compress(b"| a |\n"))
    # The block's header (length byte at 12) names a dictionary of 1.5 GiB, and ends in its own checksum.
    end = 12 + packed[12] * 4
    packed[16] = 37
    packed[end : end + 4] = zlib.crc32(packed[12:end]).to_bytes(4, "little")
    with pytest.raises(InputError, match="capture: the xz data need too much memory"):
        read(tmp_path, bytes(packed))


def test_three_layers_are_too_many(tmp_path):
    with pytest.raises(InputError, match="packed more than twice"):
        read(tmp_path, gzip.compress(gzip.compress(gzip.compress(LOG))))


def test_a_cut_that_leaves_nothing_says_so(tmp_path):
    with pytest.raises(InputError, match="is empty: the gzip data end early at byte 12"):
        read(tmp_path, gzip.compress(LOG)[:12])


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_text_that_windows_made(tmp_path, encoding):
    capture, got = read(tmp_path, "| 相机 |\r\n".encode(encoding))
    assert got == "| 相机 |\r\n".encode() and capture.damage == []


REPLAY = """
import re, sys
from ucpmon.cli.app import run
code = run(sys.argv[1:])
print(code, re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])
"""


def peak_kb(tmp_path, feed):
    """Exit code and peak memory of a replay of standard input."""
    if not Path("/proc/self/status").exists():
        pytest.skip("the peak of a process's memory is read from Linux's /proc")
    argv = [sys.executable, "-c", REPLAY, "replay", "-", "-o", str(tmp_path / "run.csv"), "--force"]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        # A capture that is refused is not read to its end.
        with contextlib.suppress(BrokenPipeError):
            for block in feed:
                child.stdin.write(block)
            child.stdin.close()
        code, peak = map(int, child.stdout.read().split()[-2:])
    return code, peak


def test_memory_does_not_grow_with_the_capture(tmp_path):
    log = (FIXTURES / "batch/batch--box50-s100-load.log").read_bytes()
    code, small = peak_kb(tmp_path, [log] * 100)
    assert code == 0
    code, large = peak_kb(tmp_path, (log for _ in range(1200)))
    assert code == 0
    assert large < 150_000
    assert large - small < 4_000


def test_a_bomb_is_bounded_too(tmp_path):
    packer = gzip.compress(b"a" * (1 << 20), 9)
    code, peak = peak_kb(tmp_path, (packer for _ in range(120)))
    assert code == 4
    assert peak < 150_000


def test_a_line_without_end_is_bounded(tmp_path):
    header = json.dumps({"version": 2, "width": 80, "height": 24}).encode()
    line = (b"a" * (1 << 20) for _ in range(120))
    code, peak = peak_kb(tmp_path, itertools.chain([header, b'\n[0.1, "o", "'], line))
    assert code == 4
    assert peak < 150_000
