"""Stations, the paths of requests over them, and the rates at which open and closed flows go."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from iowatt.estimate.load import Flow
from iowatt.estimate.operations import How
from iowatt.estimate.queueing import Curve, Found, greatest, wait

#: Rates are found to this share of themselves.
_CLOSE = 1e-5
_MOST_STEPS = 60
#: Of the spread of a response, what parts of one request on neighbouring drives differ by (from simulations of
#: requests of 2 to 16 units on 8 and 24 drives: 0.2 to 0.45).
_APART = 0.3
_SWEEPS = 40


@dataclass
class Servers:
    """Like servers with one queue: processors, a link. ``work`` has for each flow (visits, seconds, seconds^2) of
    a request."""

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

    ``together`` of them are asked at the same time by a request, on the mean over operations.
    """

    name: str
    kind: str
    number: int
    curve: Curve
    together: float = 1.0
    work: dict[int, float] = field(default_factory=dict)

    @property
    def _same(self) -> float:
        """How near the sets are to being one, which always has as many operations as the loop has requests."""
        return min(1.0, self.together / self.number)

    def visit(self, flow: int, times: float) -> None:
        """Count operations of a request of a flow."""
        self.work[flow] = self.work.get(flow, 0.0) + times

    def rate(self, rates: Sequence[float]) -> float:
        """Operations a second at each set."""
        return sum(rates[flow] * times for flow, times in self.work.items()) / self.number

    def load(self, rates: Sequence[float]) -> float:
        """Share of what it can do."""
        return self.rate(rates) / self.curve.most

    def operation_j(self, rates: Sequence[float], seen: Sequence[float]) -> float:
        """Joules of an operation above idling, at rates of flows and what of them an arrival sees."""
        curve = self.curve
        if curve.updated:
            return curve.at(self.rate(seen)).operation_j
        rate = min(self.rate(rates), curve.most * 0.9999)
        found = curve.at(rate)
        alone = curve.alone(rate * found.both)
        return (found if alone is None else found.mixed(alone, self._same)).operation_j

    def figures(self, rates: Sequence[float], variation: float) -> Found:
        """What operations find there, where requests come with ``variation`` (ca^2)."""
        curve, rate = self.curve, self.rate(rates)
        found = curve.at(rate)
        if math.isinf(found.both):
            return found
        # One set with a fixed number of operations has that many there, always.
        alone = curve.alone(1 + rate * found.both)
        if alone is not None:
            found = found.mixed(alone, self._same)
        if variation != 1.0:
            waited = (found.both - curve.service_s) * (1 - variation) / 2
            found = Found(*(max(0.0, value - waited) for value in found[:4]), *found[4:])
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

    def response(self, found: Found) -> float:
        """At sets where operations find this."""
        updated = self.station.curve.updated if isinstance(self.station, Sets) else 0
        if self.how == "update" and updated:
            return found.update + (greatest(self.abreast) - greatest(updated)) * found.update_deviation
        beyond = greatest(self.abreast) * self._apart()
        reads = found.read + beyond * found.read_deviation
        writes = found.write + beyond * found.write_deviation
        return {"read": reads, "write": writes, "update": reads + writes}[self.how]

    def _apart(self) -> float:
        """How far neighbours differ: they mostly hold parts of the same requests, in the same order."""
        if not isinstance(self.station, Sets):
            return 1.0
        return _APART * (1 - min(1.0, self.abreast / self.station.number) ** 2 / 3)


@dataclass(frozen=True)
class Path:
    """What requests of one direction of a flow wait for; ``fixed_s`` besides stations."""

    flow: int
    write: bool
    share: float
    legs: tuple[Leg, ...]
    fixed_s: float = 0.0


@dataclass(frozen=True)
class Solved:
    """Rates of the flows (1/s), responses by path (s, infinite where saturated); whether open load had to give way."""

    rates: tuple[float, ...]
    responses: tuple[float, ...]
    saturated: bool


class Network:
    """Flows over stations."""

    def __init__(
        self, flows: Sequence[Flow], stations: Sequence[Servers | Sets], paths: Sequence[Path]
    ) -> None:
        self.flows, self.stations, self.paths = flows, stations, paths

    def solve(self) -> Solved:
        """The state that open rates and closed loops lead to."""
        rates = [flow.rate or 0.0 for flow in self.flows]
        busiest = max((station.load(rates) for station in self.stations), default=0.0)
        if busiest >= 1:
            rates = [rate / busiest for rate in rates]
            return Solved(tuple(rates), (math.inf,) * len(self.paths), True)
        closed = [at for at, flow in enumerate(self.flows) if flow.outstanding is not None]
        for _ in range(_SWEEPS if len(closed) > 1 else 1):
            before = list(rates)
            for at in closed:
                rates[at] = self._closed(at, rates)
            if all(abs(one - other) <= _CLOSE * one for one, other in zip(rates, before, strict=True)):
                break
        responses = tuple(self.response(path, rates) for path in self.paths)
        return Solved(tuple(rates), responses, False)

    def response(self, path: Path, rates: Sequence[float]) -> float:
        """Mean response of requests of a path at given rates."""
        seen, variation = self._seen(path.flow, rates), self.flows[path.flow].variation
        total = path.fixed_s
        known: dict[int, Found] = {}
        for leg in path.legs:
            if isinstance(leg.station, Sets):
                figures = known.get(id(leg.station)) or leg.station.figures(seen, variation)
                known[id(leg.station)] = figures
                total += leg.times * leg.response(figures)
            else:
                total += leg.times * (leg.service_s + leg.station.wait(seen, variation))
        return total

    def seen(self, rates: Sequence[float]) -> list[float]:
        """Of all flows, what a request of each sees of its own."""
        return [self._seen(at, rates)[at] for at in range(len(rates))]

    def _seen(self, flow: int, rates: Sequence[float]) -> list[float]:
        seen, outstanding = list(rates), self.flows[flow].outstanding
        if outstanding is not None:
            seen[flow] *= (outstanding - 1) / outstanding
        return seen

    def most(self, flow: int, rates: Sequence[float]) -> float:
        """Greatest rate of a flow beside the others, where a station saturates."""
        rest = [0.0 if at == flow else rate for at, rate in enumerate(rates)]
        alone = [1.0 if at == flow else 0.0 for at in range(len(rates))]
        limits = [
            (1 - station.load(rest)) / station.load(alone)
            for station in self.stations
            if station.load(alone) > 0
        ]
        return max(0.0, min(limits, default=math.inf))

    def _closed(self, flow: int, rates: Sequence[float]) -> float:
        mine = [path for path in self.paths if path.flow == flow]
        outstanding, think = self.flows[flow].outstanding or 1, self.flows[flow].think_s
        tried = list(rates)

        def excess(rate: float) -> float:
            tried[flow] = rate
            mean = sum(path.share * self.response(path, tried) for path in mine)
            return rate * (mean + think) - outstanding

        most = self.most(flow, rates)
        if math.isinf(most):  # nothing but fixed times
            mean = sum(path.share * self.response(path, tried) for path in mine)
            return outstanding / (mean + think) if mean + think > 0 else 0.0
        return root(excess, 0.0, most)


def root(rising: Callable[[float], float], low: float, high: float) -> float:
    """Where a rising function, negative at ``low``, passes zero, or ``high`` if it does not (Illinois)."""
    at_high = rising(high)
    if at_high <= 0:
        return high
    at_low = rising(low)
    for _ in range(_MOST_STEPS):
        if high - low <= _CLOSE * high:
            break
        middle = (low + high) / 2
        if math.isfinite(at_high):
            middle = min(max(high - at_high * (high - low) / (at_high - at_low), low), high)
        value = rising(middle)
        if value > 0:
            high, at_high, at_low = middle, value, at_low / 2
        else:
            low, at_low, at_high = middle, value, at_high / 2
    return (low + high) / 2
