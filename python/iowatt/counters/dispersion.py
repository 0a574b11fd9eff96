"""How bursty arrivals are, as far as counts over intervals tell.

The index of dispersion of counts is the variance of the requests of an interval over their mean: 1 for
Poisson arrivals (Cox and Lewis, The Statistical Analysis of Series of Events, 1966). It is estimated from
successive differences (von Neumann, Annals of Mathematical Statistics 12, 1941), so that a rate that changes
slowly does not count as bursts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from iowatt.counters.log import Floats

FEWEST: Final = 20  # intervals below which nothing is said
LONGEST_S: Final = 10.0  # intervals above which counts say nothing of how requests follow one another
_SIGMAS: Final = 3.0


@dataclass(frozen=True)
class Dispersion:
    """Of counts from one interval to the next.

    ``index`` is NaN where there are too few intervals; ``limit`` is three standard errors above the 1 of
    Poisson arrivals; ``seconds`` the median length of an interval.
    """

    index: float
    limit: float
    pairs: int
    seconds: float

    @property
    def known(self) -> bool:
        """Whether there was enough to tell."""
        return bool(np.isfinite(self.index))

    @property
    def bursty(self) -> bool:
        """Whether counts vary more than those of Poisson arrivals would."""
        return self.known and self.index > self.limit


def dispersion(rates: Floats, seconds: Floats) -> Dispersion:
    """Of requests per second in successive intervals of so many seconds; NaN where not known."""
    usable = np.isfinite(rates) & np.isfinite(seconds) & (seconds > 0)
    typical = float(np.median(seconds[usable])) if usable.any() else float("nan")
    both = usable[1:] & usable[:-1]
    r, t = np.nan_to_num(rates), np.where(usable, seconds, 1.0)
    mean = (r[1:] * t[1:] + r[:-1] * t[:-1]) / (t[1:] + t[:-1])
    # Two Poisson counts: the variance of the difference of their rates is rate * (1/t1 + 1/t2).
    expected = float(np.sum((mean * (1 / t[1:] + 1 / t[:-1]))[both]))
    pairs = int(both.sum())
    if pairs + 1 < FEWEST or expected <= 0:
        return Dispersion(float("nan"), float("nan"), pairs, typical)
    index = float(np.sum(((r[1:] - r[:-1]) ** 2)[both])) / expected
    count = float(np.mean((mean * t[1:])[both]))
    # Variance of a squared difference of Poisson counts over its squared mean is 2 + 1/(2 count); overlapping
    # differences make it 3.
    error = float(np.sqrt((3 + 1 / (2 * count)) / pairs))
    return Dispersion(index, 1 + _SIGMAS * error, pairs, typical)
