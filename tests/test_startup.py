"""What a command costs before it does anything, in processor time: the machine may be busy with something else."""

import resource
import subprocess
import sys

import pytest


def spent(*argv):
    """Processor seconds of a command: the least of several, which disturbs from outside can only raise."""
    least = 9.0
    for _ in range(4):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *argv], stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        least = min(least, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return least


@pytest.mark.alone
@pytest.mark.parametrize("word", ["--version", "--help"])
def test_the_command_starts_in_ten_times_what_python_takes(word):
    assert spent("-m", "ucpmon", word) < 10 * spent("-c", "pass")


def test_help_tells_of_every_verb_in_whole_sentences():
    shown = subprocess.run(
        [sys.executable, "-m", "ucpmon", "--help"], capture_output=True, text=True, check=True
    ).stdout
    words = " ".join(shown.split())
    assert "record Record hrt_ucp_monitor: every byte into run.cast, every screen into run.csv. mark " in words
    assert "..." not in shown.partition("Commands:")[2]
