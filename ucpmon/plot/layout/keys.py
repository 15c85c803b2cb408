"""The key at the right of each panel: which line is which, and how high it peaks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ucpmon.metrics import format_value
from ucpmon.plot.data.curves import Curve
from ucpmon.plot.data.panels import Panel
from ucpmon.plot.layout.panel import look_of, near_totals, total_words
from ucpmon.plot.layout.style import Theme
from ucpmon.plot.layout.text_flow import shorten

PITCH = 0.17
INDENT = 0.28
MOST_RUNS = 4
"""As many runs have a line each in a strip's key; more are given as a range."""


@dataclass(frozen=True)
class Key:
    """One line of a key; ``color`` empty means no swatch."""

    text: str
    color: str = ""
    dash: object = "solid"
    quiet: bool = False


def keys_of(panel: Panel, runs: int, theme: Theme, width: float, measure: Callable[[str], float]) -> list[Key]:
    """The lines of the panel's key, each at most ``width`` inches wide."""
    if runs > 1:
        keys = _run_keys(panel, runs, theme, width - INDENT, measure)
    elif panel.name:
        keys = _strip_keys(panel)
    else:
        keys = _overlay_keys(panel, theme, width - INDENT, measure)
    if panel.exact and runs == 1:
        keys.append(Key(f"dumps' peak {_peak(panel, panel.exact[0].peak)}", theme.ink, quiet=True))
    total = total_words(panel)
    if total:
        drawn = runs == 1 and bool(near_totals(panel))
        keys.append(Key(total, theme.muted if drawn else "", (0, (4, 2)), quiet=True))
    if panel.rest:
        keys += [Key(text, quiet=True) for text in panel.rest.split(", ")]
    indent = INDENT if any(k.color for k in keys) else 0.0
    return [Key(shorten(k.text, width - indent, measure), k.color, k.dash, k.quiet) for k in keys]


def _overlay_keys(panel: Panel, theme: Theme, width: float, measure: Callable[[str], float]) -> list[Key]:
    keys: list[Key] = []
    for i, curve in enumerate(panel.lines):
        color, dash = look_of(panel, i, 1, theme)
        name = curve.label.removesuffix(" load").removeprefix("DDR ")
        peak, *average = _figures(panel, curve)
        quiet = [Key(text, quiet=True) for text in average]
        if measure(f"{name}  {peak}") <= width:
            keys += [Key(f"{name}  {peak}", color, dash), *quiet]
        else:
            keys += [Key(name, color, dash), Key(peak, quiet=True), *quiet]
    return keys


def _strip_keys(panel: Panel) -> list[Key]:
    peak, *average = _figures(panel, panel.lines[0])
    return [Key(peak), *(Key(text, quiet=True) for text in average)]


def _figures(panel: Panel, curve: Curve) -> list[str]:
    """The peak, and for what flows also the average over time."""
    peak = f"peak {_peak(panel, curve.peak)}"
    return [peak, f"avg {_peak(panel, curve.average)}"] if panel.kind in ("load", "rate", "freq", "temp") else [peak]


def _run_keys(panel: Panel, runs: int, theme: Theme, width: float, measure: Callable[[str], float]) -> list[Key]:
    if runs > MOST_RUNS:
        low, high = (_peak(panel, f(s.peak for s in panel.lines)) for f in (min, max))
        return [Key(f"peaks {low}")] if low == high else [Key(f"peaks {low}"), Key(f"to {high}")]
    highest: dict[int, int] = {}
    for i, curve in sorted(enumerate(panel.lines), key=lambda pair: pair[1].peak):
        highest[curve.run] = i
    return [
        Key(_in_one_line(_figures(panel, panel.lines[i]), width, measure), *look_of(panel, i, runs, theme))
        for _, i in sorted(highest.items())
    ]


def _in_one_line(figures: Sequence[str], width: float, measure: Callable[[str], float]) -> str:
    """All the figures with their unit said once, or only the first where there is no room."""
    unit = figures[0].rpartition(" ")[2]
    joined = ", ".join([*(f.removesuffix(f" {unit}") for f in figures[:-1]), figures[-1]])
    return joined if measure(joined) <= width else figures[0]


def _peak(panel: Panel, value: float) -> str:
    return format_value(panel.lines[0].column, value)
