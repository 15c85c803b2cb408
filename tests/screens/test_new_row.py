"""A kind of row that the grammar does not know is taught in one place, and read by every way from there on."""

import random
import re

import pytest
from support.streams import differences, same_by_line

from ucpmon.metrics import size_of
from ucpmon.screens import grammar
from ucpmon.screens.forms import RedrawnRows
from ucpmon.screens.forms.character_matrix import BlockMatrix
from ucpmon.screens.grammar import Figure, Row, Section, read_line

PEAK = re.compile(r"peak of (\w+) +(\d+\.\d)M")


def read_peak(cells):
    """The row ``| peak of carveout 12.5M |`` below the heaps."""
    found = PEAK.fullmatch(cells.flat, cells.start, cells.end)
    if not found:
        return None
    size, step = size_of(found[2], "M")
    return Row(Section.ION, (Figure(f"{found[1]}_peak_bytes", size, step, start=found.start(2), end=found.end(2) + 1),))


@pytest.fixture
def taught(monkeypatch):
    monkeypatch.setattr(grammar, "ROWS", (*grammar.ROWS, read_peak))
    grammar.forget()
    yield
    grammar.forget()


@pytest.fixture
def fast(monkeypatch):
    """How often each fast way took what it was given."""
    taken = {BlockMatrix: 0, RedrawnRows: 0}
    for kind, name in ((BlockMatrix, "read"), (RedrawnRows, "take")):
        before = getattr(kind, name)

        def noted(self, *given, kind=kind, before=before):
            found = before(self, *given)
            taken[kind] += bool(found)
            return found

        monkeypatch.setattr(kind, name, noted)
    return taken


def pages(count):
    dice = random.Random(3)
    peaks = [dice.randint(10, 5000) / 10 for _ in range(count)]
    rows = [
        [
            f"| BPU0           {dice.randint(0, 999) / 10:>6} |",
            "| ION Info              |",
            "| carveout 512.0M 1.0M 511.0M |",
            f"| peak of carveout {peak:>8}M |",
        ]
        for peak in peaks
    ]
    return [round(peak * (1 << 20)) for peak in peaks], rows


def test_without_it_the_row_is_unknown():
    assert read_line("| peak of carveout 12.5M |").kind is grammar.Kind.UNKNOWN


def test_a_new_row_of_a_log_is_read_at_once(taught, fast):
    peaks, rows = pages(300)
    found = same_by_line("".join(line + "\n" for page in rows for line in page).encode())
    assert [s.values["carveout_peak_bytes"] for s in found] == peaks
    assert {s.quanta["carveout_peak_bytes"] for s in found} == {104858}
    assert fast[BlockMatrix]


def test_a_new_row_of_a_terminal_is_read_where_it_changed(taught, fast):
    peaks, rows = pages(60)
    found = same_by_line(differences(rows))
    assert [s.values["carveout_peak_bytes"] for s in found] == peaks
    assert fast[RedrawnRows] > 50


def test_a_new_row_is_unknown_in_another_section(taught):
    found = same_by_line(b"| BPU0 1.0 |\n| DDR Bandwidth |\n| peak of carveout 12.5M |\n")
    assert found[0].unknown == ["| peak of carveout 12.5M |"]
