"""``ucpmon record``: run the monitor and keep what it shows."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ucpmon.cli import record_options as opt
from ucpmon.cli.common import need_terminals, say

if TYPE_CHECKING:
    from ucpmon.cli.record_request import Request
    from ucpmon.recorder import Job


def record(
    workload: list[str] | None = opt.WORKLOAD,
    duration: str | None = opt.DURATION,
    count: int | None = opt.COUNT,
    interval: str = opt.INTERVAL,
    freq: int = opt.FREQ,
    enable: str = opt.ENABLE,
    batch: bool = opt.BATCH,
    monitor: str = opt.MONITOR,
    rows: int = opt.ROWS,
    cols: int = opt.COLS,
    restart: bool = opt.RESTART,
    sudo: bool = opt.SUDO,
    heaps: bool = opt.HEAPS,
    heaps_interval: str = opt.HEAPS_INTERVAL,
    heaps_dir: str = opt.HEAPS_DIR,
    output: Path | None = opt.OUTPUT,
    force: bool = opt.FORCE,
    label: list[str] = opt.LABEL,
    compress: bool = opt.COMPRESS,
    no_capture: bool = opt.NO_CAPTURE,
    host: list[str] = opt.HOST,
    port: int | None = opt.PORT,
    identity: Path | None = opt.IDENTITY,
    ssh_option: list[str] = opt.SSH_OPTION,
    reconnect: bool | None = opt.RECONNECT,
    before: str = opt.BEFORE,
    after: str = opt.AFTER,
    mark_regex: list[str] = opt.MARK_REGEX,
    simulate: bool = opt.SIMULATE,
    profile: str = opt.PROFILE,
    scenario: str = opt.SCENARIO,
    seed: int = opt.SEED,
    dry_run: bool = opt.DRY_RUN,
    clock: str = opt.CLOCK,
) -> int:
    """Record hrt_ucp_monitor: every byte into run.cast, every screen into run.csv."""
    request = _request(**locals())
    if len(request.host) > 1:
        return _record_many(request)
    return _record(request, request.job())


def _request(**options: Any) -> Request:
    need_terminals("record")
    from ucpmon.cli.record_request import Request

    return Request(**options)


def _record_many(request: Request) -> int:
    from ucpmon.recorder import Fleet, Signals, short_names

    names = short_names(request.host)
    job = request.job()
    outputs = request.outputs(names)
    words = {n: request.alone(h, o) for n, h, o in zip(names, request.host, outputs, strict=True)}
    with Signals() as signals:
        codes = Fleet(words, signals, say).run(job.duration_us)
    return next((code for code in codes.values() if code), 0)


def _record(request: Request, job: Job) -> int:
    from ucpmon.recorder import Recording, Signals, survey
    from ucpmon.recorder.progress import closing_line, opening_line

    found = survey(job.link, job.program)
    job = replace(job, program=found.program)
    if request.dry_run:
        typer.echo(shlex.join(job.command(found.separator, job.duration_us)))
        return 0
    with Signals() as signals:
        trial, clock = request.trial(job), request.shared_clock()
        recording = Recording(job, found, signals, lambda text: say(f"ucpmon: {text}"), clock, trial)
        say(opening_line(job, found))
        ending = recording.run()
    say(closing_line(recording.output.files.csv.name, recording.output.info(recording.state()), recording.took_us))
    if ending.remedy:
        say(f"ucpmon: {ending.remedy}")
    return int(ending.code)
