"""Student's t distribution where this package asks for it: few degrees of freedom, two levels."""

from __future__ import annotations

_UPPER = {
    0.0005: {3: 12.924, 4: 8.610, 7: 5.408, 10: 4.587},
    0.025: {3: 3.182, 4: 2.776, 7: 2.365, 10: 2.228},
}


def upper_quantile(level: float, freedom: int) -> float:
    """The value that Student's t exceeds with probability ``level`` (one-sided), to three decimals.

    ``level`` is 0.0005 or 0.025, ``freedom`` the degrees of freedom: 3, 4, 7 or 10. Raises KeyError for others.
    """
    return _UPPER[level][freedom]
