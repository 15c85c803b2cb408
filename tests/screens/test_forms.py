"""Blocks read at once must be what the same blocks are when they are read line by line."""

import random

import pytest
from support.streams import block, differences, same_by_line, samples_of, told
from support.tables import Table
from support.truth import FIXTURES

from ucpmon.metrics import format_printed
from ucpmon.records import CaptureInfo, Chunk, ProcessRow
from ucpmon.screens.forms import Batch, RedrawnRows, learn
from ucpmon.screens.forms.character_matrix import BlockMatrix
from ucpmon.screens.grammar import read_line
from ucpmon.screens.pipeline import Pipeline
from ucpmon.screens.screen_reader import ScreenReader
from ucpmon.screens.terminal.emulators import AvtEmulator
from ucpmon.screens.terminal.pyte_emulator import PyteEmulator


def by_line(data):
    return samples_of(data, forms=False)


def batches(data):
    reader = ScreenReader(60, 120)
    return [s for s in reader.feed(Chunk(None, data)) if isinstance(s, Batch)]


def size(dice):
    return format_printed(int(2 ** dice.uniform(0, 34)))


def process(dice):
    name = dice.choice(["app", "my  app", "kworker/0:1", "1234", "a|b", "模型", "b\ufffd", "x 1.0M y"])
    return f"{dice.randint(1, 99999)} {name} {size(dice)} {size(dice)}"


def random_block(dice):
    """Any of many blocks: IPs, units, heaps, processes, noise and nonsense vary."""
    loads = [f"| BPU{i} {dice.randint(0, 1000) / 10:>6} |" for i in range(dice.choice([1, 2, 2, 2]))]
    if dice.random() < 0.2:
        loads.append(f"| DSP0 : {dice.randint(0, 100)} % | GDC0 {dice.randint(0, 9)}.25 |")
    ddr = (
        []
        if dice.random() < 0.1
        else ["| DDR Bandwidth |", f"| Read: {dice.randint(0, 10**6)} |", "| Write 1.5 GiB/s |"]
    )
    total = dice.choice(["512.0M", "512.0M", "512.0M", "1.0G"])
    heaps = [
        "| ION Info |",
        f"| carveout {total} {size(dice):>8} {size(dice):>8} |",
        f"| ion_cma 0.0 0.0 {size(dice)} |",
    ]
    heaps += [f"| total {size(dice)} {size(dice)} 1.0G |"] if dice.random() < 0.7 else []
    rows = [f"| {process(dice)} |" for _ in range(dice.choice([0, 0, 1, 3]))]
    odd = ["[UCP]: log level = 3"] * (dice.random() < 0.05) + ["| fan 1200 rpm |"] * (dice.random() < 0.05)
    return "\n".join([*loads, *ddr, *heaps, "| Process Mem Info |", "| PID NAME |", "+--+", *rows, "+--+", *odd]) + "\n"


@pytest.mark.parametrize("seed", range(12))
def test_a_log_of_changing_blocks(seed):
    dice = random.Random(seed)
    kinds = [random_block(dice) for _ in range(3)]
    text = "".join(random_block(dice) if dice.random() < 0.3 else dice.choice(kinds) for _ in range(150))
    assert same_by_line(text.encode())
    assert batches(text.encode())


def test_only_figures_and_processes_vary_in_one_region():
    dice = random.Random(7)
    text = "".join(
        block(f"{dice.randint(0, 1000) / 10}", str(dice.randint(1, 99999)), f"{dice.randint(1, 5000) / 10}M", "1.5M",
              [f"{dice.randint(1, 400)} app {dice.randint(1, 99)}.0M 2.0K"] * dice.randint(0, 2)) for _ in range(200)
    )  # fmt: skip
    (batch,) = batches(text.encode())
    found = list(batch.samples)
    assert len(found) == len(batch.noise) > 180
    assert {len(sample.columns) for sample in found} == {6}


@pytest.mark.parametrize("path", sorted((FIXTURES / "batch").glob("*.log")), ids=lambda p: p.name)
def test_recorded_logs(path):
    assert same_by_line(path.read_bytes() * 3)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("12.5 ", "1234.5 "), ("12.5 ", "1.2.5 "), ("208", "20.8.1"), ("2.0M", "2.0X"), ("2.0M", "2..M"),
        ("2.0M", "2.00M"), ("512.0M", "1.0G"), ("17", "17 MB/s"), ("Write", "Wrote"), ("| ION info", "| ION  info"),
        ("carveout", "carve out"),
    ],
)  # fmt: skip
def test_one_odd_block_among_many(old, new):
    text = block() * 20 + block().replace(old, new) + block() * 20
    assert len(same_by_line(text.encode())) == 41


@pytest.mark.parametrize("cut", range(0, 900, 37))
def test_where_a_chunk_ends_does_not_matter(cut):
    data = (block("1.0") * 5 + block("2.0", processes=["7 a 1.0M 1.0M"]) * 3).encode()
    fast, _ = samples_of([(None, data[:cut]), (None, data[cut:])])
    slow, _ = by_line(data)
    assert told(fast) == told(slow)


def damaged(dice, data):
    """A log of which stretches are doubled, lost or flipped."""
    for _ in range(dice.randint(1, 4)):
        a = dice.randrange(len(data))
        b, kind = min(len(data), a + dice.randint(1, 3000)), dice.random()
        if kind < 0.4:
            data = data[:b] + data[a:b] + data[b:]
        else:
            data = data[:a] + (b"" if kind < 0.7 else bytes([dice.randrange(256)])) + data[b if kind < 0.7 else a + 1 :]
    return data


@pytest.mark.parametrize("seed", [0, 12, 40, 374, *range(1000, 1030)])
def test_a_damaged_log_reads_the_same_whole_in_pieces_and_by_line(seed):
    dice = random.Random(seed)
    data = damaged(dice, dice.choice(sorted((FIXTURES / "batch").glob("*.log"))).read_bytes())
    size = dice.choice([100, 300, 1000, 5000])
    whole, _ = samples_of(data)
    pieces, _ = samples_of([(None, data[i : i + size]) for i in range(0, len(data), size)])
    slow, _ = by_line(data)
    assert told(whole) == told(slow)
    assert told(pieces) == told(slow)


def lines(text):
    return [read_line(line) for line in text.splitlines()]


def test_what_cannot_be_relied_on_is_not_learned():
    assert learn(lines("| BPU0 1 |\n| a 1.0M 1 1 |")) is None
    assert learn(lines("| BPU0 1 |\n| BPU0 2 |")) is None
    assert learn(lines("| BPU0 1 |\n| Process Mem Info |\n| 7 a 1.0M 1.0M |\n| ION Info |")) is None
    assert learn(lines("| Process Mem Info |")) is None
    assert learn([]) is None


def test_a_form_reaches_to_the_last_title_or_figure():
    form = learn(lines("| BPU0 1 |\n| fan 12 |\n| Process Mem Info |\n| PID |\n| 7 a 1.0M 1.0M |\n+--+"))
    assert [line.text for line in form.lines] == ["| BPU0 1 |", "| fan 12 |", "| Process Mem Info |"]
    assert form.columns == ("bpu0_load_pct",)
    read = form.below.read("\n| 7 a 1.0M 2.0M |\n| odd 7 |\n+--+")
    assert (read.processes, read.understood) == ((ProcessRow(7, "a", 1 << 20, 2 << 20),), 3)
    assert (read.noise, read.unknown) == (1, ("| fan 12 |", "| odd 7 |"))
    with pytest.raises(KeyError):
        form.below.read("\n| BPU0 1 |")


def test_a_screen_is_given_with_the_first_line_of_the_next_whatever_reads_it():
    lines = (block("1.0", processes=["7 a 1.0M 1.0M"]) * 6).splitlines(keepends=True)
    given = []
    for forms in (True, False):
        pipeline = Pipeline(CaptureInfo("typed", 60, 120), ScreenReader(60, 120, forms=forms))
        given.append([len(list(pipeline.feed(Chunk(i, line.encode())))) for i, line in enumerate(lines)])
    assert given[0] == given[1]
    assert sum(given[0]) == 5


@pytest.fixture
def sheets(monkeypatch):
    """The blocks that were read as sheets, one entry for each region."""
    read, seen = BlockMatrix.read, []

    def noted(self, text, t_us):
        found = read(self, text, t_us)
        seen.append(len(found.noise) if found else 0)
        return found

    monkeypatch.setattr(BlockMatrix, "read", noted)
    return seen


def timed(dice, text):
    """The stream as it may come from a terminal: in pieces that end anywhere, most of them at the end of a line."""
    data, stream, now = text.encode(), [], 0.0
    while data:
        end = dice.choice([data.find(b"\n") + 1, data.find(b"\n", dice.randint(0, 3000)) + 1, dice.randint(1, 2000)])
        piece, data = data[: end or None], data[end or len(data) :]
        now += dice.choice([0.001, 0.2])
        stream.append((now, piece))
    return stream


@pytest.mark.parametrize("seed", range(60))
def test_tables_of_any_layout_read_the_same_at_once_and_by_line(sheets, seed):
    dice = random.Random(seed)
    table = Table(dice)
    text = "".join(table.text(0.01 * (seed % 3)) for _ in range(200))
    size = dice.choice([len(text), 5000, 1500])
    same_by_line([(None, text[i : i + size].encode()) for i in range(0, len(text), size)])
    same_by_line(timed(dice, text))
    if table.padded and size == len(text) and not seed % 3 and not table.clock:
        assert sum(sheets) > 60


def test_a_padded_table_is_a_sheet_whatever_script_it_is_drawn_in(sheets):
    dice = random.Random(1)
    for bar in ("|", "│"):
        text = "".join(block(str(dice.randint(0, 999) / 10), processes=["7 模型 1.5M 2.0K"]) for _ in range(40))
        found = same_by_line(text.replace("|", bar).encode())
        assert {row.process for s in found for row in s.processes} == {"模型"}
        assert sheets.pop() > 25


def test_a_figure_that_outgrows_its_column_is_read_whole(sheets):
    rows = ["| carveout  512.0M    1.5M  510.5M |", "| carveout  512.0M 1234.5M  510.5M |"]
    block = "| BPU0  1.0 |\n| ION Info |\n{}\n| Process Mem Info |\n"
    text = "".join(block.format(rows[i % 5 == 3]) for i in range(400))
    found = same_by_line(text.encode())
    assert [s.values["carveout_used_bytes"] for s in found[2:5]] == [1572864, 1294467072, 1572864]
    assert sum(sheets) > 300


def test_figures_that_touch_what_stands_before_them_are_no_figures_of_a_sheet(sheets):
    text = "".join(
        f"| BPU0 {'' if i == 30 else ' '}{'123.5' if i == 30 else ' 12.5'} |\n| ION Info |\n" for i in range(60)
    )
    text = text.replace("| BPU0 123.5 |", "| BPU0123.5 |")
    found = same_by_line(text.encode())
    assert len(found) == 59
    assert {s.values["bpu0_load_pct"] for s in found} == {12.5}


@pytest.mark.parametrize("odd", ["8 old 2.0MiB 1.0MiB", "8 old  2.0 M 1.0M", "8 my  app 2.0M 1.0M"])
def test_a_process_row_of_a_sheet_that_is_printed_in_an_odd_way_is_read_as_it_stands(sheets, odd):
    text = "".join(block(processes=["7 a 1.5M 2.0K", odd, f"9 b {i}.0M 3.0K"]) for i in range(10, 60))
    found = same_by_line(text.encode())
    assert [row.rss_bytes for row in found[30].processes] == [3 << 19, 2 << 20, 40 << 20]
    assert sheets.pop() > 30


def test_a_figure_at_the_left_of_its_cell_has_its_unit_where_it_was():
    text = "".join(f"| BPU0 {load:<5} % |\n| DDR Bandwidth |\n| Read {rate:<5} GB/s |\n"
                   for load, rate in [(12.5, 10.5), (100.0, 12.5), (5.0, 2.5)] * 100)  # fmt: skip
    found = same_by_line(text.encode())
    assert [s.values["bpu0_load_pct"] for s in found[201:204]] == [12.5, 100.0, 5.0]
    assert [s.values["ddr_read_mibps"] for s in found[201:204]] == [10013.58, 11920.929, 2384.186]


def test_a_load_that_touches_the_next_name_is_no_load():
    text = "".join(f"| BPU0 {100.0 if i == 200 else 5.5:<5}BPU1  1.0 |\n| ION Info |\n" for i in range(300))
    found = same_by_line(text.encode())
    assert len(found) == 299
    assert {s.values["bpu0_load_pct"] for s in found} == {5.5}


def test_sizes_with_spelled_out_units_are_read_at_once(sheets):
    used = [["12.5KiB", "1.5MiB", "0.0"][i % 3].rjust(8) for i in range(300)]
    text = "".join(f"| BPU0 1.0 |\n| ION Info |\n| carveout 512MiB {size} 511MiB |\n" for size in used)
    found = same_by_line(text.encode())
    assert [s.values["carveout_used_bytes"] for s in found[201:204]] == [12800, 1572864, 0]
    assert [s.quanta["carveout_used_bytes"] for s in found[201:204]] == [102, 104858, 1]
    assert sheets.pop() > 150


@pytest.mark.parametrize("odd", ["12.0iB", "15MB  ", "150B  ", "1.5  M"])
def test_units_that_differ_keep_their_own_resolution(odd):
    text = "".join(f"| BPU0 1.0 |\n| ION Info |\n| carveout 512M {odd if i == 200 else '12.5MiB':>8} 1M |\n"
                   f"| ion_cma 512M {'150B' if i == 200 else '15KB'} 1M |\n" for i in range(300))  # fmt: skip
    found = same_by_line(text.encode())
    assert len(found) == 300
    assert found[200].quanta["ion_cma_used_bytes"] == 1
    assert found[201].quanta["ion_cma_used_bytes"] == 1024


def test_a_figure_before_a_control_character_is_no_figure_of_a_sheet():
    nul = "1.5\0"
    text = "".join(f"| BPU0 {nul if i == 200 else '12.5'} |\n| ION Info |\n" for i in range(300))
    assert len(same_by_line(text.encode())) == 299


@pytest.fixture
def grids(monkeypatch):
    """Whether each redraw fitted the form of those before it."""
    take, seen = RedrawnRows.take, []

    def noted(self, changes, rows):
        seen.append(take(self, changes, rows))
        return seen[-1]

    monkeypatch.setattr(RedrawnRows, "take", noted)
    return seen


@pytest.mark.parametrize("emulator", [PyteEmulator, AvtEmulator], ids=lambda e: e.name)
@pytest.mark.parametrize("seed", range(40))
def test_redraws_of_any_layout_read_the_same_by_form_and_by_line(grids, seed, emulator):
    table = Table(random.Random(seed))
    pages = [table.draw(0.03 * (seed % 3)) for _ in range(60)]
    cols = max(len(line) for page in pages for line in page) + 20 * (seed % 2)
    same_by_line(differences(pages), cols=cols, emulator=emulator)
    if not seed % 3 and seed % 2:
        assert sum(grids) > 40


LEAPS = ["\x1b[2J\x1b[H", "\x1b[H", "\x1b[H\x1b[J", "\x1b[?1049h", "\x1b[?1049l", "\x1bc", "\x1b[2J\x1b[3;1H"]
MOVES = ["\x1b[K", "\x1b[3C", "\x1b[2D", "\r", "\b", "\t", "\x1b[J", "\x1b[A", "\x1b[m", "\n", "\n\n", "7"]


def printed_pages(dice, table, kind, wild):
    """Pages that are cleared, or homed and printed over; now and then something else is done."""
    pages = []
    for _ in range(dice.randint(3, 40)):
        rows = table.draw(wild)
        if kind == "cleared":
            pages.append("\x1b[2J\x1b[H" + "\r\n".join(rows) + dice.choice(["", "\r\n"]))
        else:
            pages.append("\x1b[H" + "".join(f"{row}\x1b[K\r\n" for row in rows) + dice.choice(["", "\x1b[J"]))
        if dice.random() < wild:
            pages.append(dice.choice([*LEAPS, *MOVES]))
    return "".join(pages)


@pytest.mark.parametrize("kind", ["cleared", "homed"])
@pytest.mark.parametrize("seed", range(40))
def test_pages_of_any_layout_read_the_same_by_form_and_by_line(grids, seed, kind):
    dice = random.Random(seed)
    table = Table(dice)
    text = printed_pages(dice, table, kind, 0.1 * (seed % 3))
    rows, cols = dice.choice([(60, 120), (len(table.draw()), 120), (20, 50)])
    same_by_line(text.encode(), rows=rows, cols=cols)
    same_by_line(timed(dice, text), rows=rows, cols=cols)
    if not seed % 3 and (rows, cols) == (60, 120):
        assert sum(grids) > text.count("\x1b[H") / 2


def cleared(*pages):
    return "".join(f"\x1b[2J\x1b[H{page}" for page in pages).encode()


def test_a_figure_that_reaches_the_next_name_is_none_of_a_page_or_a_redraw():
    pages = [f"| DSP0 {load} Stitch0 24.2 |\r\n| ION Info |\r\n" for load in ("1.0", "2.0", "3.0")]
    pages.append(pages[0].replace("1.0 S", "4.0S"))
    for stream in (cleared(*pages, ""), differences([page.splitlines() for page in pages])):
        found = same_by_line(stream)
        assert [s.values.get("dsp0_load_pct") for s in found] == [1.0, 2.0, 3.0]


def test_what_a_wrapped_page_showed_is_no_form_of_the_next():
    rows = "| BPU0 1.0 |\r\n| ION Info |\r\n| carveout 512.0M 1.0M 2.0M {}\r\n"
    wrapped, whole = rows.format("        |"), rows.format("")
    found = same_by_line(cleared(wrapped, whole, whole.replace("1.0 ", "2.0 ")), cols=32)
    assert [s.values.get("carveout_used_bytes") for s in found] == [None, 1048576, 1048576]


def test_what_a_page_has_shown_already_is_kept_when_the_stream_begins_to_move_about():
    pages = [f"| BPU0 {load}.0 |\r\n| ION Info |\r\n" for load in range(5)]
    found = same_by_line(cleared(*pages[:3], pages[3] + pages[4] + "\x1b[9;9H| fan |"))
    assert [s.values["bpu0_load_pct"] for s in found][:4] == [0.0, 1.0, 2.0, 3.0]


def test_a_page_longer_than_the_terminal_is_a_log(grids):
    pages = [f"| BPU0 {load}.0 |\r\n| ION Info |\r\n" for load in range(9)]
    found = same_by_line(cleared(*pages[:2], "".join(pages[2:]), pages[0]), rows=6)
    assert [s.values["bpu0_load_pct"] for s in found] == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 0.0]
    assert set(grids) == {True}


def test_a_row_that_comes_to_touch_the_edge_is_not_read_by_its_form(grids):
    pages = [
        ["| BPU0   1.0", "| ION Info", f"| carveout 512.0M  1.0M  {figure}"]
        for figure in ("511.0M", "511.5M", "1234.5M")
    ]
    found = same_by_line(differences(pages), cols=32)
    assert [s.values.get("carveout_free_bytes") for s in found] == [535822336, 536346624, None]
    assert (grids[0], grids[-1]) == (True, False)
