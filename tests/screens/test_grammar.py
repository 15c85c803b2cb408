"""Every form of a line that the reference lists as possible, typed by hand."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ucpmon.metrics import GIB, KIB, MIB, TIB, format_printed, parse_size
from ucpmon.records import ProcessRow
from ucpmon.screens import grammar
from ucpmon.screens.grammar import Kind, Section, placed, read_line
from ucpmon.screens.tables import Tables


@pytest.mark.parametrize(
    ("text", "loads"),
    [
        ("| BPU0 95.4 |", {"bpu0_load_pct": 95.4}),
        ("|          BPU3              100.0               |", {"bpu3_load_pct": 100.0}),
        ("| bpu0 : 7 % |", {"bpu0_load_pct": 7.0}),
        ("|Dsp1=0.0%|", {"dsp1_load_pct": 0.0}),
        ("| STITCH 4.5 |", {"stitch_load_pct": 4.5}),
        ("| BPU 0   12.0 |", {"bpu0_load_pct": 12.0}),
        ("| BPU0 1.5 | BPU1 2.5 | GDC0 0 |", {"bpu0_load_pct": 1.5, "bpu1_load_pct": 2.5, "gdc0_load_pct": 0.0}),
        ("| BPU0 1.5   BPU1 2.5% |", {"bpu0_load_pct": 1.5, "bpu1_load_pct": 2.5}),
        ("│ JPU0    3.0 │", {"jpu0_load_pct": 3.0}),
        ("| NPU7 12.0 % |", {"npu7_load_pct": 12.0}),
        ("| BPU0 | 95.4 | % |", {"bpu0_load_pct": 95.4}),
        ("| NPU7   5.0   % |", {"npu7_load_pct": 5.0}),
        ("| vpu_enc 55.5", {"vpu_enc_load_pct": 55.5}),
    ],
)
def test_loads(text, loads):
    line = read_line(text)
    assert line.kind is Kind.LOADS
    assert {figure.column: figure.number for figure in line.row_in(Section.IP).figures} == loads
    assert [float(text[f.start : f.end]) for f in placed(line).row_in(Section.IP).figures] == list(loads.values())


@pytest.mark.parametrize(
    "text",
    [
        "| Version 3.15 |",
        "| frame 12 |",
        "| BPU0 |95.4.1 |",
        "| BPU0 -5.0 |",
        "| BPU0 95.4 extra |",
        "BPU0 95.4",
        "| BPU0 1e5 |",
        "| BPU0 nan 5 |",
    ],
)
def test_what_only_resembles_a_load_is_unknown(text):
    line = read_line(text)
    assert [row.figures for row in line.rows] in ([], [()])
    assert [(settled.kind, settled.rows) for settled in Tables().settle([line])] == [(Kind.UNKNOWN, ())]


@pytest.mark.parametrize(
    ("text", "rates"),
    [
        ("| Read 208 |", (("ddr_read_mibps", 208, 0.0),)),
        ("| write : 7 MiB/s |", (("ddr_write_mibps", 7, 1.0),)),
        ("| READ: 123456 |", (("ddr_read_mibps", 123456, 0.0),)),
        ("| Read 1.5 GiB/s |", (("ddr_read_mibps", 1.5, 1024.0),)),
        ("| Read 208 | Write 154 |", (("ddr_read_mibps", 208, 0.0), ("ddr_write_mibps", 154, 0.0))),
        ("| Read | 208 | GiB/s | Write 1 |", (("ddr_read_mibps", 208, 1024.0), ("ddr_write_mibps", 1, 0.0))),
        ("| DDR Read (MB/s) 100 |", (("ddr_read_mibps", 100, 1e6 / MIB),)),
    ],
)
def test_rates(text, rates):
    figures = read_line(text).row_in(Section.DDR).figures
    assert tuple((f.column, f.number, f.factor) for f in figures) == rates
    figures = placed(read_line(text)).row_in(Section.DDR).figures
    assert [float(text[f.start : f.end]) for f in figures] == [number for _, number, _ in rates]


@pytest.mark.parametrize(
    ("text", "name", "sizes"),
    [
        ("| cma_reserved 1.0G 7.9M 1016.1M |", "cma_reserved", [GIB, 8283750, 1065458074]),
        ("| ion_cma 512.0M 0.0 512.0M |", "ion_cma", [512 * MIB, 0, 512 * MIB]),
        ("| custom 24 MiB 64.0 KB 23.9M |", "custom", [24 * MIB, 64 * KIB, 25060966]),
        ("| carveout | 2.0T | 1 G | 0 |", "carveout", [2 * TIB, GIB, 0]),
        ("| ion uncache: 4096 100 3996 |", "ion uncache", [4096, 100, 3996]),
        ("| 512 1.0K 0.0B 1.0KiB |", "512", [1024, 0, 1024]),
        ("| total 2.0G 9.9M 2.0G |", "total", [2 * GIB, 10380902, 2 * GIB]),
    ],
)
def test_heaps(text, name, sizes):
    heap = read_line(text).row_in(Section.ION)
    assert heap.keys == (name,)
    assert [figure.number for figure in heap.figures] == sizes
    figures = placed(read_line(text)).row_in(Section.ION).figures
    assert [parse_size(text[f.start : f.end])[0] for f in figures] == sizes


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("| 4805 gnome-initial-s 40.5M 3.9M |", (4805, "gnome-initial-s", 42467328, 4089446)),
        ("| 7 kworker/0:1 0.0 0.0 |", (7, "kworker/0:1", 0, 0)),
        ("| 512      1234       3.0M    512.0K |", (512, "1234", 3 * MIB, 512 * KIB)),
        ("| 99123 my infer  app 1.2G 64.0K", (99123, "my infer  app", 1288490189, 64 * KIB)),
        ("| 1 | a|b | 1.0K | 2.0K |", (1, "a b", 1024, 2048)),
        ("| 1 a|b 1.0K 2.0K |", (1, "a|b", 1024, 2048)),
        ("| 31 模型服务 1.0M 2.0M |", (31, "模型服务", MIB, 2 * MIB)),
        ("| 31 b\ufffdd 1.0M 2.0M |", (31, "b\ufffdd", MIB, 2 * MIB)),
        ("| 31 ION Info 1.0M 2.0M |", (31, "ION Info", MIB, 2 * MIB)),
        ("| 31 a 1.0M b 1.0M 2.0M |", (31, "a 1.0M b", MIB, 2 * MIB)),
    ],
)
def test_processes(text, row):
    found = read_line(text).row_in(Section.PROCESS)
    assert found.process == ProcessRow(*row)
    figures = placed(read_line(text)).row_in(Section.PROCESS).figures
    assert tuple(parse_size(text[f.start : f.end])[0] for f in figures) == row[2:]


@pytest.mark.parametrize(
    ("text", "section", "scale"),
    [
        ("| DDR Bandwidth |", Section.DDR, 1.0),
        ("|------ ddr bandwidth (MiB/s) ------|", Section.DDR, 1.0),
        ("| DDR BandWidth [GB/s] |", Section.DDR, 1e9 / MIB),
        ("| *** ION Info *** |", Section.ION, 1.0),
        ("| ion memory info (total 2) |", Section.ION, 1.0),
        ("║ Process Mem Info ║", Section.PROCESS, 1.0),
    ],
)
def test_titles(text, section, scale):
    line = read_line(text)
    assert (line.kind, line.begins, line.scale) == (Kind.TITLE, section, scale)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", Kind.NOISE),
        ("   ", Kind.NOISE),
        ("+------+", Kind.NOISE),
        ("|======|", Kind.NOISE),
        ("╔══════╗", Kind.NOISE),
        ("| PID  Name  rss hbmem |", Kind.NOISE),
        ("[UCP]: log level = 3", Kind.NOISE),
        ("[BPU][[BPU_MONITOR]][281473592837984][INFO]BPULib version(2, 2, 14)[5ab60a9]!", Kind.NOISE),
        ("| uptime 12:30 |", Kind.UNKNOWN),
        ("Segmentation fault", Kind.UNKNOWN),
        ("x" * 5000, Kind.UNKNOWN),
    ],
)
def test_the_rest(text, kind):
    assert read_line(text).kind is kind


@given(st.integers(0, 1 << 44))
@example(1048525)
@example(1048524)
def test_a_size_printed_and_read_back_is_the_printed_figure(size):
    printed = format_printed(size)
    value, quantum = parse_size(printed)
    assert format_printed(value) == printed
    assert abs(value - size) <= quantum / 2 + 1


@given(st.integers(0, 99_999), st.sampled_from(["", "K", "M", "G"]), st.sampled_from(["", "B", "iB"]), st.booleans())
def test_any_printed_size_is_read_to_half_a_unit_of_its_last_digit(tenths, letter, tail, space):
    tail = tail if letter else ""
    number = f"{tenths // 10}.{tenths % 10}"
    scale = {"": 1, "K": KIB, "M": MIB, "G": GIB}[letter]
    value, quantum = parse_size(f"{number}{' ' if space and letter else ''}{letter}{tail}")
    assert abs(value - tenths * scale / 10) <= 0.5
    assert quantum == max(1, round(scale / 10))


@given(st.text(max_size=200))
def test_any_line_reads_as_something(text):
    line = read_line(text)
    assert line.text == text
    assert line.kind in Kind


def test_the_cache_forgets_before_it_grows_without_bound():
    for i in range(grammar._CACHE_LINES + 10):
        read_line(f"| row {i} |")
    assert len(grammar._cache) <= grammar._CACHE_LINES


ROW_NAMES = [
    "BPU0",
    "bpu",
    "vpu_enc",
    "Read",
    "WRITE",
    "carveout",
    "total",
    "512",
    "12345678901",
    "a:",
    "読",
    "|",
    "x|y",
]
ROW_FIGURES = ["95.4", "7", "100", "512.0M", "1.0G", "0.0", "64.0KiB", "208", "1234", "5.5.5", "M", "1.0B", "9" * 16]


@given(st.lists(st.sampled_from(ROW_NAMES), min_size=1, max_size=2), st.lists(st.sampled_from(ROW_FIGURES), max_size=4))
def test_what_is_read_word_by_word_is_what_the_patterns_say(names, figures):
    line = read_line(f"| {'  '.join(names + figures)} |")
    unplaced = [
        row._replace(figures=tuple(f._replace(start=-1, end=-1) for f in row.figures)) for row in placed(line).rows
    ]
    assert [
        row._replace(figures=tuple(f._replace(start=-1, end=-1) for f in row.figures)) for row in line.rows
    ] == unplaced
