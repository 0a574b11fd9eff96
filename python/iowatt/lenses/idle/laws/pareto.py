"""Pareto: ``F(x) = 1 - (least / x)^alpha``; 1 / alpha is the mean of ln(x / least)."""

from __future__ import annotations

import math

import numpy as np

from iowatt.lenses.idle.laws.law import Law
from iowatt.lenses.idle.laws.sample import Sample
from iowatt.lenses.idle.periods import Floats


def fit(sample: Sample) -> Law | None:
    """Maximum likelihood (Hill's estimator over all lengths)."""
    least = sample.least_s
    mean_log = sample.mean(np.log(sample.x_s / least))
    if mean_log <= 0:
        return None
    alpha = 1 / mean_log

    def log_density(x: Floats) -> Floats:
        return math.log(alpha) + alpha * math.log(least) - (alpha + 1) * np.log(x)

    return Law(
        name="pareto",
        parameters={"alpha": alpha, "least_s": least},
        freedom=2,
        mean_s=alpha * least / (alpha - 1) if alpha > 1 else None,
        log_density=log_density,
        cdf=lambda x: -np.expm1(-alpha * np.log(np.maximum(x, least) / least)),
    )
