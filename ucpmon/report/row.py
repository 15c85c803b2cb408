"""The one line of a run that people paste in a model card."""

from __future__ import annotations

from collections.abc import Iterator

from ucpmon.metrics import format_bytes, format_value
from ucpmon.neighbours.hrut_ddr import COLUMNS
from ucpmon.report.subject import Subject
from ucpmon.runs import origin
from ucpmon.statistics.quality import count
from ucpmon.statistics.summary import Summary, core_groups
from ucpmon.text import format_seconds


def row(of: Subject) -> str:
    """``BPU 44.8 % avg, 92.9 % peak · carveout … · DDR … · 172 screens, every 100 ms, RDK S100``."""
    return " · ".join([*_loads(of), *_heap(of), *_ddr(of), _how(of)])


def board_name(of: Subject) -> str:
    """The board as it names itself, or what is known instead."""
    if of.run.simulated:
        return "SIMULATION"
    return origin.model(of.run.info) or origin.host(of.run.info) or "board unknown"


def _loads(of: Subject) -> Iterator[str]:
    for kind, columns in core_groups(list(of.summaries)).items():
        cores = [of.summaries[c] for c in columns]
        if kind == "bpu" or (kind == "dsp" and any(s.peak for s in cores)):
            yield _load(kind, cores)


def _load(kind: str, cores: list[Summary]) -> str:
    mean, peak = sum(s.mean for s in cores) / len(cores), max(s.peak for s in cores)
    name = kind.upper() + (f" ({len(cores)} cores)" if len(cores) > 1 else "")
    return f"{name} {mean:.1f} % avg, {peak:.1f} % peak"


def _heap(of: Subject) -> Iterator[str]:
    used = of.summaries.get("carveout_used_bytes")
    if used is not None:
        yield f"carveout {_share(of)}{format_bytes(used.peak)} peak"


def _share(of: Subject) -> str:
    """The first model's own part of the heap, where it is known."""
    uses = (h.used.share for m in of.memory.models[:1] for h in m.heaps if h.heap == "carveout")
    found = next((share for share in uses if share is not None), None)
    return f"{format_bytes(found.bytes)} model, " if found else ""


def _ddr(of: Subject) -> Iterator[str]:
    names = COLUMNS if COLUMNS[0] in of.summaries else ("ddr_read_mibps", "ddr_write_mibps")
    found = [of.summaries[name] for name in names if name in of.summaries]
    if found:
        source = "hrut_ddr" if names == COLUMNS else "monitor's figure"
        each = (f"{w} {format_value(s.column, s.mean)}" for w, s in zip(("read", "write"), found, strict=False))
        yield f"DDR {', '.join(each)} avg ({source})"


def _how(of: Subject) -> str:
    every = format_seconds(of.quality.interval_s)
    return f"{count(of.quality.screens, 'screen')}, every {every}, {board_name(of)}"
