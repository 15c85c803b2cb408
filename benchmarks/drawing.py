"""Big captures with known values: two layouts, every figure varies, drawn from a pool so that drawing is quick."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple


class Block(NamedTuple):
    """One refresh: its text, and what three of its figures say."""

    text: str
    bpu0: float
    cma_reserved_used: int
    carveout_used: int


def _mebibytes(tenths: int) -> int:
    return round(tenths / 10 * (1 << 20))


def narrow(dice: random.Random) -> Block:
    """Eleven lines of fifty columns, one process."""
    load, cma, carveout = dice.randint(0, 1000), dice.randint(10, 9999), dice.randint(10, 4999)
    rows = [
        f"|          BPU0              {load / 10:<6}              |",
        f"|          DSP0              {dice.randint(0, 1000) / 10:<6}              |",
        "| DDR Bandwidth                                  |",
        f"|          Read              {dice.randint(100, 29999):<6}              |",
        f"|          Write             {dice.randint(100, 29999):<6}              |",
        "| ION Info                                       |",
        f"| cma_reserved       1.0G {cma / 10:>7}M {1024 - cma / 10:>8.1f}M     |",
        "| ion_cma          512.0M      0.0    512.0M     |",
        f"| carveout         512.0M {carveout / 10:>7}M {512 - carveout / 10:>8.1f}M     |",
        "| Process Mem Info                               |",
        f"| {54851:<8} hrt_model_exec {dice.randint(10, 999) / 10:>7}M {carveout / 10:>6}M |",
    ]
    return Block("\n".join(rows) + "\n", load / 10, _mebibytes(cma), _mebibytes(carveout))


def ruled(dice: random.Random) -> Block:
    """Forty-two lines of sixty-four columns with rules, sixteen IPs, five heaps, a total, two processes."""
    rule = "+" + "-" * 62 + "+"
    load, cma, carveout = dice.randint(0, 1000), dice.randint(10, 9999), dice.randint(10, 9999)
    names = ["BPU1", "BPU2", "BPU3", "DSP0", "DSP1", "GDC0", "STITCH0", "PYM0", "PYM1", "ISP0", "ISP1", "JPU0", "VPU0"]
    rows = [rule, f"| {'IP':<24}Loading(%){'':>27}|", rule, f"| {'BPU0':<20}{load / 10:>14}{'':>27}|"]
    rows += [f"| {name:<20}{dice.choice((0, dice.randint(0, 1000))) / 10:>14}{'':>27}|" for name in names]
    rows += [rule, f"| {'DDR Bandwidth (MiB/s)':<61}|", rule]
    rows += [f"| {name:<20}{dice.randint(100, 29999):>14}{'':>27}|" for name in ("Read", "Write")]
    rows += [rule, f"| {'ION Info':<61}|", f"| {'heap':<20}{'total':>14}{'used':>12}{'free':>12}   |", rule]
    for name, used in (("cma_reserved", cma), ("ion_cma", 0), ("carveout", carveout), ("ion_uncache", 1718)):
        printed = f"{used / 10}M" if used else "0.0"
        rows.append(f"| {name:<20}{'2.0G':>14}{printed:>12}{2048 - used / 10:>11.1f}M   |")
    rows += [f"| {'total':<20}{'8.0G':>14}{'1.0G':>12}{'7.0G':>12}   |", rule, f"| {'Process Mem Info':<61}|"]
    rows += [f"| {'PID':<9}{'Name':<25}{'rss':>12}{'hbmem':>12}   |", rule]
    rows += [f"| {18342:<9}{'infer_hbm':<25}{dice.randint(10, 999) / 10:>11}M{carveout / 10:>11}M   |"]
    rows += [f"| {4805:<9}{'gnome-initial-s':<25}{'40.5M':>12}{'3.9M':>12}   |", rule]
    return Block("\n".join(rows) + "\n", load / 10, _mebibytes(cma), _mebibytes(carveout))


LAYOUTS: dict[str, Callable[[random.Random], Block]] = {"narrow": narrow, "ruled": ruled}


def blocks(layout: str, seed: int, pool: int = 60_000) -> Iterator[Block]:
    """Endless blocks: any of a pool large enough that no cache of lines holds it."""
    dice = random.Random(seed)
    drawn = [LAYOUTS[layout](dice) for _ in range(pool)]
    while True:
        yield drawn[dice.randrange(pool)]


def write_log(path: Path, layout: str, size: int, seed: int = 1) -> list[Block]:
    """Write some ``size`` bytes; what was written."""
    written, total = [], 0
    with path.open("w") as out:
        for block in blocks(layout, seed):
            if total >= size:
                return written
            out.write(block.text)
            written.append(block)
            total += len(block.text)
    raise AssertionError("the blocks ended")
