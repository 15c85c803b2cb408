"""What a report says, in order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ucpmon.metrics import format_value, label_of, subject_of
from ucpmon.neighbours.hrut_ddr import COLUMNS
from ucpmon.report.blocks import Cell, Section, Table, Text, words
from ucpmon.report.memory_section import memory_section, processes_section
from ucpmon.report.row import board_name
from ucpmon.report.subject import Subject
from ucpmon.runs import origin
from ucpmon.statistics.quality import doubts
from ucpmon.statistics.summary import Imbalance, Summary
from ucpmon.text import format_seconds

_SIMULATED = "This is a simulation: every figure is invented by ucpmon's stand-in for the monitor."
_DDR_CAVEAT = (
    "The monitor's own DDR figures can be far too low under load (200 MiB/s were shown where 11 GB/s flowed) or right; "
    "nothing in them tells which. hrut_ddr measures the true bandwidth: report --ddr ddr.csv puts it beside them."
)


def sections(of: Subject) -> list[Section]:
    """All sections of a run that has something to say in them; warnings come first where there are any."""
    built = [
        _warnings(of),
        _load(of),
        _ddr(of),
        memory_section(of),
        processes_section(of),
        _markers(of),
        _quality(of),
        _identity(of),
    ]
    return [section for section in built if section.blocks]


def seconds(value: float) -> Cell:
    """A moment or a span of a run."""
    return Cell(format_seconds(value), value)


def figure(column: str, value: float | None) -> Cell:
    return Cell("–") if value is None else Cell(format_value(column, value), value)


def _warnings(of: Subject) -> Section:
    found = [Text(_SIMULATED, warning=True)] if of.run.simulated else []
    found += [Text(str(text), warning=True) for text in of.run.info.get("warnings") or []]
    found += [Text(text, warning=True) for text in doubts(of.quality, of.run.info)]
    return Section("warnings", "Warnings", found)


def _load(of: Subject) -> Section:
    header = ("Core", "Average", "Average while busy", "Busy", "p50", "p95", "Peak", "Peak at")
    loads = of.of_kind("load")
    told = [s for s in loads if s.peak > 0 or s.column.startswith("bpu")]
    rows = [_load_row(s) for s in told]
    blocks: list[Table | Text] = [Table("Load of each core", header, rows)] if rows else []
    if rows:
        blocks.append(Text(f"Busy: the share of the time with a load of at least {of.busy_pct:g} %."))
    idle = [subject_of(s.column) for s in loads if s not in told]
    if idle:
        blocks.append(Text(f"No load at any time: {', '.join(idle)}."))
    beside = [_beside_row(s) for s in of.of_kind("freq", "temp")]
    if beside:
        blocks.append(Table("Clock and temperature", ("Of", "Average", "Least", "Peak", "Peak at"), beside))
    blocks += [Text(_imbalance_text(i)) for i in of.imbalances if i.ratio]
    return Section("load", "Load", blocks)


def _load_row(s: Summary) -> list[Cell]:
    each = (s.mean, s.busy_mean if s.busy_pct else None, s.busy_pct, s.p50, s.p95, s.peak)
    return [Cell(subject_of(s.column)), *(figure(s.column, v) for v in each), seconds(s.peak_at_s)]


def _beside_row(s: Summary) -> list[Cell]:
    return [Cell(label_of(s.column)), *(figure(s.column, v) for v in (s.mean, s.minimum, s.peak)), seconds(s.peak_at_s)]


def _imbalance_text(found: Imbalance) -> str:
    return (
        f"{found.kind.upper()} imbalance: on average the busiest and the idlest core are {found.spread_pct:.1f} "
        f"percentage points apart; {found.busiest.upper()} carries {found.ratio:.2f} times the average of "
        f"{len(found.cores)} cores, {found.idlest.upper()} the least."
    )


def _ddr(of: Subject) -> Section:
    rows = [_ddr_row(s) for s in of.of_kind("rate")]
    blocks: list[Table | Text] = []
    if rows:
        blocks.append(Table("DDR bandwidth", ("Direction", "Source", "Average", "p95", "Peak", "Peak at"), rows))
    if any(s.column not in COLUMNS for s in of.of_kind("rate")):
        blocks.append(Text(_DDR_CAVEAT))
    if of.ddr_how:
        blocks.append(Text(f"hrut_ddr's rows were laid on the run {of.ddr_how}."))
    return Section("ddr", "DDR bandwidth", blocks)


def _ddr_row(s: Summary) -> list[Cell]:
    source = "hrut_ddr" if s.column in COLUMNS else "monitor"
    return [
        *words(subject_of(s.column).removesuffix(" (hrut_ddr)"), source),
        *(figure(s.column, v) for v in (s.mean, s.p95, s.peak)),
        seconds(s.peak_at_s),
    ]


def _markers(of: Subject) -> Section:
    marks = of.run.marks.dropna(subset=["elapsed_s"])
    rows = [[seconds(float(m.elapsed_s)), *words(str(m.label), str(m.source))] for m in marks.itertuples()]
    return Section("markers", "Markers", [Table("Markers", ("At", "Label", "Set by"), rows)] if rows else [])


def _quality(of: Subject) -> Section:
    q = of.quality
    asked = of.run.info.get("interval_s")
    rows = [
        [Cell("Screens"), Cell(f"{q.screens:,}", q.screens)],
        [Cell("Duration"), seconds(q.duration_s)],
        [Cell("Interval"), seconds(q.interval_s)],
        *([[Cell("Interval asked for"), seconds(float(asked))]] if asked else []),
        [Cell("Incomplete screens"), Cell(str(q.cut), q.cut)],
        [Cell("Redraws dropped, cut in flight"), Cell(str(q.dropped), q.dropped)],
        [Cell("Gaps"), Cell(f"{q.gaps} ({q.gap_pct:.1f} % of the time)", q.gaps)],
        [Cell("Stalls"), Cell(f"{q.stalls} ({q.stall_pct:.1f} % of the time)", q.stalls)],
        [Cell("Lines not understood"), Cell(f"{q.unknown} ({q.unknown_pct:.1f} %)", q.unknown)],
    ]
    examples = ((of.run.info.get("quality") or {}).get("lines") or {}).get("examples") or []
    unknown = [Text("Not understood, for example: " + " ⏎ ".join(map(str, examples)))] if examples else []
    return Section("quality", "Quality of the recording", [Table("Quality", ("", ""), rows), *unknown])


def _identity(of: Subject) -> Section:
    rows = [words(name, text) for name, text in _facts(of) if text]
    return Section("identity", "Where it comes from", [Table("Origin of the run", ("", ""), rows)])


def _facts(of: Subject) -> Iterator[tuple[str, str]]:
    info: dict[str, Any] = of.run.info
    board, monitor, captures = info.get("board") or {}, info.get("monitor") or {}, origin.captures(info)
    yield "Board", board_name(of)
    yield "Host", origin.host(info)
    yield "Kernel", str(board.get("uname") or "")
    yield "Started", str(info.get("started") or "unknown")
    yield "Ended", str(info.get("ended") or "")
    yield "Monitor", " ".join(map(str, monitor.get("argv") or []))
    yield "Sampling", f"{info['freq_hz']} Hz" if info.get("freq_hz") else ""
    yield "Capture", ", ".join(f"{c.get('name')} ({c.get('format')})" for c in captures)
    yield "SHA-256", ", ".join(str(c.get("sha256") or "") for c in captures)
    yield "Labels", ", ".join(origin.labels(info))
    yield "ucpmon", str((info.get("ucpmon") or {}).get("version") or "")
