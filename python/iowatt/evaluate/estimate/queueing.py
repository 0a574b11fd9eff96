"""Waiting: at stations of like servers, and at a set of drives whose rate depends on how many wait there.

A station of c servers has Sakasegawa's wait (H. Sakasegawa, Ann. Inst. Stat. Math. 29, 1977), Pollaczek and
Khinchine's where c = 1. A set of drives is a birth-death process whose death rates are a benchmark's curve,
its queueing part scaled by (1 + v^2)/2 as theirs is. A closed loop of N requests finds at a station what N -
1 of them leave there (the arrival theorem), which is the open station at (N - 1)/N of its own rate.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from statistics import NormalDist
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from iowatt.evaluate.estimate.device_benchmark import BenchmarkCurve
from iowatt.evaluate.estimate.operations import How

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
    updates, the deviations of the last three, and joules above idling. Updates are 0 where the benchmark
    had none."""

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


class DriveCurve:
    """A set of drives as a station: what operations find there at any rate. Times in s, rates in 1/s.

    ``most`` is its rate at saturation, ``service_s`` the response on an idle set, ``idle_deviations``
    the deviations of reads and writes there; ``update_drives`` is the number of drives in a parity update of
    its benchmark, 0 where that had one drive only.
    """

    def __init__(self, curve: BenchmarkCurve) -> None:
        points = curve.points
        # An SSD's buffer that is still filling flatters the middle of a curve: nothing lasts above its end.
        self.most = float(np.mean([point.iops for point in points[-2:]]))
        self.update_drives = curve.update_drives
        if curve.update_drives:
            self.service_s = points[0].number_in_system / points[0].iops
            self._table = _of_group(curve, self.most)
            self._alone: _Alone | None = None
        else:
            self.service_s = max(1 / points[0].iops, 1 / self.most)
            self._alone = _Alone.of(curve, self.most)
            self._table = _of_set(curve, self._alone, self.most, self.service_s)
            opened = _of_arrivals(curve)
            if opened:
                # Beyond the benchmarked rates the buffer is full, as in the loops: writes wait, reads do not.
                beyond = [row for row in self._table if row[0] >= max(_FULL, opened[-1][0])]
                self._table = opened + beyond
                self.service_s = min(self.service_s, opened[0][1].both)
        first = self._table[0][1]
        self.idle_deviations = (first.read_deviation, first.write_deviation)
        self._loads = tuple(load for load, _ in self._table)

    def at(self, rate: float) -> SetResponse:
        """Responses of random arrivals at ``rate``: infinite from ``most`` on."""
        load = rate / self.most
        at = min(max(1, bisect_right(self._loads, load)), len(self._loads) - 1)
        low, high = self._loads[at - 1], self._loads[at]
        share = min(1.0, (load - low) / (high - low))
        found = self._table[at - 1][1].mixed(self._table[at][1], share)
        scale = 1 / (1 - load) if load < 1 else math.inf
        return SetResponse._make([*(value * scale for value in found[:7]), found.operation_j])

    def alone(self, depth: float) -> SetResponse | None:
        """Responses where always ``depth`` operations are outstanding: the benchmark of one set itself."""
        return None if self._alone is None else self._alone.at(depth)


Table = list[tuple[float, SetResponse]]


def _of_group(curve: BenchmarkCurve, most: float) -> Table:
    """Loads and what is found at them, times (1 - load).

    A loop of N requests leaves N - 1 for another to find, so its responses are those of random arrivals at
    (N - 1)/N of its rate.
    """
    table: Table = []
    for point in curve.points:
        load = min(point.iops * (point.depth - 1) / point.depth / most, 0.999)
        if table and load <= table[-1][0]:
            continue
        found = SetResponse(
            point.number_in_system / point.iops,
            point.read.mean_s,
            point.read.mean_s,
            point.write.mean_s,
            point.read.deviation_s,
            point.read.deviation_s,
            point.write.deviation_s,
            point.operation_j,
        )
        table.append(
            (load, SetResponse._make([*(value * (1 - load) for value in found[:7]), found.operation_j]))
        )
    return table


def _of_arrivals(curve: BenchmarkCurve) -> Table:
    """The table from benchmarks with random arrivals; empty where there were none."""
    table: Table = []
    for load, point in curve.open:
        times = (point.both, point.read, point.write)
        means = [moments.mean_s for moments in times]
        deviations = [moments.deviation_s for moments in times[1:]]
        if not table:
            table.append((0.0, SetResponse._make([*means, 0.0, *deviations, 0.0, point.operation_j])))
        scaled = [(1 - load) * value for value in (*means, 0.0, *deviations, 0.0)]
        table.append((load, SetResponse._make([*scaled, point.operation_j])))
    return table


def _of_set(curve: BenchmarkCurve, alone: _Alone, most: float, service_s: float) -> Table:
    """The table from the birth-death process of one set."""
    variation = (curve.points[0].both.deviation_s / curve.points[0].both.mean_s) ** 2
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
    """Rows for 1, 2, ... operations in the set, as in :class:`SetResponse`."""

    rows: list[SetResponse]
    table: Floats

    @classmethod
    def of(cls, curve: BenchmarkCurve, most: float) -> _Alone:
        """Beyond the last benchmarked depth, times grow with the number outstanding."""
        points, states = curve.points, np.arange(1, _STATES + 1, dtype=float)
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
    """Mean number at a server by the diffusion, times (1 - load)."""
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


#: Share of the deviation of responses by which parts of one request on neighbouring drives differ: from
#: simulations of requests of 2 to 16 units on 8 and 24 drives (0.2 to 0.45).
_NEIGHBOUR_SHARE: Final = 0.3
#: The same of the deviation on an idle set, where only services differ: 0.6 to 0.9.
_IDLE_SHARE: Final = 0.75


@dataclass
class Servers:
    """Like servers with one queue: processors, a link. ``work`` has for each flow (visits, seconds,
    seconds^2) of a request."""

    name: str
    kind: str
    number: int
    work: dict[int, tuple[float, float, float]] = field(default_factory=dict)

    def visit(self, flow: int, times: float, service_s: float) -> None:
        """Count visits of a request of a flow."""
        visits, busy, square = self.work.get(flow, (0.0, 0.0, 0.0))
        self.work[flow] = (visits + times, busy + times * service_s, square + times * service_s**2)

    def load(self, rates: Sequence[float]) -> float:
        """Busy share of each server."""
        return sum(rates[flow] * busy for flow, (_, busy, _) in self.work.items()) / self.number

    def wait(self, rates: Sequence[float], variation: float) -> float:
        """Mean wait of a visit; ``variation`` is ca^2."""
        visits = sum(rates[flow] * work[0] for flow, work in self.work.items())
        if visits <= 0:
            return 0.0
        mean = sum(rates[flow] * work[1] for flow, work in self.work.items()) / visits
        if mean <= 0:
            return 0.0
        square = sum(rates[flow] * work[2] for flow, work in self.work.items()) / visits
        spread = max(0.0, square / mean**2 - 1)
        return wait(mean, self.number, (variation + spread) / 2, mean * visits / self.number)


@dataclass
class Sets:
    """The drives, or mirrored sets, of a pool. ``work`` has the operations of a request for each flow.

    ``together`` of them are asked at the same time by a request, on the mean over operations. ``uneven`` says
    which share of the sets gets how many times the mean rate.
    """

    name: str
    kind: str
    number: int
    curve: DriveCurve
    together: float = 1.0
    uneven: tuple[tuple[float, float], ...] = ((1.0, 1.0),)
    work: dict[int, float] = field(default_factory=dict)

    @property
    def _one_set_share(self) -> float:
        """Weight of the responses of one set alone, which always has as many operations as the loop has
        requests: 1 where a request asks all sets at the same time."""
        return min(1.0, self.together / self.number)

    def visit(self, flow: int, times: float) -> None:
        """Count operations of a request of a flow."""
        self.work[flow] = self.work.get(flow, 0.0) + times

    def rate(self, rates: Sequence[float]) -> float:
        """Operations a second at each set."""
        return sum(rates[flow] * times for flow, times in self.work.items()) / self.number

    def load(self, rates: Sequence[float]) -> float:
        """Load of the busiest set."""
        return self.rate(rates) * max(times for _, times in self.uneven) / self.curve.most

    def operation_j(self, rates: Sequence[float], seen: Sequence[float]) -> float:
        """Joules of an operation above idling, at rates of flows and what of them an arrival sees."""
        curve = self.curve
        if curve.update_drives:
            return curve.at(self.rate(seen)).operation_j
        rate = min(self.rate(rates), curve.most * 0.9999)
        found = curve.at(rate)
        alone = curve.alone(rate * found.both)
        return (found if alone is None else found.mixed(alone, self._one_set_share)).operation_j

    def figures(self, rates: Sequence[float], variation: float) -> SetResponse:
        """Responses of operations, where requests arrive with ``variation`` (ca^2)."""
        mean = self.rate(rates)
        if len(self.uneven) == 1:
            return self._figures(mean, variation)
        parts = [(share * times, self._figures(mean * times, variation)) for share, times in self.uneven]
        return SetResponse._make(
            sum(w * part[at] for w, part in parts) for at in range(len(SetResponse._fields))
        )

    def _figures(self, rate: float, variation: float) -> SetResponse:
        curve = self.curve
        found = curve.at(rate)
        if math.isinf(found.both):
            return found
        # One set with a fixed number of operations has that many there, always.
        alone = curve.alone(1 + rate * found.both)
        if alone is not None:
            found = found.mixed(alone, self._one_set_share)
        if variation != 1.0:
            waited = (found.both - curve.service_s) * (1 - variation) / 2
            found = SetResponse._make([*(max(0.0, value - waited) for value in found[:4]), *found[4:]])
        return found


@dataclass(frozen=True)
class Leg:
    """A part of a request's way: ``times`` visits (on the mean), ``abreast`` of them waited for together.

    At stations of servers it has a ``service_s`` of its own; at sets it is one of reads, writes, or updates.
    """

    station: Servers | Sets
    times: float
    service_s: float = 0.0
    abreast: float = 1.0
    how: How = "read"

    def response(self, found: SetResponse) -> float:
        """At sets where operations find this."""
        update_drives = self.station.curve.update_drives if isinstance(self.station, Sets) else 0
        if self.how == "update" and update_drives:
            return found.update + (greatest(self.abreast) - greatest(update_drives)) * found.update_deviation
        if self.abreast <= 1 or not isinstance(self.station, Sets):
            reads, writes = found.read, found.write
        else:
            farthest, share = greatest(self.abreast), self._neighbour_share()
            idle = self.station.curve.idle_deviations
            reads = found.read + farthest * max(share * found.read_deviation, _IDLE_SHARE * idle[0])
            writes = found.write + farthest * max(share * found.write_deviation, _IDLE_SHARE * idle[1])
        return {"read": reads, "write": writes, "update": reads + writes}[self.how]

    def _neighbour_share(self) -> float:
        """Share of the deviation by which neighbours differ.

        Where most operations come together, neighbours hold the same in the same order, so it is smaller.
        """
        if not isinstance(self.station, Sets) or self.abreast <= 1:
            return 1.0
        share = _NEIGHBOUR_SHARE * (1 - min(1.0, self.abreast / self.station.number) ** 2 / 3)
        together = min(1.0, (self.station.together - 1) / (self.abreast - 1))
        return share + (1 - share) * math.sqrt(1 - together)


def response(legs: Sequence[Leg], seen: Sequence[float], variation: float) -> float:
    """Mean time of legs one after another, at rates that are seen, with ``variation`` (ca^2) of the
    requests."""
    total = 0.0
    known: dict[int, SetResponse] = {}
    for leg in legs:
        if isinstance(leg.station, Sets):
            figures = known.get(id(leg.station)) or leg.station.figures(seen, variation)
            known[id(leg.station)] = figures
            total += leg.times * leg.response(figures)
        else:
            total += leg.times * (leg.service_s + leg.station.wait(seen, variation))
    return total
