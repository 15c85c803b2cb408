"""The row that names the columns of a table: which word means which figure, in which section, and in which unit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from ucpmon.metrics import RATE_UNITS, SCALE
from ucpmon.screens.figures import SIZE_UNIT
from ucpmon.screens.grammar import BARS, Section

_NAME = "name"
_KNOWN = ""
"""The role of a column that is known and that no column of a run holds: a user, a percentage of a heap."""


def _roles(**words: str) -> Mapping[str, str]:
    return {word: role.rstrip("_") for role, text in words.items() for word in text.split("|")}


_ROLES: Mapping[Section, Mapping[str, str]] = {
    Section.IP: _roles(
        name="ip|core|name|unit|module|engine|block|名称|模块|核|核心",
        load="load|loading|cur|current|now|busy|util|utilization|usage|used|use|ratio|percent|负载|当前|使用率|利用率|占用率",
        avg="avg|ave|average|mean|平均|均值|平均值",
        max="max|maximum|peak|highest|最大|最大值|峰值",
        freq="freq|frequency|clock|clk|频率|主频",
        temp="temp|temperature|温度",
        _="min|minimum|idle|最小|空闲|最小值",
    ),
    Section.DDR: _roles(
        name="port|master|client|source|name|名称|端口|主设备",
        read="read|rd|reads|读|读取|读带宽",
        write="write|wr|writes|写|写入|写带宽",
        total="total|sum|all|总|总计|合计|总带宽",
    ),
    Section.ION: _roles(
        name="heap|name|region|pool|堆|名称|内存池",
        total="total|size|capacity|cap|总|总量|总计|总大小|容量|大小",
        used="used|use|alloc|allocated|inuse|in use|已用|已使用|已分配|使用|占用",
        free="free|avail|available|remain|remaining|left|空闲|可用|剩余",
        peak="peak|max|maximum|highest|hwm|max used|peak used|used max|used peak|峰值|最大|最高|历史峰值",
        _="use%|used%|%|usage|util|ratio|percent|使用率|占用率|利用率|min|最小|id|heap id",
    ),
    Section.PROCESS: _roles(
        pid="pid|进程号|进程id",
        name="name|comm|command|cmd|process|program|proc|app|名称|进程|进程名|程序|命令",
        rss="rss|res|resident|物理内存|常驻|常驻内存",
        hbmem="hbmem|ion|hbm|hb_mem|hbmem mem|ion mem",
        _="user|uid|owner|用户|cpu|cpu%|%cpu|mem%|%mem|vsz|virt|vss|shr|pss|uss|state|stat|s|threads|thr|nlwp|"
        "time|time+|tid|ppid|prio|pri|ni|nice|core|线程|状态|优先级",
    ),
}
_SIZE_UNIT = re.compile(SIZE_UNIT, re.IGNORECASE)
_FREQUENCIES = {"mhz": 1.0, "ghz": 1e3, "khz": 1e-3, "hz": 1e-6}
_UNIT = re.compile(r"\s?[(\[（]\s*([^)\]）]{1,12})\s*[)\]）]")
_CELL = re.compile(rf"[^\s{BARS}]+(?: [^\s{BARS}]+)*")
_WORD = re.compile(r"[^\s/]+")


class Column(NamedTuple):
    """A column of a table: what stands in it, the unit of its figures, and where its name stands.

    ``role`` is ``None`` where the word is not known, and empty where it is and nobody asks for the figure.
    """

    role: str | None
    unit: str
    start: int
    end: int


class Header(NamedTuple):
    section: Section
    columns: tuple[Column, ...]

    @property
    def roles(self) -> tuple[str | None, ...]:
        return tuple(column.role for column in self.columns)

    @property
    def has_strangers(self) -> bool:
        """Whether a column is named by a word that is not known."""
        return None in self.roles

    @property
    def is_attested(self) -> bool:
        """Whether it names what a row means without any header."""
        return self.roles in _ATTESTED[self.section] and all(_is_plain(column) for column in self.columns)


_ATTESTED: Mapping[Section, tuple[tuple[str, ...], ...]] = {
    Section.IP: ((_NAME, "load"),),
    Section.DDR: (),
    Section.ION: ((_NAME, "total", "used", "free"),),
    Section.PROCESS: (("pid", _NAME, "rss", "hbmem"),),
}


def _is_plain(column: Column) -> bool:
    return column.unit in ("", "%")


@lru_cache(maxsize=1024)
def header_of(text: str, within: Section) -> Header | None:
    """The header that a row of words is, of the section that most of them belong to; ``within`` settles a tie."""
    if any(c.isdecimal() for c in _UNIT.sub("", text)):
        return None
    best: tuple[float, Header] | None = None
    for section in Section:
        columns = tuple(_columns(text, section))
        known = sum(column.role is not None for column in columns)
        named = {column.role for column in columns} - {None, _KNOWN, _NAME}
        if known < 2 or not named or len(named) < sum(bool(c.role) and c.role != _NAME for c in columns):
            continue
        score = known + len(named) + 0.5 * (section is within)
        if best is None or score > best[0]:
            best = score, Header(section, columns)
    return best[1] if best else None


def _columns(text: str, section: Section) -> Iterator[Column]:
    """The columns of a header, had it named those of this section."""
    for cell in _CELL.finditer(text):
        bare = _UNIT.sub(lambda found: " " * len(found[0]), cell[0])
        units = [(found.start(), found[1]) for found in _UNIT.finditer(cell[0])]
        words = list(_WORD.finditer(bare))
        whole = header_role(bare.strip(), section)
        if whole is not None or not any(header_role(word[0], section) is not None for word in words):
            if words:
                yield Column(whole, units[0][1] if units else "", cell.start(), cell.end())
            continue
        for i, word in enumerate(words):
            end = words[i + 1].start() if i + 1 < len(words) else len(bare)
            unit = next((unit for at, unit in units if word.end() <= at < end or at == word.end()), "")
            yield Column(header_role(word[0], section), unit, cell.start() + word.start(), cell.start() + word.end())


def header_role(words: str, section: Section) -> str | None:
    """What a name of one or two words stands for: ``Avg``, ``avg load``, ``Load Max``."""
    roles = _ROLES[section]
    plain = words.lower().strip(":：.")
    if plain in roles or "/" in plain:
        return roles.get(plain)
    each = [roles.get(word) for word in plain.split()]
    if section is Section.IP and len(each) == 2 and set(each) & {"avg", "max"} and "load" in each:
        return next(role for role in each if role != "load")
    # `Total Size`, `Process Name`: two words for one thing.
    if len(each) == 2 and None not in each and each[0] == each[1]:
        return each[0]
    return each[0] if len(each) == 2 and plain.split()[1] in ("mem", "memory", "size", "bw", "bandwidth") else None


def size_unit(unit: str) -> str | None:
    """The letter of a unit of sizes (empty for bytes), ``None`` where it is none: ``(MB)``, ``KiB``, ``bytes``."""
    found = _SIZE_UNIT.fullmatch(unit.strip())
    if not unit.strip() or found is None:
        return None
    letter = (found[1] or "").upper()
    return letter if letter in SCALE else None


def frequency_unit(unit: str) -> float | None:
    """Megahertz of one of this unit, ``None`` where it is none."""
    return _FREQUENCIES.get(unit.strip().lower())


def rate_unit(unit: str) -> float | None:
    """MiB/s of one of this unit, ``None`` where it is none."""
    return RATE_UNITS.get(unit.strip().lower())


def title_unit(title: str) -> str | None:
    """The letter of the unit that a title gives for the sizes below it: ``ION Info (MB)``."""
    return next((letter for found in _UNIT.finditer(title) if (letter := size_unit(found[1])) is not None), None)
