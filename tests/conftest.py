"""What the tests share."""

import importlib
import os
import shutil

import pytest
from hypothesis import HealthCheck, settings

# A busy machine is no failure; CI tries the same examples each time, everybody else new ones.
settings.register_profile(
    "ucpmon", deadline=None, derandomize=bool(os.environ.get("CI")), suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("ucpmon")

# Tests that record live hold what was recorded against the moment it was drawn: they have the machine to themselves.
LIVE = {
    "driver",
    "faults",
    "mark",
    "record",
    "record_extras",
    "recording_loop",
    "remote",
    "simulator",
    "startup",
    "workload",
}


def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.stem.removeprefix("test_") in LIVE:
            item.add_marker(pytest.mark.live)


def require(program: str) -> str:
    """The path of a program that a test really runs; the test is skipped where it is missing, and fails in CI."""
    found = shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/bin")
    if not found and os.environ.get("UCPMON_REQUIRE_ALL"):
        pytest.fail(f"{program} is not installed")
    if not found:
        pytest.skip(f"{program} is not installed")
    return found


@pytest.fixture
def said(capsys):
    """Runs a command line in this process; its exit code, stdout and stderr."""
    from ucpmon.cli.app import run

    def call(*argv):
        code = run([str(a) for a in argv])
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.fixture
def server(tmp_path):
    """A real ssh server on the loopback, ended with the test."""
    require("sshd")
    from sshd import Server

    folder = tmp_path / "sshd"
    folder.mkdir()
    started = Server(folder)
    yield started
    started.close()


def require_module(name):
    """A module that a test needs; the test file is skipped where it is missing, and fails in CI."""
    return importlib.import_module(name) if os.environ.get("UCPMON_REQUIRE_ALL") else pytest.importorskip(name)
