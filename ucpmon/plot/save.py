"""Writes a Figure to a file."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

from ucpmon.errors import UsageError
from ucpmon.plot.layout.fonts import BASE
from ucpmon.plot.layout.style import DPI, drawing

FORMATS = ("png", "svg", "pdf")


def format_of(path: Path) -> str:
    """The picture format that the file's ending names; raises UsageError for any other ending."""
    ending = path.suffix.lower().removeprefix(".")
    if ending not in FORMATS:
        said = f"ends in .{ending}" if ending else "has no ending"
        raise UsageError(f"{path} {said}, which is no picture format", "use .png, .svg or .pdf")
    return ending


def render(figure: Any, kind: str) -> bytes:
    """The figure as a file's bytes; equal figures give equal bytes."""
    buffer = BytesIO()
    undated = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[kind]
    with drawing((BASE,)):
        figure.savefig(
            buffer,
            format=kind,
            dpi=DPI,
            metadata={"Title": figure.get_label(), **undated},
            facecolor=figure.get_facecolor(),
        )
    return buffer.getvalue()


def save_figure(figure: Any, path: Path) -> None:
    """Writes the figure in the format that the ending names.

    Raises UsageError where the ending is unknown or the file cannot be written.
    """
    data = render(figure, format_of(path))
    try:
        path.write_bytes(data)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}", "choose another output") from error
