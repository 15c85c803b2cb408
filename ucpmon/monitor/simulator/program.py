"""The stand-in as a running program: its clock, its terminal, its signals, its faults."""

from __future__ import annotations

import argparse
import json
import os
import select
import signal
import sys
import termios
import time
import tty
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from random import Random

from ucpmon.monitor.simulator.board import PROFILES, ip_names, state
from ucpmon.monitor.simulator.draw import Drawing, draw, redraw, repaint
from ucpmon.monitor.simulator.options import BadOption, help_text, parse

STDIN, STDOUT = 0, 1
_SIGNALS = {"int": signal.SIGINT, "hup": signal.SIGHUP, "term": signal.SIGTERM}
NOISE = "[BPU][[BPU_MONITOR]][281473592837984][INFO]simulated log line\n"


class _Quit(Exception):
    """Somebody asked the program to end."""


def main(argv: list[str]) -> int:
    """Run the program; its exit code."""
    try:
        options = parse(argv)
    except BadOption as error:
        _write(f"{error}\n")
        return 1
    if options.help:
        _write(help_text(options.profile))
        return 0
    return Program(options).run()


class Program:
    """One run. ``options`` as ``options.parse`` gives them."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.profile = PROFILES[options.profile]
        self.names = ip_names(self.profile, options.enable)
        self.faults: dict[str, float] = dict(options.fault)
        self.shown: list[str] = []
        self.started = time.monotonic()
        # Line buffered: a line of the log is whole, and there as soon as the screen is.
        self.log = Path(options.log).open("a", buffering=1) if options.log else None  # noqa: SIM115
        self.keys = os.isatty(STDIN) and not options.batch

    def run(self) -> int:
        self._take_signals()
        if self.options.verbose:
            _write(f"profile {self.options.profile}, scenario {self.options.scenario}\n")
        with nullcontext() if self.options.batch else _full_screen():
            try:
                failed = self._loop()
            except _Quit:
                return 0
            except OSError:
                return 1  # the terminal is gone
        if failed:
            _write("Error: Open failed!\n")
        return int(failed)

    def _take_signals(self) -> None:
        for name, number in _SIGNALS.items():
            signal.signal(number, signal.SIG_IGN if name in self.options.ignore else _quit)

    def _loop(self) -> bool:
        number = 0
        while True:
            if self._break_down():
                return True
            if not self._has("freeze"):
                # No signal may come between a screen and its line of the log.
                signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS.values())
                self._refresh(number)
                signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS.values())
            number += 1
            if number == self.options.number:
                return False
            self._wait_until(self.started + number * self.options.delay / 1000)
            if self.options.time is not None and time.monotonic() - self.started >= self.options.time:
                return False

    def _has(self, fault: str) -> bool:
        return fault in self.faults and time.monotonic() - self.started >= self.faults[fault]

    def _break_down(self) -> bool:
        """Do what ends or overwhelms a program; true where it should end with an error."""
        if self._has("crash"):
            signal.signal(signal.SIGSEGV, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGSEGV)
        if self._has("fail"):
            return True
        if self._has("close"):
            _close_terminal()
        while self._has("flood"):
            _write(NOISE * 200)
            self._wait_until(0)
        return False

    def _refresh(self, number: int) -> None:
        seconds = number * self.options.delay / 1000 * self.options.speed
        now = state(self.profile, self.options.scenario, self.names, seconds, Random(f"{self.options.seed}/{number}"))
        drawing = draw(self.profile, now, self._has("layout"))
        lines = ["?? nothing that anybody can read: 42 ??"] if self._has("garbage") else drawing.lines
        if self.options.batch:
            self._print(lines)
        elif os.isatty(STDOUT):
            self._redraw(lines)
        changed, self.shown = lines != self.shown, lines
        self._note(number, drawing, changed)

    def _print(self, lines: list[str]) -> None:
        noise = NOISE if self._has("noise") else ""
        _write(noise + "".join(f"{line}\n" for line in lines))

    def _redraw(self, lines: list[str]) -> None:
        size = os.get_terminal_size(STDOUT)
        make = redraw if self.options.draw == "changes" else repaint
        text = make(self.shown, lines, size.lines, size.columns)
        if self._has("tear"):
            # A slow link delivers a redraw in pieces.
            middle = len(text) // 2
            _write(text[:middle])
            time.sleep(0.02)
            text = text[middle:]
        _write(text)

    def _note(self, number: int, drawing: Drawing, changed: bool) -> None:
        if self.log:
            record = {
                "screen": number, "time": time.time(), "monotonic_us": time.monotonic_ns() // 1000, "pid": os.getpid(),
                "changed": changed, "values": drawing.values, "processes": drawing.processes,
            }  # fmt: skip
            self.log.write(json.dumps(record) + "\n")

    def _wait_until(self, moment: float) -> None:
        """Sleep until a monotonic time, listening to the keyboard; a moment in the past only listens."""
        while True:
            left = max(0.0, moment - time.monotonic())
            if not self.keys:
                time.sleep(left)
            elif select.select([STDIN], [], [], left)[0]:
                self._key(os.read(STDIN, 64))
            if moment <= time.monotonic():
                return

    def _key(self, pressed: bytes) -> None:
        if not pressed:
            self.keys = False
        if b"q" in pressed and "q" not in self.options.ignore:
            raise _Quit


@contextmanager
def _full_screen() -> Iterator[None]:
    """Keys unechoed and at once, an alternate screen without a cursor; all of it undone at the end."""
    before = termios.tcgetattr(STDIN) if os.isatty(STDIN) else None
    if before:
        tty.setcbreak(STDIN)
    if os.isatty(STDOUT):
        _write("\x1b[?1049h\x1b[?25l\x1b[2J")
    try:
        yield
    finally:
        if os.isatty(STDOUT):
            _write("\x1b[?25h\x1b[?1049l")
        if before:
            termios.tcsetattr(STDIN, termios.TCSADRAIN, before)


def _quit(number: int, frame: object) -> None:
    raise _Quit


def _close_terminal() -> None:
    """Let go of the terminal but live on."""
    sink = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(sink, fd)
    time.sleep(3600)
    sys.exit(1)


def _write(text: str) -> None:
    data = text.encode()
    while data:
        data = data[os.write(STDOUT, data) :]
