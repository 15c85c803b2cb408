"""The files of a run: written live, safe against a crash at any moment, and read back."""

from ucpmon.recording.cast import CastWriter
from ucpmon.recording.doubts import counted, doubts
from ucpmon.recording.files import RunFiles, read_json, write_json
from ucpmon.recording.writer import RunWriter, append_mark, identity, quality

__all__ = [
    "CastWriter",
    "RunFiles",
    "RunWriter",
    "append_mark",
    "counted",
    "doubts",
    "identity",
    "quality",
    "read_json",
    "write_json",
]
