"""Bounded Pareto: the Pareto law between the least and the greatest length.

With y = ln(x / least) and d = ln(most / least) it is an exponential law cut off at d, of density
``alpha exp(-alpha y) / (1 - exp(-alpha d))``; the estimate solves
``1/alpha - d / (exp(alpha d) - 1) = mean(y)``
(Aban, Meerschaert and Panorska 2006), whose left side falls from d to 0. Where mean(y) is above d / 2, alpha
is negative: each decade then has more of the periods than the one below it.
"""

from __future__ import annotations

import math

import numpy as np

from iowatt.lenses.idle.laws.law import Law
from iowatt.lenses.idle.laws.sample import Sample
from iowatt.lenses.idle.periods import Floats

#: Steepest law that is tried: alpha x d, near which exp() ends.
STEEPEST = 700.0
#: Below it, both sides of the estimate are taken from their series.
FLAT = 1e-4


def fit(sample: Sample) -> Law | None:
    """Maximum likelihood."""
    least, most = sample.least_s, sample.most_s
    width = math.log(most / least)
    if width <= 0:
        return None
    mean_share = sample.mean(np.log(sample.x_s / least)) / width
    turn = _turn(mean_share)
    if turn is None:
        return None
    alpha = turn / width
    log_norm = math.log(alpha / -math.expm1(-turn))

    def log_density(x: Floats) -> Floats:
        return log_norm + alpha * math.log(least) - (alpha + 1) * np.log(x)

    def cdf(x: Floats) -> Floats:
        y = np.log(np.clip(x, least, most) / least)
        return np.expm1(-alpha * y) / math.expm1(-turn)

    return Law(
        name="bounded-pareto",
        parameters={"alpha": alpha, "least_s": least, "most_s": most},
        freedom=3,
        mean_s=_mean(alpha, least, most),
        log_density=log_density,
        cdf=cdf,
    )


def _mean_share(turn: float) -> float:
    """Mean of y / d for alpha x d = ``turn``."""
    return 0.5 - turn / 12 if abs(turn) < FLAT else 1 / turn - 1 / math.expm1(turn)


def _turn(mean_share: float) -> float | None:
    """alpha x d for a mean of y / d, by bisection; never 0."""
    low, high = -STEEPEST, STEEPEST
    if not _mean_share(high) < mean_share < _mean_share(low):
        return None
    for _ in range(200):
        middle = (low + high) / 2
        if _mean_share(middle) > mean_share:
            low = middle
        else:
            high = middle
    found = (low + high) / 2
    return found if abs(found) > 1e-12 else 1e-12


def _mean(alpha: float, least: float, most: float) -> float:
    width = math.log(most / least)
    rest = alpha - 1
    moved = width if abs(rest * width) < 1e-9 else -math.expm1(-rest * width) / rest
    return alpha * least * moved / -math.expm1(-alpha * width)
