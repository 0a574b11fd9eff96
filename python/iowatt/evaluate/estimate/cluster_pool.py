"""A pool of a cluster as the estimator sees it: its placement groups, where they lie, what a request asks.

The rules are those of the simulator (docs/models/cluster.md): a request is cut at the borders of objects, and
each part goes to the node that serves its placement group, which asks its own drive or those of others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from iowatt.evaluate.estimate.load import EstimatedWorkload, RequestStream, bands, is_banded
from iowatt.evaluate.estimate.operations import (
    AccessRange,
    How,
    Mix,
    OperationKind,
    PoolGeometry,
    RequestOperations,
    raid_work,
    request_operations,
)
from iowatt.evaluate.estimate.unknown import not_modelled
from iowatt.model.raid import data_drives, level_of

#: Load of one object, over the mean of a drive, from which drives are no longer asked alike.
_HOT = 0.5


class PartOfRequest(NamedTuple):
    """What a part of a request in one object asks for, ``parts`` of which make a request on the mean."""

    write: bool
    parts: float
    size: float
    asked: RequestOperations


@dataclass(frozen=True)
class PlacedPool:
    """A pool over the drives of nodes."""

    name: str
    #: Its number among all pools, and its cluster's.
    number: int
    cluster: int
    plan: Mapping[str, Any]
    drives: int
    #: Members of a placement group, bytes of an object, the share of a drive that members take.
    members: int
    object_bytes: int
    used: float
    #: Of an erasure code; None where members are copies.
    geometry: PoolGeometry | None
    #: By kind of nodes, its share of the drives.
    kinds: Mapping[int, float]
    #: Chance that two members of a group are in one rack.
    same_rack: float
    pipelined: bool
    #: Members that must have a write.
    acks: int

    @classmethod
    def of(cls, work_plan: Mapping[str, Any], cluster: int, own: Mapping[str, Any]) -> PlacedPool:
        """The pool ``own`` of a cluster's plan."""
        simulation, nodes = work_plan["simulation"], work_plan["simulation"]["clusters"][cluster]["nodes"]
        plan = simulation["pools"][own["pool"]]
        (region,) = plan["chunklets"]["regions"]
        level, code = level_of(region["raid"])
        unit, members, drives = region["raid"]["stripe_unit_bytes"], region["set_size"], plan["count"]
        data = data_drives(level, members, code)
        each = plan["device"]["sectors"] * plan["device"]["sector_bytes"] // plan["chunklets"]["bytes"]
        at = [nodes[node] for node in own["node_of_drive"]]
        return cls(
            name=work_plan["names"]["pools"][own["pool"]],
            number=own["pool"],
            cluster=cluster,
            plan=plan,
            drives=drives,
            members=members,
            object_bytes=unit * data,
            used=1 - plan["chunklets"]["spare"] / each,
            geometry=None
            if level == 1
            else PoolGeometry(
                level, members, drives, 1, unit, 1, drives, plan["device"]["kind"] == "hdd", code
            ),
            kinds={kind: count / drives for kind, count in Counter(one["class"] for one in at).items()},
            same_rack=_same_rack(own["failure_domain"], own["node_of_drive"], [one["rack"] for one in at]),
            pipelined=own["copying"] == "pipeline",
            acks=own["acks"] or members,
        )

    @property
    def local(self) -> float:
        """Share of a part's operations that are on the serving node: one member of the group."""
        return 1 / self.members

    def requests(self, flow: EstimatedWorkload) -> Iterator[tuple[float, PartOfRequest]]:
        """The parts of a mean request of a flow by kind of request, each with its share of the requests."""
        for stream in flow.streams:
            self._check(stream)
            for write, share, sizes in stream.parts:
                for size, weight in sizes:
                    step = stream.access.get("align_bytes") or size
                    yield share * weight, self._part(size, step, write=write)

    def _part(self, size: int, step: int, *, write: bool) -> PartOfRequest:
        parts = raid_work(0, 1 << 16, self.object_bytes, size, write=False, step=step).reads
        own, place = size / parts, AccessRange(0.0, self.used)
        if self.geometry is not None:
            asked = request_operations(
                self.geometry, round(own), write=write, places=[(place, 1.0)], step=step
            )
            return PartOfRequest(write, parts, own, asked)
        count = float(self.members) if write else 1.0
        how: How = "write" if write else "read"
        mix: Mix = {OperationKind(how, round(own), place): count}
        waited = float(self.acks) if write else 1.0
        return PartOfRequest(write, parts, own, RequestOperations(mix, ((how, 1.0, waited),), count))

    def _check(self, stream: RequestStream) -> None:
        """Refuse addresses that do not ask all drives alike."""
        if stream.access["pattern"] == "sequential":
            raise not_modelled("sequences over placement groups", f"cluster.pool.{self.name}")
        if not is_banded(stream):
            return
        for band in bands(stream, write=False):
            objects = max(1.0, band.bytes / self.object_bytes)
            if band.share / objects * self.drives > _HOT:
                raise not_modelled("objects that are asked for most", f"cluster.pool.{self.name}")


def _same_rack(domain: str, node_of_drive: Sequence[int], racks: Sequence[int]) -> float:
    """The chance that two drives of different domains, drawn at random, are in one rack."""
    if domain == "rack":
        return 0.0
    drives = len(racks)
    in_racks = Counter(racks)
    pairs = sum(count**2 for count in in_racks.values())
    own = Counter(node_of_drive) if domain == "node" else Counter(range(drives))
    alike = sum(count**2 for count in own.values())
    return (pairs - alike) / max(1, drives**2 - alike)
