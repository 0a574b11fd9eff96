"""Loss of data in a fleet, from the probability that one member loses some in a year.

Members lose data independently of one another: of n members with probability p each, at least one does with
1 - (1 - p)^n. What members have in common (a site, a firmware) is not in it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable


def any_loses(members: Iterable[tuple[float | None, float]]) -> float | None:
    """The probability that any member loses data, of pairs of a probability and member-years.

    None where that of any of the members is not known.
    """
    survives = 0.0
    for probability, years in members:
        if years <= 0.0:
            continue
        if probability is None:
            return None
        if probability >= 1.0:
            return 1.0
        survives += years * math.log1p(-probability)
    return -math.expm1(survives)


def over_years(yearly: Iterable[float | None]) -> float | None:
    """The probability over several years from that of each; None where one is not known."""
    return any_loses((one, 1.0) for one in yearly)
