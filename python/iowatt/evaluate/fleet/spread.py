"""How loads differ between members, and what that does to the sum of their watts.

A member's load is the class's mean times a factor of mean 1 that it keeps. The factors of all members
together are bound: what one has more another has less, since the demand's load is given. So the sum of watts
varies only with how far watts are from a straight line over the load: its variance is
n (Var w - Cov(w, x)^2 / Var x), that of the residual of w regressed on x (a sum, given that of a control
variate).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_NODES = 512


@dataclass(frozen=True)
class LoadSpread:
    """The distribution of members' loads over their mean: equally likely ``nodes`` of mean 1, rising."""

    nodes: Floats
    #: Of a log-normal distribution the standard deviation of its logarithm; None of measured loads.
    sigma: float | None

    @classmethod
    def of(cls, stated: float | list[float]) -> LoadSpread:
        """Log-normal by a coefficient of variation, or measured loads as they are."""
        if isinstance(stated, list):
            measured = np.sort(np.array(stated, float))
            return cls(measured / measured.mean(), None)
        if stated == 0.0:
            return cls(np.ones(1), 0.0)
        sigma = math.sqrt(math.log1p(stated**2))
        normal = NormalDist()
        nodes = np.exp([sigma * normal.inv_cdf((at + 0.5) / _NODES) for at in range(_NODES)])
        return cls(nodes / nodes.mean(), sigma)

    def quantile(self, share: float) -> float:
        """The factor that a share of the members does not exceed."""
        if self.sigma is None:
            return float(np.quantile(self.nodes, share, method="inverted_cdf"))
        if self.sigma == 0.0:
            return 1.0
        return math.exp(self.sigma * NormalDist().inv_cdf(min(share, 1 - 1e-9)) - self.sigma**2 / 2)

    def share_above(self, factor: float) -> float:
        """The share of members whose factor is above this one."""
        if self.sigma is None or self.sigma == 0.0:
            return float(np.mean(self.nodes > factor * (1 + 1e-9)))
        if factor <= 0:
            return 1.0
        return 1.0 - NormalDist().cdf((math.log(factor) + self.sigma**2 / 2) / self.sigma)

    def draw(self, generator: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        """Factors of members drawn at random."""
        if self.sigma is None:
            return generator.choice(self.nodes, shape)
        if self.sigma == 0.0:
            return np.ones(shape)
        return np.exp(self.sigma * generator.standard_normal(shape) - self.sigma**2 / 2)

    def mean_and_deviation(
        self, figure: Callable[[Floats], Floats], mean: float, members: int
    ) -> tuple[float, float]:
        """Mean of a figure of one member by its load, and the deviation that it adds to the sum of them all.

        The sum over n members has the mean n x the first and the standard deviation sqrt(n) x the second.
        Since their loads add up to n x ``mean``, they vary by (n - 1) / n of the variance.
        """
        left = math.sqrt(max(0.0, 1.0 - 1.0 / max(1, members)))
        values = figure(mean * (1.0 + left * (self.nodes - 1.0)))
        about = values - values.mean()
        unexplained = float(np.mean(about**2)) - self._explained(about)
        return float(values.mean()), math.sqrt(max(0.0, unexplained))

    def _explained(self, about: Floats) -> float:
        """Variance of a figure that the load itself explains, which the given sum of loads takes away."""
        return float(np.mean(about * (self.nodes - 1.0))) ** 2 / self._variance if self._variance else 0.0

    @cached_property
    def _variance(self) -> float:
        return float(np.mean((self.nodes - 1.0) ** 2))
