"""How much of the spread of a metric over a space each axis explains, and how much only combinations do.

The metric is fitted by a sum of one effect a setting (the additive model, least squares by backfitting: Buja,
Hastie and Tibshirani, "Linear smoothers and additive models", 1989). What the sum explains of the variance is
divided among the axes: in a space of which every point is known, the variance of the mean at each setting
(the main effects of the analysis of variance); where points are missing, so that axes vary together, each
axis gets what it adds to the others, averaged over all orders in which they can be added (Lindeman, Merenda
and Gold, "Introduction to Bivariate and Multivariate Analysis", 1980), which is the same where nothing is
missing. The rest is what only combinations explain.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ROUNDS: Final = 300
_CLOSE: Final = 1e-9
_ORDERED: Final = 6
"""Axes up to which all orders are looked at; of more, each axis's own share is scaled to what they explain.
"""


@dataclass(frozen=True)
class VarianceShares:
    """Shares of the variance, which sum to 1 with ``together`` (0 everywhere where nothing varies)."""

    axes: tuple[float, ...]
    together: float
    variance: float


def variance_shares(values: Sequence[float], settings: Sequence[Sequence[Any]]) -> VarianceShares | None:
    """Shares of each axis in the spread of ``values``.

    Parameters
    ----------
    values:
        One a point.
    settings:
        For each point its setting on each axis.

    Returns
    -------
    ``None`` where too few points are known to tell effects from chance: neither all combinations of the
    settings seen, nor two points for each effect of the model.
    """
    if not values:
        return None
    y: NDArray[np.float64] = np.asarray(values, dtype=np.float64)
    scale = float(np.max(np.abs(y))) or 1.0
    y = y / scale
    y = y - y.mean()
    codes = [np.unique(np.asarray(column), return_inverse=True)[1] for column in zip(*settings, strict=True)]
    levels = [int(code.max()) + 1 for code in codes]
    effects = 1 + sum(level - 1 for level in levels)
    if len(y) < 2 or (len(set(map(tuple, settings))) < math.prod(levels) and len(y) < 2 * effects):
        return None
    total = float(y @ y)
    variance = total / len(y) * scale * scale
    if total <= 1e-24 * len(y) or not variance:  # squares of tiny values may underflow
        return VarianceShares((0.0,) * len(codes), 0.0, 0.0)
    explained = _explains(y, codes, range(len(codes))) / total
    alone = [_explains(y, [code], [0]) / total for code in codes]
    if abs(sum(alone) - explained) > 1e-6:
        alone = _averaged(y, codes, total) if len(codes) <= _ORDERED else _scaled(alone, explained)
    axes = tuple(max(0.0, share) for share in alone)
    return VarianceShares(axes, max(0.0, 1 - sum(axes)), variance)


def _explains(y: NDArray[np.float64], codes: Sequence[NDArray[np.intp]], chosen: Sequence[int]) -> float:
    """Sum of squares that one effect a setting of the chosen axes explains."""
    left = y.copy()
    before = math.inf
    for _ in range(_ROUNDS):
        for at in chosen:
            code = codes[at]
            # Only what is left is averaged: the effects themselves are never needed.
            left = left - (np.bincount(code, left) / np.bincount(code))[code]
        now = float(left @ left)
        if len(chosen) < 2 or before - now <= _CLOSE * float(y @ y):
            break
        before = now
    return max(0.0, float(y @ y) - float(left @ left))


def _averaged(y: NDArray[np.float64], codes: Sequence[NDArray[np.intp]], total: float) -> list[float]:
    count = len(codes)
    worth = {
        chosen: _explains(y, codes, chosen) / total if chosen else 0.0
        for size in range(count + 1)
        for chosen in itertools.combinations(range(count), size)
    }
    found = []
    for axis in range(count):
        share = 0.0
        for chosen, before in worth.items():
            if axis not in chosen:
                weight = (
                    math.factorial(len(chosen))
                    * math.factorial(count - len(chosen) - 1)
                    / math.factorial(count)
                )
                share += weight * (worth[tuple(sorted((*chosen, axis)))] - before)
        found.append(share)
    return found


def _scaled(alone: Sequence[float], explained: float) -> list[float]:
    whole = sum(alone)
    return [share * explained / whole if whole else 0.0 for share in alone]
