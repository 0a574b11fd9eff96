"""Errors of estimates against simulations, over the points that have both."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable

from iowatt.emerald.bff.point_result import Judged
from iowatt.emerald.bff.result import Errors


def errors(pairs: Iterable[tuple[Judged, Judged]]) -> Errors | None:
    """EP as estimated against simulated; None where there is no pair."""
    found = [100 * (guess.ep / seen.ep - 1) for guess, seen in pairs if seen.ep > 0]
    if not found:
        return None
    absolute = sorted(abs(one) for one in found)
    return Errors(
        points=len(found),
        median_percent=statistics.median(absolute),
        p95_percent=absolute[math.ceil(0.95 * len(absolute)) - 1],
        worst_percent=absolute[-1],
        bias_percent=math.fsum(found) / len(found),
    )
