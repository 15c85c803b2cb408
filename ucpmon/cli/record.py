"""``ucpmon record``: run the monitor and keep what it shows."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING

import typer

from ucpmon.cli.common import need_terminals, say
from ucpmon.cli.record_options import RecordOptions, with_options

if TYPE_CHECKING:
    from ucpmon.cli.record_request import RecordRequest
    from ucpmon.recorder import Job


@with_options
def record(options: RecordOptions) -> int:
    """Record hrt_ucp_monitor: every byte into run.cast, every screen into run.csv."""
    need_terminals("record")
    from ucpmon.cli.record_request import RecordRequest

    request = RecordRequest(**vars(options))
    if len(request.host) > 1:
        return _record_many(request)
    return _record(request, request.job())


def _record_many(request: RecordRequest) -> int:
    from ucpmon.recorder import Fleet, Signals, short_names

    names = short_names(request.host)
    job = request.job()
    outputs = request.outputs(names)
    words = {n: request.alone(h, o) for n, h, o in zip(names, request.host, outputs, strict=True)}
    with Signals() as signals:
        codes = Fleet(words, signals, say).run(job.duration_us)
    return next((code for code in codes.values() if code), 0)


def _record(request: RecordRequest, job: Job) -> int:
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
