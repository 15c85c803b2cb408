"""Escape sequences as text: where one ends, and what those do that a line-oriented reading can follow."""

from __future__ import annotations

import re

from ucpmon.text import ESCAPE

# Longer than any real sequence: beyond it an escape character stands alone.
LONGEST = 4096
MODE = "\x1b[?"
"""What begins every sequence that sets or resets a private mode."""
ALTERNATE_ON = re.compile(r"\x1b\[\?(?:1049|1047|47)h")
ALTERNATE_OFF = re.compile(r"\x1b\[\?(?:1049|1047|47)l")


def split_held(text: str) -> tuple[str, str]:
    """``text`` in what is complete and a last escape sequence that is not."""
    at = text.rfind("\x1b")
    if at < 0 or len(text) - at > LONGEST:
        return text, ""
    if text[at + 1 : at + 2] == "[" and ESCAPE.match(text, at):
        return text, ""
    # The terminator of a string sequence is an escape itself: the sequence that it ends begins before it.
    before = text.rfind("\x1b", 0, at)
    for start in (before, at):
        if start >= 0 and not ESCAPE.match(text, start) and _may_grow(text, start):
            return text[:start], text[start:]
    return text, ""


def _may_grow(text: str, start: int) -> bool:
    rest = text[start + 1 :]
    if not rest or ((rest[0] == "[" or " " <= rest[0] <= "/") and all(c >= " " for c in rest)):
        return True
    return rest[0] in "]PX^_" and "\x07" not in rest and ("\x1b" not in rest or rest.endswith("\x1b"))


def number(parameters: str, default: int = 1) -> int:
    """The first parameter of a sequence."""
    head = parameters.split(";")[0]
    return int(head) if head.isdigit() and len(head) < 6 and int(head) else default
