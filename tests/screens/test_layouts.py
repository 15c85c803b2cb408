"""Screens of layouts that nobody attested: what they show is read, or it is missing; it is never something else."""

import random

import pytest
from support.layouts import LAYOUTS, PROCESSES, Figures
from support.streams import differences, samples_of

SCREENS = 6


def screens(name, count=SCREENS, seed=1):
    """Refreshes of a layout: their lines, and the rows and processes that they show."""
    dice = random.Random(seed)
    drawn = [LAYOUTS[name](Figures.drawn(dice)) for _ in range(count)]
    return [lines for lines, _ in drawn], [row for _, row in drawn]


def log(pages):
    return "".join(line + "\n" for page in pages for line in [*page, ""]).encode()


def processes_of(sample):
    return [tuple(row) for row in sample.processes]


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_log_is_read_wholly(name):
    pages, rows = screens(name)
    found, _ = samples_of(log(pages), rows=200, cols=200)
    assert [sample.values for sample in found] == rows
    assert [processes_of(sample) for sample in found] == [PROCESSES.get(name, [])] * SCREENS


@pytest.mark.parametrize("forms", [True, False], ids=["forms", "lines"])
@pytest.mark.parametrize("name", LAYOUTS)
def test_a_terminal_is_read_wholly(name, forms):
    pages, rows = screens(name)
    for stream in (differences(pages), cleared(pages)):
        found, _ = samples_of(stream, rows=60, cols=120, forms=forms)
        assert [sample.values for sample in found] == rows
        assert [processes_of(sample) for sample in found] == [PROCESSES.get(name, [])] * SCREENS


def cleared(pages):
    drawn = [(i + 0.5, ("\x1b[2J\x1b[H" + "\r\n".join(page)).encode()) for i, page in enumerate(pages)]
    return [*drawn, (len(pages) + 0.5, b"\x1b[2J\x1b[H")]


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_log_cut_anywhere_says_nothing_false(name):
    pages, rows = screens(name, 2)
    data = log(pages)
    for cut in range(len(log(pages[:1])), len(data)):
        found, _ = samples_of(data[:cut], rows=200, cols=200)
        for sample, row in zip(found, rows, strict=False):
            assert sample.values.items() <= row.items(), data[:cut][-60:]
