"""When silence is a frozen monitor, and when printing is not showing anything."""

from ucpmon.recorder.watch import Watch

SECOND = 1_000_000


def run(watch, events, until, understood=lambda t: 0):
    """Feed events (seconds) and look every 50 ms; what was said, and when in seconds."""
    said, pending = [], sorted(events)
    for tick in range(int(until * 20) + 1):
        now = tick * SECOND // 20
        while pending and pending[0] * SECOND <= now:
            watch.data(int(pending.pop(0) * SECOND))
        if message := watch.look(now, understood(now / SECOND)):
            said.append((now / SECOND, message))
    return said


def test_a_batch_without_a_block_for_three_intervals_is_frozen():
    watch = Watch(True, SECOND)
    said = run(watch, [0, 1, 2, 3, 9, 10], 10, lambda t: int(t))
    assert [(t, "frozen" in m) for t, m in said] == [(6.0, True)]
    assert watch.stalls == [(3 * SECOND, 9 * SECOND)]
    assert not watch.stalled


def test_a_terminals_silence_is_an_unchanged_screen():
    watch = Watch(False, SECOND)
    assert run(watch, [0, 1, 2, 5, 6, *range(7, 40)], 60, lambda t: int(t)) == []
    assert watch.stalls == []


def test_a_terminal_that_was_redrawn_at_every_interval_is_frozen_when_it_falls_silent():
    watch = Watch(False, SECOND)
    said = run(watch, [t + d for t in range(30) for d in (0, 0.01)], 40, lambda t: int(t))
    assert [t for t, _ in said] == [39.05]
    watch.finish(40 * SECOND)
    assert watch.stalls == [(29 * SECOND + 10_000, 40 * SECOND)]


def test_a_stall_ends_where_another_monitor_is_started():
    watch = Watch(True, SECOND)
    run(watch, [0, 1], 5, lambda t: int(t))
    watch.anew(5 * SECOND)
    assert watch.stalls == [(1 * SECOND, 5 * SECOND)]
    assert run(watch, [], 4, lambda t: 1) == []


def test_what_nobody_understands_is_said_after_ten_seconds_and_once():
    said = run(Watch(True, SECOND), range(40), 40)
    assert [(t, "has printed nothing that is understood" in m) for t, m in said] == [(10.0, True)]


def test_a_layout_that_changes_in_the_middle_is_said_too():
    said = run(Watch(False, SECOND), range(60), 60, lambda t: min(int(t), 20))
    assert [round(t) for t, _ in said] == [31]


def test_a_monitor_that_prints_nothing_is_said():
    assert [(t, m) for t, m in run(Watch(False, SECOND), [], 20)] == [
        (10.0, "the monitor has printed nothing for 10 s")
    ]


def test_a_redraw_after_a_long_unchanged_screen_is_not_called_unread():
    steps = [0, 1, 2, 20, 21, 22]
    assert run(Watch(False, SECOND), steps, 25, lambda t: sum(step + 0.1 < t for step in steps)) == []


def test_slow_screens_are_given_three_intervals():
    assert run(Watch(True, 10 * SECOND), [0, 10, 20], 29, lambda t: int(t // 10)) == []
