"""What a person may ask of a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ucpmon.errors import UsageError
from ucpmon.text import parse_duration

STYLES = ("light", "dark")


@dataclass(frozen=True)
class PlotOptions:
    """``start_s``/``end_s`` cut the shared time axis, in seconds from its zero; ``None`` leaves it whole.

    ``align`` says what zero is: ``start`` (each run's own start), ``wall`` (the runs' clocks) or ``marker:LABEL``.
    ``series`` are globs over column names; empty means loads, bandwidth, heaps and processes' hbmem.
    ``top`` is how many processes are drawn. ``columns`` is how many columns of time are told apart
    where a run has more rows than that; ``None`` fits the picture's pixels.
    """

    series: tuple[str, ...] = ()
    start_s: float | None = None
    end_s: float | None = None
    align: str = "start"
    style: str = "light"
    top: int = 5
    columns: int | None = None

    def __post_init__(self) -> None:
        if self.style not in STYLES:
            raise UsageError(f"style {self.style!r} is not known", f"choose {' or '.join(STYLES)}")
        if self.align not in ("start", "wall") and not self.align.removeprefix("marker:") != self.align:
            raise UsageError(f"cannot align at {self.align!r}", "choose start, wall or marker:LABEL")
        if self.start_s is not None and self.end_s is not None and self.start_s >= self.end_s:
            raise UsageError(
                f"--from {self.start_s:g} s is not before --to {self.end_s:g} s", "give the earlier time first"
            )

    @property
    def marker(self) -> str:
        """The label that stands at zero; empty where another alignment is asked."""
        return self.align.removeprefix("marker:") if self.align.startswith("marker:") else ""


def parse_globs(texts: Sequence[str]) -> tuple[str, ...]:
    """The globs of ``--series`` options, each a comma-separated list; lower case, as columns are."""
    return tuple(part.strip().lower() for text in texts for part in text.split(",") if part.strip())


def parse_moment(text: str | None, what: str) -> float | None:
    """Seconds of a moment on the time axis; a minus before it means before the axis's zero."""
    if text is None:
        return None
    negative = text.strip().startswith("-")
    seconds = parse_duration(text.strip().removeprefix("-"), what) / 1e6
    return -seconds if negative else seconds
