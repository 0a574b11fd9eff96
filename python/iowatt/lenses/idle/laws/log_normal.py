"""Log-normal: ln x is normal with mean mu and standard deviation sigma, which are the estimates."""

from __future__ import annotations

import math

import numpy as np

from iowatt.lenses.idle.laws.law import Law
from iowatt.lenses.idle.laws.sample import Sample
from iowatt.lenses.idle.periods import Floats


def fit(sample: Sample) -> Law | None:
    """Maximum likelihood."""
    logs = np.log(sample.x_s)
    mu = sample.mean(logs)
    sigma = math.sqrt(sample.mean((logs - mu) ** 2))
    if sigma == 0:
        return None

    def log_density(x: Floats) -> Floats:
        return -np.log(x) - math.log(sigma * math.sqrt(2 * math.pi)) - ((np.log(x) - mu) / sigma) ** 2 / 2

    half = mu + sigma * sigma / 2
    return Law(
        name="log-normal",
        parameters={"median_s": math.exp(mu), "sigma": sigma},
        freedom=2,
        mean_s=math.exp(half) if half < 700 else None,
        log_density=log_density,
        cdf=lambda x: _normal((np.log(x) - mu) / sigma),
    )


def _normal(z: Floats) -> Floats:
    """The standard normal distribution function."""
    return np.array([0.5 * math.erfc(-value / math.sqrt(2)) for value in z.tolist()])
