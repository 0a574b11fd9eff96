"""Requests of flows and destages, counted as operations of the pools' drives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from iowatt.evaluate.estimate import operations
from iowatt.evaluate.estimate.caching import SPREAD, CacheState
from iowatt.evaluate.estimate.drives import coarse
from iowatt.evaluate.estimate.hybrid import AddressRange, Hybrid, PartShare
from iowatt.evaluate.estimate.load import EstimatedWorkload, RequestStream, bands, is_banded
from iowatt.evaluate.estimate.operations import AccessRange, How, Mix, PoolGeometry


class VolumeRequest(NamedTuple):
    """Requests to a volume that differ in their place only; ``step`` is what their starts are multiples
    of."""

    volume: int
    write: bool
    size: int
    step: int


#: Requests to a volume for one request of a flow, by place.
RequestMix = dict[VolumeRequest, dict[AddressRange, float]]


def requests_of_flow(flow: EstimatedWorkload, kept: CacheState | None) -> tuple[RequestMix, RequestMix]:
    """The volume requests of a mean request of a flow: reads, and writes."""
    reads, writes = RequestMix(), RequestMix()
    for stream in flow.streams:
        for write, share, sizes in stream.parts:
            if write and kept is not None and kept.cache["write"] == "back":
                continue
            places = _places(flow, stream, None if write else kept, write=write)
            known = writes if write else reads
            for size, weight in sizes:
                fetched, times = size, 1.0
                if kept is not None and not write:
                    fetched, times = kept.fetch(stream, size)
                step = stream.access.get("align_bytes") or fetched
                _add_request(
                    known, VolumeRequest(flow.volume, write, fetched, step), places, share * weight * times
                )
    return reads, writes


def requests_of_destages(kept: CacheState | None, total: float) -> RequestMix:
    """Destages for one request of all flows, which come at the rate ``total``."""
    found = RequestMix()
    for run in () if kept is None else kept.runs:
        size = max(512, round(run.bytes / 4096) * 4096 or round(run.bytes / 512) * 512)
        step = size if run.sequential else 1 << (size.bit_length() - 1)
        where = AddressRange(
            run.first, run.last, run.extent, run.grain, int(run.sequential), not run.sequential
        )
        _add_request(found, VolumeRequest(run.volume, True, size, step), {where: 1.0}, run.rate / total)
    return found


def _places(
    flow: EstimatedWorkload, stream: RequestStream, kept: CacheState | None, *, write: bool
) -> Mapping[AddressRange, float]:
    grain = float(stream.access.get("extent_bytes") or 0)
    if not is_banded(stream):
        sequential = stream.access["pattern"] == "sequential"
        cursors = _cursors(flow, stream, write=write) if sequential else 0
        share = 1.0 if kept is None else kept.missed(flow, stream)
        return {
            AddressRange(stream.start, stream.end, float(stream.end - stream.start), grain, cursors): share
        }
    found: dict[AddressRange, float] = {}
    for band in bands(stream, write=write):
        share = band.share * (1.0 if kept is None else 1 - kept.hit(flow, band))
        where = AddressRange(band.first, band.last, band.bytes, grain)
        if share > 0:
            found[where] = found.get(where, 0.0) + share
    return found


def _cursors(flow: EstimatedWorkload, stream: RequestStream, *, write: bool) -> int:
    """Sequences of one direction over the range of a stream, its own among them."""
    return sum(
        int(other.access.get("cursors", 1))
        for other in flow.streams
        if other.access["pattern"] == "sequential"
        and (other.start, other.end) == (stream.start, stream.end)
        and any(part[0] == write for part in other.parts)
    )


def _add_request(
    asked: RequestMix, request: VolumeRequest, places: Mapping[AddressRange, float], times: float
) -> None:
    known = asked.setdefault(request, {})
    for where, share in places.items():
        known[where] = known.get(where, 0.0) + share * times


def joined(asked: Sequence[RequestMix]) -> dict[tuple[AddressRange, bool], float]:
    """All of it by place and direction, whatever the size."""
    found: dict[tuple[AddressRange, bool], float] = {}
    for one in asked:
        for request, places in one.items():
            for where, times in places.items():
                key = (where, request.write)
                found[key] = found.get(key, 0.0) + times
    return found


#: How often is waited for operations of a pool, by what they are and how many of them together.
Waits = dict[tuple[int, How, float], float]

#: Ranges of fewer stripes have their parity on few drives.
_STRIPES: Final = 4
#: What an update of parity at the place of the one before it counts: disks find it on the same track (set by
#: hot bands of the development seed).
_AGAIN: Final = 0.5


@dataclass
class PoolDemand:
    """What is asked of a pool for each request of a flow: operations, and each times how many come
    together."""

    mixes: dict[int, Mix] = field(default_factory=dict)
    together: dict[int, float] = field(default_factory=dict)
    #: By flow, the operations that fall on single sets.
    single: dict[int, dict[int, float]] = field(default_factory=dict)

    def add(self, flow: int, share: float, asked: operations.RequestOperations) -> None:
        """Count a share of a flow's requests."""
        mix = self.mixes.setdefault(flow, {})
        for kind, count in asked.mix.items():
            mix[kind] = mix.get(kind, 0.0) + share * count
        self.together[flow] = self.together.get(flow, 0.0) + share * asked.together

    def at(self, rates: Sequence[float]) -> tuple[Mix, float]:
        """Operations a second where flows go at ``rates``, and how many come together; empty without any."""
        mix: Mix = {}
        for flow, own in self.mixes.items():
            for kind, count in own.items():
                mix[kind] = mix.get(kind, 0.0) + rates[flow] * count
        mix = {kind: count for kind, count in mix.items() if count > 0}
        if not mix:
            return mix, 0.0
        return mix, sum(rates[flow] * own for flow, own in self.together.items()) / sum(mix.values())


class OperationCounter:
    """Counts operations by pool."""

    def __init__(
        self,
        geometries: Sequence[PoolGeometry],
        volumes: Sequence[Mapping[str, Any]],
        hybrids: Sequence[Hybrid],
    ) -> None:
        self.geometries, self.volumes, self.hybrids = geometries, volumes, hybrids
        self.wanted = [PoolDemand() for _ in geometries]
        self._known: dict[tuple[int, int, AddressRange, bool], list[tuple[int, AccessRange, float]]] = {}
        #: Commands to drives for a request of each flow: all, and those that are made for writes.
        self.commands: dict[int, float] = {}
        self.write_commands: dict[int, float] = {}

    def requests(self, asked: RequestMix, flow: int) -> Waits:
        """Count what a mean request of a flow asks for, and say what is waited for."""
        waits: Waits = {}
        for request, places in asked.items():
            for pool, on_drives in self._places(request.volume, places, write=request.write).items():
                self._single(flow, pool, request, places)
                self._count(
                    waits, flow, pool, on_drives, size=request.size, step=request.step, write=request.write
                )
                if request.write:
                    of_writes = self._commands(pool, on_drives, request.size, request.step)
                    self.write_commands[flow] = self.write_commands.get(flow, 0.0) + of_writes
        return waits

    def _single(
        self, flow: int, pool: int, request: VolumeRequest, places: Mapping[AddressRange, float]
    ) -> None:
        """Count what falls on single sets: small hot ranges, and the parity of stripes that are written long.

        A sequence writes one stripe at a time, whose parity is on one drive; so does a range of few stripes.
        """
        geometry, offset = self.geometries[pool], self.volumes[request.volume]["offset_bytes"]
        if self.volumes[request.volume]["pool"] != pool or geometry.level == 1:
            return
        own = self.wanted[pool].single.setdefault(flow, {})
        parity = geometry.updated_parity if request.write else 0
        stripe = geometry.unit * (geometry.sets - geometry.parity)
        for where, times in places.items():
            scattered = where.bytes < where.last - where.first - 1
            updated = parity > 0 and request.size < stripe / 2
            if where.cursors:
                if updated and geometry.moving:  # buffers of flash even out what moves on
                    apart = 1 + (where.cursors - 1) * min(1.0, SPREAD / stripe)
                    sets = min(geometry.sets, round(apart * parity))
                    _add(own, range(sets), times * 2 * parity * _AGAIN)
                continue
            if scattered or where.bytes >= _STRIPES * stripe:
                continue
            begin = where.first + offset
            end = begin + max(where.bytes, request.size) - 1
            if updated:
                stripes = range(int(begin // stripe), int(end // stripe) + 1)
                behind = [-1 - one - copy for one in stripes for copy in range(parity)]
                _add(own, [one % geometry.sets for one in behind], times * 2 * parity * _AGAIN)
            if where.bytes < geometry.unit * geometry.sets / 2:
                units = range(int(begin // geometry.unit), int(end // geometry.unit) + 1)
                commands = 2 if updated else 1
                _add(own, [one % geometry.sets for one in units], times * commands)

    def moves(self, hybrid: Hybrid, flow: int, total: float) -> list[tuple[float, int, Waits]]:
        """Count a virtual pool's moves, for one request of all flows: their rate and what one waits for.

        Admissions first; then the write-backs of copies, where there are any.
        """
        found: list[tuple[float, int, Waits]] = []
        for move in hybrid.moves:
            if not found or abs(move.rate - found[-1][0]) > 1e-9 * move.rate:
                found.append((move.rate, hybrid.outstanding, {}))
            place = {self._place(move.pool, move.first, move.last, 0, False): move.rate / total}
            waits: Waits = {}
            self._count(waits, flow, move.pool, place, size=move.bytes, step=move.bytes, write=move.write)
            for key, often in waits.items():
                known = found[-1][2]
                known[key] = known.get(key, 0.0) + often * total / move.rate
        return found

    def _places(
        self, volume: int, places: Mapping[AddressRange, float], *, write: bool
    ) -> dict[int, dict[AccessRange, float]]:
        """Places on the drives of each pool, and how often."""
        plan, found = self.volumes[volume], dict[int, dict[AccessRange, float]]()
        pool, offset = plan["pool"], plan["offset_bytes"]
        for where, times in places.items():
            for part, place, share in self._spots(pool, offset, where, write=write):
                known = found.setdefault(part, {})
                known[place] = known.get(place, 0.0) + times * share
        return found

    def _spots(
        self, pool: int, offset: int, where: AddressRange, *, write: bool
    ) -> list[tuple[int, AccessRange, float]]:
        """Where a band of a volume lies: pools, places on their drives, shares."""
        key = (pool, offset, where, write)
        if key not in self._known:
            band = where._replace(first=where.first + offset, last=where.last + offset)
            if pool < len(self.geometries):
                targets = [PartShare(pool, band.first, band.last, 1.0)]
            else:
                targets = self.hybrids[pool - len(self.geometries)].targets(band, write=write)
            self._known[key] = [
                (to.pool, self._place(to.pool, to.first, to.last, where.cursors, where.sweep), to.share)
                for to in targets
            ]
        return self._known[key]

    def _place(self, pool: int, first: int, last: int, cursors: int, sweep: bool) -> AccessRange:
        usable = self.geometries[pool].usable
        return coarse(AccessRange(first / usable, min(1.0, last / usable), cursors, sweep))

    def _count(
        self,
        waits: Waits,
        flow: int,
        pool: int,
        places: Mapping[AccessRange, float],
        *,
        size: int,
        step: int,
        write: bool,
    ) -> None:
        total = sum(places.values())
        if total <= 0:
            return
        shares = [(place, share / total) for place, share in places.items()]
        geometry = self.geometries[pool]
        one = operations.request_operations(geometry, size, write=write, places=shares, step=step)
        self.wanted[pool].add(flow, total, one)
        self.commands[flow] = self.commands.get(flow, 0.0) + total * one.commands
        for how, often, abreast in one.phases:
            key = (pool, how, round(abreast, 2))
            waits[key] = waits.get(key, 0.0) + total * often

    def _commands(self, pool: int, places: Mapping[AccessRange, float], size: int, step: int) -> float:
        geometry = self.geometries[pool]
        one = operations.request_operations(
            geometry, size, write=True, places=[(AccessRange(), 1.0)], step=step
        )
        return sum(places.values()) * one.commands


def _add(own: dict[int, float], sets: Sequence[int], count: float) -> None:
    """Spread a count over sets."""
    for at in sets:
        own[at] = own.get(at, 0.0) + count / len(sets)


def shifted(where: AddressRange, volume: Mapping[str, Any]) -> AddressRange:
    """A band of a volume as a band of the pool below it."""
    offset = volume["offset_bytes"]
    return where._replace(first=where.first + offset, last=where.last + offset)
