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
        """How near the sets are to being one, which always has as many operations as the loop has requests."""
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

    def figures(self, rates: Sequence[float], variation: float) -> Found:
        """What operations find there, where requests come with ``variation`` (ca^2)."""
        mean = self.rate(rates)
        if len(self.uneven) == 1:
            return self._figures(mean, variation)
        parts = [(share * times, self._figures(mean * times, variation)) for share, times in self.uneven]
        return Found(*(sum(w * part[at] for w, part in parts) for at in range(len(Found._fields))))

    def _figures(self, rate: float, variation: float) -> Found:
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
        """How far neighbours differ: where most operations come together they hold the same, in the same order."""
        if not isinstance(self.station, Sets) or self.abreast <= 1:
            return 1.0
        alike = _APART * (1 - min(1.0, self.abreast / self.station.number) ** 2 / 3)
        together = min(1.0, (self.station.together - 1) / (self.abreast - 1))
        return alike + (1 - alike) * (1 - together)


@dataclass(frozen=True)
class Path:
    """What requests of one direction of a flow wait for; ``fixed_s`` besides stations."""

    flow: int
    write: bool
    share: float
    legs: tuple[Leg, ...]
    fixed_s: float = 0.0


@dataclass(frozen=True)
class Background:
    """Destages: ``legs`` are of those for a mean request of all flows, ``outstanding`` of them go on at a time.

    Stations count their work as that of one more flow, whose rate is that of all.
    """

    outstanding: int
    legs: tuple[Leg, ...]


@dataclass(frozen=True)
class Solved:
    """Rates of the flows (1/s), responses by path (s, infinite where saturated).

    ``saturated``: open load had to give way. ``held_back``: by destages, which writes then wait for.
    """

    rates: tuple[float, ...]
    responses: tuple[float, ...]
    saturated: bool
    held_back: bool


class Network:
    """Flows over stations; ``background`` is done for them without their waiting."""

    def __init__(
        self,
        flows: Sequence[Flow],
        stations: Sequence[Servers | Sets],
        paths: Sequence[Path],
        background: Background | None = None,
        behind: float | None = None,
    ) -> None:
        self.flows, self.stations, self.paths, self.background = flows, stations, paths, background
        #: For how many requests a second is destaged; None where that is for as many as there are.
        self.behind = behind

    def every(self, rates: Sequence[float]) -> list[float]:
        """Rates as stations want them: with that of what is done in the background behind."""
        return [*rates, sum(rates) if self.behind is None else self.behind]

    def load(self, rates: Sequence[float]) -> float:
        """Busy share of the busiest station."""
        every = self.every(rates)
        return max((station.load(every) for station in self.stations), default=0.0)

    def solve(self) -> Solved:
        """The state that open rates and closed loops lead to."""
        rates = [flow.rate or 0.0 for flow in self.flows]
        most = self.scale(rates)
        if most <= 1:
            rates = [rate * most for rate in rates]
            return Solved(tuple(rates), (math.inf,) * len(self.paths), True, self.load(rates) < 0.999)
        closed = self._loops()
        held_back = self._balance(rates)
        responses = [self.response(path, rates) for path in self.paths]
        self._fill(closed, rates, responses, held_back)
        return Solved(tuple(rates), tuple(responses), False, held_back)

    def balanced(self, rates: Sequence[float]) -> list[float]:
        """Rates with those of closed loops as they are beside the open ones."""
        found = [
            0.0 if flow.outstanding is not None else rate
            for flow, rate in zip(self.flows, rates, strict=True)
        ]
        self._balance(found)
        return found

    def limit(self, flow: int, rates: Sequence[float]) -> float:
        """The greatest rate of an open flow beside other open ones."""

        def beside(rate: float) -> list[float]:
            others = (
                0.0 if one.outstanding is not None else r for one, r in zip(self.flows, rates, strict=True)
            )
            return [rate if at == flow else other for at, other in enumerate(others)]

        return self._kept_up(beside, self._saturating(flow, beside(0.0)))

    def _loops(self) -> list[int]:
        return [at for at, flow in enumerate(self.flows) if flow.outstanding is not None]

    def _balance(self, rates: list[float]) -> bool:
        """Set the rates of closed loops beside the others; whether destages hold them back."""
        closed, held_back = self._loops(), False
        for _ in range(_SWEEPS if len(closed) > 1 else 1):
            before, held_back = list(rates), False
            for at in closed:
                rates[at], held = self._closed(at, rates)
                held_back |= held
            if all(abs(one - other) <= _CLOSE * one for one, other in zip(rates, before, strict=True)):
                break
        return held_back

    def scale(self, rates: Sequence[float]) -> float:
        """By how much all rates could grow until a station saturates, or destages no longer keep up."""
        load = self.load(rates)
        if load <= 0:
            return math.inf
        most = 1 / load
        if self.background is None or self.behind is not None:
            return most
        return min(most, self._kept_up(lambda share: [rate * share for rate in rates], most))

    def _kept_up(self, rates: Callable[[float], list[float]], most: float) -> float:
        """The greatest argument up to ``most`` at whose rates destages keep up."""
        background = self.background
        if background is None or self.behind is not None or math.isinf(most):
            return most

        def behind(at: float) -> float:
            tried = rates(at)
            seen = self.every(tried)
            seen[-1] *= (background.outstanding - 1) / background.outstanding
            return sum(tried) * response(background.legs, seen, 1.0) - background.outstanding

        return root(behind, 0.0, most)

    def response(self, path: Path, rates: Sequence[float]) -> float:
        """Mean response of requests of a path at given rates."""
        seen = self.every(rates)
        seen[path.flow] = self._seen(path.flow, rates)
        return path.fixed_s + response(path.legs, seen, self.flows[path.flow].variation)

    def drained(self, rates: Sequence[float]) -> float:
        """For how many requests a second can be destaged, with all destages under way that may be."""
        background = self.background
        assert background is not None
        share = 1 - 1 / background.outstanding

        def early(behind: float) -> float:
            seen = [*(self._seen(at, rates) for at in range(len(rates))), behind * share]
            return behind * response(background.legs, seen, 1.0) - background.outstanding

        loads = [
            (station.load([*rates, 0.0]), station.load([*(0.0 for _ in rates), 1.0]))
            for station in self.stations
        ]
        most = min(((1 - own) / one for own, one in loads if one > 0), default=math.inf)
        return root(early, 0.0, most) if 0 < most < math.inf else 0.0

    def seen(self, rates: Sequence[float]) -> list[float]:
        """Of all flows and the background, what a request of each sees of its own."""
        found = [self._seen(at, rates) for at in range(len(rates))]
        share = 1.0 if self.background is None else 1 - 1 / self.background.outstanding
        return [*found, self.every(rates)[-1] * share]

    def _seen(self, flow: int, rates: Sequence[float]) -> float:
        outstanding = self.flows[flow].outstanding
        return rates[flow] * (1.0 if outstanding is None else (outstanding - 1) / outstanding)

    def _fill(
        self, closed: Sequence[int], rates: Sequence[float], responses: list[float], held_back: bool
    ) -> None:
        """Where a loop is at its limit, what is left of its time is waited for: by writes, for space, where
        destages hold it back; else at the busiest station."""
        every = self.every(rates)
        busiest = max(self.stations, key=lambda station: station.load(every), default=None)
        for flow in closed:
            mine = [at for at, path in enumerate(self.paths) if path.flow == flow]
            outstanding, think = self.flows[flow].outstanding or 1, self.flows[flow].think_s
            spent = sum(self.paths[at].share * responses[at] for at in mine)
            left = outstanding / rates[flow] - think - spent if rates[flow] > 0 else 0.0
            if left <= 1e-3 * spent:
                continue
            visits = {
                at: float(self.paths[at].write)
                if held_back
                else sum(leg.times for leg in self.paths[at].legs if leg.station is busiest)
                for at in mine
            }
            mean = sum(self.paths[at].share * visits[at] for at in mine)
            for at in mine if mean > 0 else ():
                responses[at] += left * visits[at] / mean

    def _closed(self, flow: int, rates: Sequence[float]) -> tuple[float, bool]:
        """The rate of a closed flow beside the others, and whether destages hold it back."""
        mine = [path for path in self.paths if path.flow == flow]
        outstanding, think = self.flows[flow].outstanding or 1, self.flows[flow].think_s

        def beside(rate: float) -> list[float]:
            return [rate if at == flow else other for at, other in enumerate(rates)]

        def excess(rate: float) -> float:
            tried = beside(rate)
            mean = sum(path.share * self.response(path, tried) for path in mine)
            return rate * (mean + think) - outstanding

        rest, alone = self.load(beside(0.0)), self.load([float(at == flow) for at in range(len(rates))])
        if alone <= 0:  # nothing but fixed times
            mean = sum(path.share * path.fixed_s for path in mine)
            return (outstanding / (mean + think) if mean + think > 0 else math.inf), False
        most = self._saturating(flow, rates) if rest > 0 else 1 / alone
        limit = self._kept_up(beside, most)
        found = root(excess, 0.0, limit)
        return found, limit < most and found >= limit * (1 - 10 * _CLOSE)

    def _saturating(self, flow: int, rates: Sequence[float]) -> float:
        """Greatest rate of a flow beside the others, where a station saturates."""
        none = self.every([0.0 if at == flow else rate for at, rate in enumerate(rates)])
        one = self.every([1.0 if at == flow else rate for at, rate in enumerate(rates)])
        limits = [
            (1 - station.load(none)) / grown
            for station in self.stations
            if (grown := station.load(one) - station.load(none)) > 0
        ]
        return max(0.0, min(limits, default=math.inf))


def response(legs: Sequence[Leg], seen: Sequence[float], variation: float) -> float:
    """Mean time of legs one after another, at rates that are seen, with ``variation`` (ca^2) of the requests."""
    total = 0.0
    known: dict[int, Found] = {}
    for leg in legs:
        if isinstance(leg.station, Sets):
            figures = known.get(id(leg.station)) or leg.station.figures(seen, variation)
            known[id(leg.station)] = figures
            total += leg.times * leg.response(figures)
        else:
            total += leg.times * (leg.service_s + leg.station.wait(seen, variation))
    return total


def root(rising: Callable[[float], float], low: float, high: float) -> float:
    """Where a rising function, negative at ``low``, passes zero, or ``high`` if it does not.

    By false position, with a bisection wherever that has not halved what is left.
    """
    at_high = rising(high)
    if at_high <= 0:
        return high
    at_low = rising(low)
    for _ in range(_MOST_STEPS):
        width = high - low
        if width <= _CLOSE * high:
            break
        for middle in (_crossing(low, at_low, high, at_high), None):
            if middle is None:
                middle = (low + high) / 2
            value = rising(middle)
            if value > 0:
                high, at_high = middle, value
            else:
                low, at_low = middle, value
            if value == 0 or high - low <= _CLOSE * high:
                return middle
            if high - low <= width / 2:
                break
    return (low + high) / 2


def _crossing(low: float, at_low: float, high: float, at_high: float) -> float | None:
    """Where a line through two points passes zero, a little beyond it; None where it cannot be drawn."""
    if not math.isfinite(at_high) or at_low >= 0:
        return None
    share = at_low / (at_low - at_high)
    return low + (high - low) * min(1 - _CLOSE / 4, share + _CLOSE / 4)
