"""A scenario as stations and paths: what its controller and pools are to its flows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from iowatt.estimate import back_end, front
from iowatt.estimate.back_end import Asked, Geometry
from iowatt.estimate.caching import Cached, cached
from iowatt.estimate.drives import Drives, coarse, identity
from iowatt.estimate.load import Flow, Sizes, Stream
from iowatt.estimate.locality import bands, is_banded
from iowatt.estimate.network import Background, Leg, Network, Path, Sets, Solved
from iowatt.estimate.operations import How, Mix, Place, commands
from iowatt.estimate.unknown import refuse
from iowatt.evaluation import Prepared
from iowatt.scenario.raid import usable_bytes

#: Mixes of several flows depend on their rates: how often they are found anew.
_ROUNDS = 4


class Request(NamedTuple):
    """Requests that a pool takes alike, wherever they fall."""

    pool: int
    write: bool
    size: int
    step: int


#: How often is waited for operations of a pool, by what they are and how many of them together.
Waits = dict[tuple[int, How, float], float]
#: Of each, places and how often a request of a flow leads to one there.
Requests = dict[Request, dict[Place, float]]


@dataclass
class Wanted:
    """What is asked of a pool for each request of a flow: operations, and each times how many come together."""

    mixes: dict[int, Mix] = field(default_factory=dict)
    together: dict[int, float] = field(default_factory=dict)

    def add(self, flow: int, share: float, asked: Asked) -> None:
        """Count a share of a flow's requests."""
        mix = self.mixes.setdefault(flow, {})
        for kind, count in asked.mix.items():
            mix[kind] = mix.get(kind, 0.0) + share * count
        self.together[flow] = self.together.get(flow, 0.0) + share * asked.together


class System:
    """Stations of a scenario."""

    def __init__(self, work: Prepared, flows: Sequence[Flow], drives: Drives) -> None:
        self.work, self.flows, self.drives = work, flows, drives
        simulation = work.plan["simulation"]
        self.simulation = simulation
        self.controller: Mapping[str, Any] = simulation["controller"] or {}
        self.pools: Sequence[Mapping[str, Any]] = simulation["pools"]
        self.geometries = [Geometry.of(pool, _usable(pool)) for pool in self.pools]
        self.assumptions: list[str] = []
        if simulation.get("virtual_pools"):
            raise refuse("virtual pools", "array.virtual_pool")

    def solved(self) -> tuple[Network, Solved]:
        """The network, and what it comes to."""
        rates: Sequence[float] = [flow.rate or float(flow.outstanding or 1) for flow in self.flows]
        full = False
        for _ in range(_ROUNDS):
            network = self.network(rates, full=full)
            found = network.solve()
            alone = len(self.flows) == 1 or _near(found.rates, rates)
            if alone and (full or not found.held_back):
                break
            rates, full = found.rates, found.held_back
        return network, found

    def network(self, rates: Sequence[float], *, full: bool = False) -> Network:
        """Stations and paths where flows go at such rates; ``full``: writes wait for destages."""
        cache = self.controller.get("cache")
        kept = None if cache is None else cached(cache, self.flows, rates, full=full)
        wanted = [Wanted() for _ in self.pools]
        waits: dict[tuple[int, bool], Waits] = {}
        for number, flow in enumerate(self.flows):
            asked = {False: Requests(), True: Requests()}
            for stream in flow.streams:
                for write, share, sizes in stream.parts:
                    self._of_stream(asked[write], kept, flow, stream, write, share, sizes)
            for write, share in ((False, flow.read_share), (True, 1 - flow.read_share)):
                if share > 0:
                    waits[number, write] = self._count(asked[write], wanted, number)
        runs = Requests()
        total = sum(rates)
        for run in () if kept is None else kept.runs:
            size = max(512, round(run.bytes / 4096) * 4096 or round(run.bytes / 512) * 512)
            step = size if run.sequential else 1 << (size.bit_length() - 1)
            places = {
                self._place(run.volume, run.first, run.last, int(run.sequential), not run.sequential): 1.0
            }
            self._put(runs, run.volume, True, size, step, places, run.rate / total)
        destages = self._count(runs, wanted, len(self.flows))
        sets = [self._sets(pool, wanted[pool], rates) for pool in range(len(self.pools))]
        stations = front.stations(self.controller, self.flows)
        paths = []
        for (number, write), waited in waits.items():
            flow = self.flows[number]
            share = 1 - flow.read_share if write else flow.read_share
            legs = (
                *front.legs(self.controller, stations, flow, write),
                *_legs(waited, sets, share),
            )
            paths.append(Path(number, write, share, legs, front.fixed_s(self.controller, write)))
        background = None
        if destages and cache is not None:
            background = Background(cache["destage_outstanding"], tuple(_legs(destages, sets, 1.0)))
        return Network(self.flows, [*stations, *(one for one in sets if one is not None)], paths, background)

    def _of_stream(
        self,
        asked: Requests,
        kept: Cached | None,
        flow: Flow,
        stream: Stream,
        write: bool,
        share: float,
        sizes: Sizes,
    ) -> None:
        """Count what a stream's requests of one direction ask of pools."""
        if write and kept is not None and kept.cache["write"] == "back":
            return
        cursors = int(stream.access.get("cursors", 1)) if stream.access["pattern"] == "sequential" else 0
        if kept is not None and not write:
            where = kept.misses(flow, stream)
        elif is_banded(stream):
            where = [(band.share, band.first, band.last) for band in bands(stream, write=write)]
        else:
            where = [(1.0, stream.start, stream.end)]
        places: dict[Place, float] = {}
        for part, first, last in where:
            if part > 0:
                place = self._place(flow.volume, first, last, cursors, False)
                places[place] = places.get(place, 0.0) + part
        for size, weight in sizes:
            fetched, times = size, 1.0
            if kept is not None and not write:
                fetched, times = kept.fetch(stream, size)
            step = stream.access.get("align_bytes") or fetched
            self._put(asked, flow.volume, write, fetched, step, places, share * weight * times)

    def _put(
        self,
        asked: Requests,
        volume: int,
        write: bool,
        size: int,
        step: int,
        places: Mapping[Place, float],
        times: float,
    ) -> None:
        known = asked.setdefault(Request(self.simulation["volumes"][volume]["pool"], write, size, step), {})
        for place, share in places.items():
            known[place] = known.get(place, 0.0) + share * times

    def _place(self, volume: int, first: int, last: int, cursors: int, sweep: bool) -> Place:
        plan = self.simulation["volumes"][volume]
        usable, offset = self.geometries[plan["pool"]].usable, plan["offset_bytes"]
        return coarse(Place((offset + first) / usable, min(1.0, (offset + last) / usable), cursors, sweep))

    def _count(self, asked: Requests, wanted: Sequence[Wanted], flow: int) -> Waits:
        """Count the operations of a flow's requests, and say what is waited for."""
        waits: Waits = {}
        for request, places in asked.items():
            total = sum(places.values())
            if total <= 0:
                continue
            shares = [(place, share / total) for place, share in places.items()]
            geometry = self.geometries[request.pool]
            one = back_end.asked(
                geometry, request.size, write=request.write, places=shares, step=request.step
            )
            wanted[request.pool].add(flow, total, one)
            for how, often, abreast in one.phases:
                key = (request.pool, how, round(abreast, 2))
                waits[key] = waits.get(key, 0.0) + total * often
        return waits

    def _sets(self, at: int, wanted: Wanted, rates: Sequence[float]) -> Sets | None:
        every = [*rates, sum(rates)]
        geometry = self.geometries[at]
        mix: Mix = {}
        for flow, own in wanted.mixes.items():
            for kind, count in own.items():
                mix[kind] = mix.get(kind, 0.0) + every[flow] * count
        if not mix:
            return None
        pool = self.work.scenario.array.pool[at]
        curve = self.drives.curve(
            identity(pool), self.pools[at], mix, mirrored=geometry.mirrored, parity=geometry.parity
        )
        together = sum(every[flow] * own for flow, own in wanted.together.items()) / sum(mix.values())
        name = self.work.plan["names"]["pools"][at]
        station = Sets(
            name, "drives" if geometry.mirrored == 1 else "mirrors", geometry.sets, curve, together
        )
        for flow, own in wanted.mixes.items():
            station.visit(flow, commands(own))
        return station


def _legs(waits: Waits, sets: Sequence[Sets | None], share: float) -> Iterator[Leg]:
    """What requests wait for, where ``waits`` are those of ``share`` of a flow's."""
    for (pool, how, abreast), times in waits.items():
        station = sets[pool]
        if station is not None:
            yield Leg(station, times / share, abreast=abreast, how=how)


def _usable(pool: Mapping[str, Any]) -> int:
    if "chunklets" in pool:
        raise refuse("pools of chunklets", "array.pool.chunklet")
    device, raid = pool["device"], pool["raid"]
    drive_bytes = device["sectors"] * device["sector_bytes"]
    return usable_bytes(int(raid["level"]), pool["count"], raid["stripe_unit_bytes"], drive_bytes)


def _near(one: Sequence[float], other: Sequence[float]) -> bool:
    return all(abs(a - b) <= 0.02 * max(a, b) for a, b in zip(one, other, strict=True))
