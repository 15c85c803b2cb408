"""Screens that nobody attested: each layout draws a refresh and says what its figures are.

The figures are drawn first and printed then; the truth is what was printed, by arithmetic of its own.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

MIB = 1 << 20
WIDTH = 58


@dataclass
class Figures:
    """What a refresh shows: loads in percent, bandwidth in MiB/s, heaps in tenths of MiB (total, used, free)."""

    bpu: float
    dsp: float
    read: int
    write: int
    heaps: dict[str, tuple[int, int, int]]

    @classmethod
    def drawn(cls, dice: random.Random) -> Figures:
        heaps = {}
        for name, total in (("carveout", 7680), ("ion_cma", 5120)):
            used = dice.randint(101, 4000)
            heaps[name] = total, used, total - used
        loads = [dice.randint(1, 999) / 10 for _ in range(2)]
        return cls(*loads, dice.randint(1000, 19000), dice.randint(900, 9000), heaps)

    @property
    def loads(self) -> list[tuple[str, float]]:
        return [("BPU0", self.bpu), ("DSP0", self.dsp)]

    def row(self, *without: str) -> dict[str, float]:
        """The row of run.csv; ``without`` are parts of the names of columns that the layout does not show."""
        row: dict[str, float] = {"bpu0_load_pct": self.bpu, "dsp0_load_pct": self.dsp}
        row |= {"ddr_read_mibps": self.read, "ddr_write_mibps": self.write}
        for name, sizes in self.heaps.items():
            for kind, tenths in zip(("total", "used", "free"), sizes, strict=True):
                row[f"{name}_{kind}_bytes"] = in_bytes(tenths)
        return {column: value for column, value in row.items() if not any(part in column for part in without)}


def in_bytes(tenths: int) -> int:
    return round(tenths * MIB / 10)


def m(tenths: int) -> str:
    return f"{tenths / 10:.1f}M"


def n(tenths: int) -> str:
    return f"{tenths / 10:.1f}"


def boxed(*rows: str) -> list[str]:
    return [f"| {row}".ljust(WIDTH) + "|" for row in rows]


def loads(f: Figures) -> list[str]:
    return boxed(*(f"{name:<12}{load}" for name, load in f.loads))


def ddr(f: Figures) -> list[str]:
    return boxed("DDR Bandwidth (MiB/s)", f"Read      {f.read}", f"Write     {f.write}")


def ion(f: Figures) -> list[str]:
    return boxed("ION Info", *(f"{name:14} {m(t)} {m(u)} {m(v)}" for name, (t, u, v) in f.heaps.items()))


Layout = Callable[[Figures], "tuple[list[str], dict[str, float]]"]
LAYOUTS: dict[str, Layout] = {}
PROCESSES: dict[str, list[tuple[int, str, int, int]]] = {}
"""The processes that a layout shows in each refresh."""


def layout(draw: Layout) -> Layout:
    LAYOUTS[draw.__name__] = draw
    return draw


def heads(f: Figures, title: str, header: str, row: Callable[[str, int, int, int], str]) -> list[str]:
    """Loads, bandwidth, and heaps under a title and a header."""
    rows = [title, header] if header else [title]
    return loads(f) + ddr(f) + boxed(*rows, *(row(name, *sizes) for name, sizes in f.heaps.items()))


@layout
def attested(f):
    return loads(f) + ddr(f) + ion(f), f.row()


@layout
def free_first(f):
    return heads(f, "ION Info", "Heap   Free  Used  Total", lambda h, t, u, v: f"{h:14} {m(v)} {m(u)} {m(t)}"), f.row()


@layout
def peak_column(f):
    drawn = heads(
        f, "ION Info", "Heap  Total  Used  Free  Peak", lambda h, t, u, v: f"{h} {m(t)} {m(u)} {m(v)} {m(u + 100)}"
    )
    return drawn, f.row() | {f"{h}_peak_bytes": in_bytes(u + 100) for h, (_, u, _) in f.heaps.items()}


@layout
def peak_without_header(f):
    return heads(f, "ION Info", "", lambda h, t, u, v: f"{h:14} {m(t)} {m(u)} {m(v)} {m(u + 17)}"), f.row()


@layout
def unit_in_title(f):
    return heads(f, "ION Info (MB)", "Heap Total Used Free", lambda h, t, u, v: f"{h} {n(t)} {n(u)} {n(v)}"), f.row()


@layout
def unit_in_title_alone(f):
    return heads(f, "ION Memory Info [MiB]", "", lambda h, t, u, v: f"{h} {n(t)} {n(u)} {n(v)}"), f.row()


@layout
def unit_nowhere(f):
    return heads(f, "ION Info", "", lambda h, t, u, v: f"{h} {n(t)} {n(u)} {n(v)}"), f.row("bytes")


@layout
def unit_in_header(f):
    row = f.row("bytes")
    for heap, sizes in f.heaps.items():
        for kind, tenths in zip(("total", "used", "free"), sizes, strict=True):
            row[f"{heap}_{kind}_bytes"] = in_bytes(tenths) // 1024 * 1024
    k = {size: in_bytes(size) // 1024 for sizes in f.heaps.values() for size in sizes}
    header = "Heap   Total(KB)   Used(KB)   Free(KB)"
    return heads(f, "ION Info", header, lambda h, t, u, v: f"{h}  {k[t]}  {k[u]}  {k[v]}"), row


@layout
def plain_bytes(f):
    b = in_bytes
    return heads(f, "ION Info", "heap total used free", lambda h, t, u, v: f"{h} {b(t)} {b(u)} {b(v)}"), f.row()


@layout
def thousands(f):
    b = in_bytes
    heaps = heads(f, "ION Info (bytes)", "", lambda h, t, u, v: f"{h} {b(t):,} {b(u):,} {b(v):,}")[5:]
    return loads(f) + boxed("DDR Bandwidth (MiB/s)", f"Read {f.read:,}", f"Write {f.write:,}") + heaps, f.row()


@layout
def free_used_total_without_header(f):
    drawn = heads(f, "ION Info", "", lambda h, t, u, v: f"{h:14} {m(v)} {m(u)} {m(t)}")
    return drawn, f.row("used_bytes", "free_bytes")


@layout
def used_of_total(f):
    return heads(f, "ION Info", "Heap   Used/Total", lambda h, t, u, v: f"{h} {m(u)}/{m(t)}"), f.row("free_bytes")


@layout
def used_of_total_without_header(f):
    return heads(f, "ION Info", "", lambda h, t, u, v: f"{h} {m(u)} / {m(t)}"), f.row("free_bytes")


@layout
def percent_of_heap(f):
    header = "Heap      Size    Used    Avail   Use%"
    return heads(f, "ION Info", header, lambda h, t, u, v: f"{h} {m(t)} {m(u)} {m(v)} {100 * u // t}%"), f.row()


@layout
def unknown_column(f):
    header = "Heap      Total   Frag    Used    Free"
    return heads(f, "ION Info", header, lambda h, t, u, v: f"{h} {m(t)} 12 {m(u)} {m(v)}"), f.row()


@layout
def chinese_header(f):
    header = "名称     已用(MB)   空闲(MB)    总量(MB)"
    return heads(f, "ION Info", header, lambda h, t, u, v: f"{h} {n(u)}  {n(v)}  {n(t)}"), f.row()


@layout
def average_and_maximum(f):
    rows = [f"{name}    {load}    20.5    99.0" for name, load in f.loads]
    more = {f"{ip}_load_{kind}_pct": value for ip in ("bpu0", "dsp0") for kind, value in (("avg", 20.5), ("max", 99.0))}
    return boxed("IP     Cur    Avg   Max", *rows) + ddr(f) + ion(f), f.row() | more


@layout
def average_and_maximum_by_word(f):
    rows = [f"{name}  cur: {load} avg: 20.5 max: 99.0" for name, load in f.loads]
    more = {f"{ip}_load_{kind}_pct": value for ip in ("bpu0", "dsp0") for kind, value in (("avg", 20.5), ("max", 99.0))}
    return boxed(*rows) + ddr(f) + ion(f), f.row() | more


@layout
def clock_and_temperature(f):
    rows = [f"{name}   {load}    1.2     45" for name, load in f.loads]
    more = {f"{ip}_{what}": value for ip in ("bpu0", "dsp0") for what, value in (("freq_mhz", 1200), ("temp_c", 45))}
    return boxed("Core   Usage(%)   Freq(GHz)   Temp(C)", *rows) + ddr(f) + ion(f), f.row() | more


@layout
def clock_and_temperature_by_unit(f):
    rows = [f"{name} {load}% @ 1000MHz 45.5C" for name, load in f.loads]
    more = {f"{ip}_{what}": value for ip in ("bpu0", "dsp0") for what, value in (("freq_mhz", 1000), ("temp_c", 45.5))}
    return boxed(*rows) + ddr(f) + ion(f), f.row() | more


@layout
def meter_in_brackets(f):
    return boxed(*(f"{name} [{'|' * int(x / 5):<20}] {x}%" for name, x in f.loads)) + ddr(f) + ion(f), f.row()


@layout
def meter_around_the_figure(f):
    return boxed(*(f"{name}[{'|' * int(x / 5):<20}{x:5}%]" for name, x in f.loads)) + ddr(f) + ion(f), f.row()


@layout
def meter_of_hashes(f):
    rows = (f"{name} {x:5}% {'#' * int(x / 5):.<20}" for name, x in f.loads)
    return boxed(*rows) + ddr(f) + ion(f), f.row()


@layout
def meter_of_blocks(f):
    rows = (f"{name} {'█' * int(x / 10):░<10} {x:5}%" for name, x in f.loads)
    return boxed(*rows) + ddr(f) + ion(f), f.row()


@layout
def busy_and_idle(f):
    return boxed(*(f"{name}: busy={x}% idle={100 - x:.1f}%" for name, x in f.loads)) + ddr(f) + ion(f), f.row()


@layout
def across(f):
    return boxed("BPU0   DSP0", f"{f.bpu}   {f.dsp}") + ddr(f) + ion(f), f.row()


@layout
def across_in_cells(f):
    rule = "+--------+--------+"
    return [rule, "| BPU0   | DSP0   |", rule, f"| {f.bpu:<6} | {f.dsp:<6} |", rule, *ddr(f), *ion(f)], f.row()


@layout
def cores_of_a_group(f):
    drawn = boxed("BPU Load (%)", f"core0   {f.bpu}", "core1   3.5", "DSP Load (%)", f"core0   {f.dsp}")
    return drawn + ddr(f) + ion(f), f.row() | {"bpu1_load_pct": 3.5}


@layout
def sub_indices(f):
    rows = [f"isp0_ch1   {f.bpu}", f"VPU_ENC   {f.dsp}", "JPU.dec  1.5", "GDC0-1  2.5"]
    named = {"isp0_ch1": f.bpu, "vpu_enc": f.dsp, "jpu.dec": 1.5, "gdc0-1": 2.5}
    return boxed(*rows) + ddr(f) + ion(f), f.row("load") | {f"{ip}_load_pct": load for ip, load in named.items()}


@layout
def bandwidth_on_its_title(f):
    return loads(f) + boxed(f"DDR Bandwidth  Read {f.read}  Write {f.write}  MiB/s") + ion(f), f.row()


@layout
def bandwidth_in_one_row(f):
    both = f.read + f.write
    drawn = loads(f) + boxed("DDR Bandwidth (MiB/s)", "Read   Write   Total", f"{f.read}   {f.write}   {both}") + ion(f)
    return drawn, f.row() | {"ddr_total_mibps": both}


@layout
def bandwidth_and_its_total(f):
    both = f.read + f.write
    drawn = loads(f) + boxed("DDR Bandwidth (MiB/s)", f"Read {f.read}", f"Write {f.write}", f"Total {both}") + ion(f)
    return drawn, f.row() | {"ddr_total_mibps": both}


@layout
def bandwidth_of_ports(f):
    rows = ["Port   Read   Write", "cpu    1000   500", f"bpu    {f.read}   {f.write}"]
    ports = {"cpu_read": 1000, "cpu_write": 500, "bpu_read": f.read, "bpu_write": f.write}
    drawn = loads(f) + boxed("DDR Bandwidth (MiB/s)", *rows) + ion(f)
    return drawn, f.row("ddr") | {f"ddr_{port}_mibps": value for port, value in ports.items()}


@layout
def side_by_side(f):
    left = [f"{name}   {load}" for name, load in f.loads]
    left += ["DDR Bandwidth (MiB/s)", f"Read   {f.read}", f"Write   {f.write}"]
    right = ["ION Info", "heap   total   used   free"]
    right += [f"{name}  {m(t)} {m(u)} {m(v)}" for name, (t, u, v) in f.heaps.items()]
    rows = zip(left, [*right, ""], strict=True)
    return [f"|{one:28}|{other:46}|" for one, other in rows], f.row()


@layout
def without_borders(f):
    return [row.strip("| ") for row in loads(f) + ddr(f) + ion(f)], f.row()


@layout
def version_and_clock(f):
    return ["hrt_ucp_monitor 3.15.3    2026-12-04 10:00:00", *loads(f), *ddr(f), *ion(f)], f.row()


@layout
def more_columns_of_processes(f):
    rows = [
        "Process Mem Info",
        "PID    USER    CPU%   NAME            RSS      HBMEM",
        "4711   root    98.5   hrt_model_exec  120.0M   290.0M",
        "815    sunrise 3.0    my app          64.0M    0.0",
    ]
    return loads(f) + ddr(f) + ion(f) + boxed(*rows), f.row()


PROCESSES["more_columns_of_processes"] = [
    (4711, "hrt_model_exec", 120 * MIB, 290 * MIB),
    (815, "my app", 64 * MIB, 0),
]


@layout
def processes_in_another_order(f):
    rows = [
        "Process Mem Info (KB)",
        "Name             PID     HBMEM     RSS",
        "hrt_model_exec   4711    290000    120000",
        "my app           815     0         64000",
    ]
    return loads(f) + ddr(f) + ion(f) + boxed(*rows), f.row()


PROCESSES["processes_in_another_order"] = [
    (4711, "hrt_model_exec", 120000 * 1024, 290000 * 1024),
    (815, "my app", 64000 * 1024, 0),
]
