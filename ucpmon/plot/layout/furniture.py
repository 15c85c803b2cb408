"""The words and small signs around the panels: heading, panel keys, key of signs, notes and footer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ucpmon.plot.data import heading
from ucpmon.plot.data.content import Content
from ucpmon.plot.data.place import Placed
from ucpmon.plot.layout.keys import INDENT, PITCH, Key
from ucpmon.plot.layout.page import MARGIN, TITLE, WIDTH, Page
from ucpmon.plot.layout.style import line_look
from ucpmon.plot.layout.text_flow import SEPARATOR, flow, shorten
from ucpmon.plot.options import PlotOptions

LINE = 0.19
TITLE_HEIGHT = 0.42
TEXT_WIDTH = WIDTH - 2 * MARGIN
DETAILED_RUNS = 4
"""For as many runs the footer says how each was sampled."""


@dataclass(frozen=True)
class SmallLine:
    """A line of small text; ``run`` ≥ 0 puts the swatch of that run before it."""

    text: str
    run: int = -1


def head_lines(page: Page, placed: Sequence[Placed], options: PlotOptions) -> list[SmallLine]:
    """What, where and when: flowed over lines for one run, one line each for several."""
    if len(placed) == 1:
        parts = [*heading.what(placed[0].run), *heading.when(placed[0]), heading.window(options)]
        return [SmallLine(text) for text in _flowed(page, parts)]
    common, own = _factored([[*heading.what(p.run), *heading.when(p)] for p in placed])
    shared = [SmallLine(text) for text in _flowed(page, [*common, heading.window(options)])]
    return shared + [_run_line(page, i, [_name(p), *own[i]]) for i, p in enumerate(placed)]


def foot_lines(page: Page, placed: Sequence[Placed], notes: Sequence[str]) -> list[SmallLine]:
    """Notes, then how the runs were sampled."""
    lines = [SmallLine(text) for note in notes for text in _flowed(page, [note])]
    if len(placed) == 1:
        return lines + [SmallLine(text) for text in _flowed(page, heading.how(placed[0].run))]
    if len(placed) > DETAILED_RUNS:
        return lines
    common, own = _factored([heading.how(p.run) for p in placed])
    lines += [_run_line(page, i, parts) for i, parts in enumerate(own) if parts]
    return lines + [SmallLine(text) for text in _flowed(page, common)]


def _factored(runs: Sequence[Sequence[str]]) -> tuple[list[str], list[list[str]]]:
    """What is said of every run, and what of each alone."""
    common = [part for part in runs[0] if part and all(part in parts for parts in runs)]
    return common, [[part for part in parts if part and part not in common] for parts in runs]


def _run_line(page: Page, run: int, parts: Sequence[str]) -> SmallLine:
    text = SEPARATOR.join(page.clean(p) for p in parts)
    return SmallLine(shorten(text, TEXT_WIDTH - INDENT, page.width), run)


def _name(placed: Placed) -> str:
    return placed.name + (f" {heading.SIMULATED}" if placed.run.simulated else "")


def _flowed(page: Page, parts: Sequence[str]) -> list[str]:
    return flow([page.clean(p) for p in parts], TEXT_WIDTH, page.width)


def draw_title(page: Page, placed: Sequence[Placed], options: PlotOptions) -> None:
    """The title, and at its right that all or some of it is simulated."""
    runs = [p.run for p in placed]
    made_up = sum(r.simulated for r in runs)
    tag = (
        ""
        if not made_up
        else heading.SIMULATED
        if made_up == len(runs)
        else f"{made_up} of {len(runs)} {heading.SIMULATED}"
    )
    room = TEXT_WIDTH - (page.width(tag, TITLE, "bold") + 0.2 if tag else 0)
    text = shorten(page.clean(heading.title(runs, options)), room, lambda t: page.width(t, TITLE, "bold"))
    page.figure.set_label(page.clean(heading.title(runs, options)))
    page.text(MARGIN, TITLE_HEIGHT / 2 + 0.06, text, size=TITLE, weight="bold")
    if tag:
        page.text(
            WIDTH - MARGIN, TITLE_HEIGHT / 2 + 0.06, tag, size=TITLE, weight="bold", ha="right", color=page.theme.alarm
        )


def draw_lines(page: Page, y: float, lines: Sequence[SmallLine]) -> float:
    """The lines from ``y`` down; the place below them."""
    for line in lines:
        indent = INDENT if line.run >= 0 else 0.0
        if line.run >= 0:
            page.swatch(MARGIN, y + LINE / 2, *line_look(page.theme, line.run))
        page.text(MARGIN + indent, y + LINE / 2, line.text, color=page.theme.muted)
        y += LINE
    return y


def draw_keys(page: Page, x: float, middle: float, keys: Sequence[Key]) -> None:
    """A panel's key, beside the middle of the panel."""
    y = middle - PITCH * len(keys) / 2
    indent = INDENT if any(k.color for k in keys) else 0.0
    for key in keys:
        if key.color:
            page.swatch(x, y + PITCH / 2, key.color, key.dash, weight=1.0 if key.quiet else 2.0)
        page.text(x + indent, y + PITCH / 2, key.text, color=page.theme.muted if key.quiet else page.theme.ink)
        y += PITCH


def draw_signs(page: Page, y: float, signs: Sequence[tuple[str, str]]) -> None:
    """The key of signs, in one line."""
    x = MARGIN
    for color, text in signs:
        if color:
            page.patch(x, y + LINE / 2, color)
            x += INDENT
        page.text(x, y + LINE / 2, text)
        x += page.width(text) + 0.3


def key_of_signs(page: Page, placed: Sequence[Placed], content: Content) -> list[tuple[str, str]]:
    """(colour or nothing, meaning) of the shades and signs that are on the page."""
    signs = []
    if any(p.gaps for p in placed):
        signs.append((page.theme.gap, "gap: nothing was recorded"))
    if any(p.stalls for p in placed):
        signs.append((page.theme.stall, "stall: the monitor stood still"))
    if any(p.cuts for p in placed):
        signs.append(("", "▾ screen that was cut off"))
    if any(s.dense for panel in content.panels for s in panel.lines):
        signs.append(("", "pale: lowest to highest, full: average"))
    return signs
