"""Waiting: at stations of like servers, and at a set of drives whose rate depends on how many wait there.

A station of c servers has Sakasegawa's wait (H. Sakasegawa, Ann. Inst. Stat. Math. 29, 1977), Pollaczek and
Khinchine's where c = 1. A set of drives is a birth-death process whose death rates are the curve of a pilot, its
queueing part scaled by (1 + v^2)/2 as theirs is. A closed loop of N requests finds at a station what N - 1 of
them leave there (the arrival theorem), which is the open station at (N - 1)/N of its own rate.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import lru_cache
from statistics import NormalDist
from typing import Final

import numpy as np

from iowatt.estimate.pilot import Flown

_LOADS: Final = np.concatenate([np.linspace(0.0, 0.9, 37)[1:], 1 - np.geomspace(0.09, 0.002, 24)])
#: Longest queue that the process knows.
_STATES: Final = 4000


def wait(service_s: float, servers: float, variation: float, load: float) -> float:
    """Mean wait at ``servers`` servers, each busy for the share ``load``; infinite from 1 on.

    ``variation`` is (ca^2 + cs^2)/2 of arrivals and services.
    """
    if load >= 1:
        return math.inf
    power = math.sqrt(2 * (servers + 1)) - 1
    return float(service_s * variation * load**power / (servers * (1 - load)))


@dataclass(frozen=True)
class Curve:
    """A set of drives as a station: what operations find there at any rate. Times in s.

    ``most`` is its rate at saturation, ``service_s`` the response with nobody else there.
    """

    flown: Flown
    most: float
    service_s: float
    variation: float
    _loads: tuple[float, ...] = field(repr=False)
    _times: tuple[float, ...] = field(repr=False)

    @classmethod
    def of(cls, flown: Flown) -> Curve:
        """The table of a pilot's curve."""
        points = flown.points
        # An SSD's buffer that is still filling flatters the middle of a curve: nothing lasts above its end.
        end = float(np.mean([point.iops for point in points[-2:]]))
        depths = np.array([point.depth for point in points], float)
        rates = np.minimum([point.iops for point in points], end)
        states = np.arange(1, _STATES + 1)
        deaths = np.interp(states, depths, rates)
        service = 1 / rates[0]
        variation = (points[0].deviation_s / points[0].response_s) ** 2
        times = []
        for load in _LOADS:
            weights = np.concatenate([[0.0], np.cumsum(np.log(load * end / deaths))])
            shares = np.exp(weights - weights.max())
            shares /= shares.sum()
            length = float((shares[1:] * states).sum())
            queued = max(0.0, length / (load * end) - service)
            times.append((service + queued * (1 + variation) / 2) * (1 - load))
        return cls(flown, end, service, variation, (0.0, *map(float, _LOADS)), (service, *times))

    def response(self, rate: float) -> float:
        """Mean response at a rate of random arrivals, 1/s; infinite from ``most`` on."""
        load = rate / self.most
        if load >= 1:
            return math.inf
        return self._at(load) / (1 - load)

    def _at(self, load: float) -> float:
        at = min(bisect_right(self._loads, load), len(self._loads) - 1)
        low, high = self._loads[at - 1], self._loads[at]
        share = min(1.0, (load - low) / (high - low))
        return self._times[at - 1] * (1 - share) + self._times[at] * share

    def alone(self, depth: float) -> float:
        """Response where always ``depth`` operations are there: the pilot itself."""
        return depth / self.rate(depth)

    def rate(self, depth: float) -> float:
        """Operations a second with ``depth`` there."""
        return min(self.most, _between(self.flown, depth, "iops"))

    def operation_j(self, depth: float) -> float:
        """Joules of an operation above idling with ``depth`` there."""
        return _between(self.flown, depth, "operation_j")

    def deviation(self, depth: float) -> float:
        """Standard deviation of the response with ``depth`` there."""
        point = self.flown.points[-1]
        if depth > point.depth:
            return point.deviation_s * depth / point.depth
        return _between(self.flown, depth, "deviation_s")


def _between(flown: Flown, depth: float, figure: str) -> float:
    points = flown.points
    if depth <= 1:
        return float(getattr(points[0], figure))
    for one, other in zip(points, points[1:], strict=False):
        if depth <= other.depth:
            share = (depth - one.depth) / (other.depth - one.depth)
            return float(getattr(one, figure) * (1 - share) + getattr(other, figure) * share)
    return float(getattr(points[-1], figure))


@lru_cache(maxsize=4096)
def greatest(count: float) -> float:
    """How far above the mean the greatest of ``count`` response times lies, in standard deviations.

    Between the normal law's (G. Blom's approximation, 1958) and the exponential law's (a harmonic number less
    one), as response times are.
    """
    if count <= 1:
        return 0.0
    if count < 2:
        return greatest(2.0) * (count - 1)
    normal = NormalDist().inv_cdf((count - 0.375) / (count + 0.25))
    whole = int(count)
    exponential = sum(1 / k for k in range(2, whole + 1)) + (count - whole) / (whole + 1)
    return (normal + exponential) / 2
