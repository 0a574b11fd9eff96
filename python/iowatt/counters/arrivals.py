"""Burstiness of arrivals by counts over intervals, and the law of arrivals to assume.

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

FEWEST: Final = 20  # intervals needed for an index
LONGEST_S: Final = 10.0  # intervals above which counts reflect changing load, not bursts
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
        """Whether there are enough intervals."""
        return bool(np.isfinite(self.index))

    @property
    def bursty(self) -> bool:
        """Whether counts vary more than those of Poisson arrivals would."""
        return self.known and self.index > self.limit


def dispersion(rates: Floats, seconds: Floats) -> Dispersion:
    """The dispersion of rates (requests per second, NaN where not known) in intervals of ``seconds``."""
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

    Counts of renewals with the coefficient of variation cv have an index of dispersion of cv squared over
    long intervals (Cox, Renewal Theory, 1962). Phases reproduce the variation between intervals; gaps
    reproduce what joining ``joined`` intervals to a phase removes, and at least a tenth, for bursts within an
    interval. Intervals over ten seconds reflect changing load; their gaps are Poisson's. ``rate`` is in
    requests per second. Raises ``InputError`` where bursts are requested and counts show none.
    """
    by = "chosen by the counts" if request.arrivals == "auto" else "as requested"
    if spread.known:
        evidence = (
            f"from one interval of {spread.seconds:.4g} s to the next, counts vary {spread.index:.3g} times "
            "as much as those of Poisson arrivals"
        )
    else:
        evidence = f"telling bursts from chance takes {FEWEST} successive intervals"
    squared = spread.index * max(_LEAST_INSIDE, 1 - 1 / joined) if spread.known else 1.0
    if request.arrivals == "bursty" and not squared > 1:
        message = f"the counts show no bursts: {evidence}"
        raise InputError("infeasible", Argument("arrivals"), message, hint="`arrivals=poisson`")
    bursty = spread.bursty and spread.seconds <= LONGEST_S and squared > 1
    if request.arrivals == "bursty" or (request.arrivals == "auto" and bursty):
        cv = min(squared**0.5, _MOST_CV)
        why = (
            f"burstier than Poisson ({by}): {evidence}; phases reproduce that, and gaps within an interval "
            f"are assumed to be hyper-exponential with a coefficient of variation of {cv:.3g}, whose counts "
            f"vary {cv * cv:.3g} times as much"
        )
        table = {"law": "hyper-exponential", "rate": rounded(rate), "cv": rounded(cv)}
        return AssumedArrivals(table, ["arrivals.law", "arrivals.cv"], why)
    why = f"Poisson within a phase ({by}): {evidence}"
    if spread.bursty:
        why += ", which phases reproduce; within an interval arrivals may be burstier"
    elif spread.known:
        why += ", as much as chance explains"
    return AssumedArrivals({"law": "poisson", "rate": rounded(rate)}, ["arrivals.law"], why)
