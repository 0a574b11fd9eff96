"""How bursty arrivals are, by counts over intervals, and the law of arrivals to assume.

The index of dispersion of counts is the variance of the requests of an interval over their mean: 1 for
Poisson arrivals (Cox and Lewis, The Statistical Analysis of Series of Events, 1966). It is estimated from
successive differences (von Neumann, Annals of Mathematical Statistics 12, 1941), so that a rate that changes
slowly does not count as bursts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from iowatt.base.errors import Argument, InputError
from iowatt.counters.log import Floats
from iowatt.counters.streams import ProfileRequest, rounded

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


_MOST_CV: Final = 1000.0
_LEAST_INSIDE: Final = 0.1


@dataclass(frozen=True)
class AssumedArrivals:
    """The table ``[arrivals]``, which of its keys are assumed, and why."""

    table: dict[str, Any]
    assumed: list[str]
    why: str


def arrival_law(spread: Dispersion, request: ProfileRequest, rate: float, joined: float) -> AssumedArrivals:
    """Poisson, unless counts vary more than its chance allows.

    Renewals with the coefficient of variation cv have counts whose index of dispersion comes to cv squared
    over long intervals (Cox, Renewal Theory, 1962). Phases carry the variation between intervals as far as
    each has its own; gaps carry what joining takes away, and at least a tenth, for bursts inside an interval:
    so much is left at a tenth of the interval where the index falls in proportion to it. Intervals over ten
    seconds tell of changing load rather than of bursts; there gaps are Poisson's.

    Parameters
    ----------
    rate:
        Requests per second.
    joined:
        Intervals in a phase.

    Raises ``InputError``: bursts are asked for, and counts show none.
    """
    by = "chosen by the counts" if request.arrivals == "auto" else "as asked"
    if spread.known:
        seen = (
            f"from one interval of {spread.seconds:.4g} s to the next, counts vary {spread.index:.3g} times "
            "as much as those of Poisson arrivals"
        )
    else:
        seen = f"to tell bursts from chance takes {FEWEST} successive intervals, and there are fewer"
    squared = spread.index * max(_LEAST_INSIDE, 1 - 1 / joined) if spread.known else 1.0
    if request.arrivals == "bursty" and not squared > 1:
        message = f"there are no bursts to take over: {seen}"
        raise InputError("infeasible", Argument("arrivals"), message, hint="`arrivals=poisson`")
    bursty = spread.bursty and spread.seconds <= LONGEST_S and squared > 1
    if request.arrivals == "bursty" or (request.arrivals == "auto" and bursty):
        cv = min(squared**0.5, _MOST_CV)
        why = (
            f"burstier than Poisson ({by}): {seen}; phases follow that, and gaps inside an interval, of "
            "which counters say nothing, are taken to be hyper-exponential with a coefficient of variation "
            f"of {cv:.3g}, whose counts vary {cv * cv:.3g} times as much"
        )
        table = {"law": "hyper-exponential", "rate": rounded(rate), "cv": rounded(cv)}
        return AssumedArrivals(table, ["arrivals.law", "arrivals.cv"], why)
    why = f"Poisson inside a phase ({by}): {seen}"
    if spread.bursty:
        why += ", which phases follow; inside an interval arrivals may be burstier"
    elif spread.known:
        why += ", no more than chance explains"
    return AssumedArrivals({"law": "poisson", "rate": rounded(rate)}, ["arrivals.law"], why)
