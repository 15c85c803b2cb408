"""Batch logs: ucpmon against the script that users write today, and whether time and memory grow with the input.

The rival U reads the file and finds three of the figures with ``re.findall``; ucpmon reads all of them, with their
resolution, processes and counts, and writes a run. The run is checked against what was drawn.
"""

from __future__ import annotations

import argparse
import csv
import gc
import re
import tempfile
from pathlib import Path

from drawing import LAYOUTS, Block, write_log
from measure import cpu_s, process, table, ucpmon

from ucpmon.captures import open_capture
from ucpmon.screens import figures, grammar, tables
from ucpmon.screens.pipeline import samples

RIVAL = (r"BPU0\s+([\d.]+)", r"cma_reserved\s+\S+\s+(\S+)", r"carveout\s+\S+\s+(\S+)")


def rival(path: Path) -> None:
    text = path.read_text()
    for pattern in RIVAL:
        re.findall(pattern, text)


def parse(path: Path) -> None:
    grammar.forget()  # each round begins with lines and figures that were never read
    figures.forget()
    tables.forget()
    with open_capture(path) as capture:
        for _ in samples(capture.chunks(), capture.info):
            pass


def check(run: Path, drawn: list[Block]) -> None:
    """Every row against what was drawn, with the csv module alone."""
    wanted = iter(drawn)
    count = 0
    with run.open(newline="") as stream:
        for row in csv.DictReader(stream):
            block, count = next(wanted), count + 1
            got = (row["bpu0_load_pct"], row["cma_reserved_used_bytes"], row["carveout_used_bytes"])
            if got != (str(block.bpu0), str(block.cma_reserved_used), str(block.carveout_used)):
                raise SystemExit(f"row {count}: {got} where {block[1:]} was drawn")
    if count != len(drawn):
        raise SystemExit(f"{count} rows where {len(drawn)} were drawn")


def compare(layout: str, size: int, folder: Path) -> tuple[str, ...]:
    log, run = folder / f"{layout}.log", folder / f"{layout}.csv"
    drawn = write_log(log, layout, size)
    lines = len({line for block in drawn for line in block.text.splitlines()})
    # What was drawn is kept to check against; the collector is not to walk through it while others are timed.
    gc.freeze()
    base = cpu_s(lambda: rival(log))
    parsing = cpu_s(lambda: parse(log))
    whole, peak = process(*ucpmon("replay", str(log), "-o", str(run), "--force"))
    check(run, drawn)
    return (
        f"{layout}, {size / 1e6:.0f} MB, {len(drawn):,} screens, {lines:,} distinct lines",
        f"{base:.2f} s", f"{parsing / base:.2f} × U", f"{whole / base:.2f} × U", f"{peak:.0f} MiB",
    )  # fmt: skip


def growth(layout: str, size: int, folder: Path) -> tuple[str, ...]:
    runs = []
    # The first is only there for what it takes to start, with all that a long log loads.
    for bytes_of_log in (1_000_000, size, 10 * size):
        log = folder / "growing.log"
        write_log(log, layout, bytes_of_log)
        runs.append(process(*ucpmon("replay", str(log), "-o", str(folder / "grown.csv"), "--force")))
    (start, _), (little, small), (much, large) = runs
    return layout, f"{(much - start) / (little - start):.2f}", f"{small:.0f} → {large:.0f} MiB"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--size", type=float, default=200, help="megabytes of a log [200]")
    size = int(options.parse_args().size * 1e6)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        head = ("input", "U", "parsing (≤ 3)", "whole process (≤ 9)", "peak memory")
        print(table("Batch logs", head, [compare(layout, size, folder) for layout in LAYOUTS]))
        head = ("layout", "time of 10 × the input", "peak memory")
        print(table("Growth", head, [growth(layout, size // 2, folder) for layout in LAYOUTS]))


if __name__ == "__main__":
    main()
