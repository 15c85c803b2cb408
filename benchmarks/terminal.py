"""Terminal streams: screens per second against pyte, for pages printed anew and for differences only."""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Callable
from itertools import count, pairwise

import pyte
from drawing import ruled
from measure import cpu_s, table

from ucpmon import grammar
from ucpmon.layout import figures
from ucpmon.model import CaptureInfo, Chunk
from ucpmon.pipeline import Pipeline
from ucpmon.screen import ScreenReader
from ucpmon.screen.emulators import AvtEmulator, Emulator, make_emulator
from ucpmon.screen.pyte_emulator import PyteEmulator

ROWS, COLS = 60, 100
FRAMES = 6000
CHANGES = 20_000


def pages(dice: random.Random) -> list[str]:
    return [ruled(dice).text.replace("\n", "\r\n") for _ in range(FRAMES)]


def cleared(dice: random.Random) -> list[bytes]:
    return [f"\x1b[2J\x1b[H{page}".encode() for page in pages(dice)]


def homed(dice: random.Random) -> list[bytes]:
    ended = [page.replace("\r\n", "\x1b[K\r\n") for page in pages(dice)]
    return [f"\x1b[H{page}\x1b[J".encode() for page in ended]


def differences(dice: random.Random) -> list[bytes]:
    """What changed, cell by cell from the first that did, as curses sends it."""
    drawn = pages(dice)
    frames = ["\x1b[?25l\x1b[2J" + "".join(f"\x1b[{y};1H{row}" for y, row in enumerate(drawn[0].split("\r\n"), 1))]
    for old, new in pairwise(drawn):
        frames.append(
            "".join(_changed(*rows) for rows in zip(count(1), old.split("\r\n"), new.split("\r\n"), strict=False))
        )
    return [frame.encode() for frame in frames]


def _changed(y: int, old: str, new: str) -> str:
    if old == new:
        return ""
    x = next(i for i, (a, b) in enumerate(zip(old, new, strict=True)) if a != b)
    end = max(i for i, (a, b) in enumerate(zip(old, new, strict=True)) if a != b) + 1
    return f"\x1b[{y};{x + 1}H{new[x:end]}"


def ours(frames: list[bytes], emulator: Callable[[int, int], Emulator] = make_emulator) -> int:
    grammar.forget()  # each round begins with lines and figures that were never read
    figures.forget()
    pipeline = Pipeline(CaptureInfo("drawn", ROWS, COLS), ScreenReader(ROWS, COLS, emulator=emulator))
    chunks = [Chunk(i * 100_000, frame) for i, frame in enumerate([*frames, b""])]
    return sum(1 for chunk in chunks for _ in pipeline.feed(chunk)) + len(pipeline.finish())


def displayed(frames: list[bytes]) -> None:
    """pyte as its documentation uses it."""
    screen = pyte.Screen(COLS, ROWS)
    stream = pyte.ByteStream(screen)
    for frame in frames:
        stream.feed(frame)
        screen.display  # noqa: B018 - reading it is the work


def changed_rows(frames: list[bytes]) -> None:
    """pyte, reading only the rows that changed."""
    screen = pyte.Screen(COLS, ROWS)
    stream = pyte.ByteStream(screen)
    for frame in frames:
        stream.feed(frame)
        for y in screen.dirty:
            "".join(screen.buffer[y][x].data for x in range(COLS))
        screen.dirty.clear()


def row(
    name: str, frames: list[bytes], rival: Callable[[list[bytes]], None], call: Callable[[], int], wanted: str
) -> tuple[str, ...]:
    found = call()
    if found < len(frames) - 1:
        raise SystemExit(f"{name}: {found} screens of {len(frames)}")
    few = frames[: FRAMES // 20]
    theirs = len(few) / cpu_s(lambda: rival(few))
    mine = len(frames) / cpu_s(call)
    return name, f"{theirs:,.0f}/s", f"{mine:,.0f}/s", f"{mine / theirs:.1f} ×", wanted


def main() -> None:
    dice = random.Random(3)
    rows = []
    for name, draw in (("clear and print", cleared), ("home and print", homed)):
        frames = draw(dice)
        rows.append(row(name, frames, displayed, lambda frames=frames: ours(frames), "20 ×"))
    curses = differences(dice)
    rows.append(row("differences, pyte", curses, changed_rows, lambda: ours(curses, PyteEmulator), "1 ×"))
    if importlib.util.find_spec("avt"):
        rows.append(row("differences, avt", curses, changed_rows, lambda: ours(curses, AvtEmulator), "10 ×"))
    print(table("Terminal streams", ("stream", "pyte", "ucpmon", "ratio", "wanted"), rows))


if __name__ == "__main__":
    main()
