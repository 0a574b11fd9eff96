"""Weights in whole units: the largest-remainder method."""

from __future__ import annotations

import math
from collections.abc import Sequence


def apportion(weights: Sequence[float], units: int = 100) -> list[int]:
    """Whole numbers in proportion to ``weights`` that add up to ``units``; each at most one off its quota."""
    total = math.fsum(weights)
    quotas = [weight / total * units for weight in weights]
    found = [math.floor(quota) for quota in quotas]
    by_remainder = sorted(range(len(quotas)), key=lambda i: found[i] - quotas[i])
    for index in by_remainder[: units - sum(found)]:
        found[index] += 1
    return found
