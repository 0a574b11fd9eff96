"""Mean sizes as mixes of common sizes that have the same means."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from iowatt.counters.log import Floats

SMALLEST: Final = 512
_LARGEST: Final = 1 << 31
_DIGITS: Final = 6  # of a share in percent


def mix(counts: Floats, amounts: Floats) -> list[tuple[int, float]]:
    """(bytes, share in percent) of a mix that has the mean of requests which are known in groups only.

    Each interval's mean is split between the powers of two around it, in the shares that keep it, and
    intervals count by their requests. So the mix has the mean of all, and as much spread as the intervals
    show; what sizes were mixed within an interval the counters do not say. Means under 512 bytes count as
    512.

    Parameters
    ----------
    counts, amounts:
        Requests and bytes of each interval.
    """
    weights: dict[int, float] = {}
    used = counts > 0
    means = np.clip(amounts[used] / counts[used], SMALLEST, _LARGEST)
    for count, mean in zip(counts[used].tolist(), means.tolist(), strict=True):
        below = 1 << (math.frexp(mean)[1] - 1)
        above = mean / below - 1  # the share of twice the size
        weights[below] = weights.get(below, 0.0) + count * (1 - above)
        if above > 0:
            weights[2 * below] = weights.get(2 * below, 0.0) + count * above
    return _percent(weights)


def _percent(weights: dict[int, float]) -> list[tuple[int, float]]:
    total = math.fsum(weights.values())
    if not total:
        return []
    shares = {size: round(100 * weight / total, _DIGITS) for size, weight in sorted(weights.items())}
    shares = {size: share for size, share in shares.items() if share > 0}
    largest = max(shares, key=lambda size: shares[size])
    shares[largest] = round(shares[largest] + 100 - math.fsum(shares.values()), _DIGITS)
    return list(shares.items())


def mean(mix_: list[tuple[int, float]]) -> float:
    """Mean bytes of a mix."""
    return math.fsum(size * share for size, share in mix_) / math.fsum(share for _, share in mix_)
