"""Notices a monitor that is frozen, or whose screens nobody can read."""

from __future__ import annotations

from ucpmon.text import format_duration

STALL_INTERVALS = 3
# Three intervals at ten screens a second are a hiccup of the machine, not a frozen program.
_LEAST_STALL_US = 1_000_000
_UNREAD_US = 10_000_000
# Redraws at every interval before silence is taken for more than an unchanged screen, and how long it must be then:
# a board that falls idle shows the same figures for a while.
_STEADY = 20
_STEADY_INTERVALS = 10


class Watch:
    """Fed with what comes and when, says what is wrong once each time it begins.

    A batch stalls when no block has come for three intervals. A terminal's silence says that nothing has changed,
    unless the program has redrawn at every interval before. ``stalls`` are [begin, end] in µs; ``stalled`` is now.
    """

    def __init__(self, batch: bool, interval_us: int) -> None:
        self.stalls: list[tuple[int, int]] = []
        self.stalled = False
        self._batch = batch
        self._interval_us = interval_us
        intervals = STALL_INTERVALS if batch else _STEADY_INTERVALS
        self._limit_us = max(intervals * interval_us, _LEAST_STALL_US)
        self._unread_us = max(_UNREAD_US, STALL_INTERVALS * interval_us)
        self._last_us: int | None = None
        self._redraws = 0
        self._can_be_silent = False
        self._understood = 0
        self._unread_since_us: int | None = 0
        self._said_unread = False

    def data(self, t_us: int) -> None:
        """Something was printed."""
        if self._last_us is not None:
            silence = t_us - self._last_us
            if silence > 2 * self._interval_us:
                self._can_be_silent = True
            elif silence > self._interval_us // 2:
                self._redraws += 1
            if self.stalled:
                self.stalls.append((self._last_us, t_us))
        self.stalled = False
        self._last_us = t_us
        if self._unread_since_us is None:
            self._unread_since_us = t_us

    def anew(self, now_us: int) -> None:
        """Another monitor is started: its first screen may take its time."""
        self.finish(now_us)
        self._last_us, self.stalled = None, False

    def look(self, now_us: int, understood: int) -> str:
        """What is newly wrong at this moment, empty where nothing is. ``understood``: screens so far."""
        if understood != self._understood:
            self._understood, self._unread_since_us, self._said_unread = understood, None, False
        return self._frozen(now_us) or self._unread(now_us)

    def finish(self, now_us: int) -> None:
        """The stream ends here: so does a stall."""
        if self.stalled and self._last_us is not None:
            self.stalls.append((self._last_us, now_us))

    def _frozen(self, now_us: int) -> str:
        expected = self._batch or (self._redraws >= _STEADY and not self._can_be_silent)
        if self.stalled or self._last_us is None or not expected or now_us - self._last_us < self._limit_us:
            return ""
        self.stalled = True
        return f"the monitor has printed nothing for {format_duration(self._limit_us)}: it seems to be frozen"

    def _unread(self, now_us: int) -> str:
        since = self._unread_since_us
        if self._said_unread or since is None or now_us - since < self._unread_us:
            return ""
        self._said_unread = True
        what = "has printed nothing" if self._last_us is None else "has printed nothing that is understood"
        return f"the monitor {what} for {format_duration(round(now_us - since, -5))}"
