"""The words around the picture: what was recorded, where, when and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

from ucpmon.plot.data.align import RunView, start_unix
from ucpmon.plot.data.place import Placed
from ucpmon.plot.options import PlotOptions
from ucpmon.text import format_duration

SIMULATED = "SIMULATED"
MODEL = "/proc/device-tree/model"


def title(runs: Sequence[RunView], options: PlotOptions) -> str:
    if len(runs) == 1:
        return runs[0].name
    where = {"start": "aligned at the start", "wall": "by wall clock"}.get(
        options.align, f"aligned at the marker {options.marker!r}"
    )
    return f"{len(runs)} runs, {where}"


def simulated(run: RunView) -> bool:
    return bool(run.info.get("simulated"))


def what(run: RunView) -> list[str]:
    """The board, the host, the labels."""
    host, board = run.info.get("host"), _board(run.info.get("board"))
    labels = _mapping(run.info.get("labels"))
    return [*board, f"host {_host(host)}" if host else "", *(f"{k}={v}" for k, v in labels.items())]


def when(placed: Placed) -> list[str]:
    """Start in UTC and in the reader's own time, and how long."""
    unix, length = start_unix(placed.run), _length(placed.run)
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


def how(run: RunView) -> list[str]:
    """The monitor, its sampling, the screens, and what limits trust in them."""
    info, quality = run.info, _mapping(run.info.get("quality"))
    source = _mapping(info.get("source"))
    return [
        f"{SIMULATED}: drawn by ucpmon's stand-in, not by a board" if simulated(run) else "",
        f"monitor {_monitor(info)}" if _monitor(info) and not simulated(run) else "",
        _source(source, run.name),
        f"BPU and DSP sampled at {info['freq_hz']:g} Hz" if info.get("freq_hz") else "",
        _interval(info, quality),
        _screens(run, quality),
        "times are nominal: the source has no clock" if info.get("time_basis") == "nominal" else "",
        "screens told apart by guess" if info.get("frames") == "inferred" else "",
        f"ended: {info['ended']}" if info.get("ended") else "",
    ]


def _screens(run: RunView, quality: Mapping[str, Any]) -> str:
    counts = [f"{len(run.frame):,} screens" if len(run.frame) != 1 else "1 screen"]
    lines = _mapping(quality.get("lines"))
    counts += [f"{quality[k]} {k}" for k in ("cut", "dropped", "clipped") if quality.get(k)]
    return ", ".join(counts) + (f", {lines['unknown']} lines not understood" if lines.get("unknown") else "")


def _source(source: Mapping[str, Any], shown: str) -> str:
    name, form = source.get("name"), source.get("format", "")
    if not name:
        return ""
    return f"from {name} ({form})" if name != shown else f"read from a capture ({form})"


def _interval(info: Mapping[str, Any], quality: Mapping[str, Any]) -> str:
    interval = _mapping(quality.get("interval"))
    asked, achieved = interval.get("asked_s") or info.get("interval_s"), interval.get("achieved_s")
    if info.get("time_basis") == "nominal":
        taken = asked or achieved
        return f"interval taken to be {format_duration(round(taken * 1e6))}" if taken else ""
    parts = [f"{format_duration(round(asked * 1e6))} asked" if asked else ""]
    parts.append(f"{achieved * 1000:.0f} ms achieved" if achieved else "")
    said = ", ".join(filter(None, parts))
    return f"interval {said}" if said else ""


def _monitor(info: Mapping[str, Any]) -> str:
    return str(_mapping(info.get("monitor")).get("path") or "")


def _host(host: Any) -> str:
    return str(_mapping(host).get("name") or host)


def _board(board: Any) -> list[str]:
    """What the board says of itself, in a few words: its model, its system and version, its machine."""
    known = {key: str(value).strip("\0 \n") for key, value in _mapping(board).items()}
    names = [value for key, value in known.items() if key == MODEL or key.endswith("_name")]
    system = [line.partition("=")[2].strip("\"'") for line in known.get("os", "").splitlines()[:20]
              if line.startswith("PRETTY_NAME=")]  # fmt: skip
    machine = known.get("uname", "").split()[-1:]
    return [part.splitlines()[0] for part in (*names, *system, *machine) if part]


def _length(run: RunView) -> float:
    return float(run.frame["elapsed_s"].max()) if len(run.frame) else 0.0


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
