"""Where a rising function passes zero."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

#: Found to this share of itself.
CLOSE: Final = 1e-5
_MOST_STEPS: Final = 60


def root(rising: Callable[[float], float], low: float, high: float) -> float:
    """Where a rising function, negative at ``low``, passes zero, or ``high`` if it does not.

    By false position, with a bisection wherever that has not halved what is left.
    """
    at_high = rising(high)
    if at_high <= 0:
        return high
    at_low = rising(low)
    for _ in range(_MOST_STEPS):
        width = high - low
        if width <= CLOSE * high:
            break
        for guess in (_crossing(low, at_low, high, at_high), None):
            middle = (low + high) / 2 if guess is None else guess
            value = rising(middle)
            if value > 0:
                high, at_high = middle, value
            else:
                low, at_low = middle, value
            if value == 0 or high - low <= CLOSE * high:
                return middle
            if high - low <= width / 2:
                break
    return (low + high) / 2


def _crossing(low: float, at_low: float, high: float, at_high: float) -> float | None:
    """Where a line through two points passes zero, a little beyond it; None where it cannot be drawn."""
    if not math.isfinite(at_high) or at_low >= 0:
        return None
    share = at_low / (at_low - at_high)
    return low + (high - low) * min(1 - CLOSE / 4, share + CLOSE / 4)


def root_of_log(
    rising: Callable[[float], float], target: float, low: float, high: float, *, close: float = 0.0
) -> float:
    """The x at which a rising function reaches a target, by bisection of log x between ``low`` and ``high``.

    It ends when these are within ``close``, or after as many steps as :func:`root` takes.
    """
    for _ in range(_MOST_STEPS):
        middle = (low + high) / 2
        if rising(math.exp(middle)) < target:
            low = middle
        else:
            high = middle
        if high - low < close:
            break
    return math.exp((low + high) / 2)
