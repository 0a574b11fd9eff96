"""Flows over stations: the paths of requests, and the rates at which open and closed flows go."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from iowatt.evaluate.estimate.load import EstimatedWorkload
from iowatt.evaluate.estimate.queueing import Leg, Servers, Sets, response
from iowatt.evaluate.estimate.root import CLOSE, root

_SWEEPS = 40


@dataclass(frozen=True)
class RequestPath:
    """The way of a flow's requests of one direction; ``fixed_s`` is waited for besides stations."""

    flow: int
    write: bool
    share: float
    legs: tuple[Leg, ...]
    fixed_s: float = 0.0


@dataclass(frozen=True)
class Background:
    """Destages: ``legs`` are of those for a mean request of all flows, ``outstanding`` of them go on at a
    time.

    Stations count their work as that of one more flow, whose rate is that of all.
    """

    outstanding: int
    legs: tuple[Leg, ...]


@dataclass(frozen=True)
class SolvedNetwork:
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
        flows: Sequence[EstimatedWorkload],
        stations: Sequence[Servers | Sets],
        paths: Sequence[RequestPath],
        background: Background | None = None,
        behind: float | None = None,
    ) -> None:
        self.flows, self.stations, self.paths, self.background = flows, stations, paths, background
        #: For how many requests a second is destaged; None where that is for as many as there are.
        self.behind = behind

    def every(self, rates: Sequence[float]) -> list[float]:
        """Rates as stations take them: those of the flows, then that of the background."""
        return [*rates, sum(rates) if self.behind is None else self.behind]

    def load(self, rates: Sequence[float]) -> float:
        """Busy share of the busiest station."""
        every = self.every(rates)
        return max((station.load(every) for station in self.stations), default=0.0)

    def solve(self) -> SolvedNetwork:
        """The state that open rates and closed loops lead to."""
        rates = [flow.rate or 0.0 for flow in self.flows]
        most = self.scale(rates)
        if most <= 1:
            rates = [rate * most for rate in rates]
            return SolvedNetwork(tuple(rates), (math.inf,) * len(self.paths), True, self.load(rates) < 0.999)
        closed = self._loops()
        held_back = self._balance(rates)
        responses = [self.response(path, rates) for path in self.paths]
        self._fill(closed, rates, responses, held_back)
        return SolvedNetwork(tuple(rates), tuple(responses), False, held_back)

    def balanced(self, rates: Sequence[float]) -> list[float]:
        """Rates, with those of closed loops solved for the rates of the open flows."""
        found = [
            0.0 if flow.outstanding is not None else rate
            for flow, rate in zip(self.flows, rates, strict=True)
        ]
        self._balance(found)
        return found

    def limit(self, flow: int, rates: Sequence[float]) -> float:
        """The greatest rate of an open flow, given the rates of the others."""

        def beside(rate: float) -> list[float]:
            others = (
                0.0 if one.outstanding is not None else r for one, r in zip(self.flows, rates, strict=True)
            )
            return [rate if at == flow else other for at, other in enumerate(others)]

        return self._kept_up(beside, self._saturating(flow, beside(0.0)))

    def _loops(self) -> list[int]:
        return [at for at, flow in enumerate(self.flows) if flow.outstanding is not None]

    def _balance(self, rates: list[float]) -> bool:
        """Solve for the rates of closed loops; returns whether destages hold them back."""
        closed, held_back = self._loops(), False
        for _ in range(_SWEEPS if len(closed) > 1 else 1):
            before, held_back = list(rates), False
            for at in closed:
                rates[at], held = self._closed(at, rates)
                held_back |= held
            if all(abs(one - other) <= CLOSE * one for one, other in zip(rates, before, strict=True)):
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

    def response(self, path: RequestPath, rates: Sequence[float]) -> float:
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
        """For all flows and the background, the rate that an arriving request of each sees."""
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
        """The rate of a closed flow, given the others, and whether destages hold it back."""
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
        return found, limit < most and found >= limit * (1 - 10 * CLOSE)

    def _saturating(self, flow: int, rates: Sequence[float]) -> float:
        """The rate of a flow, given the others, at which a station saturates."""
        none = self.every([0.0 if at == flow else rate for at, rate in enumerate(rates)])
        one = self.every([1.0 if at == flow else rate for at, rate in enumerate(rates)])
        limits = [
            (1 - station.load(none)) / grown
            for station in self.stations
            if (grown := station.load(one) - station.load(none)) > 0
        ]
        return max(0.0, min(limits, default=math.inf))
