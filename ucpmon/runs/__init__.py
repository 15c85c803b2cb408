"""The files of a run: written live, safe against a crash at any moment, and read back."""

from ucpmon.runs.cast import CastWriter
from ucpmon.runs.doubts import doubts
from ucpmon.runs.files import RunFiles, read_json, write_json
from ucpmon.runs.writer import RunWriter, append_mark, identity, quality

__all__ = [
    "CastWriter",
    "RunFiles",
    "RunWriter",
    "append_mark",
    "doubts",
    "identity",
    "quality",
    "read_json",
    "write_json",
]
