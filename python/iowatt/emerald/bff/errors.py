"""How far estimates were from simulations, over the points that have both."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable
from typing import Any

from iowatt.emerald.bff.judged import Judged


def errors(pairs: Iterable[tuple[Judged, Judged]]) -> dict[str, Any] | None:
    """Of EP, estimated against simulated, in percent: None where there is no pair.

    Returns
    -------
    dict
        ``points``, ``median_percent``, ``p95_percent``, ``worst_percent`` of the absolute error, and
        ``bias_percent``, the mean with its sign.
    """
    found = [100 * (guess.ep / seen.ep - 1) for guess, seen in pairs if seen.ep > 0]
    if not found:
        return None
    absolute = sorted(abs(one) for one in found)
    return {
        "points": len(found),
        "median_percent": statistics.median(absolute),
        "p95_percent": absolute[math.ceil(0.95 * len(absolute)) - 1],
        "worst_percent": absolute[-1],
        "bias_percent": math.fsum(found) / len(found),
    }
