"""The monitor as a source of chunks: it may break off, and come back as another one."""

from __future__ import annotations

import re

from ucpmon.errors import Exit
from ucpmon.monitor.commands import capture
from ucpmon.monitor.session import RecordingClock, Session
from ucpmon.monitor.ssh import LINK_FAILED
from ucpmon.recorder.ending import Ending, how_it_ended
from ucpmon.recorder.job import ENDLESS_S, Job
from ucpmon.records import ANEW_MARK, GAP_MARK, Chunk
from ucpmon.text import without_escapes

# ssh's own complaint comes over the same terminal, and is followed by its end.
_PROOF_US = 300_000
_LEAST_LIFE_US = 2_000_000
_RETRIES_US = (1_000_000, 2_000_000, 4_000_000, 8_000_000)
# A monitor that was started for a day and ended a little before is one that ran its time.
_NEARLY_S = 60
_CHECK_S = 12.0
_KEEP = 4096
# Whoever moves about the screen begins a new line wherever that leads.
_MOVE = re.compile(r"\x1b\[[0-?]*[HfJdhl]")
_TABLE = "|+│─┌└├"


class MonitorSource:
    """Starts the monitor, and starts it anew where that is wanted.

    ``over`` is why no more will come, once that is so. Raises StartError where nothing can be started at all.
    """

    def __init__(self, job: Job, separator: str | None, clock: RecordingClock, end_us: int | None) -> None:
        self.over: Ending | None = None
        self.exit_status: int | None = None
        self.troubles: list[str] = []
        self.down = False
        self._job, self._separator, self._clock, self._end_us = job, separator, clock, end_us
        self._tail = _Tail()
        self._held: list[Chunk] = []
        self._proven = False
        self._anew = False
        self._stopping = False
        self._failures = 0
        self._retry_us = 0
        self.session: Session | None = self._start()

    @property
    def ever(self) -> bool:
        """Whether the monitor has printed anything."""
        return self._proven or self._anew

    def take(self, chunk: Chunk) -> list[Chunk]:
        """What of a session's chunk belongs to the stream, perhaps later."""
        self._tail.add(chunk.data)
        if self._proven:
            return [chunk]
        if chunk.data:
            self._held.append(chunk)
        link_may_complain = bool(self._job.link.name)
        if not self._held or (link_may_complain and self._clock.now() - self._held[0].t_us < _PROOF_US):  # type: ignore[operator]  # our own chunks have times
            return []
        return self._release()

    def look(self) -> list[Chunk]:
        """Notice an end, and start anew where it is time; what of that belongs to the stream."""
        now = self._clock.now()
        if self.over:
            return []
        if self.session is None:
            if now >= self._retry_us:
                self.session = self._start()
            return []
        return self._ended(now) if self.session.ended else []

    def restart(self, why: str) -> list[Chunk]:
        """End this monitor and begin another at once; ``why`` is said in the stream."""
        if self.session is None or self._stopping:
            return []
        self.session.close()
        return [self._gap(why)]

    def stop(self, now: int) -> None:
        """Ask the monitor to end."""
        self._stopping = True
        if self.session is None:
            self.over = self.over or Ending("", Exit.OK)
        elif not self.over:
            self.session.stop(now)

    def hurry(self) -> None:
        if self.session:
            self.session.hurry()

    def close(self) -> None:
        """End the monitor at all costs."""
        if self.session:
            self.exit_status = self._status(self.session.close())

    def leftovers(self) -> str:
        """After ``close``: what a check of the other machine has to tell, empty where nothing of ours is left there.

        A shell over there that has said how the monitor ended has waited for its end: then there is nothing to check.
        """
        link = self._job.link
        if not link.sweep() or (self.exit_status is not None and 0 <= self.exit_status < LINK_FAILED):
            return ""
        found = capture(link, link.sweep(), _CHECK_S)
        if found.status != 0:
            return (
                f"{link.name} cannot be asked whether the monitor has ended; it ends by itself when its time (-t) is up"
            )
        ids = " ".join(found.output.decode("ascii", "replace").split())
        return f"what was left on {link.name} was ended (process {ids})" if ids else ""

    def _start(self) -> Session:
        job = self._job
        left_us = None if self._end_us is None else self._end_us - self._clock.now()
        command = job.command(self._separator, left_us)
        self._tail = _Tail()
        self._started_us = self._clock.now()
        return Session(
            job.link.on_terminal(command, sweep=self._anew),
            job.rows,
            job.cols,
            quit_key="" if job.options.batch else "q",
        )

    def _release(self) -> list[Chunk]:
        """The link stands: what was held back is the monitor's."""
        held, self._held = self._held, []
        mark = [Chunk(held[0].t_us, b"", ANEW_MARK)] if self._anew and held else []
        self._proven, self.down, self._failures = True, False, 0
        return mark + held

    def _ended(self, now: int) -> list[Chunk]:
        assert self.session
        self.exit_status = self._status(self.session.close())
        failure = self._job.link.failure(self.exit_status, self._tail.text())
        last = [] if failure or not self._held else self._release()
        if self._stopping:
            self.over = Ending("", Exit.OK)
        elif failure and self._job.reconnect and self.ever:
            return last + self._lost(now, failure[0])
        elif self._ran_its_time(now) or (self._job.restart and self._proven):
            return [*last, self._gap(f"the monitor {how_it_ended(self.exit_status)}")]
        else:
            self.over = self._final(failure)
        return last

    def _status(self, status: int | None) -> int | None:
        """An exit status, negative for a death by signal N, of which a shell over there has made 128 + N."""
        by_shell = bool(self._job.link.name) and status is not None and 128 < status < LINK_FAILED
        return 128 - status if by_shell and status is not None else status

    def _lost(self, now: int, why: str) -> list[Chunk]:
        """The link is gone: try again, less and less often."""
        was_up = self._proven
        self._retry_us = now + _RETRIES_US[min(self._failures, len(_RETRIES_US) - 1)]
        self._failures += 1
        self._held = []
        self.session, self._proven, self._anew, self.down = None, False, True, True
        if not was_up:
            return []
        self.troubles.append(f"{why}; trying to reconnect")
        return [Chunk(now, b"", f"{GAP_MARK}, {why}")]

    def _gap(self, why: str) -> Chunk:
        now = self._clock.now()
        self.troubles.append(f"{why}; started it anew")
        self._proven, self._anew = False, True
        self._held = []
        # One that dies as soon as it is started must not keep the board busy with starting it.
        self.session, self._retry_us = None, max(now, self._started_us + _LEAST_LIFE_US)
        return Chunk(now, b"", f"{GAP_MARK}, {why}")

    def _ran_its_time(self, now: int) -> bool:
        day = self._job.duration_us is None and now >= (ENDLESS_S - _NEARLY_S) * 1_000_000
        return day and self.exit_status == 0 and self._proven

    def _final(self, failure: tuple[str, str] | None) -> Ending:
        job = self._job
        if failure:
            return Ending(failure[0], Exit.ENDED_EARLY if self.ever else Exit.NOT_STARTED, failure[1])
        if job.options.batch and job.count is not None and self.exit_status == 0:
            return Ending("count reached", Exit.OK)
        said = self._tail.last_line()
        quoted = f", saying {said!r}" if said else ""
        where = f" on {job.link.name}" if job.link.name else ""
        return Ending(f"the monitor{where} {how_it_ended(self.exit_status)}{quoted}", Exit.ENDED_EARLY)


class _Tail:
    """Keeps the end of what a program has printed."""

    def __init__(self) -> None:
        self._data = b""

    def add(self, data: bytes) -> None:
        if data:
            self._data = (self._data + data)[-_KEEP:]

    def text(self) -> str:
        """What is kept, without escape sequences."""
        text = self._data.decode("utf-8", "replace").replace("\r\n", "\n")
        return without_escapes(_MOVE.sub("\n", text))

    def last_line(self) -> str:
        """The last line that says something, where it is no row of a table: a message, then."""
        lines = [line.strip() for line in self.text().splitlines() if line.strip()]
        last = lines[-1] if lines else ""
        return "" if last[:1] in _TABLE or last[-1:] in _TABLE else last[:200]
