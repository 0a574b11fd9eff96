"""How unevenly I/O is spread over space: the cumulative curve, and single figures of it.

``f(c)`` is the share of the I/O on the hottest fraction ``c`` of the space. An even spread is ``f(c) = c``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from iowatt.lenses.heat.result import HeatSkew, HeatSkewPoint, HotShare, SkewLaw

Floats = npt.NDArray[np.float64]

#: Shares of the space for which the result has figures.
HOTTEST = (0.01, 0.03, 0.05, 0.10, 0.20)
#: Points at which the law is fitted to the curve: every half percent of the space.
_FIT_AT = np.linspace(0.0, 1.0, 201)[1:-1]
MOST_K = 1e4


@dataclass(frozen=True)
class HeatCurve:
    """Points of ``f``, from (0, 0) to (1, 1), straight between them; concave."""

    space: Floats
    io: Floats

    def at(self, space: float | Floats) -> Floats:
        """Share of the I/O on the hottest ``space``."""
        return np.asarray(np.interp(space, self.space, self.io), dtype=np.float64)


def order(io: Floats, size: Floats) -> npt.NDArray[np.int64]:
    """Extents by density, the hottest first; equal ones by address, so that the same input gives the same."""
    found: npt.NDArray[np.int64] = np.argsort(-(io / size), kind="stable")
    return found


def curve(io: Floats, size: Floats, whole: float, hottest_first: npt.NDArray[np.int64]) -> HeatCurve:
    """The curve of ``io`` over extents of ``size`` bytes, of ``whole`` bytes with those that have none.

    ``hottest_first`` is the order of the extents; it may be that by another density (writes in the order of
    all I/O), and the curve is then not concave.
    """
    total = float(io.sum())
    if total <= 0 or whole <= 0:
        return HeatCurve(np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    space = np.concatenate([[0.0], np.cumsum(size[hottest_first]) / whole])
    share = np.concatenate([[0.0], np.cumsum(io[hottest_first]) / total])
    if space[-1] < 1.0:
        space, share = np.append(space, 1.0), np.append(share, 1.0)
    return HeatCurve(np.minimum(space, 1.0), np.minimum(share, 1.0))


def figures(found: HeatCurve, mean_io: float) -> HeatSkew:
    """Single figures of a curve whose extents have ``mean_io`` I/Os on average.

    The Gini coefficient is twice the area between the curve and the even spread. That of chance is of an even
    load whose extents have a Poisson number of I/Os: what a count of so few I/Os shows where there is no skew
    at all. The skew point is where the shares of I/O and of space add up to 1, EMC's skew (US patent
    9,372,636). ``k`` of ``f(c) = 1 - (1 - c)^k`` is by least squares over 199 points.
    """
    width = np.diff(found.space)
    area = float(((found.io[1:] + found.io[:-1]) / 2 * width).sum())
    return HeatSkew(
        gini=max(0.0, 2 * area - 1),
        gini_by_chance=gini_by_chance(mean_io),
        skew_point=_skew_point(found),
        law=_law(found),
        hottest=[HotShare(space_share=c, io_share=float(found.at(c))) for c in HOTTEST],
    )


def skew_law(k: float, space: Floats | float) -> Floats:
    """``1 - (1 - c)^k``: share of the I/O on the hottest fraction ``c``."""
    found: Floats = 1.0 - np.power(1.0 - np.asarray(space, dtype=np.float64), k)
    return found


def gini_by_chance(mean: float) -> float:
    """Gini coefficient of a Poisson number of that mean: ``sum F(1 - F) / mean`` over its distribution F."""
    if mean <= 0:
        return 0.0
    if mean > 1e4:
        return 1 / math.sqrt(math.pi * mean)
    reach = int(mean + 12 * math.sqrt(mean) + 30)
    counts = np.arange(reach + 1, dtype=np.float64)
    logs = counts * math.log(mean) - mean - np.cumsum(np.log(np.maximum(counts, 1.0)))
    below = np.minimum(np.cumsum(np.exp(logs)), 1.0)
    return float((below * (1 - below)).sum() / mean)


def _skew_point(found: HeatCurve) -> HeatSkewPoint:
    """Where ``f(c) + c = 1``. The left side rises from 0 to 2, so there is one such place."""
    both = found.io + found.space
    at = int(np.searchsorted(both, 1.0))
    at = min(max(at, 1), len(both) - 1)
    step = both[at] - both[at - 1]
    part = (1.0 - both[at - 1]) / step if step > 0 else 0.0
    space = found.space[at - 1] + part * (found.space[at] - found.space[at - 1])
    return HeatSkewPoint(io_share=float(1 - space), space_share=float(space))


def _law(found: HeatCurve) -> SkewLaw:
    target = found.at(_FIT_AT)

    def error(log_k: float) -> float:
        return float(np.square(skew_law(math.exp(log_k), _FIT_AT) - target).mean())

    k = math.exp(_least(error, 0.0, math.log(MOST_K)))
    away = np.abs(skew_law(k, _FIT_AT) - target)
    return SkewLaw(k=k, rms_error=float(np.sqrt(np.square(away).mean())), max_error=float(away.max()))


def _least(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a function has its least value: the best of a grid, and golden sections around it."""
    grid = np.linspace(low, high, 93)
    best = int(np.argmin([function(at) for at in grid]))
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    ratio = (math.sqrt(5) - 1) / 2
    for _ in range(60):
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        if function(left) <= function(right):
            high = right
        else:
            low = left
    return float((low + high) / 2)
