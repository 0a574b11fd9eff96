"""A scenario as stations and paths: what its controller and pools are to its flows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from iowatt.estimate import back_end
from iowatt.estimate.back_end import Geometry
from iowatt.estimate.drives import Drives, identity
from iowatt.estimate.load import Flow, Stream
from iowatt.estimate.network import Leg, Network, Path, Servers, Sets, Solved
from iowatt.estimate.operations import Mix, Place, commands
from iowatt.estimate.unknown import refuse
from iowatt.evaluation import Prepared
from iowatt.scenario.raid import usable_bytes

#: Mixes of several flows depend on their rates: how often they are found anew.
_ROUNDS = 4


@dataclass
class Wanted:
    """What flows ask of a pool: operations of a request by flow, and the legs that wait for them."""

    mixes: dict[int, Mix] = field(default_factory=dict)
    #: Operations of a request, each times how many are asked together, by flow.
    together: dict[int, float] = field(default_factory=dict)


class System:
    """Stations of a scenario."""

    def __init__(self, work: Prepared, flows: Sequence[Flow], drives: Drives) -> None:
        self.work, self.flows, self.drives = work, flows, drives
        simulation = work.plan["simulation"]
        self.pools: Sequence[Mapping[str, Any]] = simulation["pools"]
        self.geometries = [Geometry.of(pool, _usable(pool)) for pool in self.pools]
        self.wanted = [Wanted() for _ in self.pools]
        self.assumptions: list[str] = []
        self._paths: list[tuple[int, bool, float, list[Any]]] = []
        self._simulation = simulation
        if simulation.get("virtual_pools"):
            raise refuse("virtual pools", "array.virtual_pool")
        if (simulation["controller"] or {}).get("cache"):
            raise refuse("a cache", "array.controller.cache")
        for number, flow in enumerate(flows):
            self._flow(number, flow)

    def _flow(self, number: int, flow: Flow) -> None:
        volume = self._simulation["volumes"][flow.volume]
        pool = volume["pool"]
        geometry, mix = self.geometries[pool], self.wanted[pool].mixes.setdefault(number, {})
        for stream in flow.streams:
            for write, share, sizes in stream.parts:
                places = _places(stream, volume, geometry)
                for size, weight in sizes:
                    asked = back_end.asked(
                        geometry, size, write=write, places=places, step=stream.access.get("align") or size
                    )
                    for kind, count in asked.mix.items():
                        mix[kind] = mix.get(kind, 0.0) + share * weight * count
                    own = self.wanted[pool].together
                    own[number] = own.get(number, 0.0) + share * weight * asked.together
                    self._paths.append((number, write, share * weight, [(pool, asked.phases)]))

    def solved(self) -> tuple[Network, Solved]:
        """The network, and what it comes to."""
        controller = self._simulation["controller"] or {}
        front = _front(controller, self.flows)
        rates: Sequence[float] = [flow.rate or float(flow.outstanding or 1) for flow in self.flows]
        rounds = _ROUNDS if len(self.flows) > 1 else 1
        for _ in range(rounds):
            sets = [self._sets(at, rates) for at in range(len(self.pools))]
            network = self._network(sets, front)
            found = network.solve()
            if rounds == 1 or _near(found.rates, rates):
                break
            rates = found.rates
        return network, found

    def _sets(self, at: int, rates: Sequence[float]) -> Sets | None:
        wanted, geometry = self.wanted[at], self.geometries[at]
        mix: Mix = {}
        for flow, own in wanted.mixes.items():
            for kind, count in own.items():
                mix[kind] = mix.get(kind, 0.0) + rates[flow] * count
        if not mix:
            return None
        pool = self.work.scenario.array.pool[at]
        curve = self.drives.curve(
            identity(pool), self.pools[at], mix, mirrored=geometry.mirrored, parity=geometry.parity
        )
        name = self.work.plan["names"]["pools"][at]
        together = sum(rates[flow] * own for flow, own in wanted.together.items())
        station = Sets(
            name,
            "drives" if geometry.mirrored == 1 else "mirrors",
            geometry.sets,
            curve,
            together / sum(mix.values()),
        )
        for flow, own in wanted.mixes.items():
            station.visit(flow, commands(own))
        return station

    def _network(self, sets: Sequence[Sets | None], front: Sequence[Servers]) -> Network:
        paths = []
        for flow, write, share, visits in self._paths:
            legs = [
                Leg(station, times, abreast=abreast, how=how)
                for pool, phases in visits
                if (station := sets[pool]) is not None
                for how, times, abreast in phases
            ]
            legs += _front_legs(self._simulation["controller"] or {}, front, self.flows[flow], write)
            paths.append(Path(flow, write, share, tuple(legs)))
        return Network(self.flows, [*front, *(one for one in sets if one is not None)], paths)


def _usable(pool: Mapping[str, Any]) -> int:
    if "chunklets" in pool:
        raise refuse("pools of chunklets", "array.pool.chunklet")
    device, raid = pool["device"], pool["raid"]
    drive_bytes = device["sectors"] * device["sector_bytes"]
    return usable_bytes(int(raid["level"]), pool["count"], raid["stripe_unit_bytes"], drive_bytes)


def _places(stream: Stream, volume: Mapping[str, Any], geometry: Geometry) -> list[tuple[Place, float]]:
    first = (volume["offset_bytes"] + stream.start) / geometry.usable
    last = (volume["offset_bytes"] + stream.end) / geometry.usable
    pattern = stream.access["pattern"]
    if pattern == "sequential":
        return [(Place(first, min(1.0, last), int(stream.access.get("cursors", 1))), 1.0)]
    return [(Place(first, min(1.0, last)), 1.0)]


def _front(controller: Mapping[str, Any], flows: Sequence[Flow]) -> list[Servers]:
    found = []
    processing, link = controller.get("processing"), controller.get("host_bandwidth_bytes_per_s")
    if processing:
        station = Servers("processors", "processor", processing["processors"])
        for number, flow in enumerate(flows):
            station.visit(number, flow.read_share, processing["read_s"])
            station.visit(number, 1 - flow.read_share, processing["write_s"])
        found.append(station)
    if link:
        station = Servers("host link", "link", 1)
        for number, flow in enumerate(flows):
            for stream in flow.streams:
                for _, share, sizes in stream.parts:
                    for bytes_, weight in sizes:
                        station.visit(number, share * weight, bytes_ / link)
        found.append(station)
    return found


def _front_legs(
    controller: Mapping[str, Any], front: Sequence[Servers], flow: Flow, write: bool
) -> list[Leg]:
    legs = []
    for station in front:
        if station.kind == "processor":
            legs.append(Leg(station, 1.0, controller["processing"]["write_s" if write else "read_s"]))
        else:
            sizes = [
                (share * weight, bytes_)
                for stream in flow.streams
                for of_write, share, mix in stream.parts
                if of_write == write
                for bytes_, weight in mix
            ]
            total = sum(share for share, _ in sizes)
            mean = sum(share * bytes_ for share, bytes_ in sizes) / total
            legs.append(Leg(station, 1.0, mean / controller["host_bandwidth_bytes_per_s"]))
    return legs


def _near(one: Sequence[float], other: Sequence[float]) -> bool:
    return all(abs(a - b) <= 0.02 * max(a, b) for a, b in zip(one, other, strict=True))
