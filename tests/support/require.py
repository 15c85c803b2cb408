"""What a test needs that may not be installed."""

import importlib
import os
import shutil

import pytest


def require(program: str) -> str:
    """The path of a program that a test really runs; the test is skipped where it is missing, and fails in CI."""
    found = shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/bin")
    if not found and os.environ.get("UCPMON_REQUIRE_ALL"):
        pytest.fail(f"{program} is not installed")
    if not found:
        pytest.skip(f"{program} is not installed")
    return found


def require_module(name):
    """A module that a test needs; the test file is skipped where it is missing, and fails in CI."""
    return importlib.import_module(name) if os.environ.get("UCPMON_REQUIRE_ALL") else pytest.importorskip(name)
