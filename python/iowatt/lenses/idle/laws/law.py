"""A fitted law, and how well it fits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from iowatt.lenses.idle.laws.sample import Sample
from iowatt.lenses.idle.periods import Floats
from iowatt.lenses.idle.result import FittedLaw, LawName


@dataclass(frozen=True)
class Law:
    """A distribution of lengths in s. ``freedom`` is the number of fitted parameters."""

    name: LawName
    parameters: dict[str, float | list[float]]
    freedom: int
    mean_s: float | None
    log_density: Callable[[Floats], Floats]
    cdf: Callable[[Floats], Floats]


def judged(law: Law, sample: Sample, at_s: Sequence[float] = ()) -> FittedLaw:
    """The law with its log-likelihood, the Akaike information criterion and the Kolmogorov-Smirnov distance.

    The distance is the greatest one between the distribution functions at edges of bins, where the measured
    one is exact.
    """
    likelihood = float(np.dot(sample.n, law.log_density(sample.x_s)))
    after = np.cumsum(sample.n) / sample.total
    before = after - sample.n / sample.total
    distance = max(
        float(np.max(np.abs(law.cdf(sample.lower_s) - before))),
        float(np.max(np.abs(law.cdf(sample.upper_s) - after))),
    )
    return FittedLaw(
        law=law.name,
        parameters=law.parameters,
        mean_s=law.mean_s,
        log_likelihood=likelihood,
        aic=2 * law.freedom - 2 * likelihood,
        ks_distance=distance,
        curve=law.cdf(np.asarray(at_s, dtype=np.float64)).tolist(),
    )
