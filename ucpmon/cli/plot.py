"""``ucpmon plot``: one page of charts of a run or several."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ucpmon.cli.common import choose_output, expand, keep_apart, say, written
from ucpmon.errors import UsageError

if TYPE_CHECKING:
    from ucpmon.plot import Extra, PlotOptions
    from ucpmon.runs.reader import Run


def plot(
    runs: list[str] = typer.Argument(
        metavar="RUN…", help="run.csv, run.cast or any saved capture; several are overlaid."
    ),
    output: str | None = typer.Option(
        None, "-o", "--output", help="Picture: .png, .svg or .pdf; - is PNG on stdout. Default: a window, or run.png."
    ),
    force: bool = typer.Option(False, "--force", help="Overwrite an existing output."),
    series: list[str] = typer.Option([], "--series", help="Only these columns: 'bpu*_load_pct,carveout_*'."),
    start: str | None = typer.Option(None, "--from", help="Where the drawn part begins: 90s, 5m, 1h30m."),
    end: str | None = typer.Option(None, "--to", help="Where it ends."),
    align: str = typer.Option("start", "--align", help="What runs share as zero: start, marker:LABEL or wall."),
    style: str = typer.Option("light", "--style", help="light or dark."),
    ddr: Path | None = typer.Option(None, "--ddr", help="A file of hrut_ddr: true bandwidth beside the monitor's."),
    ddr_at: str | None = typer.Option(None, "--ddr-at", help="Mark of the run on which hrut_ddr's first row falls."),
    top: int = typer.Option(5, "--top", min=1, max=20, help="How many processes are drawn, the largest first."),
) -> None:
    """Draw loads, DDR bandwidth, heaps and processes' memory on one page.

    A window opens; without a display, run.png is written beside the run.
    """
    from ucpmon.plot import PlotOptions, build_figure, fonts_of, format_of, parse_globs, parse_moment
    from ucpmon.runs.reader import read_run

    window = parse_moment(start, "--from"), parse_moment(end, "--to")
    options = PlotOptions(parse_globs(series), *window, align, style, top)
    kind = format_of(Path(output)) if output and output != "-" else "png"
    paths = _files(runs)
    target = _target(output, force, paths[0])
    keep_apart([target], [*paths, ddr])
    loaded = [read_run(path) for path in paths]
    extras = _extras(loaded, ddr, ddr_at)
    if fonts_of(loaded).warning:
        say(f"warning: {fonts_of(loaded).warning}")
    if output is not None or not _shown(loaded, options, extras):
        _write(build_figure(loaded, options, extras), target, kind)
        if output != "-":
            say(f"wrote {target}" + ("" if output else ": no window can be opened here"))


def _files(runs: list[str]) -> list[Path]:
    found = [path for path in expand(runs) if path is not None]
    if len(found) < len(runs) and "-" in runs:
        raise UsageError("plot cannot read standard input", "save it to a file first")
    return found


def _target(output: str | None, force: bool, run: Path) -> Path:
    from ucpmon.runs import RunFiles

    if output == "-":
        return Path(output)
    return choose_output(Path(output) if output else None, force, str(RunFiles.of(run).csv.with_suffix(".png")))


def _extras(runs: list[Run], ddr: Path | None, ddr_at: str | None) -> list[Extra]:
    from ucpmon.neighbours.hrut_ddr import align, read_ddr
    from ucpmon.plot import Extra, phases_of, too_long_for_phases

    if any(map(too_long_for_phases, runs)):
        say("phases are not looked for in so long a run")
    if ddr is None:
        return [Extra(phases_of(run)) for run in runs]
    if len(runs) > 1:
        raise UsageError("--ddr belongs to one run", "plot that run alone")
    rows, how = align(read_ddr(ddr), runs[0].frame, runs[0].marks, ddr_at)
    say(f"{ddr} is laid on the run {how}")
    return [Extra(phases_of(runs[0]), rows)]


def _shown(runs: list[Run], options: PlotOptions, extras: list[Extra]) -> bool:
    """Whether a window opened; the picture then holds more columns of time, to be zoomed into."""
    from dataclasses import replace

    from ucpmon.plot import build_figure
    from ucpmon.plot.window import has_display, show_figure

    return has_display() and show_figure(build_figure(runs, replace(options, columns=20_000), extras), runs[0].name)


def _write(figure: Any, target: Path, kind: str) -> None:
    from ucpmon.plot import render

    picture = render(figure, kind)
    with written(target) as stream:
        stream.write(picture)
