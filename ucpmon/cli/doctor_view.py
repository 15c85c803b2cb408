"""A diagnosis as text for people."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path

from ucpmon.doctor import Diagnosis, Shared
from ucpmon.text import counted, format_duration, printable

_FORMATS = {
    "text": "plain text",
    "tty": "a terminal's bytes",
    "script": "typescript of script",
}
_LABEL = 11
_WIDTH = 100


def doctor_text(found: Diagnosis) -> str:
    """All that is to be said, a paragraph a subject."""
    return "\n".join([printable(found.name, "\n"), *_facts(found), *_lists(found), *_causes(found)])


def shared_text(out: Path, shared: Shared) -> str:
    text = f"wrote {out}: {shared.bytes:,} bytes; replaced: {counted(shared.processes, 'process name')}, "
    text += counted(shared.others, "other word") + " (hosts, paths)"
    if shared.redrawn:
        text += "; its screens were drawn anew, since names were drawn in pieces"
    return f"{text}. Look through it before you share it."


def _facts(found: Diagnosis) -> Iterator[str]:
    size = "" if found.bytes is None else f", {found.bytes:,} bytes"
    yield _row("format", f"{_FORMATS.get(found.format, found.format.replace('-v', ' v'))}{size}")
    yield _row("clock", _clock(found))
    yield _row("terminal", _terminal(found))
    yield _row("screens", _screens(found))
    yield _row("lines", f"{found.understood:,} understood, {found.noise:,} noise, {found.unknown:,} unknown")
    layout = found.layout
    if layout.loads or layout.rates or layout.heaps or layout.processes:
        yield _row("loads", ", ".join(layout.loads) or "none")
        yield _row("DDR", ", ".join(name.removeprefix("ddr_") for name in layout.rates) or "none")
        yield _row("heaps", ", ".join(layout.heaps) or "none")
        yield _row("processes", f"{layout.processes} at most" if layout.processes else "none")


def _clock(found: Diagnosis) -> str:
    if not found.clock:
        known = f"; {format_duration(found.interval_us)} by its command line" if found.interval_us else ""
        return f"none: times will be nominal{known}"
    started = "start unknown (--start)"
    if found.started_us is not None:
        started = datetime.fromtimestamp(found.started_us // 1_000_000, timezone.utc).strftime(
            "from %Y-%m-%d %H:%M:%SZ"
        )
    lasts = f", {format_duration(round(found.lasts_us, -3))}" if found.lasts_us is not None else ""
    every = f", a new screen every {format_duration(round(found.interval_us, -3))}" if found.interval_us else ""
    return f"recorded, {started}{lasts}{every}"


def _terminal(found: Diagnosis) -> str:
    if not (found.rows and found.cols):
        return "none: printed lines"
    how = "as far as its cursor went" if found.size_inferred else "recorded"
    return f"{found.rows} rows, {found.cols} columns, {how}"


def _screens(found: Diagnosis) -> str:
    parts = [f"{found.screens:,}"]
    for number, what in (
        (found.cut, "possibly cut"),
        (found.repeated, "more that showed nothing new"),
        (found.dropped, "cut off and left out"),
    ):
        if number:
            parts.append(f"{number:,} {what}")
    if found.frames == "inferred":
        parts.append("where a redraw ends is inferred: some may be missing or mixed")
    return ", ".join(parts)


def _lists(found: Diagnosis) -> Iterator[str]:
    for title, lines in (("damage", found.damage), ("notes", found.notes), ("unknown", found.examples)):
        for number, line in enumerate(lines):
            yield _row(title if not number else "", line)
    if not found.screens and not found.examples:
        for number, line in enumerate(found.first_lines):
            yield _row("begins" if not number else "", line)


def _causes(found: Diagnosis) -> Iterator[str]:
    for cause in found.causes:
        text = printable(f"Most likely {cause.what}. What to do: {cause.remedy}.", "\n")
        yield "\n" + textwrap.fill(text, _WIDTH, break_long_words=False, break_on_hyphens=False)


def _row(label: str, text: str) -> str:
    return printable(f"  {label:<{_LABEL}}{text}", "\n").rstrip()
