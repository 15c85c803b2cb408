"""The words around the picture: what was recorded, where, when and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

from ucpmon.plot.data.align import length_s, start_unix
from ucpmon.plot.data.place import Placed
from ucpmon.plot.options import PlotOptions
from ucpmon.runs import origin
from ucpmon.runs.reader import Run
from ucpmon.statistics.quality import count
from ucpmon.text import format_duration

SIMULATED = "SIMULATED"


def title(runs: Sequence[Run], options: PlotOptions) -> str:
    if len(runs) == 1:
        return runs[0].name
    where = {"start": "aligned at the start", "wall": "by wall clock"}.get(
        options.align, f"aligned at the marker {options.marker!r}"
    )
    return f"{len(runs)} runs, {where}"


def what(run: Run) -> list[str]:
    """The board, the host, the labels."""
    host = origin.host(run.info)
    return [*origin.board(run.info), f"host {host}" if host else "", *origin.labels(run.info)]


def when(placed: Placed) -> list[str]:
    """Start in UTC and in the reader's own time, and how long."""
    unix, length = start_unix(placed.run), length_s(placed.run)
    if unix is None:
        clock = "no clock was recorded"
    else:
        utc = datetime.fromtimestamp(unix, timezone.utc)
        local = utc.astimezone()
        clock = f"{utc:%Y-%m-%d %H:%M:%S} UTC"
        if local.utcoffset():
            clock += f" ({local:%Y-%m-%d %H:%M:%S %Z})" if local.date() != utc.date() else f" ({local:%H:%M:%S %Z})"
    return [clock, format_duration(round(length * 1e6)) if len(placed.run.frame) > 1 else ""]


def window(options: PlotOptions) -> str:
    """Which part of the time axis is shown, where not all of it is."""
    start, end = options.start_s, options.end_s
    if start is None and end is None:
        return ""
    said = [f"from {_moment(start)}" if start is not None else "", f"to {_moment(end)}" if end is not None else ""]
    return "shown " + " ".join(filter(None, said))


def _moment(seconds: float) -> str:
    return ("−" if seconds < 0 else "") + format_duration(round(abs(seconds) * 1e6))


def how(run: Run) -> list[str]:
    """The monitor, its sampling, the screens, and what limits trust in them."""
    info, quality = run.info, run.info.get("quality") or {}
    monitor = (info.get("monitor") or {}).get("path")
    return [
        f"{SIMULATED}: drawn by ucpmon's stand-in, not by a board" if run.simulated else "",
        f"monitor {monitor}" if monitor and not run.simulated else "",
        _source(run),
        f"BPU and DSP sampled at {info['freq_hz']:g} Hz" if info.get("freq_hz") else "",
        _interval(info, quality),
        _screens(run, quality),
        "times are nominal: the source has no clock" if info.get("time_basis") == "nominal" else "",
        "screens told apart by guess" if info.get("frames") == "inferred" else "",
        f"ended: {info['ended']}" if info.get("ended") else "",
    ]


def _screens(run: Run, quality: Mapping[str, Any]) -> str:
    counts = [count(len(run.frame), "screen")]
    lines = quality.get("lines") or {}
    counts += [f"{quality[k]} {k}" for k in ("cut", "dropped", "clipped") if quality.get(k)]
    return ", ".join(counts) + (f", {lines['unknown']} lines not understood" if lines.get("unknown") else "")


def _source(run: Run) -> str:
    found = [(str(c["name"]), c.get("format", "")) for c in origin.captures(run.info) if c.get("name")]
    if [name for name, _ in found] == [run.name]:
        return f"read from a capture ({found[0][1]})"
    return f"from {', '.join(f'{name} ({form})' for name, form in found)}" if found else ""


def _interval(info: Mapping[str, Any], quality: Mapping[str, Any]) -> str:
    interval = quality.get("interval") or {}
    asked, achieved = interval.get("asked_s") or info.get("interval_s"), interval.get("achieved_s")
    if info.get("time_basis") == "nominal":
        taken = asked or achieved
        return f"interval taken to be {format_duration(round(taken * 1e6))}" if taken else ""
    parts = [f"{format_duration(round(asked * 1e6))} asked" if asked else ""]
    parts.append(f"{achieved * 1000:.0f} ms achieved" if achieved else "")
    said = ", ".join(filter(None, parts))
    return f"interval {said}" if said else ""
