"""The files of a run: written live, safe against a crash at any moment, and read back."""

from ucpmon.runs.cast_writer import CastWriter
from ucpmon.runs.files import RunFiles, read_json, write_json
from ucpmon.runs.seen import doubts, identity, what_was_seen
from ucpmon.runs.writer import RunWriter, append_mark

__all__ = [
    "CastWriter",
    "RunFiles",
    "RunWriter",
    "append_mark",
    "doubts",
    "identity",
    "read_json",
    "what_was_seen",
    "write_json",
]
