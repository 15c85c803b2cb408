"""Words that are nobody's: each stands for one real word, and is as wide on the screen and as long in bytes."""

from __future__ import annotations

import random
import re
import string
import unicodedata
from collections.abc import Callable

from ucpmon.metrics import IP_NAMES
from ucpmon.screens.grammar import Section, read_line
from ucpmon.text import ESCAPE

# Names of people and machines: user@host, IPv4 addresses; paths but for those that every board has.
_HOST = re.compile(r"\b[\w.-]+@[\w.-]+|\b\d{1,3}(?:\.\d{1,3}){3}\b")
_PATH = re.compile(r"(?<![\w/])(?:~|/(?!usr/hobot|dev/|sys/|proc/|bin/|tmp/))(?:/?[\w.+-]+/)*/?[\w.+-]*[\w+-]")
_OBEYED = re.compile(rf"{ESCAPE.pattern}|[\x00-\x1f]+")
# Words of the monitor's own table, which a process may be called too.
_OWN = re.compile(
    rf"(?:{'|'.join(IP_NAMES)})\d*|read|write|total|used|free|heap|name|pid|rss|hbmem|ion|ddr",
    re.IGNORECASE,
)
_SHORTEST = 3
# Stand-ins by length in bytes and width in columns.
_WIDE, _NARROW = {3: "名", 4: "😀"}, {2: "é", 3: "ẽ", 4: "𝒜"}


class Masks:
    """Letters become other letters and digits other digits, by chance; the same word always becomes the same."""

    def __init__(self) -> None:
        self.words: dict[str, str] = {}
        self._chance = random.SystemRandom()

    def of(self, word: str) -> str:
        if word not in self.words:
            self.words[word] = "".join(map(self._character, word))
        return self.words[word]

    def _character(self, c: str) -> str:
        if c.isascii():
            for letters in (string.ascii_lowercase, string.ascii_uppercase, string.digits):
                if c in letters:
                    return self._chance.choice(letters.replace(c, ""))
            return c
        if "\udc80" <= c <= "\udcff":
            return "\udcbf"
        if unicodedata.combining(c):
            return c
        wide = unicodedata.east_asian_width(c) in "WF"
        return (_WIDE if wide else _NARROW).get(len(c.encode("utf-8", "replace")), c)


class Masker:
    """Masks a stream's text; ``names`` are the processes that its screens show."""

    def __init__(self, names: set[str]) -> None:
        self.processes, self.others = Masks(), Masks()
        known = [n for n in names if len(n) >= _SHORTEST and not n.isdigit() and not _OWN.fullmatch(n)]
        # The longest first: a name may begin with another.
        alternatives = "|".join(re.escape(n) for n in sorted(known, key=len, reverse=True))
        self._names = re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)") if known else None

    def text(self, text: str) -> str:
        """The same text, as long and as wide, without names, hosts and paths."""
        parts, at = [], 0
        for obeyed in _OBEYED.finditer(text):
            parts += [self._line(text[at : obeyed.start()]), self._elsewhere(obeyed[0])]
            at = obeyed.end()
        return "".join([*parts, self._line(text[at:])])

    def _line(self, line: str) -> str:
        row = read_line(line).row_in(Section.PROCESS)
        if row is None or row.process is None:
            return self._elsewhere(line)
        process = row.process
        at = line.find(process.process, line.find(str(process.pid)) + len(str(process.pid)))
        end = at + len(process.process)
        return line[:at] + self.processes.of(process.process) + line[end:] if at >= 0 else self._elsewhere(line)

    def _elsewhere(self, text: str) -> str:
        if self._names:
            text = self._names.sub(_by(self.processes), text)
        return _PATH.sub(_by(self.others), _HOST.sub(_by(self.others), text))


def _by(masks: Masks) -> Callable[[re.Match[str]], str]:
    return lambda found: masks.of(found[0])
