"""Is a difference of means more than chance? Interval and probability by resampling, no table of distributions.

Draws of the difference under chance come from a circular block bootstrap of each run (Politis and Romano 1992), scaled
to the error that ``spread`` finds, and divided by the root of a χ² draw over its degrees of freedom: as in Student's t,
an error that was itself estimated from few independent blocks makes large differences more probable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ucpmon.statistics.standard_error import Spread

_SEED = 20261201
"""Fixed: the same two runs always get the same judgement."""

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Chance:
    """``p``: probability of a difference at least as large if nothing changed; ``low``, ``high``: 95 % interval."""

    p: float
    low: float
    high: float


def within_runs(base: Spread, new: Spread, draws: int) -> Chance:
    """The difference new − base of one run each, judged by the blocks within them."""
    rng = np.random.default_rng(_SEED)
    deviations = _block_bootstrap(new, draws, rng) - _block_bootstrap(base, draws, rng)
    # The smaller of both, not Welch's sum: where r is near 1 it is itself uncertain, and the sum calls too much.
    freedom = min((max(s.worth - 1, 0.5) for s in (base, new) if s.variance), default=1.0)
    return _chance(new.mean - base.mean, deviations, freedom, rng)


def between_runs(base: Sequence[Spread], new: Sequence[Spread], draws: int) -> Chance:
    """The difference of the means of several runs, judged by the spread from run to run.

    That spread already holds what varies within the runs, and cannot be smaller: the larger of both is taken.
    """
    rng = np.random.default_rng(_SEED)
    sides = [np.array([s.mean for s in side]) for side in (base, new)]
    freedom = sum(len(side) - 1 for side in sides)
    pooled = sum(float(((side - side.mean()) ** 2).sum()) for side in sides) / freedom
    between = pooled * sum(1 / len(side) for side in sides)
    within = sum(sum(s.variance for s in side) / len(side) ** 2 for side in (base, new))
    deviations = rng.standard_normal(draws) * np.sqrt(max(between, within))
    return _chance(float(sides[1].mean() - sides[0].mean()), deviations, freedom, rng)


def _chance(difference: float, deviations: np.ndarray, freedom: float, rng: np.random.Generator) -> Chance:
    if not deviations.any():
        return Chance(1.0 if difference == 0 else 0.0, difference, difference)
    draws = deviations / np.sqrt(rng.chisquare(freedom, len(deviations)) / freedom)
    p = (1 + int((np.abs(draws) >= abs(difference)).sum())) / (1 + len(draws))
    low, high = np.quantile(draws, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Chance(p, difference - float(high), difference - float(low))


def _block_bootstrap(side: Spread, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Deviations of resampled means from the mean, with the standard deviation that ``spread`` found."""
    if side.variance == 0:
        return np.zeros(draws)
    length, count = side.block_length, len(side.blocks)
    wrapped = np.concatenate([[0.0], np.cumsum(np.concatenate([side.blocks, side.blocks[: length - 1]]))])
    sums = wrapped[length:] - wrapped[:-length]
    starts = rng.integers(0, count, (draws, -(-count // length)))
    means = sums[starts].mean(axis=1)
    deviations: np.ndarray = (means - means.mean()) * (np.sqrt(side.variance) / means.std())
    return deviations
