"""Framing of batch text and of pages that are cleared or homed and printed again."""

import pytest
from support.streams import block, samples_of, text_samples

from ucpmon.records import Chunk
from ucpmon.screens.screen_reader import ScreenReader
from ucpmon.screens.terminal.emulators import AvtEmulator
from ucpmon.screens.terminal.pyte_emulator import PyteEmulator
from ucpmon.screens.terminal_row import ERASE, FILLER, TerminalRow, widen

THREE = block("1.0") + block("2.0") + block("3.0")


def loads(samples):
    return [s.values.get("bpu0_load_pct") for s in samples]


def test_blocks_need_no_delimiter():
    found, pipeline = text_samples(THREE)
    assert loads(found) == [1.0, 2.0, 3.0]
    assert not pipeline.reader.emulated
    assert not pipeline.reader.paged


def test_equal_blocks_are_rows_of_their_own():
    found, _ = text_samples(block() * 3)
    assert len(found) == 3


@pytest.mark.parametrize("end", ["\r\n", "\r\r\n"])
def test_carriage_returns(end):
    found, pipeline = text_samples(THREE.replace("\n", end))
    assert loads(found) == [1.0, 2.0, 3.0]
    assert pipeline.counts.unknown == 0


def test_colours_titles_and_shell_prompts_do_not_hide_a_log():
    coloured = THREE.replace("| Bpu0", "\x1b[1;32m| Bpu0\x1b[0m")
    text = "\x1b]0;root@board\x07\x1b[?2004hroot@board:~# ls\x1b[K\r\n" + coloured + "\x1b[0m"
    found, pipeline = text_samples(text)
    assert loads(found) == [1.0, 2.0, 3.0]
    assert not pipeline.reader.emulated


def test_a_log_that_scrolls_by_after_a_clear_is_still_a_log():
    found, pipeline = text_samples("\x1b[H\x1b[2J\x1b[3J" + block() * 5, rows=24)
    assert len(found) == 5
    assert not pipeline.reader.emulated


def test_noise_between_blocks_belongs_to_none():
    found, pipeline = text_samples("[UCP]: log level = 3\n".join(["", block("1.0"), block("2.0"), ""]))
    assert loads(found) == [1.0, 2.0]
    assert pipeline.counts.unknown == 0


@pytest.mark.parametrize("last_line", range(1, 12))
def test_a_last_block_that_lacks_what_others_had_is_cut(last_line):
    short = "".join(block("9.0").splitlines(keepends=True)[:last_line])
    found, _ = text_samples(THREE + short)
    whole = last_line == 11
    assert [s.cut for s in found[:3]] == [False] * 3
    assert [s.cut for s in found[3:]] == ([] if last_line < 4 else [not whole])


def test_half_a_figure_is_never_a_value():
    text = block("1.0") + "| Bpu0        9"
    found, pipeline = text_samples(text)
    assert loads(found) == [1.0]
    assert pipeline.counts.examples == ["| Bpu0        9"]


def test_a_pasted_screen_without_a_last_line_end_is_whole():
    found, _ = text_samples(block("7.5").rstrip("\n"))
    assert [(s.values["bpu0_load_pct"], s.cut) for s in found] == [(7.5, False)]


def test_a_title_order_of_the_program_itself_does_not_split_blocks():
    rows = [
        "| BPU0 {} |",
        "| ION Info |",
        "| a 1.0M 0.0 1.0M |",
        "| DDR Bandwidth |",
        "| Read 5 |",
        "| Process Mem Info |",
    ]
    found, _ = text_samples("".join("\n".join(rows).format(i) + "\n" for i in range(3)))
    assert loads(found) == [0.0, 1.0, 2.0]
    assert all("ddr_read_mibps" in s.values and "a_used_bytes" in s.values for s in found)


def test_without_ip_rows_a_step_back_is_the_border():
    rows = "| DDR Bandwidth |\n| Read {} |\n| ION Info |\n| a 1.0M 0.0 1.0M |\n| Process Mem Info |\n"
    found, _ = text_samples("".join(rows.format(i) for i in range(3)))
    assert [s.values["ddr_read_mibps"] for s in found] == [0, 1, 2]


def test_several_pairs_on_a_line_frame_too():
    rows = "| BPU0 {0} | BPU1 5 |\n| DSP0 6 | GDC0 7 |\n| Process Mem Info |\n"
    found, _ = text_samples("".join(rows.format(i) for i in range(3)))
    assert loads(found) == [0.0, 1.0, 2.0]


def page(*args, **kwargs):
    return block(*args, **kwargs).replace("\n", "\r\n")


def clear_stream(pages):
    return "".join("\x1b[2J\x1b[H" + p for p in pages)


def home_stream(pages):
    return "".join("\x1b[H" + p.replace("\r\n", "\x1b[K\r\n") + "\x1b[J" for p in pages)


@pytest.mark.parametrize("stream", [clear_stream, home_stream])
def test_pages_are_screens_and_a_repeated_page_is_none(stream):
    found, pipeline = text_samples(stream([page("1.0"), page("2.0"), page("2.0"), page("3.0")]))
    assert loads(found) == [1.0, 2.0, 3.0]
    assert (pipeline.reader.repeated, pipeline.reader.emulated) == (1, False)


def test_a_page_that_is_cut_off_is_dropped_and_counted():
    stream = clear_stream([page("1.0"), page("2.0")]) + "\x1b[2J\x1b[H" + page("3.0")[:200]
    found, pipeline = text_samples(stream)
    assert loads(found) == [1.0, 2.0]
    assert pipeline.reader.dropped == 1


def test_homing_prints_over_what_stands_there():
    first = "| Bpu0 100.0 |\r\n| ION info |\r\n| heap 10.0M 5.0M 5.0M |\r\n| process mem info |\r\n"
    second = "| Bpu0 7.5   |\r\n"
    found, pipeline = text_samples("\x1b[2J\x1b[H" + first + "\x1b[H" + second + "\x1b[H" + first + "\x1b[H")
    assert loads(found) == [100.0, 7.5, 100.0]
    assert found[1].values["heap_used_bytes"] == 5 * 1024 * 1024
    assert not pipeline.reader.emulated


@pytest.mark.parametrize("emulator", [PyteEmulator, AvtEmulator])
def test_wide_characters_are_printed_over_by_their_cells(emulator):
    first = "| Bpu0 1.0 |\r\n| ION info |\r\n| process mem info |\r\n| 7 模型服务 1.0M 2.0M |\r\n"
    rows = ["\x1b[2J\x1b[H" + first, "\x1b[H" + first.replace("1.0 |", "2.0 |").replace("模型服务", "abcdefgh"),
            "\x1b[H" + first.replace("1.0 |", "3.0 |").replace("模型", "xy  "), "\x1b[H"]  # fmt: skip
    stream = [(float(i), row.encode()) for i, row in enumerate(rows)]
    fast, pipeline = samples_of(stream)
    slow, _ = samples_of([*stream, (9.0, b"")], emulator=emulator, always_emulate=True)
    names = [[p.process for p in s.processes] for s in fast]
    assert names == [["模型服务"], ["abcdefgh"], ["xy  服务"]]
    assert names == [[p.process for p in s.processes] for s in slow]
    assert not pipeline.reader.emulated


def test_a_wide_row_that_is_erased_behind_it_keeps_its_columns():
    row = TerminalRow()
    row.put(widen("模型\t7") + ERASE)
    assert (row.text.replace(FILLER, ""), row.column) == ("模型    7", 9)
    row.put("\r\0b\x00c")
    assert row.text.startswith("bc")


@pytest.mark.parametrize("piece", [7, 10_000])
def test_a_row_of_wide_characters_wraps_where_the_terminal_does(piece):
    heaps = "| 模型 512.0M 1.0M 511.0M |"
    page = f"\x1b[H| BPU0 1.0 |\x1b[K\r\n| ION Info |\x1b[K\r\n{heaps}\x1b[K\r\n\x1b[J"
    data = b"\x1b[H\x1b[2J" + page.encode() * 3
    chunks = [(None, data[i : i + piece]) for i in range(0, len(data), piece)]
    for cols, known in [(28, True), (27, True), (26, False)]:
        found, _ = samples_of(chunks, cols=cols)
        assert [("模型_used_bytes" in s.values) for s in found] == [known] * len(found) != []


@pytest.mark.parametrize("leap", ["\x1bc", "\x1b[0;0H\x1b[J", "\x1b[0;0f\x1b[0J"])
def test_a_reset_and_a_home_by_noughts_begin_a_page_as_any_other(leap):
    text = "".join(leap + page(load) for load in ("1.0", "2.0", "2.0", "3.0")) + leap
    found, pipeline = text_samples(text)
    assert loads(found) == [1.0, 2.0, 3.0]
    assert (pipeline.reader.repeated, pipeline.reader.emulated) == (1, False)
    timed = [(float(i), (leap + page(load)).encode()) for i, load in enumerate(("1.0", "2.0", "2.0", "3.0"))]
    assert loads(samples_of([*timed, (9.0, b"")], always_emulate=True)[0]) == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("size", [(0, 0), (0, 80), (24, 0)])
@pytest.mark.parametrize("always_emulate", [False, True])
def test_a_terminal_without_a_size_keeps_the_one_it_had(size, always_emulate):
    reader = ScreenReader(60, 120, always_emulate=always_emulate)
    found = []
    for i, chunk in enumerate([clear_stream([page("1.0")]), "", clear_stream([page("2.0")]), "\x1b[2J"]):
        found += reader.feed(Chunk(i * 10**6, chunk.encode(), size=None if chunk else size))
    assert len(found) == 2
    assert (reader.rows, reader.cols) == (60, 120)


def test_a_row_wider_than_the_terminal_gives_no_half_figure():
    found, _ = text_samples(clear_stream([page("1.0"), page("2.0")]) + "\x1b[2J", cols=33)
    assert loads(found) == []
    wide, _ = text_samples(clear_stream([page("1.0"), page("2.0")]) + "\x1b[2J", cols=42)
    assert loads(wide) == [1.0, 2.0]


def test_the_time_of_a_row_is_that_of_its_last_byte():
    text = page("1.0").encode()
    pieces = [
        (0.5, b"\x1b[2J\x1b[H" + text[:100]),
        (0.51, text[100:]),
        (1.5, b"\x1b[2J\x1b[H" + text),
        (2.5, b"\x1b[2J"),
    ]
    changed = [*pieces[:2], (1.5, pieces[2][1].replace(b"  1.0", b"  2.0")), pieces[3]]
    found, _ = samples_of(changed)
    assert [s.t_us for s in found] == [510_000, 1_500_000]


def test_a_stream_without_line_ends_or_screens_stays_small():
    found, pipeline = samples_of([(0.0, b"x" * 65536)] * 50)
    assert found == []
    found, pipeline = samples_of([(0.0, b"junk 7\n" * 8192)] * 20)
    assert found == []
    assert pipeline.counts.unknown == 20 * 8192
    assert len(pipeline.reader._text._framer.lines) <= 8192 + 4096


def test_a_page_is_of_the_time_of_its_last_byte_not_of_the_next_page():
    reader = ScreenReader(50, 100)
    page = "\x1b[H| BPU0 {}.0 |\x1b[K\r\n| ION Info |\x1b[K\r\n| carveout 5.0M 1.0M 4.0M |\x1b[J"
    shown = []
    for i in range(3):
        shown += reader.feed(Chunk(i * 100_000, page.format(i).encode()))
    assert [screen.t_us for screen in shown] == [0, 100_000]
