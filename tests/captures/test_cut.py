"""A capture that ends anywhere gives the rows before that, and nothing that was not on a screen."""

import os
import shutil

import pytest
from support.truth import FIXTURES, captures

from ucpmon.captures import open_capture
from ucpmon.errors import UcpmonError
from ucpmon.screens.pipeline import Pipeline

# Every byte of a small file; of a large one some hundred places, all different from file to file.
SMALL = 3900
PLACES = 97


def rows_of(path):
    with open_capture(path) as capture:
        pipeline = Pipeline(capture.info)
        found = [s for chunk in capture.chunks() for s in pipeline.feed(chunk)]
        found += pipeline.finish(capture.ends_early)
    return [(s.t_us, s.values, s.processes, s.cut) for s in found], capture


def rows_or_none(path):
    try:
        return rows_of(path)[0]
    except UcpmonError:
        return []


def faults(rows, whole):
    """What a cut file's rows have that those of the whole file have not."""
    if len(rows) > len(whole):
        return [f"{len(rows)} rows of {len(whole)}"]
    *proper, last = rows or [None]
    found = [f"row {i}" for i, (got, want) in enumerate(zip(proper, whole, strict=False)) if got != want]
    if last and last != whole[len(rows) - 1]:
        time, values, processes, _ = whole[len(rows) - 1]
        cut_time, cut_values, cut_processes, cut = last
        invented = dict(cut_values.items() - values.items())
        found += [f"{k} is {v}" for k, v in invented.items()] + [f"{p}" for p in cut_processes if p not in processes]
        # A layout without a closing border does not tell how many processes were to come: there the table may be short.
        short = cut_values == values and cut_processes == processes[: len(cut_processes)]
        short = short and (cut_time is None or cut_time <= time)
        found += [] if cut or short else [f"row {len(rows) - 1} is not marked cut"]
    return found


def places(size, small):
    return range(1, size) if size <= small else range(1 + size % PLACES, size, size // PLACES)


def cut_everywhere(path, tmp_path, small):
    """``(place, fault)`` pairs."""
    whole, _ = rows_of(path)
    copy = tmp_path / path.name
    timing = path.with_suffix("").with_suffix(".timing")
    if timing.exists():
        shutil.copy(timing, tmp_path)
    shutil.copy(path, copy)
    # From the end on: to make a file shorter costs less than to write it anew.
    for place in reversed(places(path.stat().st_size, small)):
        os.truncate(copy, place)
        yield from ((place, fault) for fault in faults(rows_or_none(copy), whole))


@pytest.mark.parametrize("path", captures(), ids=lambda p: f"{p.parent.name}/{p.name}")
def test_a_file_cut_anywhere_gives_a_prefix_of_its_rows(path, tmp_path):
    assert list(cut_everywhere(path, tmp_path, SMALL)) == []


@pytest.mark.parametrize("name", ["curses--s100-classic", "alt--s600-advanced", "home--s100-appended-timed"])
def test_a_timing_file_cut_anywhere_gives_a_prefix_too(name, tmp_path):
    source = FIXTURES / f"script/{name}.typescript"
    copy = tmp_path / source.name
    shutil.copy(source, copy)
    whole, _ = rows_of(source)
    timing = copy.with_suffix(".timing")
    shutil.copy(source.with_suffix(".timing"), timing)
    found = []
    for place in reversed(range(1, timing.stat().st_size)):
        os.truncate(timing, place)
        rows, capture = rows_of(copy)
        # So little of it that it is no timing file any more: then there is no clock.
        if capture.info.clock:
            found += [(place, fault) for fault in faults(rows, whole)]
    assert found == []
