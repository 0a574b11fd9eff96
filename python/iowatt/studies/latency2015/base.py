"""An installed base as a mixture of arrays: its histogram, beside the one that was published.

Assumed: every array is ours with another processor, whose visit takes from 10 to 320 us; the writes of
the base are spread over these by a lognormal law; half of them find processors 20 % busy before, half 50
%; what is fixed is the same for all. The law's two figures are set by the two published shares at 0.12
ms. So this shows that such a base can be, not that it is so, and says nothing about the one array whose
mean was halved.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import NormalDist
from typing import Final

from iowatt.studies.latency2015 import published
from iowatt.studies.latency2015.equations import root
from iowatt.studies.latency2015.points import LatencyHistogram, LatencyPoints
from iowatt.studies.latency2015.published import PRINTED

#: Widths of the law of ln(visit) that are tried.
_NARROWEST: Final = 0.05
_WIDEST: Final = 3.0


@dataclass(frozen=True)
class VisitLaw:
    """Shares of writes by the visit of their array: lognormal."""

    median_us: float
    sigma: float

    def weights(self, visits_us: Sequence[float]) -> list[float]:
        """The share of each of these visits: what lies between the geometric means with its neighbours."""
        normal = NormalDist()
        ends = [0.0]
        for low, high in pairwise(visits_us):
            ends.append(normal.cdf((math.log(math.sqrt(low * high)) - math.log(self.median_us)) / self.sigma))
        ends.append(1.0)
        return [high - low for low, high in pairwise(ends)]


@dataclass(frozen=True)
class Base:
    """The mixture: its law, and its histograms before and after."""

    law: VisitLaw | None
    visits_us: tuple[float, ...]
    weights: tuple[float, ...]
    before: LatencyHistogram
    after: LatencyHistogram


def of(points: LatencyPoints, wanted: published.HistogramPoint = PRINTED.installed_base) -> Base:
    """The mixture that has the published shares; without a law where none has them: all visits alike then."""
    visits = tuple(sorted({one.visit_us for one in points.of("base")}))
    cells = {
        express: {n: _cell(points, visit, express) for n, visit in enumerate(visits)}
        for express in (False, True)
    }
    shares = {
        express: [cells[express][n].share_within(wanted.within_ms) for n in range(len(visits))]
        for express in (False, True)
    }
    law = fit(visits, shares[False], shares[True], wanted.before, wanted.after)
    weights = [1 / len(visits)] * len(visits) if law is None else law.weights(visits)
    parts = dict(enumerate(weights))
    return Base(
        law,
        visits,
        tuple(weights),
        LatencyHistogram.mixture(parts, cells[False]),
        LatencyHistogram.mixture(parts, cells[True]),
    )


def _cell(points: LatencyPoints, visit_us: float, express: bool) -> LatencyHistogram:
    """Arrays of a visit, their loads alike."""
    found = {n: one.writes for n, one in enumerate(points.of("base", visit_us=visit_us, express=express))}
    return LatencyHistogram.mixture({n: 1 / len(found) for n in found}, found)


def fit(
    visits_us: Sequence[float],
    before: Sequence[float],
    after: Sequence[float],
    wanted_before: float,
    wanted_after: float,
) -> VisitLaw | None:
    """The law with which these shares of each visit's writes become the wanted ones; None where there is
    none.
    """

    def mixed(law: VisitLaw, shares: Sequence[float]) -> float:
        return sum(weight * share for weight, share in zip(law.weights(visits_us), shares, strict=True))

    def median(sigma: float) -> float | None:
        low, high = math.log(visits_us[0] / 10), math.log(visits_us[-1] * 10)
        at = root(lambda ln: mixed(VisitLaw(math.exp(ln), sigma), before) - wanted_before, low, high)
        return None if at is None else math.exp(at)

    def excess(sigma: float) -> float:
        at = median(sigma)
        return math.nan if at is None else mixed(VisitLaw(at, sigma), after) - wanted_after

    sigma = root(excess, _NARROWEST, _WIDEST)
    at = None if sigma is None else median(sigma)
    if sigma is None or at is None or abs(excess(sigma)) > 1e-6:
        return None
    return VisitLaw(at, sigma)
