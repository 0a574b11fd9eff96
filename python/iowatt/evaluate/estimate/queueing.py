"""Waiting: at stations of like servers, and at a set of drives whose rate depends on how many wait there.

A station of c servers has Sakasegawa's wait (H. Sakasegawa, Ann. Inst. Stat. Math. 29, 1977), Pollaczek and
Khinchine's where c = 1. A set of drives is a birth-death process whose death rates are the curve of a pilot,
its queueing part scaled by (1 + v^2)/2 as theirs is. A closed loop of N requests finds at a station what N -
1 of them leave there (the arrival theorem), which is the open station at (N - 1)/N of its own rate.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from iowatt.evaluate.estimate.device_benchmark import BenchmarkCurve

_LOADS: Final = np.concatenate([np.linspace(0.0, 0.9, 37)[1:], 1 - np.geomspace(0.09, 0.002, 24)])
#: Load from which the write buffer of a flash drive is taken to be full.
_FULL: Final = 0.97
#: Longest queue that the process knows.
_STATES: Final = 2000

Floats = NDArray[np.float64]


def wait(service_s: float, servers: float, variation: float, load: float) -> float:
    """Mean wait at ``servers`` servers, each busy for the share ``load``; infinite from 1 on.

    ``variation`` is (ca^2 + cs^2)/2 of arrivals and services.
    """
    if load >= 1:
        return math.inf
    power = math.sqrt(2 * (servers + 1)) - 1
    return float(service_s * variation * load**power / (servers * (1 - load)))


class SetResponse(NamedTuple):
    """What an operation finds at a set: responses (s) of all, of reads, of writes and of whole parity
    updates, the deviations of the last three, and joules above idling. Updates are 0 where the pilot had
    none."""

    both: float
    read: float
    write: float
    update: float
    read_deviation: float
    write_deviation: float
    update_deviation: float
    operation_j: float

    def mixed(self, other: SetResponse, share: float) -> SetResponse:
        """This, and a share of the other."""
        return SetResponse._make(one + (two - one) * share for one, two in zip(self, other, strict=True))


class Curve:
    """A set of drives as a station: what operations find there at any rate. Times in s, rates in 1/s.

    ``most`` is its rate at saturation, ``service_s`` the response with nobody else there, ``apart`` the
    deviations of reads and writes then; ``updated`` how
    many drives an update of its pilot was on, 0 where that had one drive only.
    """

    def __init__(self, flown: BenchmarkCurve) -> None:
        points = flown.points
        # An SSD's buffer that is still filling flatters the middle of a curve: nothing lasts above its end.
        self.most = float(np.mean([point.iops for point in points[-2:]]))
        self.updated = flown.updated
        if flown.updated:
            self.service_s = points[0].there / points[0].iops
            self._table = _of_group(flown, self.most)
            self._alone: _Alone | None = None
        else:
            self.service_s = max(1 / points[0].iops, 1 / self.most)
            self._alone = _Alone.of(flown, self.most)
            self._table = _of_set(flown, self._alone, self.most, self.service_s)
            opened = _of_arrivals(flown)
            if opened:
                # Beyond what was flown the buffer has no room, as in the loops: writes wait, and not reads.
                beyond = [row for row in self._table if row[0] >= max(_FULL, opened[-1][0])]
                self._table = opened + beyond
                self.service_s = min(self.service_s, opened[0][1].both)
        first = self._table[0][1]
        self.apart = (first.read_deviation, first.write_deviation)
        self._loads = tuple(load for load, _ in self._table)

    def at(self, rate: float) -> SetResponse:
        """What random arrivals find at ``rate``: infinite responses from ``most`` on."""
        load = rate / self.most
        at = min(max(1, bisect_right(self._loads, load)), len(self._loads) - 1)
        low, high = self._loads[at - 1], self._loads[at]
        share = min(1.0, (load - low) / (high - low))
        found = self._table[at - 1][1].mixed(self._table[at][1], share)
        scale = 1 / (1 - load) if load < 1 else math.inf
        return SetResponse._make([*(value * scale for value in found[:7]), found.operation_j])

    def alone(self, depth: float) -> SetResponse | None:
        """The same where always ``depth`` operations are there: the pilot of one set itself."""
        return None if self._alone is None else self._alone.at(depth)


Table = list[tuple[float, SetResponse]]


def _of_group(flown: BenchmarkCurve, most: float) -> Table:
    """Loads and what is found at them, times (1 - load).

    A loop of N requests leaves N - 1 for another to find, so its responses are those of random arrivals at
    (N - 1)/N of its rate.
    """
    table: Table = []
    for point in flown.points:
        load = min(point.iops * (point.depth - 1) / point.depth / most, 0.999)
        if table and load <= table[-1][0]:
            continue
        found = SetResponse(
            point.there / point.iops,
            point.read.mean_s,
            point.read.mean_s,
            point.write.mean_s,
            point.read.deviation_s,
            point.read.deviation_s,
            point.write.deviation_s,
            point.operation_j,
        )
        table.append((load, SetResponse._make([*(value * (1 - load) for value in found[:7]), found.operation_j])))
    return table


def _of_arrivals(flown: BenchmarkCurve) -> Table:
    """The same from random arrivals; empty where none were flown."""
    table: Table = []
    for load, point in flown.open:
        times = (point.both, point.read, point.write)
        means = [moments.mean_s for moments in times]
        deviations = [moments.deviation_s for moments in times[1:]]
        if not table:
            table.append((0.0, SetResponse._make([*means, 0.0, *deviations, 0.0, point.operation_j])))
        scaled = [(1 - load) * value for value in (*means, 0.0, *deviations, 0.0)]
        table.append((load, SetResponse._make([*scaled, point.operation_j])))
    return table


def _of_set(flown: BenchmarkCurve, alone: _Alone, most: float, service_s: float) -> Table:
    """The same from the birth-death process of one set."""
    variation = (flown.points[0].both.deviation_s / flown.points[0].both.mean_s) ** 2
    states = np.arange(1, _STATES + 1, dtype=float)
    first = alone.at(1)
    table: Table = [(0.0, first._replace(both=service_s))]
    figures = alone.table
    deaths = states / figures[:, 0]
    for load in map(float, _LOADS):
        rate = load * most
        # A diffusion's stationary law: the less services vary, the closer the queue stays to its balance.
        steps = np.cumsum(np.log(rate / deaths)) * (2 / (1 + variation))
        busy = np.exp(steps - steps.max())
        busy /= busy.sum()
        share = min(1.0, rate / float((busy * deaths).sum()))
        length = share * float((busy * states).sum())
        # So that servers of one rate have Pollaczek and Khinchine's wait.
        length *= _queue(share, variation) / _diffused(share, variation)
        response = max(service_s, length / rate)
        seen = np.concatenate([[1 - share], share * busy[:-1]])  # what is there when an operation comes
        means = seen @ figures
        scale = response / means[0]
        second = seen @ (figures[:, 1:3] ** 2 + figures[:, 4:6] ** 2)
        spread = np.sqrt(np.maximum(0.0, second - means[1:3] ** 2)) * scale
        joules = share * float((busy * deaths * figures[:, 7]).sum()) / rate
        found = (response, *(means[1:3] * scale), 0.0, *spread, 0.0)
        table.append((load, SetResponse._make([*(float(value) * (1 - load) for value in found), joules])))
    return table


@dataclass(frozen=True)
class _Alone:
    """Rows of what is found with 1, 2, ... operations there, as :class:`Found` has it."""

    rows: list[SetResponse]
    table: Floats

    @classmethod
    def of(cls, flown: BenchmarkCurve, most: float) -> _Alone:
        """Beyond the last depth flown, times grow with the number."""
        points, states = flown.points, np.arange(1, _STATES + 1, dtype=float)
        depths = np.array([point.depth for point in points], float)
        response = states / np.minimum(np.interp(states, depths, [point.iops for point in points]), most)
        grown = np.maximum(1.0, states / depths[-1])

        def ratio(values: list[float]) -> Floats:
            ratios = [value / point.both.mean_s for value, point in zip(values, points, strict=True)]
            interpolated: Floats = np.interp(states, depths, ratios)
            return interpolated

        columns = [
            response,
            response * ratio([point.read.mean_s for point in points]),
            response * ratio([point.write.mean_s for point in points]),
            np.zeros(_STATES),
            np.interp(states, depths, [point.read.deviation_s for point in points]) * grown,
            np.interp(states, depths, [point.write.deviation_s for point in points]) * grown,
            np.zeros(_STATES),
            np.interp(states, depths, [point.operation_j for point in points]),
        ]
        table = np.column_stack(columns)
        return cls([SetResponse._make(map(float, row)) for row in table], table)

    def at(self, depth: float) -> SetResponse:
        """With any number there."""
        depth = max(1.0, depth)
        whole = min(int(depth), _STATES - 1)
        return self.rows[whole - 1].mixed(self.rows[whole], min(1.0, depth - whole))


def _queue(load: float, variation: float) -> float:
    """Mean number at a server by Pollaczek and Khinchine, times (1 - load)."""
    return load * (1 - load) + load**2 * (1 + variation) / 2


def _diffused(load: float, variation: float) -> float:
    """The same by the diffusion."""
    if load >= 1 - 1e-9:
        return (1 + variation) / 2
    return float(load * (1 - load) / (1 - load ** (2 / (1 + variation))))


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
    exponential = math.fsum(1 / k for k in range(2, whole + 1)) + (count - whole) / (whole + 1)
    return float((normal + exponential) / 2)
