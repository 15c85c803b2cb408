"""The labels of marks: none covers another, and no mark's line runs through a label."""

from hypothesis import given
from hypothesis import strategies as st

from ucpmon.plot.layout.lanes import ROWS, Flag, pack

LIMIT = 9.0
FLAGS = st.lists(
    st.builds(Flag, st.floats(0, 7.3), st.text("abcdefg ", min_size=1, max_size=40).filter(str.strip)), max_size=60
)


def measure(text):
    return 0.08 * len(text)


@given(FLAGS)
def test_labels_and_lines_keep_apart(flags):
    lanes = pack(flags, LIMIT, measure)
    for i, one in enumerate(lanes.placed):
        assert one.row < ROWS and one.right <= LIMIT
        for other in lanes.placed[:i]:
            if one.row == other.row:
                assert one.right < other.left or other.right < one.left
            # A line runs from its own row down: it may not meet a label that stands lower.
            for upper, lower in ((one, other), (other, one)):
                if upper.row <= lower.row:
                    assert not lower.left < upper.flag.x < lower.right


def test_every_label_is_placed_or_counted():
    flags = [Flag(i * 0.01, f"mark number {i}") for i in range(50)]
    lanes = pack(flags, LIMIT, measure)
    assert len(lanes.placed) + lanes.unlabelled == 50
    assert lanes.rows == ROWS


def test_a_label_at_the_right_end_stands_left_of_its_line():
    (place,) = pack([Flag(7.3, "the end of the whole run")], 7.6, measure).placed
    assert place.right < 7.3


def test_the_same_mark_in_two_runs_is_written_once():
    assert len(pack([Flag(1.0, "load done", 0), Flag(1.01, "load done", 1)], LIMIT, measure).placed) == 1
