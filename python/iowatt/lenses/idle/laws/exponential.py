"""Exponential: ``F(x) = 1 - exp(-x / mean)``; the estimate is the mean."""

from __future__ import annotations

import math

import numpy as np

from iowatt.lenses.idle.laws.law import Law
from iowatt.lenses.idle.laws.sample import Sample


def fit(sample: Sample) -> Law | None:
    """Maximum likelihood."""
    mean = sample.mean(sample.x_s)
    return Law(
        name="exponential",
        parameters={"mean_s": mean},
        freedom=1,
        mean_s=mean,
        log_density=lambda x: -x / mean - math.log(mean),
        cdf=lambda x: -np.expm1(-x / mean),
    )
