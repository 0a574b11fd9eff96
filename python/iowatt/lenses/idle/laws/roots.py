"""The root of a function that grows, by bisection."""

from __future__ import annotations

import math
from collections.abc import Callable

STEPS = 200


def grown_root(function: Callable[[float], float], low: float, high: float) -> float | None:
    """Where a growing function crosses 0 within ``low`` .. ``high`` (both above 0), if it does."""
    if not function(low) <= 0 <= function(high):
        return None
    for _ in range(STEPS):
        middle = math.sqrt(low * high)
        if middle <= low or middle >= high:
            break
        if function(middle) < 0:
            low = middle
        else:
            high = middle
    return math.sqrt(low * high)
