"""A state of the simulated board → the text of a screen, and the same figures as a record for the log."""

from __future__ import annotations

from typing import Any, NamedTuple

from ucpmon.metrics import format_printed, heap_columns, load_column, parse_size
from ucpmon.monitor.simulator.board import Profile, State

WIDTH = 62
RULE = "+" + "-" * (WIDTH - 2) + "+"


class Drawing(NamedTuple):
    """The lines of a screen, and what they show: ``values`` by run.csv column, processes as [pid, name, rss, hbmem]."""

    lines: list[str]
    values: dict[str, float]
    processes: list[list[Any]]


def draw(profile: Profile, state: State, other_layout: bool = False) -> Drawing:
    """One screen. ``other_layout`` draws the same figures another way, as a newer version of the program might."""
    values: dict[str, float] = {}
    lines = [RULE, _row("UCP Monitor (simulated)".center(WIDTH - 4)), RULE]
    for name, load in state.loads.items():
        text = f"{load:.1f}"
        values[load_column(name)] = float(text)
        lines.append(_row(f"{name} : {text}%") if other_layout else _row(f"{name:<24}{text:>16}"))
    lines += [RULE, *_ddr_lines(state, values), RULE, *_heap_lines(profile, state, values), RULE]
    processes: list[list[Any]] = []
    lines += [*_process_lines(state, processes), RULE]
    return Drawing(lines, values, processes)


def _row(text: str) -> str:
    return f"| {text:<{WIDTH - 4}} |"


def _ddr_lines(state: State, values: dict[str, float]) -> list[str]:
    read, write = state.ddr
    values["ddr_read_mibps"], values["ddr_write_mibps"] = float(read), float(write)
    return [_row("DDR Bandwidth (MiB/s)"), _row(f"{'Read':<24}{read:>16}"), _row(f"{'Write':<24}{write:>16}")]


def _heap_lines(profile: Profile, state: State, values: dict[str, float]) -> list[str]:
    lines = [_row("ION Info"), _row(f"{'heap':<18}{'total':>12}{'used':>12}{'free':>12}")]
    for heap, total in profile.heaps:
        used = state.used[heap]
        texts = [format_printed(n) for n in (total, used, total - used)]
        values.update({c: float(parse_size(t)[0]) for c, t in zip(heap_columns(heap), texts, strict=True)})
        lines.append(_row(f"{heap:<18}" + "".join(f"{t:>12}" for t in texts)))
    return lines


def _process_lines(state: State, processes: list[list[Any]]) -> list[str]:
    lines = [_row("Process Mem Info"), _row(f"{'pid':<10}{'name':<20}{'rss':>12}{'hbmem':>12}")]
    for p in state.processes:
        rss, hbmem = format_printed(p.rss), format_printed(p.hbmem)
        processes.append([p.pid, p.name, parse_size(rss)[0], parse_size(hbmem)[0]])
        lines.append(_row(f"{p.pid:<10}{p.name:<20}{rss:>12}{hbmem:>12}"))
    return lines


def redraw(before: list[str], after: list[str], rows: int, cols: int) -> str:
    """The cursor-addressed text that turns one screen into the next: only cells that differ, none off the edge."""
    out = []
    for row in range(min(rows, max(len(before), len(after)))):
        old = (before[row] if row < len(before) else "")[:cols]
        new = (after[row] if row < len(after) else "")[:cols].ljust(len(old))
        out += [f"\x1b[{row + 1};{start + 1}H{text}" for start, text in _changes(old.ljust(len(new)), new)]
    return "".join(out)


def repaint(before: list[str], after: list[str], rows: int, cols: int) -> str:
    """The text that prints the whole screen over the last one, as far as it fits the terminal."""
    return "\x1b[H" + "\x1b[K\r\n".join(line[:cols] for line in after[:rows]) + "\x1b[J"


def _changes(old: str, new: str) -> list[tuple[int, str]]:
    """Runs of differing cells; runs less than 4 cells apart are one, a cursor movement being longer."""
    runs: list[tuple[int, int]] = []
    for i in (i for i, (a, b) in enumerate(zip(old, new, strict=True)) if a != b):
        if runs and i - runs[-1][1] < 4:
            runs[-1] = (runs[-1][0], i + 1)
        else:
            runs.append((i, i + 1))
    return [(start, new[start:end]) for start, end in runs]
