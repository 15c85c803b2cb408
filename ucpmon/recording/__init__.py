"""The files of a run: written live, safe against a crash at any moment, and read back."""

from ucpmon.recording.cast import CastWriter
from ucpmon.recording.files import RunFiles
from ucpmon.recording.writer import RunWriter, quality

__all__ = ["CastWriter", "RunFiles", "RunWriter", "quality"]
