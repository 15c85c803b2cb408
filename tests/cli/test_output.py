"""What verbs share when they write: tables, and files that are there whole or not at all."""

import os

import pytest

from ucpmon.cli.common import choose_output, written
from ucpmon.cli.tables import table
from ucpmon.errors import UsageError


def test_a_table_aligns_by_what_the_terminal_shows():
    text = table(("NAME", "BYTES"), [("模型", "12"), ("a\x1b[2Jb", "3"), ("e\u0301t", "1234")], right=[1])
    assert text.split("\n") == [
        "NAME       BYTES",
        "模型          12",
        "a\\x1b[2Jb      3",
        "e\u0301t          1234",
    ]


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path):
    output = tmp_path / "out.bin"
    output.write_bytes(b"old")
    with pytest.raises(RuntimeError), written(output) as stream:
        stream.write(b"new")
        raise RuntimeError
    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == [("out.bin", b"old")]
    with written(output) as stream:
        stream.write(b"new")
    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == [("out.bin", b"new")]


def test_a_link_stays_a_link_to_the_new_content(tmp_path):
    (tmp_path / "real.bin").write_bytes(b"old")
    link = tmp_path / "link.bin"
    link.symlink_to("real.bin")
    with written(link) as stream:
        stream.write(b"new")
    assert link.is_symlink()
    assert (tmp_path / "real.bin").read_bytes() == b"new"


def test_an_output_that_cannot_be_written_says_so(tmp_path):
    with pytest.raises(UsageError, match=r"cannot be written: No such file"), written(tmp_path / "no" / "x"):
        pass


def test_a_device_or_a_pipe_is_never_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(UsageError, match="is no ordinary file"):
        choose_output(pipe, True, "")
    with pytest.raises(UsageError, match="is no ordinary file"), written(pipe) as stream:
        stream.write(b"x")
    assert pipe.is_fifo()
