"""The debug files that a command line, or a saved file's path, names."""

from __future__ import annotations

import re

_PATH = re.compile(r"\b(heaps|clients)/([\w.+-]+)")
_PREFIX = re.compile(r"(\S*\b(?:heaps|clients)/[\w.+-]+):")
_IN_FOLDER = re.compile(r"\b(heaps|clients)/?\s*[#$>%]\s*(?:sudo\s+)?cat((?:\s+[\w.+-]+)+)")


def named_by_command(text: str) -> list[tuple[str, str]]:
    """``(heaps or clients, file)`` of every debug file in a line such as ``# cat /sys/…/ion/heaps/carveout``."""
    paths: list[tuple[str, str]] = _PATH.findall(text)
    return paths or [(kind, name) for kind, names in _IN_FOLDER.findall(text) for name in names.split()]


def named_by_source(source: str) -> list[tuple[str, str]]:
    """The same for the path of the file that a text was read from."""
    path = source.replace("\\", "/")
    # `heaps/monday.txt` is a file that somebody saved, not a heap named monday.txt.
    return [] if "." in path.rpartition("/")[2] else named_by_command(path)


def split_prefix(line: str) -> tuple[str, str]:
    """``(path, rest)`` of a line that ``grep`` printed with its file's name before it; no path in any other line."""
    found = _PREFIX.match(line)
    return (found[1], line[found.end() :]) if found else ("", line)
