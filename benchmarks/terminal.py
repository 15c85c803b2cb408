"""Terminal streams: screens per second against pyte, for pages printed anew and for differences only."""

from __future__ import annotations

import importlib.util
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from itertools import count, pairwise
from pathlib import Path

import pyte
from drawing import ruled
from measure import cpu_s, table

from ucpmon.records import CaptureInfo, Chunk
from ucpmon.screens import figures, grammar, tables
from ucpmon.screens.pipeline import Pipeline
from ucpmon.screens.screen_reader import ScreenReader
from ucpmon.screens.terminal.emulators import AvtEmulator, Emulator, make_emulator
from ucpmon.screens.terminal.pyte_emulator import PyteEmulator

ROWS, COLS = 60, 100
FRAMES = 6000
CHANGES = 20_000


def pages(dice: random.Random, count: int = FRAMES) -> list[str]:
    return [ruled(dice).text.rstrip("\n").replace("\n", "\r\n") for _ in range(count)]


def cleared(dice: random.Random) -> list[bytes]:
    return [f"\x1b[2J\x1b[H{page}\r\n".encode() for page in pages(dice)]


def homed(dice: random.Random) -> list[bytes]:
    ended = [page.replace("\r\n", "\x1b[K\r\n") for page in pages(dice)]
    return [f"\x1b[H{page}\x1b[K\r\n\x1b[J".encode() for page in ended]


def differences(drawn: list[str]) -> list[bytes]:
    """What changed, of each row from the first cell that did to the last."""
    frames = ["\x1b[?25l\x1b[2J" + "".join(f"\x1b[{y};1H{row}" for y, row in enumerate(drawn[0].split("\r\n"), 1))]
    for old, new in pairwise(drawn):
        frames.append(
            "".join(_changed(*rows) for rows in zip(count(1), old.split("\r\n"), new.split("\r\n"), strict=False))
        )
    return [frame.encode() for frame in frames]


# Real ncurses, in a process of its own since it takes over the terminal's descriptor: which bytes each page takes.
_NCURSES = """
import curses, json, os, sys
pages, out = json.load(sys.stdin), os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
os.dup2(out, 1)
screen, ends = curses.initscr(), []
for page in pages:
    for y, row in enumerate(page.split("\\r\\n")):
        screen.addstr(y, 0, row)
    screen.refresh()
    ends.append(os.lseek(out, 0, os.SEEK_CUR))
print(json.dumps(ends), file=sys.stderr)
"""


def by_ncurses(drawn: list[str]) -> list[bytes]:
    terminal = {**os.environ, "TERM": "linux", "LINES": str(ROWS), "COLUMNS": str(COLS)}
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "drawn"
        command = [sys.executable, "-c", _NCURSES, str(out)]
        told = subprocess.run(
            command, input=json.dumps(drawn), env=terminal, capture_output=True, text=True, check=True
        )
        data, ends = out.read_bytes(), json.loads(told.stderr)
    return [data[start:end] for start, end in pairwise([0, *ends])]


def calmer(drawn: list[str], rows: int, dice: random.Random) -> list[str]:
    """The same pages when only some rows are drawn anew from one to the next."""
    shown, calm = drawn[0].split("\r\n"), []
    for page in drawn:
        new = page.split("\r\n")
        for y in dice.sample([y for y, row in enumerate(new) if any(c.isdigit() for c in row)], rows):
            shown[y] = new[y]
        calm.append("\r\n".join(shown))
    return calm


def _changed(y: int, old: str, new: str) -> str:
    if old == new:
        return ""
    x = next(i for i, (a, b) in enumerate(zip(old, new, strict=True)) if a != b)
    end = max(i for i, (a, b) in enumerate(zip(old, new, strict=True)) if a != b) + 1
    return f"\x1b[{y};{x + 1}H{new[x:end]}"


def ours(frames: list[bytes], emulator: Callable[[int, int], Emulator] = make_emulator) -> int:
    grammar.forget()  # each round begins with lines and figures that were never read
    figures.forget()
    tables.forget()
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
    # Two pages that are drawn alike are one screen.
    if not 0.95 * len(frames) < found <= len(frames):
        raise SystemExit(f"{name}: {found} screens of {len(frames)}")
    few = frames[:300]
    theirs = len(few) / cpu_s(lambda: rival(few))
    mine = len(frames) / cpu_s(call)
    size = sum(map(len, frames)) / len(frames)
    return name, f"{size:,.0f}", f"{theirs:,.0f}/s", f"{mine:,.0f}/s", f"{mine / theirs:.1f} ×", wanted


def main() -> None:
    dice = random.Random(3)
    rows = [
        row(name, frames := draw(dice), displayed, partial(ours, frames), "20 ×")
        for name, draw in (("clear and print", cleared), ("home and print", homed))
    ]
    drawn = pages(dice, CHANGES)
    streams = [("every figure, cell by cell", differences(drawn)), ("every figure, by ncurses", by_ncurses(drawn))]
    streams += [(f"{few} rows, by ncurses", by_ncurses(calmer(drawn[:FRAMES], few, dice))) for few in (8, 4)]
    for name, frames in streams:
        least = name.startswith("every")
        rows.append(row(f"{name}; pyte", frames, changed_rows, partial(ours, frames, PyteEmulator), "1 ×"))
        if importlib.util.find_spec("avt"):
            fast = partial(ours, frames, AvtEmulator)
            rows.append(row(f"{name}; avt", frames, changed_rows, fast, "10 ×" if least else "–"))
    print(table("Terminal streams", ("stream", "bytes", "pyte", "ucpmon", "ratio", "wanted"), rows))


if __name__ == "__main__":
    main()
