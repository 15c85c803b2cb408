"""Screens typed by hand → figures: sections, absence, cuts, and what is counted as not understood."""

import math

from support.streams import block, one, text_samples

from ucpmon.metrics import GIB, MIB


def test_a_whole_screen():
    found = one(block("95.4", "15920", "64.0K", "511.9M", ["4805 app 40.5M 3.9M"]))
    assert found.values == {
        "bpu0_load_pct": 95.4,
        "ddr_read_mibps": 15920,
        "ddr_write_mibps": 17,
        "carveout_total_bytes": 536870912,
        "carveout_used_bytes": 65536,
        "carveout_free_bytes": 536766054,
    }
    assert found.processes == ((4805, "app", 42467328, 4089446),)
    assert found.quanta == {
        "carveout_total_bytes": 104858,
        "carveout_used_bytes": 102,
        "carveout_free_bytes": 104858,
    }
    assert (found.cut, found.unknown) == (False, [])


def test_what_is_not_printed_is_no_key():
    found = one("| BPU0 5.0 |\n| ION Info |\n| custom 24.0M 0.0 24.0M |\n| Process Mem Info |\n")
    assert "ddr_read_mibps" not in found.values
    assert set(found.values) == {"bpu0_load_pct"} | {f"custom_{k}_bytes" for k in ("total", "used", "free")}
    assert not any(math.isnan(v) for v in found.values.values())


def test_a_total_row_is_no_heap_and_is_understood():
    found = one("| BPU0 5.0 |\n| ION Info |\n| b 1.0G 0.0 1.0G |\n| Total 1.0G 0.0 1.0G |\n| Process Mem Info |\n")
    assert set(found.values) == {"bpu0_load_pct", "b_total_bytes", "b_used_bytes", "b_free_bytes"}
    assert found.unknown == []


def test_the_unit_of_a_title_holds_for_rows_that_print_none():
    text = "| BPU0 1 |\n| DDR Bandwidth (GiB/s) |\n| Read 1.5 |\n| Write 100 MiB/s |\n| Process Mem Info |\n"
    assert one(text).values == {"bpu0_load_pct": 1.0, "ddr_read_mibps": 1536.0, "ddr_write_mibps": 100}


def test_a_heap_may_be_larger_than_memory_or_empty():
    text = "| BPU0 1 |\n| ION Info |\n| ion_cma 0.0 0.0 0.0 |\n| window 64.0T 0.0 64.0T |\n| Process Mem Info |\n"
    found = one(text)
    assert found.values["ion_cma_total_bytes"] == 0
    assert found.values["window_total_bytes"] == 64 * 1024 * GIB


def test_a_row_outside_its_section_is_unknown():
    found = one("| BPU0 1 |\n| Read 5 |\n| ION Info |\n| carveout 1.0M 0.0 1.0M |\n| Read 7 |\n| Process Mem Info |\n")
    assert found.unknown == ["| Read 5 |", "| Read 7 |"]


def test_digits_only_names_are_told_apart_by_section():
    found = one("| BPU0 1 |\n| ION Info |\n| 77 88M 44.0M 44.0M |\n| Process Mem Info |\n| 77 88 1.0M 1.0M |\n")
    assert found.values["77_total_bytes"] == 88 * MIB
    assert found.processes == ((77, "88", MIB, MIB),)


def test_sizes_that_cross_a_unit_keep_their_own_resolution():
    texts = [block(used=u, free=f) for u, f in (("1023.9M", "1.0G"), ("1.0G", "1023.9M"))]
    found, _ = text_samples("".join(texts))
    assert [s.values["carveout_used_bytes"] for s in found] == [1073636966, GIB]
    assert [s.quanta["carveout_used_bytes"] for s in found] == [104858, 107374182]


def test_ips_and_heaps_come_and_go():
    texts = [
        "| BPU0 1 |\n| BPU1 2 |\n| ION Info |\n| a 1.0M 0.0 1.0M |\n| Process Mem Info |\n",
        "| BPU1 3 |\n| ION Info |\n| b 1.0M 0.0 1.0M |\n| a 1.0M 0.0 1.0M |\n| Process Mem Info |\n",
        "| BPU0 4 |\n| GDC0 5 |\n| ION Info |\n| b 1.0M 0.0 1.0M |\n| Process Mem Info |\n",
    ]
    found, _ = text_samples("".join(texts))
    loads = [{k: v for k, v in s.values.items() if k.endswith("pct")} for s in found]
    assert loads == [
        {"bpu0_load_pct": 1.0, "bpu1_load_pct": 2.0},
        {"bpu1_load_pct": 3.0},
        {"bpu0_load_pct": 4.0, "gdc0_load_pct": 5.0},
    ]
    assert ["a_used_bytes" in s.values for s in found] == [True, True, False]


def test_unknown_lines_are_counted_and_kept():
    found, pipeline = text_samples("| fan 1200 rpm |\n" + block() + "what 5\n" + block())
    assert len(found) == 2
    assert pipeline.counts.unknown == 2
    assert pipeline.counts.examples == ["| fan 1200 rpm |", "what 5"]
    assert pipeline.counts.noise == 8
