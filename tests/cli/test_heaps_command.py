"""``ucpmon heaps`` as a user meets it: its tables, its JSON, its remarks and its errors."""

import gzip
import json
import lzma
import re

import pytest
from support.paths import ROOT

from ucpmon.cli.app import run

FIXTURES = ROOT / "fixtures" / "heaps"
ALL = FIXTURES / "dump--all-s100.txt"

EXPECTED = """\
HEAP          ID          TOTAL    ALLOCATED   ORPHANED           FREE
cma_reserved   6  1,073,741,824   56,492,032          0  1,017,249,792
carveout       2    536,870,912  112,656,384  4,128,768    424,214,528

Processes, the largest share first
PROCESS          PID  HEAP          TYPE          BYTES      SIZE
hrt_model_exec  9120  carveout      all      88,014,848  83.9 MiB
                                    hbm      66,846,720  63.8 MiB
                                    bpu0     21,168,128  20.2 MiB
camera_app      7731  cma_reserved  isp_yuv   6,422,528   6.1 MiB

Drivers (modprobe): taken when their modules were loaded, no model's memory
PROCESS   PID  HEAP          TYPE          BYTES      SIZE
modprobe  541  cma_reserved  all      50,069,504  47.8 MiB
                             ispstat  46,923,776  44.8 MiB
                             vpu       3,145,728   3.0 MiB
modprobe  499  carveout      bpu0     20,512,768  19.6 MiB

Orphaned: no process holds these buffers any more; the name is the last holder's
PROCESS           PID  HEAP      TYPE       BYTES     SIZE
gnome-initial-s  4811  carveout  other  4,128,768  3.9 MiB
"""


def test_the_tables_of_a_dump(capsys):
    assert run(["heaps", str(ALL)]) == 0
    out, err = capsys.readouterr()
    assert (out, err) == (EXPECTED, "")
    assert max(map(len, out.split("\n"))) <= 80


def test_json_is_the_truth_of_the_file_and_remarks_stay_out_of_it(capsys, tmp_path):
    broken = tmp_path / "broken.txt"
    broken.write_text(ALL.read_text().replace("56492032", "56492033") + "stray 1\n          total      99")
    assert run(["heaps", "--json", str(ALL)]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(ALL.with_suffix(".json").read_text())
    assert run(["heaps", "--json", str(broken)]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["heaps"][0]["allocated_bytes"] == 56492033
    assert "cma_reserved: the buffers listed add up to 56,492,032 bytes, its “total” says 56,492,033 (-1)" in err
    assert "the last line breaks off and was not read: 'total      99'" in err
    assert "1 line was not understood: 'stray 1'" in err


def test_several_files_and_standard_input(capsys, monkeypatch):
    class Stdin:
        buffer = (FIXTURES / "client--s100-vpu0.txt").open("rb")

    monkeypatch.setattr("sys.stdin", Stdin)
    assert run(["heaps", str(FIXTURES / "dump--carveout-old-kernel.txt"), "-"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(
        "HEAP      ID  TOTAL    ALLOCATED  ORPHANED  FREE\ncarveout   -      -  335,085,568         0     -\n\n"
    )
    assert "vpu0-0          -  cma_reserved  -       3,817,472    3.6 MiB\n" in out
    assert "my app: v2  31007  carveout      -     314,572,800  300.0 MiB\n" in out


def test_what_a_process_holds_beyond_its_listed_buffers_is_shown(capsys, tmp_path):
    dump = tmp_path / "d"
    dump.write_text(re.sub(r"9120( +)88014848", r"9120\g<1>88014849", ALL.read_text()))
    assert run(["heaps", str(dump)]) == 0
    assert "unlisted           1       1 B\n" in capsys.readouterr().out


def test_a_hostile_name_cannot_reach_the_terminal(capsys, tmp_path):
    dump = tmp_path / "d"
    dump.write_bytes(ALL.read_bytes().replace(b"    camera_app", b"cam\x9b2J\xff\x00\tapp"))
    assert run(["heaps", str(dump)]) == 0
    assert "cam\\udc9b2J\\udcff\\x00\\tapp" in capsys.readouterr().out


def test_a_redirection_of_windows_powershell_is_read(capsys, tmp_path):
    dump = tmp_path / "d.txt"
    dump.write_bytes(ALL.read_text().replace("\n", "\r\n").encode("utf-16"))
    assert run(["heaps", str(dump)]) == 0
    assert capsys.readouterr().out == EXPECTED


@pytest.mark.parametrize(
    ("content", "code", "words"),
    [
        (b"", 4, "has no ION heap dump in it: save one as root"),
        (b"hello\nworld 1 2\n", 4, "has no ION heap dump in it; it begins 'hello'"),
        (lzma.compress(b"the heap id is 2\n"), 4, "is packed: unpack it first"),
        (gzip.compress(b"the heap id is 2\n", mtime=0)[:10] + b"\x07" * 20, 4, "is damaged: "),
        (b"\x7fELF\x00\xff" * 50, 4, "has no ION heap dump in it"),
        (b"cat: /sys/kernel/debug/ion/heaps/carveout: Permission denied\n", 4, "Permission denied"),
        (None, 2, "No such file or directory"),
    ],
)
def test_input_that_is_no_dump_ends_in_one_line(content, code, words, capsys, tmp_path):
    path = tmp_path / "x.txt"
    if content is not None:
        path.write_bytes(content)
    assert run(["heaps", str(path)]) == code
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and words in err and err.startswith(f"ucpmon: {path}")


def test_a_directory_is_refused(capsys, tmp_path):
    assert run(["heaps", str(tmp_path)]) == 2
    assert "Is a directory" in capsys.readouterr().err


def test_this_boards_files_are_read_from_the_one_that_has_all(capsys, tmp_path):
    """Else from each of them, and a heap that does not name itself has the name of its file."""
    (tmp_path / "carveout").write_text((FIXTURES / "dump--carveout-old-kernel.txt").read_text().split("\n", 1)[1])
    (tmp_path / "ion cma").write_text((FIXTURES / "dump--x5-layout.txt").read_text())
    assert run(["heaps", "--json", "--heaps-dir", str(tmp_path)]) == 0
    found = json.loads(capsys.readouterr().out)["heaps"]
    assert [(h["heap"], h["total_bytes"]) for h in found] == [("carveout", None), ("carveout", 335544320)]
    (tmp_path / "all_heap_info").write_text(ALL.read_text())
    assert run(["heaps", "--heaps-dir", str(tmp_path)]) == 0
    assert capsys.readouterr() == (EXPECTED, "")


def test_a_file_that_cannot_be_read_is_said_beside_those_that_can(capsys, tmp_path):
    (tmp_path / "carveout").write_text(ALL.read_text())
    (tmp_path / "custom").mkdir()
    assert run(["heaps", "--heaps-dir", str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    assert out == EXPECTED and "ucpmon: ./custom: Is a directory\n" in err


def test_a_machine_without_ion_says_what_to_do(capsys, tmp_path):
    assert run(["heaps", "--heaps-dir", str(tmp_path / "heaps")]) == 3
    err = capsys.readouterr().err
    assert "it needs root (or --sudo) and debugfs" in err and "--host" in err and err.count("\n") == 1
    assert run(["heaps", "--heaps-dir", str(tmp_path)]) == 3
    assert run(["heaps", str(ALL), "--host", "board"]) == 2


def test_a_board_over_ssh(capsys, tmp_path, server):
    login = [str(option) for option in server.options]
    (tmp_path / "all_heap_info").write_text(ALL.read_text())
    assert run(["heaps", *login, "--heaps-dir", str(tmp_path)]) == 0
    assert capsys.readouterr() == (EXPECTED, "")
    assert run(["heaps", *login, "--heaps-dir", str(tmp_path / "no")]) == 3
    err = capsys.readouterr().err
    assert f"127.0.0.1:{tmp_path}/no: there is no such directory" in err and err.count("\n") == 1


def test_a_board_that_does_not_let_us_in_or_is_not_there(capsys, tmp_path, server):
    login = [
        str(option) for option in server.options if str(option) not in ("--identity", str(server.folder / "client_key"))
    ]
    assert (
        run(["heaps", *login, "--ssh-option", "IdentityAgent=none", "--ssh-option", f"IdentityFile={tmp_path}/none"])
        == 3
    )
    assert "does not let us in" in capsys.readouterr().err
    assert run(["heaps", "--host", "no.such.host.invalid"]) == 3
    assert "no.such.host.invalid" in capsys.readouterr().err
    assert run(["heaps", "--host", "-oProxyCommand=x"]) == 2


@pytest.mark.parametrize("lost", [0, 8])
def test_what_the_recorder_packed_reads_as_the_text_does(lost, capsys, tmp_path):
    """Also without its last bytes, as a killed recorder leaves it."""
    text = (FIXTURES / "dump--all-s100.txt").read_bytes()
    plain, packed = tmp_path / "run.heaps.txt", tmp_path / "run.heaps.txt.gz"
    plain.write_bytes(text)
    whole = gzip.compress(text[:1000]) + gzip.compress(text[1000:])
    packed.write_bytes(whole[: len(whole) - lost])
    assert run(["heaps", str(plain)]) == 0
    expected = capsys.readouterr()
    assert run(["heaps", str(packed)]) == 0
    assert capsys.readouterr() == expected
    assert "carveout" in expected.out
