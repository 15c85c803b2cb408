"""Which fonts draw the text at hand: matplotlib's own, and an installed one for Chinese, Japanese or Korean names."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache

BASE = "DejaVu Sans"
# The first families are drawn best beside a sans serif; any other installed font comes after them.
_LIKED = ("noto sans cjk", "noto sans sc", "source han sans", "wenquanyi", "microsoft yahei", "pingfang",
          "hiragino sans", "simhei", "droid sans fallback", "arial unicode", "noto sans")  # fmt: skip


@dataclass(frozen=True)
class Fonts:
    """``families`` for matplotlib, best first; ``missing`` are characters that none of them has."""

    families: tuple[str, ...]
    missing: frozenset[str] = frozenset()

    @property
    def warning(self) -> str:
        """One line about what cannot be drawn; empty where everything can."""
        if not self.missing:
            return ""
        shown = "".join(sorted(self.missing)[:12])
        return (
            f"no installed font has the characters {shown}: they are drawn as \\u escapes; "
            "install a font that has them (Debian, Ubuntu: fonts-noto-cjk)"
        )


@contextmanager
def quiet_fonts() -> Iterator[None]:
    """Without matplotlib's log of faces that a family lacks: a fall-back that is not bold is no news for the user."""
    log = logging.getLogger("matplotlib.font_manager")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(level)


def fonts_for(texts: Iterable[str]) -> Fonts:
    """The fonts that draw ``texts``; installed fonts are opened only for what DejaVu Sans lacks."""
    wanted = {c for text in texts for c in text if c.isprintable()}
    wanted = {c for c in wanted if ord(c) > 0x7E}
    wanted -= _covered(BASE, frozenset(wanted))
    families = [BASE]
    with quiet_fonts():
        for family in _installed() if wanted else ():
            found = _covered(family, frozenset(wanted))
            if found:
                families.append(family)
                wanted -= found
            if not wanted:
                break
    return Fonts(tuple(families), frozenset(wanted))


@lru_cache(maxsize=1)
def _installed() -> tuple[str, ...]:
    from matplotlib import font_manager

    # The "last resort" font has a box for every character: it hides that none is there.
    names = {f.name for f in font_manager.fontManager.ttflist if f.name != BASE and "last resort" not in f.name.lower()}
    return tuple(sorted(names, key=lambda name: (_rank(name), name)))


def _rank(name: str) -> int:
    low = name.lower()
    return next((i for i, liked in enumerate(_LIKED) if low.startswith(liked)), len(_LIKED))


def _covered(family: str, chars: frozenset[str]) -> frozenset[str]:
    known = _characters(family)
    return frozenset(c for c in chars if ord(c) in known)


@lru_cache(maxsize=512)
def _characters(family: str) -> frozenset[int]:
    """The characters that a font has."""
    from matplotlib import font_manager
    from matplotlib.ft2font import FT2Font

    try:
        path = font_manager.findfont(font_manager.FontProperties(family=[family]), fallback_to_default=False)
        return frozenset(FT2Font(str(path)).get_charmap())
    except (OSError, RuntimeError, ValueError):
        # A font that cannot be opened or scaled (bitmap emoji) draws nothing.
        return frozenset()
