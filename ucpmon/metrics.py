"""The registry of metrics, and text ↔ number for sizes, percents and rates.

A metric is a column of run.csv. Its name is the printed name in lower case and its unit:
``bpu0_load_pct``, ``ddr_read_mibps``, ``carveout_used_bytes``. Everything that plots, reports or
exports asks here for the label and the unit, so that they are written once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from ucpmon.errors import UcpmonError

KIB, MIB, GIB, TIB = 1 << 10, 1 << 20, 1 << 30, 1 << 40
# From here on one decimal rounds up to 1024.0 of the unit below: such a size is 1.0 of this one.
_ROUNDS_UP = 1023.95 / 1024
SCALE = {"": 1, "K": KIB, "M": MIB, "G": GIB, "T": TIB}
DECIMALS = r"(?:\.\d{1,6})?"
# One figure, a space at the most, and a unit that is spelled out or absent: `1.0G`, `512 MiB`, `0.0`.
SIZE = rf"(\d{{1,15}}{DECIMALS}) ?(?:([KMGT])(?:i?B)?|(B))?"
_SIZE = re.compile(SIZE, re.IGNORECASE)

RATE_UNITS = {
    "kib/s": 1 / 1024, "mib/s": 1.0, "gib/s": 1024.0,
    "kb/s": 1e3 / MIB, "mb/s": 1e6 / MIB, "gb/s": 1e9 / MIB,
    "b/s": 1 / MIB,
}  # fmt: skip
"""Mebibytes per second of one of each unit; ``MB`` is 10⁶ bytes, ``MiB`` is 2²⁰."""


@dataclass(frozen=True)
class Metric:
    """One column of a run.

    ``kind`` is one of ``KINDS``, such as ``load``, ``rate`` or ``used``; ``subject`` is what is measured (``bpu0``,
    ``carveout``, ``ddr_read``); ``unit`` is ``%``, ``MiB/s``, ``bytes``, ``MHz`` or ``°C``; ``label`` is for people.
    """

    column: str
    kind: str
    subject: str
    unit: str
    label: str


KINDS = (
    ("_load_pct", "load", "%", "{} load"),
    ("_load_avg_pct", "load_avg", "%", "{} load, average"),
    ("_load_max_pct", "load_max", "%", "{} load, maximum"),
    ("_freq_mhz", "freq", "MHz", "{} clock"),
    ("_temp_c", "temp", "°C", "{} temperature"),
    ("_mibps", "rate", "MiB/s", "{}"),
    ("_total_bytes", "total", "bytes", "{} total"),
    ("_used_bytes", "used", "bytes", "{} used"),
    ("_free_bytes", "free", "bytes", "{} free"),
    ("_peak_bytes", "peak", "bytes", "{} peak"),
    ("_rss_bytes", "rss", "bytes", "{} rss"),
    ("_hbmem_bytes", "hbmem", "bytes", "{} hbmem"),
)
"""The kinds of metric: the end of the column's name, the kind, its unit, and its label around the subject."""

MONITORED_IPS = ("bpu", "dsp", "gdc", "stitch", "pym", "isp", "jpu", "vpu")
"""The hardware blocks that the monitor can be told to watch, by the names it knows them by."""
IP_NAMES = (*MONITORED_IPS, "cpu", "gpu", "vin", "vse", "ynr", "cim")
"""Those and their neighbours on the chip, which it may show too."""
_IP = re.compile(rf"(?:{'|'.join(IP_NAMES)})\d*")


@lru_cache(maxsize=4096)
def metric(column: str) -> Metric | None:
    """The metric of a run.csv column; ``None`` for a column that is none (``screen``, ``time``…)."""
    for suffix, kind, unit, label in KINDS:
        subject = column.removesuffix(suffix)
        if subject and subject != column:
            return Metric(column, kind, subject, unit, label.format(_spoken(kind, subject)))
    return None


def label_of(column: str) -> str:
    """A column's label; its name where it is no metric."""
    found = metric(column)
    return found.label if found else column


def subject_of(column: str) -> str:
    """What a column measures, as a person calls it where its kind is known: ``BPU0``, ``read``, ``carveout``."""
    found = metric(column)
    return _spoken(found.kind, found.subject).removeprefix("DDR ") if found else column


def _spoken(kind: str, subject: str) -> str:
    if kind == "rate":
        source, _, direction = subject.rpartition("ddr_")
        return f"DDR {direction.replace('_', ' ')}" + (f" ({source}ddr)" if source else "")
    return subject.upper() if _IP.fullmatch(subject) else subject


def load_column(name: str) -> str:
    return f"{name.lower()}_load_pct"


def heap_columns(name: str) -> tuple[str, str, str]:
    """The columns of a heap's total, used and free bytes."""
    low = name.lower()
    return f"{low}_total_bytes", f"{low}_used_bytes", f"{low}_free_bytes"


def peak_column(name: str) -> str:
    """The column of the most that was ever used of a heap, in bytes."""
    return f"{name.lower()}_peak_bytes"


def size_of(number: str, letter: str | None) -> tuple[int, int]:
    """Whole bytes of a printed figure, and its resolution: ``("1.0", "G")`` is known to 0.1 GiB."""
    scale = SCALE[(letter or "").upper()]
    decimals = len(number) - number.find(".") - 1 if "." in number else 0
    return round(float(number) * scale), max(1, round(scale / 10**decimals))


def parse_size(text: str) -> tuple[int, int]:
    """``(bytes, resolution in bytes)`` of a size as the monitor prints it: ``1.0G``, ``64.0 KiB``, ``0.0``.

    Raises UcpmonError where the text is not exactly one size.
    """
    found = _SIZE.fullmatch(text.strip())
    if not found:
        raise UcpmonError(f"{text!r} is not a size", "write 512M, 1.5G or a number of bytes")
    return size_of(found[1], found[2])


def format_bytes(count: float) -> str:
    """A size for people, in binary units: ``64.0 KiB``, ``1.2 GiB``, ``0 B``."""
    for unit, scale in (("TiB", TIB), ("GiB", GIB), ("MiB", MIB), ("KiB", KIB)):
        if abs(count) >= scale * _ROUNDS_UP:
            return f"{count / scale:.1f} {unit}"
    return f"{count:.0f} B"


def format_printed(count: int) -> str:
    """A size as the monitor prints it: one decimal and K, M or G; zero is a bare ``0.0``."""
    for letter, scale in (("G", GIB), ("M", MIB), ("K", KIB)):
        if count >= scale * _ROUNDS_UP:
            return f"{count / scale:.1f}{letter}"
    return f"{float(count):.1f}"


def format_value(column: str, value: float) -> str:
    """A value of a metric for people, with its unit: ``95.4 %``, ``208 MiB/s``, ``7.9 MiB``, ``45.5 °C``."""
    found = metric(column)
    if value != value:
        return "–"
    if found is None:
        return f"{value:g}"
    if found.unit == "bytes":
        return format_bytes(value)
    return f"{value:.1f} {found.unit}" if found.unit in ("%", "°C") else f"{value:,.0f} {found.unit}"
