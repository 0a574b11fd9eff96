"""A scenario as stations and paths: what its controller and pools are to its flows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from iowatt.estimate import back_end, front
from iowatt.estimate.back_end import Asked, Geometry
from iowatt.estimate.caching import Cached, cached
from iowatt.estimate.drives import Drives, identity
from iowatt.estimate.load import Flow, Stream
from iowatt.estimate.locality import Band, bands, is_banded
from iowatt.estimate.network import Background, Leg, Network, Path, Sets, Solved
from iowatt.estimate.operations import Mix, Place, commands
from iowatt.estimate.unknown import refuse
from iowatt.evaluation import Prepared
from iowatt.scenario.raid import usable_bytes

#: Mixes of several flows depend on their rates: how often they are found anew.
_ROUNDS = 4

#: (share of a flow's requests or rate, what of the pool it asks for, is waited for together with others)
Visits = list[tuple[int, float, Asked]]


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
        visits: list[tuple[int, bool, float, Visits]] = []
        for number, flow in enumerate(self.flows):
            for stream in flow.streams:
                for write, share, sizes in stream.parts:
                    for size, weight in sizes:
                        own = list(self._visits(kept, flow, stream, size, write=write))
                        for pool, times, asked in own:
                            wanted[pool].add(number, share * weight * times, asked)
                        visits.append((number, write, share * weight, own))
        destages = self._destages(kept, rates, wanted)
        sets = [self._sets(pool, wanted[pool], rates) for pool in range(len(self.pools))]
        stations = front.stations(self.controller, self.flows)
        paths = [
            Path(
                flow,
                write,
                share,
                (*front.legs(self.controller, stations, self.flows[flow], write), *_legs(own, sets)),
                front.fixed_s(self.controller, write),
            )
            for flow, write, share, own in visits
        ]
        background = None
        if destages and cache is not None:
            background = Background(cache["destage_outstanding"], tuple(_legs(destages, sets)))
        return Network(self.flows, [*stations, *(one for one in sets if one is not None)], paths, background)

    def _visits(
        self, kept: Cached | None, flow: Flow, stream: Stream, size: int, *, write: bool
    ) -> Iterable[tuple[int, float, Asked]]:
        """What a request of a stream asks of pools, and how often."""
        if write and kept is not None and kept.cache["write"] == "back":
            return
        if kept is not None and not write:
            fetches = kept.misses(flow, stream, size)
        elif is_banded(stream):
            fetches = [(band.share, size, band) for band in bands(stream, write=write)]
        else:
            fetches = [(1.0, size, Band(stream.start, stream.end, float(stream.end - stream.start), 1.0))]
        cursors = int(stream.access.get("cursors", 1)) if stream.access["pattern"] == "sequential" else 0
        step = stream.access.get("align_bytes") or fetches[0][1]
        yield from self._asked(
            flow.volume,
            [(share, band.first, band.last) for share, _, band in fetches],
            fetches[0][1],
            write=write,
            step=step,
            cursors=cursors,
        )

    def _asked(
        self,
        volume: int,
        where: Sequence[tuple[float, int, int]],
        size: int,
        *,
        write: bool,
        step: int | None,
        cursors: int = 0,
        sweep: bool = False,
    ) -> Iterable[tuple[int, float, Asked]]:
        plan = self.simulation["volumes"][volume]
        geometry, offset = self.geometries[plan["pool"]], plan["offset_bytes"]
        total = sum(share for share, _, _ in where)
        if total <= 0:
            return
        places: dict[Place, float] = {}
        for share, first, last in where:
            if share > 0:
                place = Place(
                    (offset + first) / geometry.usable,
                    min(1.0, (offset + last) / geometry.usable),
                    cursors,
                    sweep,
                )
                places[place] = places.get(place, 0.0) + share / total
        asked = back_end.asked(geometry, size, write=write, places=list(places.items()), step=step)
        yield plan["pool"], total, asked

    def _destages(self, kept: Cached | None, rates: Sequence[float], wanted: Sequence[Wanted]) -> Visits:
        """Destages for each request of the flows that write to their volume, in proportion to their rates."""
        found: Visits = []
        total = sum(rates)
        for run in () if kept is None else kept.runs:
            size = max(512, round(run.bytes / 4096) * 4096 or round(run.bytes / 512) * 512)
            for pool, times, asked in self._asked(
                run.volume,
                [(1.0, run.first, run.last)],
                size,
                write=True,
                step=size if run.sequential else None,
                cursors=1 if run.sequential else 0,
                sweep=not run.sequential,
            ):
                own = len(self.flows)
                wanted[pool].add(own, times * run.rate / total, asked)
                found.append((pool, times * run.rate / total, asked))
        return found

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


def _legs(visits: Visits, sets: Sequence[Sets | None]) -> Iterable[Leg]:
    for pool, times, asked in visits:
        station = sets[pool]
        if station is not None:
            for how, often, abreast in asked.phases:
                yield Leg(station, times * often, abreast=abreast, how=how)


def _usable(pool: Mapping[str, Any]) -> int:
    if "chunklets" in pool:
        raise refuse("pools of chunklets", "array.pool.chunklet")
    device, raid = pool["device"], pool["raid"]
    drive_bytes = device["sectors"] * device["sector_bytes"]
    return usable_bytes(int(raid["level"]), pool["count"], raid["stripe_unit_bytes"], drive_bytes)


def _near(one: Sequence[float], other: Sequence[float]) -> bool:
    return all(abs(a - b) <= 0.02 * max(a, b) for a, b in zip(one, other, strict=True))
