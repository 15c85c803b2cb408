"""When a workload runs within a recording: after a baseline, and with some time after it."""

from __future__ import annotations

from ucpmon.errors import Exit
from ucpmon.monitor.workload import Workload
from ucpmon.recorder.ending import Ending, how_it_ended

START, END = "workload start", "workload end"
_FIRST_SCREEN_US = 30_000_000


class Trial:
    """Waits for the first screen, records ``before_us``, runs the workload, and records ``after_us`` more.

    ``started`` says whether the workload was. ``look`` gives the labels of what has just begun or ended, and ``ending``
    is why the recording is over, once it is.
    """

    def __init__(self, workload: Workload, before_us: int, after_us: int) -> None:
        self.workload = workload
        self.ending: Ending | None = None
        self._before_us, self._after_us = before_us, after_us
        self._start_us: int | None = None
        self._end_us: int | None = None
        self.started = False

    def look(self, now: int, screens: int) -> list[str]:
        """Go on to the next part where it is time; the labels of what that was."""
        if self._start_us is None:
            self._wait_for_screens(now, screens)
        elif not self.started:
            if now >= self._start_us:
                self.started = True
                self.workload.start()
                return [START]
        elif self._end_us is None:
            if not self.workload.running:
                self.workload.close()
                self._end_us = now + self._after_us
                return [END]
        elif now >= self._end_us and self.ending is None:
            self.ending = Ending(f"the workload {how_it_ended(self.workload.status)}", self.workload.exit_code)
        return []

    def interrupt(self) -> bool:
        """Pass a Ctrl-C on to the workload; whether there was one to take it."""
        session = self.workload.session
        if session is None or not self.workload.running:
            return False
        session.interrupt()
        return True

    def _wait_for_screens(self, now: int, screens: int) -> None:
        if screens:
            self._start_us = now + self._before_us
        elif now >= _FIRST_SCREEN_US:
            self.ending = Ending("the monitor shows no screen: the workload was not started", Exit.NOT_UNDERSTOOD)
