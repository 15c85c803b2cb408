"""Tables that no recorder drew: padded or not, with or without processes, now and then with an odd figure."""

from __future__ import annotations

import random

from ucpmon.metrics import format_printed

ODD_FIGURES = ["1.2.3", "12345.6", "", "-1.0", "7 7", "99.9%", "1e5", "0x1F", "٣.٠", "NaN", "100000000000M"]
NAMES = ["app", "my app", "kworker/0:1", "1234", "a|b", "模型", "x 1.0M y", "BPU0", "a-very-long-name-of-a-process"]


class Table:
    """One layout; ``draw`` gives its lines with other figures each time."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.bar, self.rule = dice.choice([("|", "-"), ("|", "-"), ("│", "─")])
        self.end = f" {self.bar}" if dice.random() < 0.8 else ""
        self.width = dice.choice([40, 56, 64])
        self.padded = dice.random() < 0.8
        self.left = dice.random() < 0.3
        self.ips = dice.sample(["BPU0", "BPU1", "DSP0", "GDC0", "Stitch0", "Cpu"], dice.randint(1, 5))
        self.pairs = dice.random() < 0.2
        self.unit = dice.choice(["", " (MB/s)", " (MiB/s)"])
        self.heaps = dice.sample(["cma_reserved", "ion_cma", "carveout", "custom 1", "512"], dice.randint(0, 4))
        self.titled = dice.random() < 0.8
        self.total = dice.random() < 0.3
        self.clock = dice.choice(["", "", "above", "below"])
        self.fan = dice.random() < 0.2
        self.processes = [(dice.randint(1, 99999), dice.choice(NAMES)) for _ in range(dice.randint(0, 3))]
        self.ticks = 0

    def draw(self, wild: float = 0.0) -> list[str]:
        """``wild``: how probable something odd is."""
        self.ticks += 1
        if self.dice.random() < wild:
            self.processes = [(self.dice.randint(1, 99999), self.dice.choice(NAMES))] * self.dice.randint(0, 4)
        lines = [
            *self._clock("above"),
            *self._loads(),
            *self._ddr(),
            *self._ion(),
            *self._table(),
            *self._clock("below"),
        ]
        if self.dice.random() < wild:
            lines[self.dice.randrange(len(lines))] = self._row(self.dice.choice(ODD_FIGURES), "", "")
        return lines

    def text(self, wild: float = 0.0) -> str:
        return "".join(line + "\n" for line in self.draw(wild))

    def _row(self, *cells: str) -> str:
        if not self.padded:
            return f"{self.bar} {' '.join(c for c in cells if c)}{self.end}"
        name, *figures = cells
        room = max(6, (self.width - 20) // max(1, len(figures)) - 1)
        aligned = "".join(f" {c:<{room}}" if self.left else f" {c:>{room}}" for c in figures)
        return f"{self.bar} {name:<16}{aligned}{self.end}"

    def _border(self) -> list[str]:
        return [f"+{self.rule * self.width}+"]

    def _clock(self, where: str) -> list[str]:
        return [self._row(f"up {self.ticks} s")] if self.clock == where else []

    def _loads(self) -> list[str]:
        loads = [(ip, self._figure(str(self.dice.choice((0.0, self.dice.randint(0, 1000) / 10))))) for ip in self.ips]
        if self.pairs:
            return [self._row(" ".join(f"{ip} {load}" for ip, load in loads))]
        return [*self._border(), *(self._row(*pair) for pair in loads)]

    def _ddr(self) -> list[str]:
        rates = [self._row(name, str(self.dice.randint(0, 29999))) for name in ("Read", "Write")]
        return [
            *self._border(),
            self._row(f"DDR Bandwidth{self.unit}"),
            *rates,
            *([self._row("fan 900 rpm")] * self.fan),
        ]

    def _ion(self) -> list[str]:
        rows = [self._row(name, "512.0M", self._size(), self._size()) for name in self.heaps]
        total = [self._row("total", "2.0G", self._size(), "1.5G")] * self.total
        return [self._row("ION Info"), *rows, *total] if self.heaps else []

    def _table(self) -> list[str]:
        if not self.titled:
            return self._border()
        rows = [self._row(f"{pid} {name}", self._size(), self._size()) for pid, name in self.processes]
        return [self._row("Process Mem Info"), self._row("PID Name", "rss", "hbmem"), *rows, *self._border()]

    def _size(self) -> str:
        return self._figure(format_printed(int(2 ** self.dice.uniform(0, 33))))

    def _figure(self, usual: str) -> str:
        return self.dice.choice(ODD_FIGURES) if self.dice.random() < 0.0005 else usual
