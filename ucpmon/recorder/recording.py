"""The loop of a recording: wait, take what came, see whether it is time to end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ucpmon.errors import Exit, UcpmonError
from ucpmon.monitor.session import TICK_US, RecordingClock, wait
from ucpmon.recorder.ending import ENDING, Ending, Signals
from ucpmon.recorder.job import Job
from ucpmon.recorder.output import Output
from ucpmon.recorder.progress import Progress
from ucpmon.recorder.source import MonitorSource
from ucpmon.recorder.survey import Survey
from ucpmon.recorder.trial import Trial
from ucpmon.recorder.watch import Watch
from ucpmon.records import GAP_MARK, Chunk
from ucpmon.runs import doubts
from ucpmon.runs.marks import IN_PROGRESS
from ucpmon.text import format_duration

if TYPE_CHECKING:
    from ucpmon.recorder.exact import ExactMemory

_IDLE_US = 200_000
# The loop turns five times a second. Much longer, and somebody has stopped us, or the machine slept.
_STOPPED_US = 2_000_000


class Recording:
    """One recording, from the monitor's start to its end. ``run`` does it.

    ``say`` takes what a person should know at once. Raises StartError where the monitor cannot be started.
    """

    def __init__(
        self,
        job: Job,
        survey: Survey,
        signals: Signals,
        say: Callable[[str], None],
        clock: RecordingClock | None = None,
        trial: Trial | None = None,
    ) -> None:
        self.job = job
        self.ending: Ending | None = None
        self.warnings: list[str] = []
        self.elapsed_us = 0
        self.clock = clock or RecordingClock()
        # The clock may be one that several recordings share, and that began earlier.
        self._began_us = self.clock.now()
        self._end_us = None if job.duration_us is None else self._began_us + job.duration_us
        self._signals, self._heeded = signals, 0
        self._say = say
        self._drawing = False
        self._trial = trial
        # A monitor that cannot be started leaves no files, and an older run as it was.
        self._source = MonitorSource(job, survey.separator, self.clock, self._end_us)
        try:
            self.output = Output(job, survey, self.clock, self.warn)
            self._heaps = self._exact_memory()
        except BaseException:
            self._source.close()
            raise
        self._watch = Watch(job.options.batch, job.interval_us)
        self._progress = Progress(job.duration_us)
        for doubt in job.doubts(survey):
            self.warn(doubt)
        self.output.save(0, self.state())

    def run(self) -> Ending:
        """Record until there is a reason to end, and end the monitor. Nothing that was started is left running."""
        try:
            while not self._over():
                self._turn()
        except UcpmonError as error:
            self.ending = Ending(error.message, int(error.exit_code), error.hint)
        finally:
            self._close()
        if left := self._source.leftovers():
            self.warn(left)
        self.ending = self._judge()
        self._progress.clear()
        self._watch.finish(self.elapsed_us)
        self.output.finish(self.elapsed_us, self.ending.reason)
        for doubt in doubts(self.output.pipeline):
            self.warn(doubt)
        # A full disk may refuse even this; stderr says the same.
        with suppress(OSError):
            self.output.save(self.elapsed_us, self.state())
        return self.ending

    @property
    def took_us(self) -> int:
        """How long it was, from its own start."""
        return self.elapsed_us - self._began_us

    def warn(self, message: str) -> None:
        """What a person should know now, and whoever reads the run later."""
        self.warnings.append(message)
        self.output.save_soon()
        self._progress.clear()
        self._say(message)

    def state(self) -> Mapping[str, Any]:
        """What run.json says of the moment."""
        return {
            "ended": self.ending.reason if self.ending else IN_PROGRESS,
            "warnings": self.warnings,
            "stalls": self._watch.stalls,
            "exit_status": self._source.exit_status,
        }

    def _over(self) -> bool:
        return self._source.over is not None and not (self._trial and self._trial.workload.running)

    # -- one turn

    def _turn(self) -> None:
        began = self.clock.now()
        source, trial, heaps = self._source, self._trial, self._heaps
        monitor, workload = source.session, trial.workload.session if trial else None
        sessions = [s for s in (monitor, workload, heaps.session if heaps else None) if s and not s.ended]
        chunks = dict(zip(map(id, sessions), wait(self.clock, *sessions, wait_us=self._patience(began)), strict=True))
        self._notice_sleep(began)
        for chunk in source.take(chunks[id(monitor)]) if id(monitor) in chunks else []:
            self._keep(chunk)
        if trial and id(workload) in chunks and (chunk := chunks[id(workload)]).data:
            self._progress.make_room(chunk.data)
            for label in trial.workload.take(chunk.data):
                self.output.mark(chunk.t_us or 0, label, "regex")
            if trial.workload.trouble:
                self.warn(trial.workload.trouble)
                trial.workload.trouble = ""
        if heaps and id(heaps.session) in chunks and (chunk := chunks[id(heaps.session)]).data:
            heaps.take(chunk.t_us or 0, chunk.data)
        self._look(self.clock.now())

    def _patience(self, now: int) -> int:
        """How long to wait: a redraw ends with 50 ms of silence; in a longer one there is nothing to be noticed."""
        most = TICK_US if self._drawing else _IDLE_US
        return most if self._end_us is None else min(most, max(1000, self._end_us - now))

    def _keep(self, chunk: Chunk) -> None:
        self._drawing = bool(chunk.data) and not self.job.options.batch
        if chunk.data:
            self._watch.data(chunk.t_us or 0)
        self.output.take(chunk)

    def _notice_sleep(self, began: int) -> None:
        """A turn that took too long is a gap: what was printed meanwhile has no time of its own."""
        now = self.clock.now()
        if now - began >= _STOPPED_US:
            self.output.mark(began, f"{GAP_MARK}, ucpmon was stopped for {format_duration(now - began)}")
            self.warn(f"ucpmon was stopped for {format_duration(now - began)} (suspended, or a full terminal): a gap")

    # -- looking around

    def _look(self, now: int) -> None:
        """Show how it goes, notice what is wrong, and see whether it is time to end."""
        self._look_at_source(now)
        self._look_at_clock(now)
        if self._heaps:
            self._heaps.look(now)
        if self._trial:
            for label in self._trial.look(now, self.output.screens):
                self.output.mark(now, label, "workload")
        self.output.look(now, self.state)
        last = self.output.last
        self._progress.show(now - self._began_us, self.output.screens, last.values if last else {}, self._source.down)
        self._look_for_end(now)

    def _look_at_source(self, now: int) -> None:
        source = self._source
        trouble = "" if source.down else self._watch.look(now, self.output.understood)
        if trouble:
            self.warn(trouble)
        events = source.look()
        if trouble and self._watch.stalled:
            events += source.restart("frozen") if self.job.restart else [Chunk(now, b"", f"{GAP_MARK}, frozen")]
        for chunk in events:
            self._keep(chunk)
        for message in source.troubles:
            self._watch.anew(now)
            self.warn(message)
        source.troubles.clear()

    def _look_at_clock(self, now: int) -> None:
        if step := self.clock.wall_step():
            how = f"{'forward' if step > 0 else 'back'} by {format_duration(abs(step))}"
            self.output.mark(now, f"ucpmon: the wall clock was set {how}")
            self.warn(f"the wall clock was set {how}; times go on from the recording's start")

    def _look_for_end(self, now: int) -> None:
        workload = self._trial.workload if self._trial else None
        if self.ending is None:
            self.ending = self._asked_to_end() or self._reason_to_end(now)
        elif len(self._signals.received) > self._heeded:
            self._source.hurry()
            if workload and workload.session:
                workload.session.hurry()
        self._heeded = len(self._signals.received)
        if self.ending and workload and workload.running and workload.session:
            workload.session.stop(now)
        elif self.ending:
            self._source.stop(now)

    def _asked_to_end(self) -> Ending | None:
        for number in self._signals.received[self._heeded :]:
            reason, code = ENDING[number]
            # The first Ctrl-C is the workload's; the second ends both.
            first = self._signals.received.index(number) >= self._heeded
            if not (code is Exit.INTERRUPT and first and self._trial and self._trial.interrupt()):
                return Ending(reason, code)
        return None

    def _reason_to_end(self, now: int) -> Ending | None:
        if self.output.failed:
            return Ending(self.output.failed, Exit.ENDED_EARLY, "what was seen until then is kept")
        if self._source.over:
            return self._source.over
        if self._trial and self._trial.ending:
            return self._trial.ending
        if self._end_us is not None and now >= self._end_us:
            if self._source.down:
                return Ending("duration reached while the link was lost", Exit.ENDED_EARLY)
            if self._watch.stalled:
                return Ending("duration reached while the monitor was frozen", Exit.ENDED_EARLY)
            return Ending("duration reached", Exit.OK)
        if self.job.count is not None and self.output.screens >= self.job.count:
            return Ending("count reached", Exit.OK)
        return None

    # -- the end

    def _close(self) -> None:
        self.elapsed_us = self.clock.now()
        if self._trial:
            self._trial.workload.close()
        if self._heaps:
            self._heaps.close()
        self._source.close()

    def _judge(self) -> Ending:
        """Why it is over, as the exit code has to tell it."""
        ending = self.ending or self._source.over or Ending("", Exit.OK)
        if self._trial and not self._trial.started and ending.code is Exit.OK:
            ending = Ending(f"{ending.reason} before the workload was started", Exit.ENDED_EARLY, "record longer")
        if not self.output.failed and not self.output.screens and ending.code in (Exit.OK, Exit.ENDED_EARLY):
            ending = ending.without_screens(self.output.pipeline.counts.first_lines)
        if self._trial and ending is not self._trial.ending and ending.early:
            return Ending(ending.reason, Exit.WORKLOAD_TOOL, ending.remedy)
        return ending

    def _exact_memory(self) -> ExactMemory | None:
        job = self.job
        if job.heaps_interval_us is None:
            return None
        # Most recordings do without, and without its memory.
        from ucpmon.recorder.exact import ExactMemory

        return ExactMemory(
            job.link, job.files, self.clock.started_us, job.heaps_interval_us, self.warn, job.heaps_folder
        )
