"""ION debug dumps: every layout gives exact records, and no text gives a figure that it does not hold."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.paths import ROOT

from ucpmon.heaps import Allocation, Client, HeapRow, parse_heaps, rows, shares, to_json
from ucpmon.heaps.dump_file import decode

FIXTURES = ROOT / "fixtures" / "heaps"
DUMPS = sorted(FIXTURES.glob("*.txt"))
S100 = (FIXTURES / "dump--all-s100.txt").read_text()
OLD = (FIXTURES / "dump--carveout-old-kernel.txt").read_text()

HEADER = """\
the heap id is 2
        carveout  heap total size        536870912
       heap name           client              pid             size
"""
BUFFERS_HEADER = """\
allocations (info is from last known client):
          client              pid             tgid             type             size         kmap_cnt            \
label          shareid            paddr
"""
TOTALS = """\
  total orphaned                0
          total          88014848
"""


def truth(path):
    return json.loads(path.with_suffix(".json").read_text())


def only_heap(text, source=""):
    (heap,) = parse_heaps(text, source).heaps
    return heap


def test_there_are_fixtures():
    assert len(DUMPS) >= 5


@pytest.mark.parametrize("path", DUMPS, ids=lambda p: p.stem)
def test_every_dump_gives_exactly_its_truth(path):
    dump = parse_heaps(decode(path.read_bytes()))
    assert to_json(dump) == truth(path)
    assert dump.problems == ()


def without_rules(text):
    return "".join(line for line in text.splitlines(True) if not re.fullmatch(r"-+\n", line))


def without_headers(text):
    return "".join(line for line in text.splitlines(True) if not re.match(r" +(heap name +)?client ", line))


def coloured(text):
    return "\x1b[?2004l\x1b]0;root@board\x07" + re.sub(r"(\d+)", "\x1b[1;32m\\1\x1b[0m", text)


def squeezed(text):
    return "\n".join(" ".join(line.split()) for line in text.split("\n"))


def with_prompts(text):
    return (
        f"Welcome to Ubuntu 22.04.4 LTS\nroot@ubuntu:~# cat /sys/kernel/debug/ion/heaps/all_heap_info\n{text}"
        "root@ubuntu:~# exit\nlogout\n"
    )


@pytest.mark.parametrize(
    "change",
    [
        without_rules,
        without_headers,
        lambda text: without_rules(without_headers(text)),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r\r\n"),
        coloured,
        squeezed,
        with_prompts,
        lambda text: text + "\n\n",
        lambda text: text.rstrip("\n"),
        lambda text: re.sub(r"^(?=-)", "[  12.5] hbm: 3 buffers, 4096 bytes freed\n", text, flags=re.M),
    ],
)
def test_what_stands_around_the_rows_changes_nothing(change):
    assert to_json(parse_heaps(change(S100))) == truth(FIXTURES / "dump--all-s100.txt")


def test_dumps_one_after_the_other_stay_apart():
    """The same heap twice is two moments, not one heap with everything doubled."""
    names = [h.heap for h in parse_heaps(S100 + OLD + S100).heaps]
    assert names == ["cma_reserved", "carveout", "carveout", "cma_reserved", "carveout"]


@pytest.mark.parametrize(
    "name", ["12345", "my app: v2", "a b c", "kworker/0:1H", "[kthread]", "total", "client", "1 2 3", "模型", "x,y|z"]
)
def test_a_name_is_kept_as_printed(name):
    text = HEADER + f"{'carveout':>16} {name:>16} {54851:>16} {88014848:>16}\n" + TOTALS
    assert only_heap(text).clients == (Client(name, 54851, 88014848),)
    old = f"{'client':>16} {'pid':>16} {'size':>16}\n{name:>16} {54851:>16} {88014848:>16}\n" + TOTALS
    assert only_heap(old).clients == (Client(name, 54851, 88014848),)


@pytest.mark.parametrize(
    "label", ["no-label", "my weights", "w 0 1 ff", "7", "", "a label that is longer than its column"]
)
@pytest.mark.parametrize("orphaned", [False, True])
def test_a_label_with_spaces_moves_no_column(label, orphaned):
    row = f"{'run: 2 b':>16} {54853:>16} {54851:>16} {'hbm':>16} {66846720:>16} {0:>16} {label:>16} {31:>16} "
    text = HEADER + BUFFERS_HEADER + row + f"{'440c80000':>16}" + (" orphaned" if orphaned else "") + "\n"
    assert only_heap(text).allocations == (Allocation("run: 2 b", 54853, 54851, "hbm", 66846720, orphaned),)


def test_five_columns_of_older_kernels():
    text = (
        "allocations (info is from last known client):\n"
        "          client              pid             tgid             type             size\n"
        "         python3            54853            54851              hbm         66846720\n"
        "           old 1             4805             4805            other          4128768 orphaned\n"
        "  total orphaned          4128768\n          total          70975488\n"
    )
    heap = only_heap(text)
    assert heap.allocations == (
        Allocation("python3", 54853, 54851, "hbm", 66846720, False),
        Allocation("old 1", 4805, 4805, "other", 4128768, True),
    )
    assert (heap.heap, heap.total_bytes, heap.allocated_bytes, heap.orphaned_bytes) == (None, None, 70975488, 4128768)


def test_rows_that_grep_left():
    text = (
        "         ion_cma     sample_hbmem           144826          4194304\n"
        "    sample_hbmem           144826           144826            other          4194304                0"
        "          no-label               22       41c0000000\n"
        "        carveout          python3            54851         88014848\n"
    )
    first, second = parse_heaps(text).heaps
    assert (first.heap, first.clients) == ("ion_cma", (Client("sample_hbmem", 144826, 4194304),))
    assert first.allocations == (Allocation("sample_hbmem", 144826, 144826, "other", 4194304, False),)
    assert (second.heap, second.clients, second.allocations) == (
        "carveout", (Client("python3", 54851, 88014848),), ()
    )  # fmt: skip


@pytest.mark.parametrize(
    ("before", "source", "name"),
    [
        ("# cat /sys/kernel/debug/ion/heaps/ion_uncache\n", "", "ion_uncache"),
        ("root@b:/sys/kernel/debug/ion/heaps# cat ion_uncache\n", "", "ion_uncache"),
        ("==> /sys/kernel/debug/ion/heaps/ion_uncache <==\n", "", "ion_uncache"),
        ("$ sudo sh -c 'cat /sys/kernel/debug/ion/heaps/ion_uncache'\n", "", "ion_uncache"),
        ("", "/sys/kernel/debug/ion/heaps/ion_uncache", "ion_uncache"),
        ("", "C:\\logs\\heaps\\ion_uncache", "ion_uncache"),
        ("", "/tmp/ion_uncache.txt", None),
        ("", "/sys/kernel/debug/ion/heaps/all_heap_info", None),
        ("# cat /sys/kernel/debug/ion/heaps/all_heap_info\n", "", None),
        ("cat: /sys/kernel/debug/ion/heaps/ion_uncache: Permission denied\n", "", None),
    ],
)
def test_a_heap_that_does_not_name_itself_is_named_by_its_path(before, source, name):
    old = OLD.split("\n", 1)[1]
    assert only_heap(before + old, source).heap == name


def test_several_files_of_one_command_are_named_in_turn():
    old = OLD.split("\n", 1)[1]
    text = f"root@b:/sys/kernel/debug/ion/heaps# cat custom ion_cma\n{old}{old}"
    assert [h.heap for h in parse_heaps(text).heaps] == ["custom", "ion_cma"]


def test_lines_that_grep_prefixed_with_their_file():
    """As of ``grep "" heaps/*``: the prefix names the heap, and parts the files."""
    old = OLD.split("\n", 1)[1].splitlines()
    text = "".join(f"/sys/kernel/debug/ion/heaps/{name}:{line}\n" for name in ("custom", "ion_cma") for line in old)
    found = parse_heaps(text)
    assert [(h.heap, h.allocated_bytes, len(h.clients)) for h in found.heaps] == [
        ("custom", 335085568, 2), ("ion_cma", 335085568, 2),
    ]  # fmt: skip
    assert found.unknown == ()


def test_the_files_own_name_beats_its_path():
    assert [h.heap for h in parse_heaps(S100, "/d/ion/heaps/custom").heaps] == ["cma_reserved", "carveout"]


def test_a_client_file_without_its_name():
    text = "       heap_name:    size_in_bytes\n        carveout:           1f0000\n          total            1f0000\n"
    assert only_heap(text).clients == (Client(None, None, 0x1F0000),)
    assert only_heap(text, "/sys/kernel/debug/ion/clients/4798-0").clients == (Client("4798-0", 4798, 0x1F0000),)


def test_a_client_file_whose_total_disagrees():
    text = "heap_name: size_in_bytes\ncarveout: 1000\ntotal 2000\n"
    assert parse_heaps(text).problems == (
        "client (unnamed): its buffers add up to 4,096 bytes, its “total” says 8,192",
    )


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("         112656384\n", "         112656385\n", ["buffers listed", "clients and orphans"]),
        ("  total orphaned          4128768", "  total orphaned          4128769", ["orphans listed", "clients and"]),
        ("         88014848\n---", "         88014849\n---", ["clients and orphans add up to 112,656,385"]),
        ("total size        536870912", "total size           536870", ["allocated in a heap of 536,870"]),
        ("54853", "54853", []),
    ],
)  # fmt: skip
def test_sums_that_do_not_add_up_are_reported(old, new, words):
    problems = parse_heaps(S100.replace(old, new)).problems
    assert len(problems) == len(words)
    for problem, word in zip(problems, words, strict=True):
        assert problem.startswith("carveout: ") and word in problem


def test_free_is_total_less_allocated_or_unknown():
    heap = parse_heaps(S100).heaps[1]
    assert heap.free_bytes == 536870912 - 112656384
    assert only_heap(OLD).free_bytes is None
    assert parse_heaps(S100.replace("536870912", "536870")).heaps[1].free_bytes is None


def test_rows_are_those_of_run_heaps_csv():
    assert list(rows(parse_heaps(OLD))) == [
        HeapRow("carveout", "allocated", "", None, 335085568),
        HeapRow("carveout", "orphaned", "", None, 0),
        HeapRow("carveout", "client", "modprobe", 501, 20512768),
        HeapRow("carveout", "client", "my app: v2", 31007, 314572800),
    ]


def test_shares_group_threads_by_process_and_set_drivers_apart():
    found = [(s.kind, s.process, s.pid, s.heap, s.bytes, dict(s.types)) for s in shares(parse_heaps(S100))]
    assert found == [
        ("process", "hrt_model_exec", 9120, "carveout", 88014848, {"hbm": 66846720, "bpu0": 21168128}),
        ("process", "camera_app", 7731, "cma_reserved", 6422528, {"isp_yuv": 6422528}),
        ("drivers", "modprobe", 541, "cma_reserved", 50069504, {"ispstat": 46923776, "vpu": 3145728}),
        ("drivers", "modprobe", 499, "carveout", 20512768, {"bpu0": 20512768}),
        ("orphaned", "gnome-initial-s", 4811, "carveout", 4128768, {"other": 4128768}),
    ]


def test_a_processs_heaps_stand_together():
    text = S100.replace("      camera_app             7731", "  hrt_model_exec             9120")
    found = [(s.process, s.heap, s.bytes) for s in shares(parse_heaps(text)) if s.kind == "process"]
    assert found == [
        ("hrt_model_exec", "carveout", 88014848),
        ("hrt_model_exec", "cma_reserved", 6422528),
        ("camera_app", "cma_reserved", 6422528),
    ]


def test_a_reused_process_id_is_not_the_same_process():
    text = S100.replace(
        "  hrt_model_exec             9125             9120", "      camera_app             9125             9120"
    )
    carveout = [(s.process, s.bytes, dict(s.types)) for s in shares(parse_heaps(text)) if s.heap == "carveout"]
    assert carveout[:2] == [
        ("camera_app", 88014848, {"hbm": 66846720, "bpu0": 21168128}),
        ("hrt_model_exec", 88014848, {}),
    ]


def test_a_thread_id_alone_finds_its_process_by_a_name_that_only_one_has():
    (share, *_) = shares(parse_heaps((FIXTURES / "dump--x5-layout.txt").read_text()))
    assert (share.process, share.pid, share.bytes, dict(share.types)) == ("python3", 7485, 17039360, {"bpu": 17039360})


@pytest.mark.parametrize(
    "text",
    [
        "", "\n", "total 48\n-rw-r--r-- 1 root root 501 Dec 1 05:41 a 12 34\n", "client pid size\n",
        "|  BPU0  95.4  |\n",
        "allocations (see below)\n", "x 1 2\ny 3 4\n",
        "order 4 pages 12 34\n", "heap total size\n", "the heap id is\n",
    ],
)  # fmt: skip
def test_other_texts_have_no_heap_and_lose_no_line(text):
    dump = parse_heaps(text)
    assert dump.heaps == ()
    assert dump.understood + dump.noise + len(dump.unknown) >= text.count("\n")


def test_lines_that_are_not_understood_are_listed():
    dump = parse_heaps(OLD + "Free pool:\n  0 times depleted\n")
    assert dump.unknown == ("Free pool:", "  0 times depleted")
    assert to_json(dump) == truth(FIXTURES / "dump--carveout-old-kernel.txt")


def test_a_figure_beyond_63_bits_is_no_figure():
    assert only_heap(HEADER + "        carveout          python3            54851 9223372036854775808\n").clients == ()


def records(dump):
    return [
        [(h.heap, h.heap_id, h.total_bytes, h.allocated_bytes, h.orphaned_bytes), h.clients, h.allocations]
        for h in dump.heaps
    ]


@pytest.mark.parametrize("path", DUMPS, ids=lambda p: p.stem)
def test_a_text_cut_anywhere_gives_whole_figures_or_none(path):
    text = path.read_text()
    whole = records(parse_heaps(text))
    for end in range(len(text)):
        for (figures, clients, buffers), expected in zip(records(parse_heaps(text[:end])), whole, strict=False):
            assert all(f in (None, e) for f, e in zip(figures, expected[0], strict=True)), text[:end][-80:]
            if path.stem.startswith("dump"):
                assert clients == expected[1][: len(clients)], text[:end][-80:]
            assert buffers == expected[2][: len(buffers)], text[:end][-80:]


def test_a_text_cut_at_its_start_gives_whole_figures_or_none():
    whole = parse_heaps(S100)
    clients = {c for h in whole.heaps for c in h.clients}
    buffers = {a for h in whole.heaps for a in h.allocations}
    for start in re.finditer("\n", S100):
        for heap in parse_heaps(S100[start.end() :]).heaps:
            assert set(heap.clients) <= clients and set(heap.allocations) <= buffers


NAME = st.text(st.sampled_from("ab7 :/._-[]%模"), min_size=1, max_size=12).map(str.strip).filter(bool)
BYTES = st.integers(0, 2**40)
PID = st.integers(1, 2**22)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(NAME, PID, BYTES), max_size=4),
    st.lists(
        st.tuples(NAME, PID, PID, st.sampled_from(["hbm", "bpu0", "gdc"]), BYTES, NAME, st.booleans()), max_size=4
    ),
    BYTES,
    BYTES,
)
def test_any_heap_printed_as_the_kernel_does_is_read_back(clients, buffers, orphaned, allocated):
    text = HEADER + "".join(f"{'carveout':>16} {n:>16} {p:>16} {b:>16}\n" for n, p, b in clients) + BUFFERS_HEADER
    for name, pid, tgid, kind, size, label, lost in buffers:
        text += f"{name:>16} {pid:>16} {tgid:>16} {kind:>16} {size:>16} {0:>16} {label:>16} {3:>16} {'440c80000':>16}"
        text += " orphaned\n" if lost else "\n"
    text += f"{'total orphaned':>16} {orphaned:>16}\n{'total ':>16} {allocated:>16}\n"
    heap = only_heap(text)
    assert heap.clients == tuple(Client(*c) for c in clients)
    assert heap.allocations == tuple(Allocation(n, p, t, k, b, o) for n, p, t, k, b, _, o in buffers)
    assert (heap.total_bytes, heap.orphaned_bytes, heap.allocated_bytes) == (536870912, orphaned, allocated)


def figures_of(dump):
    for heap in dump.heaps:
        yield from (heap.heap_id, heap.total_bytes, heap.allocated_bytes, heap.orphaned_bytes)
        for client in heap.clients:
            yield from (client.bytes, client.pid)
        for buffer in heap.allocations:
            yield from (buffer.bytes, buffer.pid, buffer.tgid)


WORDS = st.sampled_from(
    ["carveout", "heap total size", "the heap id is", "client", "pid", "size", "tgid", "type", "total",
     "total orphaned", "allocations", "orphaned", "orphaned allocations", "12", "0", "4096", "ff", "-", ":",
     "\n", "\n", "\r", "\t", "\x1b[0m", "heap_name:", "size_in_bytes", "ion/heaps/custom", "modprobe", "hbm",
     "no-label", "99999999999999999999"]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(), st.lists(WORDS, max_size=60).map(" ".join)))
def test_any_text_gives_only_figures_that_stand_in_it(text):
    dump = parse_heaps(text)
    if "size_in_bytes" in text:
        return
    words = {int(w) for w in re.findall(r"[0-9]+", re.sub("\x1b\\[0m", "", text))}
    assert {f for f in figures_of(dump) if f is not None} <= words


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_are_a_text(data):
    parse_heaps(decode(data))


def test_a_line_of_a_megabyte_takes_no_time():
    assert parse_heaps(HEADER + "1 " * 500_000 + "\n").heaps[0].clients == ()
