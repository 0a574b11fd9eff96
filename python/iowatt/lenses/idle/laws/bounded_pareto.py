"""Bounded Pareto: the Pareto law between the least and the greatest length.

With y = ln(x / least) and d = ln(most / least) it is an exponential law cut off at d, of density
``alpha exp(-alpha y) / (1 - exp(-alpha d))``; the estimate solves ``1/alpha - d / (exp(alpha d) - 1) = mean(y)``
(Aban, Meerschaert and Panorska 2006). It exists for mean(y) below d / 2; there it meets the log-uniform law.
"""

from __future__ import annotations

import math

import numpy as np

from iowatt.lenses.idle.laws.law import Law
from iowatt.lenses.idle.laws.roots import grown_root
from iowatt.lenses.idle.laws.sample import Sample
from iowatt.lenses.idle.periods import Floats


def fit(sample: Sample) -> Law | None:
    """Maximum likelihood."""
    least, most = sample.least_s, sample.most_s
    width = math.log(most / least)
    mean_log = sample.mean(np.log(sample.x_s / least))

    def excess(alpha: float) -> float:
        turned = alpha * width
        return mean_log - 1 / alpha + (width / math.expm1(turned) if turned < 700 else 0.0)

    # Below, 1/alpha and what is taken from it differ by less than their rounding.
    alpha = grown_root(excess, 1e-6 / width, 1e6 / width) if width > 0 else None
    if alpha is None:
        return None
    log_norm = math.log(alpha) - math.log(-math.expm1(-alpha * width))

    def log_density(x: Floats) -> Floats:
        return log_norm + alpha * math.log(least) - (alpha + 1) * np.log(x)

    def cdf(x: Floats) -> Floats:
        y = np.log(np.clip(x, least, most) / least)
        return np.expm1(-alpha * y) / math.expm1(-alpha * width)

    return Law(
        name="bounded-pareto",
        parameters={"alpha": alpha, "least_s": least, "most_s": most},
        freedom=3,
        mean_s=_mean(alpha, least, most),
        log_density=log_density,
        cdf=cdf,
    )


def _mean(alpha: float, least: float, most: float) -> float:
    width = math.log(most / least)
    rest = alpha - 1
    moved = width if abs(rest * width) < 1e-9 else -math.expm1(-rest * width) / rest
    return alpha * least * moved / -math.expm1(-alpha * width)
