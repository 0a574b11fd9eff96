"""Distributions fitted to idle periods by maximum likelihood, one law a file.

Each takes a :class:`~iowatt.lenses.idle.laws.sample.Sample` and gives a
:class:`~iowatt.lenses.idle.laws.law.Law`, or None where it cannot be fitted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from iowatt.lenses.idle.laws import (
    bounded_pareto,
    exponential,
    hyper_exponential,
    log_normal,
    pareto,
    weibull,
)
from iowatt.lenses.idle.laws.law import Law, judged
from iowatt.lenses.idle.laws.sample import Sample
from iowatt.lenses.idle.result import FittedLaw

#: Fewer periods, or fewer lengths that differ, say nothing about a law.
LEAST_PERIODS = 20
LEAST_LENGTHS = 5

FITTERS: Sequence[Callable[[Sample], Law | None]] = (
    exponential.fit,
    hyper_exponential.fit,
    weibull.fit,
    log_normal.fit,
    pareto.fit,
    bounded_pareto.fit,
)


def fits(sample: Sample, at_s: Sequence[float] = ()) -> list[FittedLaw]:
    """All laws that could be fitted, the best (least Akaike information criterion) first.

    ``curve`` of each is its distribution function at the lengths ``at_s``.
    """
    if sample.total < LEAST_PERIODS or len(sample.x_s) < LEAST_LENGTHS:
        return []
    found = [judged(law, sample, at_s) for fit in FITTERS if (law := fit(sample)) is not None]
    return sorted(found, key=lambda fit: fit.aic)
