"""Streams that address the terminal: redraws by quiet gaps, emulators held to the same rows."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.streams import samples_of

from ucpmon.records import CaptureInfo, Chunk
from ucpmon.screens.parser import parse
from ucpmon.screens.pipeline import Pipeline
from ucpmon.screens.screen_reader import ScreenReader
from ucpmon.screens.terminal.emulators import AvtEmulator
from ucpmon.screens.terminal.pyte_emulator import PyteEmulator

EMULATORS = [PyteEmulator, AvtEmulator]
LAYOUT = (
    "\x1b[?1049h\x1b[2J\x1b[1;1H+--------+\x1b[2;1H| BPU0   {:5.1f} |\x1b[3;1H| BPU1   {:5.1f} |\x1b[4;1H| ION Info |"
    "\x1b[5;1H| carveout 512.0M {}M {}M |\x1b[6;1H| Process Mem Info |"
)
LEAVE = "\x1b[60;1H\x1b[K\x1b[?25h\x1b[?1049l"


def draw(first=1.0, second=2.0, used="10.0", free="502.0"):
    return LAYOUT.format(first, second, used, free).encode()


def loads(samples):
    return [(s.values.get("bpu0_load_pct"), s.values.get("bpu1_load_pct")) for s in samples]


@pytest.fixture(params=EMULATORS, ids=lambda e: e.name)
def emulator(request):
    return request.param


def test_differences_only(emulator):
    stream = [
        (0.1, draw()),
        (1.1, b"\x1b[2;10H 50.0"),
        (2.1, b"\x1b[3;10H 60.0\x1b[2;10H 51.0"),
        (3.1, LEAVE.encode()),
    ]
    found, pipeline = samples_of(stream, emulator=emulator)
    assert loads(found) == [(1.0, 2.0), (50.0, 2.0), (51.0, 60.0)]
    assert [s.t_us for s in found] == [100_000, 1_100_000, 2_100_000]
    assert (pipeline.reader.emulated, pipeline.frames) == (True, "exact")


def test_a_redraw_in_pieces_is_one_screen_and_its_time_is_the_last(emulator):
    whole = draw(30.0)
    stream = [(0.1, whole[:40]), (0.12, whole[40:41]), (0.14, whole[41:]), (1.0, LEAVE.encode())]
    found, _ = samples_of(stream, emulator=emulator)
    assert [(s.values["bpu0_load_pct"], s.t_us) for s in found] == [(30.0, 140_000)]


def test_a_tick_completes_a_redraw_as_the_next_bytes_would(emulator):
    found, _ = samples_of([(0.1, draw()), (0.2, b"")], emulator=emulator)
    assert loads(found) == [(1.0, 2.0)]
    early, pipeline = samples_of([(0.1, draw()), (0.14, b""), (0.2, b"\x1b[2;10H 9"), (0.21, b"")], emulator=emulator)
    assert loads(early) == [(1.0, 2.0)]
    assert pipeline.reader.dropped == 1


def test_silence_and_a_redraw_without_change_are_no_rows(emulator):
    stream = [(0.1, draw()), (1.1, b"\x1b[2;10H  1.0"), (2.1, b"\x1b[1;1H"), (3.1, LEAVE.encode())]
    found, pipeline = samples_of(stream, emulator=emulator)
    assert len(found) == 1
    assert pipeline.reader.repeated == 2


def test_a_redraw_cut_off_in_flight_is_dropped_and_counted(emulator):
    stream = [(0.1, draw()), (1.1, b"\x1b[2;10H 5")]
    found, pipeline = samples_of(stream, emulator=emulator)
    assert loads(found) == [(1.0, 2.0)]
    assert pipeline.reader.dropped == 1


def test_a_lone_redraw_is_kept_but_marked(emulator):
    found, _ = samples_of([(0.1, draw())], emulator=emulator)
    assert [(s.cut, s.values["bpu0_load_pct"]) for s in found] == [(True, 1.0)]


def test_leaving_blanks_a_row_but_is_no_screen(emulator):
    stream = [(0.1, draw()), (1.1, b"\x1b[6;1H\x1b[K\x1b[?25h\x1b[?1049l")]
    found, _ = samples_of(stream, rows=6, emulator=emulator)
    assert len(found) == 1


def test_a_screen_that_uses_the_last_row_is_possibly_cut(emulator):
    found, pipeline = samples_of([(0.1, draw()), (1.0, LEAVE.encode())], rows=6, emulator=emulator)
    assert [(s.cut, s.clipped) for s in found] == [(True, True)]
    assert pipeline.counts.clipped == 1


def test_a_row_that_runs_into_the_right_edge_is_not_read(emulator):
    found, _ = samples_of([(0.1, draw(used="10.0", free="502.0")), (1.0, LEAVE.encode())], cols=26, emulator=emulator)
    assert "carveout_free_bytes" not in found[0].values
    assert found[0].values["bpu0_load_pct"] == 1.0


def test_a_resize_is_obeyed(emulator):
    pipeline = Pipeline(CaptureInfo("typed", 4, 60), ScreenReader(4, 60, emulator=emulator))
    out = list(pipeline.feed(Chunk(100_000, draw())))
    out += pipeline.feed(Chunk(1_000_000, b"", size=(30, 60)))
    out += pipeline.feed(Chunk(1_100_000, draw(7.0)))
    out += pipeline.feed(Chunk(2_000_000, b""))
    assert out[-1].values["bpu0_load_pct"] == 7.0
    assert out[-1].values["carveout_used_bytes"] == 10485760


def test_a_terminal_that_none_can_be_is_not_built_cell_by_cell(emulator):
    reader = ScreenReader(9999, 9999, emulator=emulator, forms=False)
    found = reader.feed(Chunk(0, draw(7.0))) + reader.feed(Chunk(1_000_000, b"", size=(99999, 99999)))
    assert (reader.rows, reader.cols) == (1000, 2000)
    found += reader.feed(Chunk(1_000_000, draw(8.0))) + reader.feed(Chunk(2_000_000, b""))
    assert [parse(screen).values["bpu0_load_pct"] for screen in found] == [7.0, 8.0]


def test_a_repeated_character_is_drawn_as_often(emulator):
    found, _ = samples_of(
        [(0.1, draw()), (1.0, b"\x1b[2;1H| BPU0 1\x1b[b.\x1b[2b |\x1b[K"), (2.0, b"")], emulator=emulator
    )
    assert loads(found)[-1] == (None, 2.0)
    found, _ = samples_of([(0.1, draw()), (1.0, b"\x1b[2;1H| BPU0 1\x1b[b.5 |\x1b[K"), (2.0, b"")], emulator=emulator)
    assert loads(found)[-1] == (11.5, 2.0)


def test_scrolling_moves_rows_out_of_sight(emulator):
    found, _ = samples_of([(0.1, draw()), (1.0, b"\x1b[2S"), (2.0, b"\x1b[T"), (3.0, b"")], emulator=emulator)
    assert loads(found) == [(1.0, 2.0), (None, 2.0), (None, 2.0)]


def test_without_a_clock_redraws_are_inferred(emulator):
    stream = draw() + b"".join(b"\x1b[2;10H %4.1f\x1b[3;10H %4.1f" % (i, i) for i in range(10, 14)) + LEAVE.encode()
    found, pipeline = samples_of(stream, emulator=emulator)
    assert loads(found) == [(1.0, 2.0), (10.0, 10.0), (11.0, 11.0), (12.0, 12.0), (13.0, 13.0)]
    assert pipeline.frames == "inferred"


def test_a_row_addressed_again_begins_a_redraw_where_there_is_no_clock(emulator):
    all_rows = b"\x1b[2;10H %4.1f\x1b[3;10H %4.1f\x1b[5;18H%5.1fM"
    without_the_first = b"\x1b[3;10H %4.1f\x1b[5;18H%5.1fM"
    steps = [
        all_rows % (11, 11, 111),
        without_the_first % (12, 112),
        all_rows % (13, 13, 113),
        without_the_first % (14, 114),
    ]
    found, _ = samples_of(draw() + b"".join(steps) + LEAVE.encode(), emulator=emulator)
    assert loads(found) == [(1.0, 2.0), (11.0, 11.0), (11.0, 12.0), (13.0, 13.0), (13.0, 14.0)]


def test_moving_up_by_rows_is_emulated(emulator):
    rows = "| BPU0 {:5.1f} |\r\n| BPU1 {:5.1f} |\r\n| ION Info |\r\n| a 1.0M 0.0 1.0M |\r\n| Process Mem Info |\r\n"
    stream = [(i + 0.1, (("\x1b[5A" if i else "") + rows.format(i, i)).encode()) for i in range(4)]
    found, pipeline = samples_of([*stream, (5.0, b"")], emulator=emulator)
    assert loads(found) == [(float(i), float(i)) for i in range(4)]
    assert pipeline.reader.emulated


@pytest.mark.parametrize("up", ["\x1b[5A\r", "\x1b[5F"])
def test_moving_up_by_rows_begins_a_redraw_where_there_is_no_clock(emulator, up):
    rows = "| BPU0 {:5.1f} |\r\n| BPU1 {:5.1f} |\r\n| ION Info |\r\n| a 1.0M 0.0 1.0M |\r\n| Process Mem Info |\r\n"
    stream = "root@board:~# monitor\r\n" + up.join(rows.format(i, i) for i in range(5)) + "\x1b[?25h"
    found, pipeline = samples_of(stream.encode(), emulator=emulator)
    assert loads(found) == [(float(i), float(i)) for i in range(5)]
    assert pipeline.frames == "inferred"


def test_a_log_after_the_alternate_screen_is_text_again(emulator):
    log = "".join(f"| BPU0 {i}.5 |\r\n| Process Mem Info |\r\n" for i in range(40))
    stream = [(0.1, draw()), (1.0, LEAVE.encode() + log.encode())]
    found, _ = samples_of(stream, rows=20, emulator=emulator)
    assert [s.values["bpu0_load_pct"] for s in found] == [1.0] + [i + 0.5 for i in range(40)]


@pytest.mark.parametrize(
    "odd", [b"\x1b[999999999b", b"\x1b[?9999h", b"\x1b[38:2:1:2:3m", b"\x1bP1$r\x1b\\", b"\x1b[1;2;3;4H", b"\x1b#8"]
)
def test_odd_sequences_end_nothing(emulator, odd):
    stream = [(0.1, draw() + odd), (1.0, draw(9.0)), (2.0, b"")]
    found, _ = samples_of(stream, emulator=emulator)
    assert found[-1].values["bpu0_load_pct"] == 9.0


@settings(max_examples=150, deadline=None)
@given(st.lists(st.binary(max_size=60), max_size=8))
def test_any_bytes_end_orderly(pieces):
    for emulator in EMULATORS:
        samples_of(
            [(i * 0.2, p) for i, p in enumerate(pieces)], rows=24, cols=80, emulator=emulator, always_emulate=True
        )
    samples_of([(None, p) for p in pieces], rows=24, cols=80)
