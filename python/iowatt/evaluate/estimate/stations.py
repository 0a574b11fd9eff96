"""Stations: like servers with one queue, the sets of drives of a pool, and a request's way over them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from iowatt.evaluate.estimate.operations import How
from iowatt.evaluate.estimate.queueing import Curve, SetResponse, greatest, wait

#: Of the spread of a response, what parts of one request on neighbouring drives differ by (from simulations
#: of requests of 2 to 16 units on 8 and 24 drives: 0.2 to 0.45).
_APART: Final = 0.3
#: Of the spread of services, which is there without a queue too: 0.6 to 0.9.
_OWN: Final = 0.75


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
    curve: Curve
    together: float = 1.0
    uneven: tuple[tuple[float, float], ...] = ((1.0, 1.0),)
    work: dict[int, float] = field(default_factory=dict)

    @property
    def _same(self) -> float:
        """How near the sets are to being one, which always has as many operations as the loop has
        requests."""
        return min(1.0, self.together / self.number)

    def visit(self, flow: int, times: float) -> None:
        """Count operations of a request of a flow."""
        self.work[flow] = self.work.get(flow, 0.0) + times

    def rate(self, rates: Sequence[float]) -> float:
        """Operations a second at each set."""
        return sum(rates[flow] * times for flow, times in self.work.items()) / self.number

    def load(self, rates: Sequence[float]) -> float:
        """Share of what the busiest can do."""
        return self.rate(rates) * max(times for _, times in self.uneven) / self.curve.most

    def operation_j(self, rates: Sequence[float], seen: Sequence[float]) -> float:
        """Joules of an operation above idling, at rates of flows and what of them an arrival sees."""
        curve = self.curve
        if curve.updated:
            return curve.at(self.rate(seen)).operation_j
        rate = min(self.rate(rates), curve.most * 0.9999)
        found = curve.at(rate)
        alone = curve.alone(rate * found.both)
        return (found if alone is None else found.mixed(alone, self._same)).operation_j

    def figures(self, rates: Sequence[float], variation: float) -> SetResponse:
        """What operations find there, where requests come with ``variation`` (ca^2)."""
        mean = self.rate(rates)
        if len(self.uneven) == 1:
            return self._figures(mean, variation)
        parts = [(share * times, self._figures(mean * times, variation)) for share, times in self.uneven]
        return SetResponse._make(sum(w * part[at] for w, part in parts) for at in range(len(SetResponse._fields)))

    def _figures(self, rate: float, variation: float) -> SetResponse:
        curve = self.curve
        found = curve.at(rate)
        if math.isinf(found.both):
            return found
        # One set with a fixed number of operations has that many there, always.
        alone = curve.alone(1 + rate * found.both)
        if alone is not None:
            found = found.mixed(alone, self._same)
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
        updated = self.station.curve.updated if isinstance(self.station, Sets) else 0
        if self.how == "update" and updated:
            return found.update + (greatest(self.abreast) - greatest(updated)) * found.update_deviation
        if self.abreast <= 1 or not isinstance(self.station, Sets):
            reads, writes = found.read, found.write
        else:
            most, alike, own = greatest(self.abreast), self._apart(), self.station.curve.apart
            reads = found.read + most * max(alike * found.read_deviation, _OWN * own[0])
            writes = found.write + most * max(alike * found.write_deviation, _OWN * own[1])
        return {"read": reads, "write": writes, "update": reads + writes}[self.how]

    def _apart(self) -> float:
        """How far neighbours differ: where most operations come together they hold the same, in the same
        order."""
        if not isinstance(self.station, Sets) or self.abreast <= 1:
            return 1.0
        alike = _APART * (1 - min(1.0, self.abreast / self.station.number) ** 2 / 3)
        together = min(1.0, (self.station.together - 1) / (self.abreast - 1))
        return alike + (1 - alike) * math.sqrt(1 - together)


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
