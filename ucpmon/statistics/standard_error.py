"""How far the mean of a run can be trusted, though its rows depend on one another.

Consecutive screens show much the same load, so n rows are worth fewer than n independent ones. The worth is found from
the lag-1 autocorrelation r of equal blocks of time, n·(1−r)/(1+r) (Bayley and Hammersley 1946 for an AR(1) series),
with r corrected for its small-sample bias, (1+4r)/n (Marriott and Pope 1954, for a mean that is estimated too).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ucpmon.statistics.summary import Series

_MOST_BLOCKS = 120
_LEAST_ROWS = 8
MOST_R = 0.97
"""Beyond this a run says nothing about its own spread: its mean is worth little more than one row."""


@dataclass(frozen=True)
class Spread:
    """A run's mean of one metric and its error.

    ``blocks`` are means over equal times, ``variance`` the squared standard error of ``mean``, ``worth`` the number of
    independent blocks that it rests on.
    """

    mean: float
    variance: float
    worth: float
    blocks: np.ndarray

    @property
    def block_length(self) -> int:
        """Blocks that stay together when resampling: as many as depend on one another, a quarter of all at most."""
        return max(1, min(round(len(self.blocks) / self.worth), len(self.blocks) // 4))


def spread(data: Series) -> Spread | None:
    """The spread of a series; ``None`` where it has too few rows to tell one."""
    if len(data.values) < _LEAST_ROWS:
        return None
    blocks = block_means(data, min(len(data.values), _MOST_BLOCKS))
    count = len(blocks)
    # Equal rows that are averaged leave noise of the last binary digit: that is no spread.
    if np.ptp(blocks) <= 1e-9 * max(1.0, float(np.abs(blocks).max())):
        return Spread(data.mean(), 0.0, float(count), blocks)
    r = autocorrelation(blocks)
    r = min(max(r + (1 + 4 * r) / count, 0.0), MOST_R)
    worth = max(count * (1 - r) / (1 + r), 1.5)
    # The variance of dependent values is too small by the part that moves together: 1 − 1/worth.
    variance = float(blocks.var(ddof=1)) / (1 - 1 / worth) / worth
    return Spread(data.mean(), variance, worth, blocks)


def block_means(data: Series, count: int) -> np.ndarray:
    """Means over ``count`` equal parts of the time that is known; float64 of shape (count,)."""
    clock = np.concatenate([[0.0], np.cumsum(data.seconds)])
    area = np.concatenate([[0.0], np.cumsum(data.seconds * data.values)])
    edges = np.linspace(0.0, clock[-1], count + 1)
    means: np.ndarray = np.diff(np.interp(edges, clock, area)) * count / clock[-1]
    return means


def autocorrelation(values: np.ndarray) -> float:
    """Correlation of each value with the next one."""
    deviations = values - values.mean()
    return float((deviations[1:] * deviations[:-1]).sum() / (deviations**2).sum())
