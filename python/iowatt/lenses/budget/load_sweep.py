"""A class at several loads: where it breaks a level, which hop broke it, and where each hop alone would.

Between neighbouring loads everything is taken to be linear in the rate. Response time is convex in the rate,
so a chord lies above it: the rate found between two loads is a little low, the less the nearer they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from iowatt.lenses.budget.ledger import Floats


@dataclass(frozen=True)
class Crossing:
    """Where a course goes beyond a level.

    ``rate_iops`` is None where only ``between`` is known: the upper load is one that could not be kept up
    with, whose times are those of a growing queue.
    """

    rate_iops: float | None
    between: tuple[float, float]
    #: Of each hop there, ms; at the upper load where there is no rate.
    hops_ms: Floats


def first_above(rates: Sequence[float], values: Sequence[float], level: float) -> float | None:
    """The rate at which values, linear between rates, first go beyond a level; None where they never do.

    The lowest rate where the first value is beyond it already.
    """
    if values and values[0] > level:
        return rates[0]
    for at in range(1, len(rates)):
        if values[at] > level:
            along = (level - values[at - 1]) / (values[at] - values[at - 1])
            return rates[at - 1] + along * (rates[at] - rates[at - 1])
    return None


def crossing(
    rates: Sequence[float],
    values_ms: Sequence[float],
    hops_ms: Sequence[Floats],
    steady: Sequence[bool],
    level_ms: float,
) -> Crossing | None:
    """Where the response time first goes beyond the level; None where it does not.

    Rates ascend. A load that is not steady is beyond any level.
    """
    for at, rate in enumerate(rates):
        if steady[at] and values_ms[at] <= level_ms:
            continue
        if at == 0:
            return Crossing(None, (0.0, rate), hops_ms[0])
        below = rates[at - 1]
        if not steady[at]:
            return Crossing(None, (below, rate), hops_ms[at])
        along = (level_ms - values_ms[at - 1]) / (values_ms[at] - values_ms[at - 1])
        there = hops_ms[at - 1] + along * (hops_ms[at] - hops_ms[at - 1])
        return Crossing(below + along * (rate - below), (below, rate), there)
    return None


def alone(
    rates: Sequence[float], values_ms: Sequence[float], hops_ms: Sequence[Floats], level_ms: float
) -> list[float | None]:
    """For each hop the rate at which its growth alone breaks the level, the others as at the lowest load.

    None where it does not within the loads. Only of steady loads.
    """
    if not rates:
        return []
    rest = values_ms[0] - hops_ms[0]
    found = [
        first_above(rates, [float(rest[at] + hops[at]) for hops in hops_ms], level_ms)
        for at in range(len(rest))
    ]
    return [None if values_ms[0] > level_ms else rate for rate in found]


def largest_growth(unloaded_ms: Floats, there_ms: Floats) -> int:
    """The hop that grew most."""
    return int(np.argmax(there_ms - unloaded_ms))
