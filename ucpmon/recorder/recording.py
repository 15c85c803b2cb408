"""The loop of a recording: wait, take what came, see whether it is time to end."""

from __future__ import annotations

from dataclasses import dataclass

from ucpmon.driver import Clock, Session, wait
from ucpmon.errors import Exit
from ucpmon.recorder.job import Job
from ucpmon.recorder.output import Output
from ucpmon.recorder.progress import Progress
from ucpmon.recorder.signals import ENDING, Signals
from ucpmon.recorder.survey import Survey


@dataclass(frozen=True)
class Ending:
    """Why a recording ends, and the exit code that says so."""

    reason: str
    code: Exit


class Recording:
    """One recording, from the monitor's start to its end. ``run`` does it."""

    def __init__(self, job: Job, survey: Survey, signals: Signals) -> None:
        self.job = job
        self.ending: Ending | None = None
        self._signals = signals
        self._seen_signals = 0
        self.clock = Clock()
        self.elapsed_us = 0
        # A monitor that cannot be started leaves no files, and an older run as it was.
        self._session = self._start(survey)
        self.output = Output(job, survey, self.clock)
        self._progress = Progress(job.duration_us)

    def run(self) -> Ending:
        """Record until there is a reason to end, and end the monitor. Nothing of it is left running."""
        session = self._session
        try:
            while not session.ended:
                self.output.take(wait(session, self.clock))
                self._look()
        finally:
            self.output.exit_status = session.close()
        ending = self.ending or self._ended_by_itself()
        self._progress.clear()
        self.elapsed_us = self.clock.now()
        self.output.finish(self.elapsed_us, ending.reason)
        return ending

    def _start(self, survey: Survey) -> Session:
        job = self.job
        command = job.link.on_terminal(job.command(self.clock.now(), survey.separator))
        return Session(command, job.rows, job.cols, quit_key="" if job.options.batch else "q")

    def _look(self) -> None:
        """Show how it goes, and see whether it is time to end."""
        now = self.clock.now()
        last = self.output.last
        self._progress.show(now, self.output.screens, last.values if last else {})
        if self.ending is None:
            self.ending = self._reason_to_end(now)
            if self.ending:
                self._session.stop(now)
        elif len(self._signals.received) > self._seen_signals:
            self._session.hurry()
        self._seen_signals = len(self._signals.received)

    def _reason_to_end(self, now: int) -> Ending | None:
        if self._signals.received:
            return Ending(*ENDING[self._signals.received[0]])
        if self.job.duration_us is not None and now >= self.job.duration_us:
            return Ending("duration reached", Exit.OK)
        if self.job.count is not None and self.output.screens >= self.job.count:
            return Ending("count reached", Exit.OK)
        return None

    def _ended_by_itself(self) -> Ending:
        status = self.output.exit_status
        job = self.job
        if job.options.batch and job.count is not None and status == 0:
            return Ending("count reached", Exit.OK)
        how = f"was killed by signal {-status}" if status is not None and status < 0 else f"exited with status {status}"
        return Ending(f"the monitor {how}", Exit.ENDED_EARLY)
