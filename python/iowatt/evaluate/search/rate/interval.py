"""How well the rate itself is known, from how well response times near it are.

Near the limit 1/R is nearly a straight line in the rate (``search.highest_rate``). Where that line
of one seed meets 1/limit is this seed's own answer, and the answers of independent seeds give Student's t
interval. Of a single seed the interval of the mean, by batch means, is carried over to the rate by the slope
of that line (the delta method).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from iowatt.run.statistics import student_t_quantile

#: A rate and the response time there, s.
Pair = tuple[float, float]


def mean_and_half_width(values: Sequence[float]) -> tuple[float, float | None]:
    """Mean of independent values and half of its 95 % interval (Student's t); None of a single one."""
    mean, count = math.fsum(values) / len(values), len(values)
    if count < 2:
        return mean, None
    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    return mean, student_t_quantile(0.975, count - 1) * math.sqrt(variance / count)


def line(curve: Sequence[Pair], limit_s: float) -> tuple[Pair, Pair] | None:
    """The two points that tell where a curve meets its limit: either side of it, else the two nearest.

    None where there are no two, or the response time does not rise between them.
    """
    points = sorted(curve)
    below = [point for point in points if point[1] <= limit_s]
    if below and below[-1] is not points[-1]:
        at = points.index(below[-1])
        pair = points[at], points[at + 1]
    elif len(points) >= 2:
        pair = (points[-2], points[-1]) if below else (points[0], points[1])
    else:
        return None
    return pair if pair[0][1] < pair[1][1] else None


def crossing(curve: Sequence[Pair], limit_s: float) -> float | None:
    """The rate at which a curve meets its limit; None where its points do not tell."""
    pair = line(curve, limit_s)
    if pair is None:
        return None
    (a, ra), (b, rb) = pair
    found = a + (1 / ra - 1 / limit_s) * (b - a) / (1 / ra - 1 / rb)
    return found if found > 0 else None


def slope(curve: Sequence[Pair], limit_s: float) -> float | None:
    """dR/dx of a curve where it meets its limit, s per request per second."""
    pair = line(curve, limit_s)
    if pair is None:
        return None
    (a, ra), (b, rb) = pair
    # R = 1/y with y a line in x, so dR/dx = -R^2 dy/dx.
    return limit_s**2 * (1 / ra - 1 / rb) / (b - a)
