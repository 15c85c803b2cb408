"""The options of ``ucpmon record`` → what the recorder needs, each checked before anything starts."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

from ucpmon.cli.common import choose_run, numbered, silence_stdout
from ucpmon.cli.record_options import RecordOptions
from ucpmon.errors import UsageError
from ucpmon.monitor.link import Link, Local
from ucpmon.monitor.options import PROGRAM, MonitorOptions, find_program, parse_enable
from ucpmon.monitor.session import RecordingClock
from ucpmon.monitor.ssh import Ssh
from ucpmon.monitor.workload import Workload, compile_patterns
from ucpmon.recorder import Job, Trial
from ucpmon.runs import RunFiles
from ucpmon.text import parse_duration

_RECONNECT_US = 600_000_000


class RecordRequest(RecordOptions):
    """What the user asks for, as what the recorder needs."""

    def job(self) -> Job:
        """What to record. Raises UsageError for the first value that is wrong, StartError without a monitor."""
        if self.workload and "--" not in sys.argv:
            raise UsageError(f"{self.workload[0]!r} is no option", "a workload stands after --, a time: --duration")
        duration_us = None if self.duration is None else parse_duration(self.duration, "--duration")
        long = duration_us is None or duration_us > _RECONNECT_US
        options = MonitorOptions(
            freq_hz=self.freq,
            interval_ms=parse_duration(self.interval, "--interval", "ms") // 1000,
            enable=parse_enable(self.enable) if self.enable else (),
            batch=self.batch,
        )
        job = Job(
            files=RunFiles(Path()),
            link=self._link(),
            program=(),
            options=options,
            duration_us=duration_us,
            count=self.count,
            rows=self.rows,
            cols=self.cols,
            argv=tuple(sys.argv),
            overwrite=self.force,
            labels=_labels(self.label),
            reconnect=long if self.reconnect is None else self.reconnect,
            restart=self.restart,
            compress=self.compress,
            capture=not self.no_capture,
            heaps_interval_us=self._heaps_interval(),
            heaps_folder=self.heaps_dir,
        )
        return replace(job, program=self._program(), files=choose_run(self.output, self.force))

    def trial(self, job: Job) -> Trial | None:
        """The workload and when it runs; ``None`` without one."""
        before, after = parse_duration(self.before, "--before"), parse_duration(self.after, "--after")
        patterns = compile_patterns(self.mark_regex)
        if not self.workload:
            if patterns:
                raise UsageError("--mark-regex marks lines of a workload", "add one: -- PROGRAM ARGUMENTS")
            return None
        if job.duration_us is not None and job.duration_us <= before:
            raise UsageError(
                f"--duration {self.duration} is over before the workload starts",
                f"it starts {self.before} after the first screen (--before): record longer, or leave --duration out",
            )
        return Trial(Workload(job.link, self.workload, job.files.workload, patterns, _show), before, after)

    def alone(self, host: str, output: Path) -> list[str]:
        """The words of ``ucpmon record`` that record one of several hosts."""
        words = []
        for name, value in {**vars(self), "host": [host], "output": output}.items():
            option = "--" + name.replace("_", "-")
            if name == "workload" or value in (None, "", False, []):
                words += ["--no-reconnect"] if name == "reconnect" and value is False else []
            elif isinstance(value, list):
                words += [w for each in value for w in (option, each)]
            else:
                words += [option] if value is True else [option, str(value)]
        return words + (["--", *self.workload] if self.workload else [])

    def outputs(self, names: list[str]) -> list[Path]:
        """The CSV file of each of several hosts: run.NAME.csv. Raises UsageError where one cannot be written."""
        stems = [self.output] if self.output else numbered(Path("run.csv"))
        for stem in stems:
            paths = [stem.with_name(f"{stem.stem}.{name}{stem.suffix or '.csv'}") for name in names]
            if self.output or not any(RunFiles(path).existing() for path in paths):
                break
        return [choose_run(path, self.force).csv for path in paths]

    def shared_clock(self) -> RecordingClock:
        """The start that recordings of several hosts have in common."""
        zero, _, started = self.clock.partition(":")
        return RecordingClock((int(zero), int(started)) if started else None)

    def _link(self) -> Link:
        if not self.host:
            for option, value in (
                ("--port", self.port),
                ("--identity", self.identity),
                ("--ssh-option", self.ssh_option),
            ):
                if value:
                    raise UsageError(f"{option} is for another machine", "name it with --host USER@BOARD")
            return Local(self.sudo)
        if self.simulate:
            raise UsageError("--simulate runs on this machine", "leave out --host")
        return Ssh(self.host[0], self.port, self.identity, tuple(self.ssh_option), self.sudo, os.urandom(16).hex())

    def _program(self) -> tuple[str, ...]:
        if self.simulate:
            from ucpmon.monitor.simulator.options import command as stand_in

            return stand_in(self.profile, self.scenario, self.seed)
        if self.host:
            return (self.monitor or PROGRAM,)
        return (find_program(self.monitor or None),)

    def _heaps_interval(self) -> int | None:
        interval = parse_duration(self.heaps_interval, "--heaps-interval")
        if self.heaps and interval < 100_000:
            raise UsageError("--heaps-interval is too short", "read them every 100ms at most")
        return interval if self.heaps else None


def _labels(pairs: list[str]) -> dict[str, str]:
    for pair in pairs:
        if "=" not in pair or pair.startswith("="):
            raise UsageError(f"--label {pair!r} has no key", "write --label key=value")
    return dict(pair.split("=", 1) for pair in pairs)


def _show(data: bytes) -> None:
    """What a workload prints goes where it would have gone without us."""
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except OSError:
        # Whoever read it has read enough: the recording goes on, and its exit code is the workload's.
        silence_stdout()
