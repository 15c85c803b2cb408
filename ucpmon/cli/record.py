"""``ucpmon record``: run the monitor and keep what it shows."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ucpmon.cli.common import choose_run, say
from ucpmon.durations import parse_duration
from ucpmon.errors import UsageError

if TYPE_CHECKING:
    from ucpmon.recorder import Job, Survey


def record(
    duration: str = typer.Option(
        "", help="How long: 60, 90s, 5m, 1h30m. Without it, until Ctrl-C.", show_default=False
    ),
    output: Path | None = typer.Option(None, "-o", "--output", help="The run's CSV file; default run.csv, run-2.csv…"),
    force: bool = typer.Option(False, "--force", help="Overwrite an existing run."),
    interval: str = typer.Option("1000", help="Time between screens: 100..10000 ms; 500ms, 2s."),
    freq: int = typer.Option(500, help="Samples a second of BPU and DSP: 10..1000 Hz."),
    enable: str = typer.Option("", help="IPs to monitor, such as bpu,dsp. Default: all.", show_default=False),
    batch: bool = typer.Option(False, "--batch", help="Record the monitor's batch mode (-b), not its screen."),
    count: int | None = typer.Option(None, help="End after so many screens."),
    monitor: str = typer.Option(
        "", help="The monitor's program. Default: PATH, then /usr/hobot/bin.", show_default=False
    ),
    label: list[str] = typer.Option([], help="key=value to keep in run.json; may be repeated.", show_default=False),
    rows: int = typer.Option(200, help="Rows of the monitor's terminal."),
    cols: int = typer.Option(200, help="Columns of the monitor's terminal."),
    simulate: bool = typer.Option(False, "--simulate", help="Record a stand-in with invented figures."),
    profile: str = typer.Option("s100", help="With --simulate: the board, s100, s600 or j6p."),
    scenario: str = typer.Option("load", help="With --simulate: what happens, idle, load, leak or busy."),
    seed: int = typer.Option(0, help="With --simulate: another seed, other figures."),
    dry_run: bool = typer.Option(False, "--dry-run", help="Show the command line that would be run, and end."),
) -> int:
    """Record hrt_ucp_monitor: every byte into run.cast, every screen into run.csv."""
    from ucpmon.monitor import MonitorOptions, find_program, parse_enable
    from ucpmon.recorder import Job, survey
    from ucpmon.recorder.job import shown
    from ucpmon.simulator.options import command as stand_in
    from ucpmon.transport import Local

    options = MonitorOptions(
        freq, parse_duration(interval, "--interval", "ms") // 1000, parse_enable(enable) if enable else (), batch
    )
    link = Local()
    job = Job(
        files=choose_run(output, force),
        link=link,
        program=stand_in(profile, scenario, seed) if simulate else (find_program(monitor or None),),
        options=options,
        duration_us=parse_duration(duration, "--duration") if duration else None,
        count=count,
        rows=rows,
        cols=cols,
        argv=tuple(sys.argv),
        labels=_labels(label),
    )
    found = survey(link, job.program)
    if dry_run:
        typer.echo(shown(job.command(0, found.separator)))
        return 0
    return _record(job, found)


def _labels(pairs: list[str]) -> dict[str, str]:
    for pair in pairs:
        if "=" not in pair or pair.startswith("="):
            raise UsageError(f"--label {pair!r} has no key", "write --label key=value")
    return dict(pair.split("=", 1) for pair in pairs)


def _record(job: Job, found: Survey) -> int:
    from ucpmon.recorder import Recording
    from ucpmon.recorder.progress import closing_line
    from ucpmon.recorder.signals import Signals

    with Signals() as signals:
        recording = Recording(job, found, signals)
        what = "a SIMULATION (invented figures)" if found.simulated else job.program[0]
        say(f"recording {what} to {job.files.csv}; Ctrl-C ends it")
        ending = recording.run()
    say(closing_line(job.files.csv.name, recording.output.info(), recording.elapsed_us))
    return int(ending.code)
