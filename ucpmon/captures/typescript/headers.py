"""The lines that ``script`` itself writes into a typescript: what opens and what closes a session."""

from __future__ import annotations

import re
from datetime import datetime, timezone, tzinfo
from typing import NamedTuple

from ucpmon.captures.timestamps import epoch_us, parse_iso

_ISO = rb"(\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:[+-]\d\d:?\d\d|Z)?)"
# The words before the date are translated in other locales; a command can hold newlines.
_HEADER = re.compile(rb"[^\n|\x1b\d]{1,80}" + _ISO + rb' \[((?:[A-Z_]+="|<).{0,8000}?[">])\]\r?\n', re.DOTALL)
_OLD_HEADER = re.compile(rb"Script started on ([^\n|\x1b]*?\d\d:\d\d[^\n|\x1b]*)\r?\n(?:Command: ([^\n]*)\r?\n)?")
_FOOTER = re.compile(rb"\r?\n[^\n|\x1b\d]{1,80}" + _ISO + rb' \[(?:COMMAND_EXIT_CODE="[^\n]*"|<[^\n]*>)\](?:\r?\n|\Z)')
_OLD_FOOTER = re.compile(rb"\r?\nScript done on [^\n|\x1b]*?\d\d:\d\d[^\n|\x1b]*(?:\r?\n|\Z)")
_FACT = re.compile(r'(COLUMNS|LINES)="(\d{1,4})"')
_COMMAND = re.compile(r'COMMAND="(.*?)"(?= TERM="| TTY="| <|$)', re.DOTALL)
_OLD_DATES = ("%a %b %d %H:%M:%S %Y", "%a %d %b %Y %I:%M:%S %p", "%a %d %b %Y %H:%M:%S", "%Y-%m-%d %H:%M:%S")
_FOOTER_WORDS = b"Script done on "


class Header(NamedTuple):
    """``length`` in bytes; ``started_us`` and the terminal's size are ``None`` where they are not told."""

    length: int
    words: bytes
    started_us: int | None
    rows: int | None
    cols: int | None
    command: str


def header_at(data: bytes, at: int = 0, zone: tzinfo | None = None) -> Header | None:
    """The header that begins exactly at ``at``."""
    found = _HEADER.match(data, at)
    if found:
        facts = found[2].decode("utf-8", "replace")
        numbers = {key: int(value) for key, value in _FACT.findall(facts)}
        command = _COMMAND.search(facts)
        words = data[at : found.start(1)]
        started = _moment(found[1], zone)
        size = numbers.get("LINES") or None, numbers.get("COLUMNS") or None
        return Header(found.end() - at, words, started, *size, command[1] if command else "")
    old = _OLD_HEADER.match(data, at)
    if old:
        command_line = (old[2] or b"").decode("utf-8", "replace")
        return Header(old.end() - at, b"Script started on ", _moment(old[1], zone), None, None, command_line)
    return None


def footer_in(data: bytes, at: int = 0) -> tuple[int, int] | None:
    """Where the first footer from ``at`` on begins (with the newline before it) and ends."""
    if not any(word in data for word in (b'="', b"[<", _FOOTER_WORDS)):
        return None
    found = [p.search(data, at) for p in (_FOOTER, _OLD_FOOTER)]
    return min((f.span() for f in found if f), default=None)


def footer_begun(tail: bytes) -> bool:
    """Whether a file that ends in these bytes was cut within a footer."""
    last = tail.rpartition(b"\n")[2]
    return bool(last) and b"\n" in tail and (_FOOTER_WORDS.startswith(last) or last.startswith(_FOOTER_WORDS))


def _moment(text: bytes, zone: tzinfo | None) -> int | None:
    words = text.decode("utf-8", "replace").strip()
    try:
        return epoch_us(parse_iso(words), zone)
    except (ValueError, OverflowError):
        pass
    # `Tue 01 Dec 2026 04:07:10 AM UTC`: a zone's letters are no offset, but UTC is known to everyone.
    bare, _, letters = (
        words.rpartition(" ") if re.search(r" [A-Z]{3,5}$", words) and not words.endswith("M") else (words, "", "")
    )
    for form in _OLD_DATES:
        try:
            moment = datetime.strptime(bare, form)  # noqa: DTZ007 (its zone is given next)
        except ValueError:
            continue
        return epoch_us(moment, timezone.utc if letters in ("UTC", "GMT") else zone)
    return None
