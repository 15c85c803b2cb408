"""Every capture in fixtures/ gives exactly the rows that its stand-in drew."""

import pytest
from support.truth import captures, differences, rows_of_samples, truth_path

from ucpmon.captures import open_capture
from ucpmon.screens.pipeline import samples


@pytest.mark.parametrize("path", captures(), ids=lambda p: f"{p.parent.name}/{p.name}")
def test_rows_are_what_was_drawn(path):
    with open_capture(path) as capture:
        rows = rows_of_samples(samples(capture.chunks(), capture.info))
    assert capture.damage == []
    assert differences(rows, truth_path(path)) == []
