"""The chain from chunks to samples over every fixture: truth, both ways of reading, and any cut into chunks."""

import contextlib
import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.streams import block, samples_of
from support.truth import captures, differences, rows_of_samples, truth_path

from ucpmon.captures import open_capture
from ucpmon.errors import UcpmonError
from ucpmon.records import Chunk
from ucpmon.screens.pipeline import Pipeline, samples
from ucpmon.screens.screen_reader import ScreenReader
from ucpmon.screens.terminal.emulators import AvtEmulator
from ucpmon.screens.terminal.pyte_emulator import PyteEmulator

CAPTURES = captures()


def chunks_of(path):
    with open_capture(path) as capture:
        return capture.info, list(capture.chunks())


def run(info, chunks, reader=None):
    pipeline = Pipeline(info, reader)
    out = []
    for chunk in chunks:
        out += pipeline.feed(chunk)
    return out + pipeline.finish(), pipeline


def kept(found):
    """What must not depend on how a stream was read: values, processes, times, marks of cuts."""
    return [(s.t_us, s.cut, s.values, s.processes) for s in found]


def split(chunks, size):
    """The same bytes at the same times, in chunks of ``size(remaining)`` bytes."""
    for chunk in chunks:
        data = chunk.data
        if not data:
            yield chunk
        while data:
            n = size(len(data))
            yield chunk._replace(data=data[:n])
            data = data[n:]


@pytest.mark.parametrize("path", CAPTURES, ids=lambda p: p.name)
def test_every_fixture_gives_its_truth(path):
    info, chunks = chunks_of(path)
    found = list(samples(chunks, info))
    assert differences(rows_of_samples(found), truth_path(path)) == []


@pytest.mark.parametrize("path", CAPTURES, ids=lambda p: p.name)
@pytest.mark.parametrize("size", [1, 7, 4095])
def test_the_cut_into_chunks_does_not_matter(path, size):
    info, chunks = chunks_of(path)
    whole, _ = run(info, chunks)
    pieces, _ = run(info, split(chunks, lambda left: size))
    assert kept(pieces) == kept(whole)


@pytest.mark.parametrize("path", CAPTURES, ids=lambda p: p.name)
def test_random_cuts_do_not_matter(path):
    info, chunks = chunks_of(path)
    whole, _ = run(info, chunks)
    for seed in range(3):
        dice = random.Random(seed)
        pieces, _ = run(info, split(chunks, lambda left, dice=dice: dice.randint(1, 200)))
        assert kept(pieces) == kept(whole)


# A log on a terminal scrolls away: an emulator would show several of its blocks at once, and part of one.
TERMINAL = [p for p in CAPTURES if p.parent.name in ("asciinema", "script") and not p.name.startswith("batch")]
ADDRESSED = ("curses", "fields")


def with_rest(chunks):
    """The stream and half a second of silence: emulated, only silence proves that a last redraw is complete."""
    last = chunks[-1].t_us
    return [*chunks, Chunk(None if last is None else last + 500_000, b"")]


@pytest.mark.parametrize("path", TERMINAL, ids=lambda p: p.name)
@pytest.mark.parametrize("emulator", [PyteEmulator, AvtEmulator], ids=lambda e: e.name)
def test_emulated_or_not_the_rows_are_the_same(path, emulator):
    info, chunks = chunks_of(path)
    if any(c.t_us is None for c in chunks):
        pytest.skip("without a clock an emulated redraw has no certain end")
    chunks = with_rest(chunks)
    fast, one = run(info, chunks)
    slow, other = run(info, chunks, ScreenReader(info.rows, info.cols, emulator=emulator, always_emulate=True))
    assert kept(slow) == kept(fast)
    assert other.reader.emulated
    assert one.reader.emulated == path.name.startswith(ADDRESSED)


def test_both_ways_were_compared():
    ways = {p.name.startswith(ADDRESSED) for p in TERMINAL}
    assert ways == {True, False}


INTRUDERS = [b"\x1b[2J", b"\x1b[H", b"\x1b[K", b"\x1b[?1049l", b"\x1b[?1049h", b"\r", b"\n", b"\x1b", b"\x1b[5;3H",
             b"\xe6", b"\x1b[3A", b"\x1b]0;x\x07", b"\t", b"\b\b", b"\x1b[J", b"\x01", b"\x00"]  # fmt: skip


def disturbed(dice, chunks):
    """A stream into which other programs wrote, of which parts are lost or doubled."""
    chunks = list(chunks)
    for _ in range(dice.randint(1, 5)):
        i = dice.randrange(len(chunks))
        data = chunks[i].data
        at, kind = dice.randrange(len(data) + 1), dice.random()
        rest = (
            data[at:] if kind < 0.5 else data[at + dice.randint(1, 400) :] if kind < 0.8 else data[max(0, at - 500) :]
        )
        chunks[i] = chunks[i]._replace(data=data[:at] + (dice.choice(INTRUDERS) if kind < 0.5 else b"") + rest)
    return chunks


@pytest.mark.parametrize("seed", [2109, 2404, 2437, 2650, *range(60)])
def test_disturbed_streams_do_not_depend_on_their_cuts_either(seed):
    dice = random.Random(seed)
    info, chunks = chunks_of(dice.choice([p for p in CAPTURES if p.parent.name in ("asciinema", "script", "tmux")]))
    chunks = disturbed(dice, chunks)
    whole, _ = run(info, chunks)
    pieces, _ = run(info, split(chunks, lambda left: dice.choice([1, 2, 7, 50, 300, 5000])))
    assert kept(pieces) == kept(whole)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 400), st.binary(max_size=80)), max_size=10))
def test_random_bytes_raise_nothing_else_than_our_errors(pieces):
    now, stream = 0.0, []
    for pause, data in pieces:
        now += pause / 1000
        stream.append((now, data))
    with contextlib.suppress(UcpmonError):
        samples_of(stream, rows=24, cols=80)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0, 100).map(lambda x: round(x, 1)), min_size=1, max_size=8), st.data())
def test_any_split_of_a_log_gives_its_rows(values, data):
    text = "".join(block(f"{v:.1f}") for v in values).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=10)))
    bounds = [0, *cuts, len(text)]
    pieces = [(None, text[a:b]) for a, b in itertools.pairwise(bounds)]
    found, _ = samples_of(pieces)
    assert [s.values["bpu0_load_pct"] for s in found] == values
