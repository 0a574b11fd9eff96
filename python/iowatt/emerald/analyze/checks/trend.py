"""A test for a linear trend that allows for autocorrelation of neighbouring minutes.

It complements the readings of the stability rule: reading b cannot detect drift, and no reading has a stated
rate of false alarms.

The slope is that of least squares. Its standard error is that of errors with an autocorrelation of first
order (AR(1)) whose coefficient is estimated from the residuals. Residuals of a short series understate
it, so the coefficient is the one whose expected autocorrelation of residuals equals the observed one (both
expectations are exact traces, not limits for long series). The degrees of freedom of Student's t
are the effective number of independent minutes, less two. Ordinary least squares would flag
24 % of stationary series with a coefficient of 0.5 at a stated level of 5 %; docs/models/emerald.md
has the measured rates.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

import numpy as np

from iowatt.emerald.analyze.checks.minutes import Floats
from iowatt.run.statistics import student_t_cdf, student_t_quantile

LEVEL: Final = 0.05  #: Chance of a false alarm that the test states.
FEWEST: Final = 8  #: Fewer points cannot give both a slope and an autocorrelation.
#: Coefficients of the AR(1) between which is interpolated; a negative one is taken for 0, which is the
#: safe side.
_GRID: Final = np.concatenate([np.arange(-0.9, 0.0, 0.1), np.arange(0.0, 0.96, 0.05), [0.98]])
_LARGEST: Final = 0.98
_LEAST_MEAN: Final = 1e-140  #: Squares of smaller numbers underflow.

Verdict = Literal["stable", "drifting", "noisy"]


@dataclass(frozen=True)
class Trend:
    """Of a series around its mean."""

    points: int
    drift: float  #: From the first point to the last, as a fraction of the mean.
    drift_half_width: float  #: Half of the confidence interval of ``drift`` at 1 - level.
    p: float  #: Chance of a slope as large or larger where there is none.
    autocorrelation: float  #: Of neighbouring points, after the slope.
    degrees: int

    @property
    def significant(self) -> bool:
        """Whether the slope is significant at :data:`LEVEL`."""
        return self.p < LEVEL


def trend(series: Floats) -> Trend | None:
    """Test a series for a linear trend; missing points (NaN) are passed over, their places kept.

    None for fewer than :data:`FEWEST` points, or a mean that is not above zero (or beyond what squares of
    numbers of 64 bits hold).
    """
    known = np.isfinite(series)
    values, at = series[known], np.flatnonzero(known).astype(np.float64)
    count, mean = len(values), float(values.mean()) if len(values) else 0.0
    if count < FEWEST or not _LEAST_MEAN < mean < 1 / _LEAST_MEAN:
        return None
    centred = at - at.mean()
    spread = float(centred @ centred)
    slope = float(centred @ values) / spread
    residuals = values - mean - slope * centred
    squares = float(residuals @ residuals)
    span = float(at[-1] - at[0])
    if math.sqrt(squares / count) <= 1e-12 * mean:  # a straight line, but for rounding
        moved = abs(slope) * span > 1e-9 * mean
        return Trend(count, slope * span / mean, 0.0, 0.0 if moved else 1.0, 0.0, count - 2)
    law = _law(count)
    phi = float(np.interp(float(residuals[1:] @ residuals[:-1]) / squares, law.autocorrelation, _GRID))
    phi = min(max(phi, 0.0), _LARGEST)
    variance = squares / float(np.interp(phi, _GRID, law.squares))
    error = math.sqrt(variance * float(np.interp(phi, _GRID, law.slope)) * _spread(count) / spread)
    degrees = max(2, math.floor(count * (1 - phi) / (1 + phi) - 2 + 1e-9))
    p = 2 * (1 - student_t_cdf(abs(slope) / error, degrees))
    half = student_t_quantile(1 - LEVEL / 2, degrees) * error
    return Trend(count, slope * span / mean, half * span / mean, min(max(p, 0.0), 1.0), phi, degrees)


def verdict(found: Trend | None, within_band: bool, tolerance: float) -> Verdict:
    """The verdict.

    ``drifting``: the slope is significant and moves the series further than the tolerance. ``noisy``: it
    does not, but the averages leave the band (reading a), or the series varies so much that a drift as
    large as twice the tolerance, from one edge of the band to the other, could hide in it. ``stable``:
    neither. A series too short for the test is noisy.
    """
    if found is None:
        return "noisy"
    if found.significant and abs(found.drift) > tolerance:
        return "drifting"
    if not within_band or abs(found.drift) + found.drift_half_width > 2 * tolerance:
        return "noisy"
    return "stable"


@dataclass(frozen=True)
class _Law:
    """Expectations for an AR(1) of unit variance, for each coefficient of the grid."""

    #: Ratio of the expected products of neighbouring residuals to their expected squares.
    autocorrelation: Floats
    squares: Floats  #: Expected sum of the squares of the residuals.
    slope: Floats  #: Variance of the slope.


def _spread(count: int) -> float:
    return count * (count * count - 1) / 12


@lru_cache(maxsize=32)
def _law(count: int) -> _Law:
    """By traces: with residuals r = M x, M = 1 - Q Q', E[r r'] = M S M, S the AR(1)'s correlation."""
    centred = np.arange(count) - (count - 1) / 2
    base = np.column_stack([np.full(count, 1 / math.sqrt(count)), centred / math.sqrt(_spread(count))])
    lags = np.abs(np.subtract.outer(np.arange(count), np.arange(count)))
    rows = []
    for phi in _GRID:
        image = np.power(phi, lags) @ base
        inner = base.T @ image
        squares = count - float((base * image).sum())
        neighbours = (
            (count - 1) * phi
            - float((base[:-1] * image[1:]).sum())
            - float((image[:-1] * base[1:]).sum())
            + float(((base[:-1] @ inner) * base[1:]).sum())
        )
        rows.append((neighbours / squares, squares, float(inner[1, 1]) / _spread(count)))
    autocorrelation, squares_, slope = (np.array(column) for column in zip(*rows, strict=True))
    return _Law(autocorrelation, squares_, slope)
