"""Blocks read at once must be what the same blocks are when they are read line by line."""

import random

import pytest
from streams import block, samples_of
from truth import FIXTURES

from ucpmon.grammar import read_line
from ucpmon.layout import Batch, learn
from ucpmon.metrics import format_printed
from ucpmon.model import Chunk
from ucpmon.screen import ScreenReader
from ucpmon.screen.lane import Lane


def by_line(monkeypatch, data):
    with monkeypatch.context() as patched:
        patched.setattr(Lane, "_learn", lambda self, screen: None)
        return samples_of(data)


def told(found):
    return [(s.values, s.quanta, list(s.processes), s.cut, s.understood, s.noise, list(s.unknown)) for s in found]


def batches(data):
    reader = ScreenReader(60, 120)
    return [s for s in reader.feed(Chunk(None, data)) if isinstance(s, Batch)]


def size(dice):
    return format_printed(int(2 ** dice.uniform(0, 34)))


def process(dice):
    name = dice.choice(["app", "my  app", "kworker/0:1", "1234", "a|b", "模型", "b\ufffd", "x 1.0M y"])
    return f"{dice.randint(1, 99999)} {name} {size(dice)} {size(dice)}"


def random_block(dice):
    """Any of many blocks: IPs, units, heaps, processes, noise and nonsense vary."""
    loads = [f"| BPU{i} {dice.randint(0, 1000) / 10:>6} |" for i in range(dice.choice([1, 2, 2, 2]))]
    if dice.random() < 0.2:
        loads.append(f"| DSP0 : {dice.randint(0, 100)} % | GDC0 {dice.randint(0, 9)}.25 |")
    ddr = (
        []
        if dice.random() < 0.1
        else ["| DDR Bandwidth |", f"| Read: {dice.randint(0, 10**6)} |", "| Write 1.5 GiB/s |"]
    )
    total = dice.choice(["512.0M", "512.0M", "512.0M", "1.0G"])
    heaps = [
        "| ION Info |",
        f"| carveout {total} {size(dice):>8} {size(dice):>8} |",
        f"| ion_cma 0.0 0.0 {size(dice)} |",
    ]
    heaps += [f"| total {size(dice)} {size(dice)} 1.0G |"] if dice.random() < 0.7 else []
    rows = [f"| {process(dice)} |" for _ in range(dice.choice([0, 0, 1, 3]))]
    odd = ["[UCP]: log level = 3"] * (dice.random() < 0.05) + ["| fan 1200 rpm |"] * (dice.random() < 0.05)
    return "\n".join([*loads, *ddr, *heaps, "| Process Mem Info |", "| PID NAME |", "+--+", *rows, "+--+", *odd]) + "\n"


@pytest.mark.parametrize("seed", range(12))
def test_a_log_of_changing_blocks(monkeypatch, seed):
    dice = random.Random(seed)
    kinds = [random_block(dice) for _ in range(3)]
    text = "".join(random_block(dice) if dice.random() < 0.3 else dice.choice(kinds) for _ in range(150))
    data = text.encode()
    fast, pipeline = samples_of(data)
    slow, lines = by_line(monkeypatch, data)
    assert told(fast) == told(slow)
    assert pipeline.counts == lines.counts
    assert batches(data)


def test_only_figures_and_processes_vary_in_one_region():
    dice = random.Random(7)
    text = "".join(
        block(f"{dice.randint(0, 1000) / 10}", str(dice.randint(1, 99999)), f"{dice.randint(1, 5000) / 10}M", "1.5M",
              [f"{dice.randint(1, 400)} app {dice.randint(1, 99)}.0M 2.0K"] * dice.randint(0, 2)) for _ in range(200)
    )  # fmt: skip
    (batch,) = batches(text.encode())
    assert len(batch.numbers) > 180
    assert len(batch.layout.columns) == 6


@pytest.mark.parametrize("path", sorted((FIXTURES / "batch").glob("*.log")), ids=lambda p: p.name)
def test_recorded_logs(monkeypatch, path):
    data = path.read_bytes() * 3
    fast, pipeline = samples_of(data)
    slow, lines = by_line(monkeypatch, data)
    assert told(fast) == told(slow)
    assert pipeline.counts == lines.counts


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("12.5 ", "1234.5 "), ("12.5 ", "1.2.5 "), ("208", "20.8.1"), ("2.0M", "2.0X"), ("2.0M", "2..M"),
        ("2.0M", "2.00M"), ("512.0M", "1.0G"), ("17", "17 MB/s"), ("Write", "Wrote"), ("| ION info", "| ION  info"),
        ("carveout", "carve out"),
    ],
)  # fmt: skip
def test_one_odd_block_among_many(monkeypatch, old, new):
    text = block() * 20 + block().replace(old, new) + block() * 20
    fast, pipeline = samples_of(text.encode())
    slow, lines = by_line(monkeypatch, text.encode())
    assert told(fast) == told(slow)
    assert pipeline.counts == lines.counts


@pytest.mark.parametrize("cut", range(0, 900, 37))
def test_where_a_chunk_ends_does_not_matter(monkeypatch, cut):
    data = (block("1.0") * 5 + block("2.0", processes=["7 a 1.0M 1.0M"]) * 3).encode()
    fast, _ = samples_of([(None, data[:cut]), (None, data[cut:])])
    slow, _ = by_line(monkeypatch, data)
    assert told(fast) == told(slow)


def damaged(dice, data):
    """A log of which stretches are doubled, lost or flipped."""
    for _ in range(dice.randint(1, 4)):
        a = dice.randrange(len(data))
        b, kind = min(len(data), a + dice.randint(1, 3000)), dice.random()
        if kind < 0.4:
            data = data[:b] + data[a:b] + data[b:]
        else:
            data = data[:a] + (b"" if kind < 0.7 else bytes([dice.randrange(256)])) + data[b if kind < 0.7 else a + 1 :]
    return data


@pytest.mark.parametrize("seed", [0, 12, 40, 374, *range(1000, 1030)])
def test_a_damaged_log_reads_the_same_whole_in_pieces_and_by_line(monkeypatch, seed):
    dice = random.Random(seed)
    data = damaged(dice, dice.choice(sorted((FIXTURES / "batch").glob("*.log"))).read_bytes())
    size = dice.choice([100, 300, 1000, 5000])
    whole, _ = samples_of(data)
    pieces, _ = samples_of([(None, data[i : i + size]) for i in range(0, len(data), size)])
    slow, _ = by_line(monkeypatch, data)
    assert told(whole) == told(slow)
    assert told(pieces) == told(slow)


def test_what_cannot_be_relied_on_is_not_learned():
    def lines(text):
        return [read_line(line) for line in text.splitlines()]

    assert learn(lines("| BPU0 1 |\n| fan 12 |\n| Process Mem Info |"), frozenset()) is None
    assert learn(lines("| BPU0 1 |\n| ION Info |\n| a 1.0M 1 1 |"), frozenset()) is None
    assert learn(lines("| ION Info |\n| a 1.0M 1 1 |\n| Process Mem Info |"), frozenset()) is None
    assert learn([], frozenset()) is None
