"""The law of arrivals that counts over intervals allow to assume."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from iowatt.base.errors import Argument, InputError
from iowatt.counters.dispersion import FEWEST, LONGEST_S, Dispersion
from iowatt.counters.parts import Asked, rounded

_MOST_CV: Final = 1000.0
_LEAST_INSIDE: Final = 0.1


@dataclass(frozen=True)
class Arrivals:
    """The table ``[arrivals]``, which of its keys are assumed, and why."""

    table: dict[str, Any]
    assumed: list[str]
    why: str


def law(spread: Dispersion, asked: Asked, rate: float, joined: float) -> Arrivals:
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

    Raises
    ------
    InputError
        Bursts are asked for, and counts show none.
    """
    by = "chosen by the counts" if asked.arrivals == "auto" else "as asked"
    if spread.known:
        seen = (
            f"from one interval of {spread.seconds:.4g} s to the next, counts vary {spread.index:.3g} times "
            "as much as those of Poisson arrivals"
        )
    else:
        seen = f"to tell bursts from chance takes {FEWEST} successive intervals, and there are fewer"
    squared = spread.index * max(_LEAST_INSIDE, 1 - 1 / joined) if spread.known else 1.0
    if asked.arrivals == "bursty" and not squared > 1:
        message = f"there are no bursts to take over: {seen}"
        raise InputError("infeasible", Argument("arrivals"), message, hint="`arrivals=poisson`")
    bursty = spread.bursty and spread.seconds <= LONGEST_S and squared > 1
    if asked.arrivals == "bursty" or (asked.arrivals == "auto" and bursty):
        cv = min(squared**0.5, _MOST_CV)
        why = (
            f"burstier than Poisson ({by}): {seen}; phases follow that, and gaps inside an interval, of "
            "which counters say nothing, are taken to be hyper-exponential with a coefficient of variation "
            f"of {cv:.3g}, whose counts vary {cv * cv:.3g} times as much"
        )
        table = {"law": "hyper-exponential", "rate": rounded(rate), "cv": rounded(cv)}
        return Arrivals(table, ["arrivals.law", "arrivals.cv"], why)
    why = f"Poisson inside a phase ({by}): {seen}"
    if spread.bursty:
        why += ", which phases follow; inside an interval arrivals may be burstier"
    elif spread.known:
        why += ", no more than chance explains"
    return Arrivals({"law": "poisson", "rate": rounded(rate)}, ["arrivals.law"], why)
