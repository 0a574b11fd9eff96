"""Weibull: ``F(x) = 1 - exp(-(x / scale)^shape)``; a shape below 1 means that long periods grow on.

The estimate of the shape k solves ``sum(x^k ln x) / sum(x^k) - 1/k = mean(ln x)``,
whose left side grows with k.
"""

from __future__ import annotations

import numpy as np

from iowatt.lenses.idle.laws.law import Law
from iowatt.lenses.idle.laws.roots import grown_root
from iowatt.lenses.idle.laws.sample import Sample


def fit(sample: Sample) -> Law | None:
    """Maximum likelihood."""
    logs = np.log(sample.x_s)
    mean_log = sample.mean(logs)

    def excess(shape: float) -> float:
        # In proportion to the greatest power, so that none overflows.
        powers = sample.n * np.exp(shape * (logs - logs[-1]))
        return float(powers @ logs / powers.sum() - 1 / shape - mean_log)

    shape = grown_root(excess, 1e-3, 1e3)
    if shape is None:
        return None
    top = float(logs[-1])
    log_scale = top + float(np.log(sample.mean(np.exp(shape * (logs - top))))) / shape
    scale = float(np.exp(log_scale))
    return Law(
        name="weibull",
        parameters={"shape": shape, "scale_s": scale},
        freedom=2,
        mean_s=_mean(shape, scale),
        log_density=lambda x: (
            np.log(shape) - log_scale + (shape - 1) * (np.log(x) - log_scale) - np.power(x / scale, shape)
        ),
        cdf=lambda x: -np.expm1(-np.power(x / scale, shape)),
    )


def _mean(shape: float, scale: float) -> float | None:
    import math

    try:
        return scale * math.gamma(1 + 1 / shape)
    except OverflowError:
        return None
