"""What the tests share."""

import os

import pytest
from hypothesis import HealthCheck, settings
from support.paths import ROOT
from support.require import require

# A busy machine is no failure; CI tries the same examples each time, everybody else new ones.
settings.register_profile(
    "ucpmon", deadline=None, derandomize=bool(os.environ.get("CI")), suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("ucpmon")

# Tests that record live mostly wait, and hold what was recorded against the moment it was drawn: two run at a time, and
# apart from the others, which keep every core busy.
LIVE = {
    "monitor/test_session.py", "monitor/test_simulator.py", "monitor/test_workload.py", "recorder/test_faults.py",
    "recorder/test_loop.py", "recorder/test_record.py", "recorder/test_record_extras.py", "recorder/test_remote.py",
    "cli/test_mark_command.py",
}  # fmt: skip


def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.relative_to(ROOT / "tests").as_posix() in LIVE:
            item.add_marker(pytest.mark.live)


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
    from support.sshd import Server

    folder = tmp_path / "sshd"
    folder.mkdir()
    started = Server(folder)
    yield started
    started.close()
