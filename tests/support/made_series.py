"""Random memory levels with a known truth, as a monitor would print them: 200 of each kind, one row a second."""

from dataclasses import dataclass

import numpy as np
from scipy import signal

from ucpmon.metrics import MIB

EACH = 200
ROWS = 100
AT = np.arange(float(ROWS))


@dataclass(frozen=True)
class Made:
    """``values`` (bytes) were printed in steps of ``step``; the level jumps at ``cuts`` and grows by ``slope`` (B/s).

    ``noise`` is the standard deviation of a row, rounding included.
    """

    values: np.ndarray
    step: float
    noise: float
    cuts: tuple = ()
    slope: float = 0.0


def printed(values, step, deviation, **truth):
    """Bytes from MiB, rounded to ``step`` MiB."""
    rounded = np.round(values / step) * step * MIB
    return Made(rounded, step * MIB, float(np.hypot(deviation, step / 12**0.5)) * MIB, **truth)


def jumps(rng, heights):
    """One to three jumps up or down, at least six rows apart; ``heights`` draws so many."""
    count = int(rng.integers(1, 4))
    cuts = 10 * np.sort(rng.choice(np.arange(1, ROWS // 10), count, replace=False)) + rng.integers(-2, 3, count)
    return tuple(cuts.tolist()), (cuts[:, None] <= AT).T @ (heights(count) * rng.choice([-1, 1], count))


def step(rng):
    cuts, levels = jumps(rng, lambda count: rng.uniform(5, 40, count))
    deviation = rng.uniform(0.05, 0.5)
    return printed(rng.uniform(200, 900) + levels + rng.normal(0, deviation, ROWS), 0.1, deviation, cuts=cuts)


def quantised(rng):
    """Steps of a few tenths of GiB, printed in tenths of GiB."""
    tenth = 102.4
    cuts, levels = jumps(rng, lambda count: rng.integers(3, 10, count) * tenth)
    noisy = rng.uniform(4000, 6000) + levels + rng.normal(0, 0.3 * tenth, ROWS)
    return printed(noisy, tenth, 0.3 * tenth, cuts=cuts)


def ramp(rng, own=0.0):
    """Growth all along; each row's noise resembles the one before as much as ``own`` says."""
    slope, deviation = rng.uniform(0.02, 1), rng.uniform(0.05, 1)
    line = rng.uniform(200, 900) + slope * AT
    return printed(line + deviation * dependent(rng, (ROWS,), own), 0.1, deviation, slope=slope * MIB)


def sawtooth(rng):
    period = int(rng.integers(12, 41))
    phase = (np.arange(ROWS) + rng.integers(0, period)) % period
    deviation = rng.uniform(0.05, 0.5)
    teeth = phase / period * rng.uniform(5, 60) + rng.normal(0, deviation, ROWS)
    return printed(
        rng.uniform(200, 900) + teeth, 0.1, deviation, cuts=tuple((1 + np.flatnonzero(phase[1:] == 0)).tolist())
    )


def walk(rng):
    return printed(rng.uniform(200, 900) + np.cumsum(rng.normal(0, 0.5, ROWS)), 0.1, 0.5)


KINDS = {f.__name__: f for f in (step, quantised, ramp, sawtooth, walk)}


def made(kind, **options):
    """The 200 series of a kind, always the same ones."""
    place = list(KINDS).index(kind)
    return [KINDS[kind](np.random.default_rng([seed, place]), **options) for seed in range(EACH)]


def dependent(rng, shape, own):
    """Rows of an AR(1) series of unit variance: each resembles the one before as much as ``own`` says."""
    kicks = rng.standard_normal(shape)
    kicks[..., 1:] *= np.sqrt(1 - own**2)
    return signal.lfilter([1], [1, -own], kicks)


def variance_of_mean(rows, own):
    """Of the mean of so many rows of such a series, by the sum of all their correlations."""
    lags = np.arange(1, rows)
    return float(1 + 2 * ((1 - lags / rows) * own**lags).sum()) / rows
