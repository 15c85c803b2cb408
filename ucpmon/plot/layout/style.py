"""Colours and sizes. The palettes follow Okabe and Ito (2008), darkened or lightened to be seen on their ground."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from ucpmon.plot.layout.fonts import quiet_fonts

DPI = 110


@dataclass(frozen=True)
class Theme:
    """Colours of one style; ``lines`` are told apart by people with any colour vision."""

    ground: str
    ink: str
    muted: str
    grid: str
    gap: str
    stall: str
    phase: tuple[str, str]
    alarm: str
    lines: tuple[str, ...]


LIGHT = Theme(
    ground="#ffffff", ink="#1b1d20", muted="#5a6068", grid="#e4e7ea", gap="#d5d8dc", stall="#f3d9a6",
    phase=("#e3ecf5", "#cfdcea"), alarm="#b3261e",
    lines=("#0072b2", "#d55e00", "#009e73", "#b0508c", "#1b1d20", "#3f9bd0", "#a87900", "#7a7f87"),
)  # fmt: skip
DARK = Theme(
    ground="#16191d", ink="#eceff1", muted="#a6adb5", grid="#2c3137", gap="#3c4249", stall="#5c4712",
    phase=("#233241", "#2d4154"), alarm="#ff8a80",
    lines=("#56b4e9", "#f0953b", "#009e73", "#e79ac5", "#f0e442", "#eceff1", "#7f9cf5", "#9aa0a6"),
)  # fmt: skip
THEMES = {"light": LIGHT, "dark": DARK}
DASHES = ("solid", (0, (5, 1.5)), (0, (1.5, 1.2)), (0, (6, 1.5, 1.2, 1.5)))


def line_look(theme: Theme, index: int) -> tuple[str, object]:
    """Colour and dash of the line with this number: past the last colour the dash changes."""
    turn, place = divmod(index, len(theme.lines))
    return theme.lines[place], DASHES[turn % len(DASHES)]


@contextmanager
def drawing(families: Sequence[str]) -> Iterator[None]:
    """matplotlib's own defaults, whatever the user's matplotlibrc says, and our fonts; put back at the end."""
    import matplotlib

    ours = {
        "font.family": list(families), "font.sans-serif": list(families),
        "svg.hashsalt": "ucpmon", "pdf.fonttype": 42, "path.simplify": True, "path.simplify_threshold": 1 / 9,
    }  # fmt: skip
    defaults = {k: v for k, v in matplotlib.rcParamsDefault.items() if not k.startswith("backend")}
    with quiet_fonts(), matplotlib.rc_context({**defaults, **ours}):
        yield
