"""What to record: everything that is decided before the monitor starts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ucpmon.errors import UsageError
from ucpmon.monitor.link import Link
from ucpmon.monitor.options import DEFAULT_SEPARATOR, ION_HEAPS, MonitorOptions
from ucpmon.recorder.survey import Survey
from ucpmon.runs import RunFiles

MARGIN_S = 30
"""How much longer than the recording the monitor may run, should nobody be left to end it."""
ENDLESS_S = 86_400
"""How long a monitor is started for when the recording has no end; it is then started anew."""
SIZES = (10, 2000)


@dataclass(frozen=True)
class Job:
    """One recording on one machine. Times in µs; ``duration_us`` and ``count`` are ``None`` for no limit.

    ``program`` is the monitor's command without options. Raises UsageError where a size or a count is out of range.
    """

    files: RunFiles
    link: Link
    program: tuple[str, ...]
    options: MonitorOptions
    duration_us: int | None = None
    count: int | None = None
    rows: int = 200
    cols: int = 200
    argv: tuple[str, ...] = ()
    overwrite: bool = False
    reconnect: bool = False
    restart: bool = False
    compress: bool = False
    capture: bool = True
    heaps_interval_us: int | None = None
    heaps_folder: str = ION_HEAPS
    labels: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, value in (("--rows", self.rows), ("--cols", self.cols)):
            if not SIZES[0] <= value <= SIZES[1]:
                raise UsageError(
                    f"{name} {value} is out of range", f"a terminal of {SIZES[0]} to {SIZES[1]} can be had"
                )
        if self.duration_us is not None and self.duration_us < 100_000:
            raise UsageError("--duration is too short", "record 100ms at least, or leave it out to record until Ctrl-C")
        if self.count is not None and self.count < 1:
            raise UsageError(f"--count {self.count} is out of range", "record one screen at least")

    @property
    def interval_us(self) -> int:
        return self.options.interval_ms * 1000

    def command(self, separator: str | None, left_us: int | None) -> list[str]:
        """The monitor's command line when ``left_us`` of the recording are left, ``None`` for no end.

        It ends by itself some time after the recording should have: nothing else ends it if we and the link are gone.
        """
        left_s = ENDLESS_S if left_us is None else -(-left_us // 1_000_000)
        options = replace(self.options, time_s=max(1, left_s) + MARGIN_S)
        args = options.argv(separator or DEFAULT_SEPARATOR)
        if self.count is not None and self.options.batch:
            # Every block is a screen: the program can count them itself, and then ends between two of them.
            args += ["-n", str(self.count)]
        return [*self.program, *args]

    def doubts(self, survey: Survey) -> Iterator[str]:
        """What a person should know before the recording begins."""
        if len(self.options.enable) > 1 and survey.separator is None:
            yield f"the monitor's help does not say how -e separates names: {DEFAULT_SEPARATOR!r} it is"
        for pid in survey.running:
            yield f"another monitor runs there already (process {pid}): each takes all of the BPU device for itself"

    def describe(self, survey: Survey) -> dict[str, Any]:
        """What run.json and the cast's header say of the recording before it begins."""
        command = self.command(survey.separator, self.duration_us)
        return {
            "argv": list(self.argv),
            "monitor": {"path": command[0], "argv": command, "help": survey.help_text, "exit_status": None},
            "source": None,
            "host": self.link.name or survey.host,
            "board": survey.board,
            "labels": dict(self.labels),
            "terminal": {"rows": self.rows, "cols": self.cols},
            "simulated": survey.simulated,
            "interval_s": self.options.interval_ms / 1000,
            "freq_hz": self.options.freq_hz,
        }
