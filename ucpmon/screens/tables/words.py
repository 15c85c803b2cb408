"""The words of a row, and the figures among them: a number with its unit, and what bars of a meter leave of a line."""

from __future__ import annotations

import re
from typing import NamedTuple

from ucpmon.screens.grammar import BLANKED

_METER_SIGNS = r"|#=*>.\-_─━█▓▒░■□▪▫◼◻▏▎▍▌▋▊▉●○"
# A meter in brackets, which may hold the figure; one without any stands alone between blanks.
_BRACKETS = re.compile(rf"\[[{_METER_SIGNS} ]*(\d[\d.]*\s*%?)?[{_METER_SIGNS} ]*\]")
_SIGNS = re.compile(rf"(?<=\s)[{_METER_SIGNS}]{{3,}}(?=\s|$)")
_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d{1,6})?|\d{1,15}(?:\.\d{1,6})?"
_UNIT = r"%|°C|℃|C|[KMG]?Hz|[KMGT]?i?B/s|[KMGT](?:i?B)?|B|bytes"
_FIGURE = re.compile(rf"({_NUMBER})(?: ?({_UNIT}))?(?=[\s/,;]|$)", re.IGNORECASE)
_KEY = re.compile(r"([^\W\d_]+)\s*[:=]\s*(?=\d)")
_WORD = re.compile(r"\S+")
_NOTHING = frozenset({"-", "--", "---", "n/a", "na", "nan", "–", "—", "?"})


class Word(NamedTuple):
    """A word and where it stands. ``number`` is empty where it is no figure, ``unit`` where none is printed."""

    text: str
    start: int
    end: int
    number: str = ""
    unit: str = ""

    @property
    def is_nothing(self) -> bool:
        """Whether it stands for a figure that is not there."""
        return self.text.lower() in _NOTHING

    @property
    def decimals(self) -> bool:
        return "." in self.number


def words_of(text: str) -> list[Word]:
    """The words between the bars of a row; two figures with a slash between them are two."""
    flat = _BRACKETS.sub(_without_meter, text)
    flat = _SIGNS.sub(lambda found: " " * len(found[0]), flat.translate(BLANKED))
    flat = _KEY.sub(lambda found: found[1].ljust(len(found[0])), flat)
    words, at = [], 0
    while found := _WORD.search(flat, at):
        figure = _FIGURE.match(flat, found.start())
        if figure is None:
            words.append(Word(found[0], found.start(), found.end()))
            at = found.end()
            continue
        words.append(Word(figure[0], figure.start(), figure.end(), figure[1].replace(",", ""), figure[2] or ""))
        at = figure.end() + len(flat[figure.end() :]) - len(flat[figure.end() :].lstrip(" /,;"))
    return words


def _without_meter(found: re.Match[str]) -> str:
    inner = found[1] or ""
    return inner.rjust(len(found[0]) - 1) + " " if inner else " " * len(found[0])
