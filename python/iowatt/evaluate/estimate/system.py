"""The queueing network of a scenario: processors, links, the mirror of written data, and sets of drives."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from iowatt.evaluate.estimate import hybrid, operation_counts
from iowatt.evaluate.estimate.caching import cache_state
from iowatt.evaluate.estimate.drives import DriveBenchmarks, identity
from iowatt.evaluate.estimate.hybrid import AddressRange, Hybrid
from iowatt.evaluate.estimate.load import EstimatedWorkload
from iowatt.evaluate.estimate.network import Background, Network, RequestPath, SolvedNetwork
from iowatt.evaluate.estimate.operation_counts import OperationCounter, PoolDemand, RequestMix, Waits, shifted
from iowatt.evaluate.estimate.operations import PoolGeometry, count_commands
from iowatt.evaluate.estimate.queueing import Leg, Servers, Sets, response
from iowatt.evaluate.estimate.unknown import not_modelled
from iowatt.evaluate.evaluation import Prepared
from iowatt.model.raid import level_of, usable_bytes

_PROCESSORS, _LINK, _MIRROR = "processors", "host link", "mirror link"


def front_stations(controller: Mapping[str, Any], flows: Sequence[EstimatedWorkload]) -> list[Servers]:
    """Stations of a controller, with the work of a request of each flow."""
    found = []
    processing, link = controller.get("processing"), controller.get("host_bandwidth_bytes_per_s")
    mirror = (controller.get("cache") or {}).get("mirror")
    if processing:
        station = Servers(_PROCESSORS, "processor", processing["processors"])
        for number, flow in enumerate(flows):
            station.visit(number, flow.read_share, processing["read_s"])
            station.visit(number, 1 - flow.read_share, processing["write_s"])
        found.append(station)
    if link:
        found.append(_link(_LINK, link, flows, reads=True))
    if mirror:
        found.append(_link(_MIRROR, mirror["bandwidth_bytes_per_s"], flows, reads=False))
    return found


def front_legs(
    controller: Mapping[str, Any], front: Sequence[Servers], flow: EstimatedWorkload, write: bool
) -> list[Leg]:
    """A request's visits to them."""
    found = []
    for station in front:
        if station.name == _PROCESSORS:
            seconds = controller["processing"]["write_s" if write else "read_s"]
        elif station.name == _LINK:
            seconds = flow.mean_bytes_of(write) / controller["host_bandwidth_bytes_per_s"]
        elif write:
            seconds = flow.mean_bytes_of(write) / controller["cache"]["mirror"]["bandwidth_bytes_per_s"]
        else:
            continue
        found.append(Leg(station, 1.0, seconds))
    return found


def front_fixed_s(controller: Mapping[str, Any], write: bool) -> float:
    """Fixed latency of a request: the partner's answer."""
    mirror = (controller.get("cache") or {}).get("mirror")
    return float(mirror["latency_s"]) if mirror and write else 0.0


def back_end_stations(
    controller: Mapping[str, Any], counted: OperationCounter
) -> tuple[Servers | None, Servers | None]:
    """The processors that every command to a drive passes, and those that commands made for writes pass
    first."""
    own = controller.get("back_end") or {}
    found: list[Servers | None] = []
    for name, seconds, number, commands in (
        ("back end", own.get("command_s"), own.get("processors", 1), counted.commands),
        ("write path", own.get("write_command_s"), own.get("write_processors", 1), counted.write_commands),
    ):
        if not seconds:
            found.append(None)
            continue
        station = Servers(name, "processor", number)
        for flow, count in commands.items():
            station.visit(flow, count, seconds)
        found.append(station)
    return found[0], found[1]


def command_legs(
    controller: Mapping[str, Any],
    passed: tuple[Servers | None, Servers | None],
    waits: Waits,
    geometries: Sequence[PoolGeometry],
    share: float,
    *,
    write: bool,
) -> list[Leg]:
    """Waits of commands at back-end processors; those of a phase arrive together and are served in turn."""
    own, found = controller.get("back_end") or {}, []
    for (pool, how, abreast), times in waits.items():
        phases = 2 if how == "update" else 1
        together = abreast * (geometries[pool].mirrored if how == "write" else 1)
        for station, seconds in zip(passed, (own.get("command_s"), own.get("write_command_s")), strict=True):
            if station is not None and seconds and (write or station is passed[0]):
                behind = (together - 1) / 2 / station.number
                found.append(Leg(station, times / share * phases, seconds * (1 + behind)))
    return found


def _link(name: str, bandwidth: float, flows: Sequence[EstimatedWorkload], *, reads: bool) -> Servers:
    station = Servers(name, "link", 1)
    for number, flow in enumerate(flows):
        for stream in flow.streams:
            for write, share, sizes in stream.parts:
                for bytes_, weight in sizes if reads or write else ():
                    station.visit(number, share * weight, bytes_ / bandwidth)
    return station


#: Mixes of several flows depend on their rates: how often they are found anew.
_ROUNDS = 4
#: Paces of moves are found to this share of themselves.
_CALM = 0.05


@dataclass(frozen=True)
class DestagePhase:
    """A state that a scenario is in for a share of the time."""

    share: float
    network: Network
    solved: SolvedNetwork


@dataclass
class MoveState:
    """Moves of a virtual pool: the factor by which they are slowed, and that of write-backs."""

    slower: float = 1.0
    cleaned: float = 1.0
    #: (moves a second, how many at a time, what one waits for) of admissions and of write-backs.
    done: list[tuple[float, int, Waits]] = field(default_factory=list)


class QueueingSystem:
    """The stations of a scenario, and the paths of its requests through them."""

    def __init__(self, work: Prepared, flows: Sequence[EstimatedWorkload], drives: DriveBenchmarks) -> None:
        self.work, self.flows, self.drives = work, flows, drives
        simulation = work.plan["simulation"]
        self.volumes: Sequence[Mapping[str, Any]] = simulation["volumes"]
        self.controller: Mapping[str, Any] = simulation["controller"] or {}
        self.pools: Sequence[Mapping[str, Any]] = simulation["pools"]
        self.virtual: Sequence[Mapping[str, Any]] = simulation.get("virtual_pools", ())
        self.geometries = [PoolGeometry.of(pool, _usable(pool)) for pool in self.pools]
        self.assumptions = list(assumed(flows, self.controller, self.virtual))
        self._moving = [MoveState() for _ in self.virtual]

    def solved(self) -> tuple[Network, SolvedNetwork]:
        """The network and its solution."""
        rates: Sequence[float] = [flow.rate or float(flow.outstanding or 1) for flow in self.flows]
        full = False
        for _ in range(_ROUNDS * (3 if self.virtual else 1)):
            network = self.network(rates, full=full)
            found = network.solve()
            settled = full or not found.held_back
            settled &= (len(self.flows) == 1 and not self.virtual) or _near(found.rates, rates)
            settled &= self._paced(network, found)
            if settled:
                break
            rates, full = found.rates, found.held_back
        return network, found

    def phases(self) -> list[DestagePhase]:
        """Phases of the scenario: by watermarks a cache destages at full rate for a while, then pauses."""
        network, found = self.solved()
        whole = [DestagePhase(1.0, network, found)]
        cache = self.controller.get("cache") or {}
        by_watermark = cache.get("destage") == "watermark" and not self.virtual
        if network.background is None or not by_watermark or found.held_back or found.saturated:
            return whole
        rates, quiet = found.rates, self.network(found.rates, behind=0.0)
        paused = quiet.solve()
        draining, behind = paused, sum(rates)
        for _ in range(_ROUNDS):
            busy = self.network(rates, behind=behind)
            if busy.background is None:
                return whole
            draining, found_behind = _drain(busy, draining.rates)
            settled = abs(found_behind - behind) <= 0.05 * behind and _near(draining.rates, rates)
            rates, behind = draining.rates, found_behind
            if settled:
                break
        asked, left = sum(paused.rates), behind - sum(draining.rates)
        if (
            paused.saturated
            or draining.saturated
            or left <= 0
            or any(math.isinf(r) for r in draining.responses)
        ):
            return whole
        share = asked / (left + asked)
        return [DestagePhase(share, busy, draining), DestagePhase(1 - share, quiet, paused)]

    def network(self, rates: Sequence[float], *, full: bool = False, behind: float | None = None) -> Network:
        """Stations and paths where flows go at such rates.

        ``full``: writes wait for destages. ``behind``: for how many requests a second is destaged, where
        that is not as many as there are.
        """
        cache, total = self.controller.get("cache"), sum(rates)
        kept = None if cache is None else cache_state(cache, self.flows, rates, full=full)
        asked = [operation_counts.requests_of_flow(flow, kept) for flow in self.flows]
        runs = operation_counts.requests_of_destages(kept, total)
        count = OperationCounter(self.geometries, self.volumes, self._hybrids(asked, runs, rates))
        waits: dict[tuple[int, bool], Waits] = {}
        for number, flow in enumerate(self.flows):
            for write, share in ((False, flow.read_share), (True, 1 - flow.read_share)):
                if share > 0:
                    waits[number, write] = count.requests(asked[number][write], number)
        last = len(self.flows)
        destages = count.requests(runs, last)
        for one, moving in zip(count.hybrids, self._moving, strict=True):
            moving.done = count.moves(one, last, total)
        going = [*rates, total if behind is None else behind]
        sets = [self._sets(pool, count.wanted[pool], going) for pool in range(len(self.pools))]
        stations = front_stations(self.controller, self.flows)
        passed = back_end_stations(self.controller, count)
        paths = []
        for (number, write), waited in waits.items():
            flow = self.flows[number]
            share = 1 - flow.read_share if write else flow.read_share
            before = front_legs(self.controller, stations, flow, write)
            command = command_legs(self.controller, passed, waited, self.geometries, share, write=write)
            legs = (*before, *command, *_legs(waited, sets, share))
            paths.append(RequestPath(number, write, share, legs, front_fixed_s(self.controller, write)))
        background = None
        if destages and cache is not None:
            command = command_legs(self.controller, passed, destages, self.geometries, 1.0, write=True)
            background = Background(cache["destage_outstanding"], (*command, *_legs(destages, sets, 1.0)))
        self._stations = sets
        every = [*stations, *passed, *sets]
        return Network(self.flows, [one for one in every if one is not None], paths, background, behind)

    def _hybrids(
        self, asked: Sequence[tuple[RequestMix, RequestMix]], runs: RequestMix, rates: Sequence[float]
    ) -> list[Hybrid]:
        """The virtual pools under what is asked of their volumes."""
        found = []
        every = [(own, rate) for both, rate in zip(asked, rates, strict=True) for own in both]
        for number, plan in enumerate(self.virtual):
            loads: dict[AddressRange, tuple[float, float]] = {}
            for own, rate in (*every, (runs, sum(rates))):
                for request, places in own.items():
                    if self.volumes[request.volume]["pool"] != len(self.pools) + number:
                        continue
                    for where, times in places.items():
                        place = shifted(where, self.volumes[request.volume])
                        reads, writes = loads.get(place, (0.0, 0.0))
                        add = times * rate
                        loads[place] = (reads, writes + add) if request.write else (reads + add, writes)
            moving = self._moving[number]
            found.append(hybrid.steady_state(plan, loads, slower=moving.slower, cleaned=moving.cleaned))
        return found

    def _paced(self, network: Network, found: SolvedNetwork) -> bool:
        """Slow down what moves faster than it can; whether it was as fast as it is already."""
        calm, seen = True, network.seen(found.rates)
        for moving in self._moving:
            for number, (rate, outstanding, waits) in enumerate(moving.done):
                one = response(list(_legs(waits, self._stations, 1.0)), seen, 1.0)
                ratio = rate * one / outstanding if math.isfinite(one) else 10.0
                ratio = min(max(ratio, 0.1), 10.0) ** 0.7
                if number == 0:
                    changed = max(1.0, moving.slower * ratio)
                    calm &= abs(changed / moving.slower - 1) < _CALM
                    moving.slower = changed
                else:
                    changed = min(1.0, moving.cleaned / ratio)
                    calm &= abs(changed / moving.cleaned - 1) < _CALM
                    moving.cleaned = changed
        return calm

    def _sets(self, at: int, wanted: PoolDemand, every: Sequence[float]) -> Sets | None:
        geometry = self.geometries[at]
        mix, together = wanted.at(every)
        if not mix:
            return None
        pool = self.work.scenario.array.pool[at]
        curve = self.drives.curve(
            identity(pool), self.pools[at], mix, mirrored=geometry.mirrored, parity=geometry.updated_parity
        )
        name = self.work.plan["names"]["pools"][at]
        station = Sets(
            name, "drives" if geometry.mirrored == 1 else "mirrors", geometry.sets, curve, together
        )
        station.uneven = _uneven(wanted, every, geometry.sets)
        for flow, own in wanted.mixes.items():
            station.visit(flow, count_commands(own))
        return station


def _legs(waits: Waits, sets: Sequence[Sets | None], share: float) -> Iterator[Leg]:
    """Legs of requests, where ``waits`` are those of ``share`` of a flow's."""
    for (pool, how, abreast), times in waits.items():
        station = sets[pool]
        if station is not None:
            yield Leg(station, times / share, abreast=abreast, how=how)


def assumed(
    flows: Sequence[EstimatedWorkload], controller: Mapping[str, Any], virtual: Sequence[Mapping[str, Any]]
) -> Iterator[str]:
    """Assumptions of an estimate."""
    yield "estimated, not simulated: a steady state of independent requests, drives as benchmarked alone"
    for flow in flows:
        yield from flow.notes
    if any(stream.access["pattern"] == "sequential" for flow in flows for stream in flow.streams):
        yield "sequences keep the drives of their pool busy evenly"
    cache = controller.get("cache")
    if cache is not None:
        yield "the cache is warm, its references independent"
        policy = cache["replacement"]
        policy = policy if isinstance(policy, str) else policy["policy"]
        if policy != "lru":
            yield f"replacement {policy}: taken as lru"
    if virtual:
        yield "what moves between the parts of virtual pools has settled"


def _drain(network: Network, rates: Sequence[float]) -> tuple[SolvedNetwork, float]:
    """The state while destages run at their limit, and the rate of requests that they serve."""
    solved = None
    for _ in range(_ROUNDS * 2):
        network.behind = network.drained(rates)
        solved = network.solve()
        if _near(solved.rates, rates):
            break
        rates = [(one + other) / 2 for one, other in zip(solved.rates, rates, strict=True)]
    assert solved is not None and network.behind is not None
    return solved, network.behind


def _uneven(wanted: PoolDemand, rates: Sequence[float], sets: int) -> tuple[tuple[float, float], ...]:
    """Shares of the sets, each with its multiple of the mean rate, in coarse steps."""
    single: dict[int, float] = {}
    for flow, own in wanted.single.items():
        for at, count in own.items():
            single[at] = single.get(at, 0.0) + rates[flow] * count
    if not single:
        return ((1.0, 1.0),)
    total = sum(rates[flow] * count_commands(own) for flow, own in wanted.mixes.items())
    rest = max(0.0, total - sum(single.values())) / sets
    times = Counter(round((single.get(at, 0.0) + rest) * sets / total * 10) / 10 for at in range(sets))
    mean = sum(each * number for each, number in times.items()) / sets
    return tuple((number / sets, each / mean) for each, number in sorted(times.items()))


def _usable(pool: Mapping[str, Any]) -> int:
    if "chunklets" in pool:
        raise not_modelled("pools of chunklets", "array.pool.chunklet")
    device, raid = pool["device"], pool["raid"]
    drive_bytes = device["sectors"] * device["sector_bytes"]
    level, code = level_of(raid)
    return usable_bytes(level, pool["count"], raid["stripe_unit_bytes"], drive_bytes, code)


def _near(one: Sequence[float], other: Sequence[float]) -> bool:
    return all(abs(a - b) <= 0.02 * max(a, b) for a, b in zip(one, other, strict=True))
