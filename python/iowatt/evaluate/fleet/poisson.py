"""Counts of failures: quantiles of the Poisson distribution, and the stock that they ask for."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Final

_LARGE: Final = 10_000.0


def poisson_quantile(mean: float, share: float) -> int:
    """The least count that is not exceeded with probability ``share``.

    Summed term by term; above a mean of 10,000 by the Cornish-Fisher expansion, exact to a count there.
    """
    if mean <= 0.0:
        return 0
    if mean > _LARGE:
        z = NormalDist().inv_cdf(share)
        return math.ceil(mean + z * math.sqrt(mean) + (z * z - 1) / 6 - 0.5)
    # From the mode outwards nothing underflows: P(k) is found from its logarithm.
    total, count = 0.0, 0
    begin = max(0, math.floor(mean - 12 * math.sqrt(mean) - 12))
    count = begin
    while True:
        total += math.exp(count * math.log(mean) - mean - math.lgamma(count + 1))
        if total >= share or count > mean + 40 * math.sqrt(mean) + 40:
            return count
        count += 1


def poisson_above(mean: float, count: int) -> float:
    """The probability of more than ``count``."""
    if mean <= 0.0:
        return 0.0
    below = sum(
        math.exp(k * math.log(mean) - mean - math.lgamma(k + 1))
        for k in range(max(0, math.floor(mean - 40 * math.sqrt(mean) - 40)), count + 1)
    )
    return max(0.0, 1.0 - below)


def spare_stock(failures_per_year: float, lead_years: float, service_level: float) -> int:
    """Spares that last with a probability until they are replenished: failures meanwhile are Poisson."""
    return poisson_quantile(failures_per_year * lead_years, service_level)
