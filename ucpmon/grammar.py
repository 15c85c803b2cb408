"""What one printed line can be, whatever stands around it."""

from typing import NamedTuple


class Line(NamedTuple):
    text: str
