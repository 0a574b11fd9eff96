"""Ranges of a fleet's figures: what chance does to them, prices and growth being as stated.

Two things vary: members keep loads of their own over the plan, so one draw moves a class's watts in all
years; and drives fail as a Poisson process, anew in each year.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from iowatt.evaluate.fleet.result import FleetRange

Floats = NDArray[np.float64]

DRAWS: Final = 4000
LOW, HIGH = 0.05, 0.95


@dataclass(frozen=True)
class YearChance:
    """What varies in a year; arrays by class, or by model of drives."""

    #: Mean IT watts of the year, and the deviation of each class's.
    watts: float
    deviation_w: Sequence[float]
    #: Dollars of the year but for failures, and dollars for one more mean watt.
    usd: float
    usd_per_w: float
    #: kWh of the facility for one more mean watt.
    kwh: float
    kwh_per_w: float
    #: Expected failures by model, and dollars of each failure.
    failures: Sequence[float]
    usd_per_failure: Sequence[float]


@dataclass(frozen=True)
class YearRanges:
    """Ranges of a year, or of the whole plan."""

    watts: FleetRange
    kwh: FleetRange
    usd: FleetRange
    failures: FleetRange


def ranges(years: Sequence[YearChance], seed: int) -> tuple[list[YearRanges], YearRanges]:
    """The ranges of each year, and over all of them."""
    generator = np.random.Generator(np.random.PCG64(seed))
    classes = max((len(year.deviation_w) for year in years), default=0)
    normal = generator.standard_normal((classes, DRAWS))
    found, sums = [], np.zeros((4, DRAWS))
    for year in years:
        moved = np.zeros(DRAWS)
        for at, deviation in enumerate(year.deviation_w):
            moved += deviation * normal[at]
        failed = np.zeros(DRAWS)
        paid = np.zeros(DRAWS)
        for mean, usd in zip(year.failures, year.usd_per_failure, strict=True):
            count = generator.poisson(mean, DRAWS)
            failed += count
            paid += usd * count
        drawn = np.stack(
            [year.watts + moved, year.kwh + year.kwh_per_w * moved,
             year.usd + year.usd_per_w * moved + paid, failed]
        )  # fmt: skip
        expected = (year.watts, year.kwh, year.usd + _paid(year), sum(year.failures))
        found.append(YearRanges(*(_range(*pair) for pair in zip(expected, drawn, strict=True))))
        sums += drawn
    totals = [
        sum(year.watts for year in years) / max(1, len(years)), sum(year.kwh for year in years),
        sum(year.usd + _paid(year) for year in years), sum(sum(year.failures) for year in years),
    ]  # fmt: skip
    sums[0] /= max(1, len(years))
    return found, YearRanges(*(_range(*pair) for pair in zip(totals, sums, strict=True)))


def _paid(year: YearChance) -> float:
    return sum(mean * usd for mean, usd in zip(year.failures, year.usd_per_failure, strict=True))


def _range(expected: float, drawn: Floats) -> FleetRange:
    low, high = np.quantile(drawn, [LOW, HIGH])
    # An expected value beyond both ends would be an accident of few draws.
    return FleetRange(expected=expected, low=min(expected, float(low)), high=max(expected, float(high)))
