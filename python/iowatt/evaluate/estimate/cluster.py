"""The queueing network of clusters: ports, uplinks, cores and drives of the nodes, each a station.

All nodes of a kind are alike, so one station stands for that of each: it sees a node's share of the visits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from iowatt.evaluate.estimate.cluster_pool import PartOfRequest, PlacedPool
from iowatt.evaluate.estimate.drives import DriveBenchmarks, drive_alone
from iowatt.evaluate.estimate.load import EstimatedWorkload
from iowatt.evaluate.estimate.network import Network, RequestPath
from iowatt.evaluate.estimate.operation_counts import PoolDemand
from iowatt.evaluate.estimate.operations import How, count_commands
from iowatt.evaluate.estimate.queueing import Leg, Servers, Sets
from iowatt.evaluate.estimate.system import QueueingSystem, assumed
from iowatt.evaluate.evaluation import Prepared

ASSUMED = (
    "nodes of a kind are alike, placement groups lie evenly, and a request's operations on other nodes are "
    "spread over them"
)


class Hops(NamedTuple):
    """The way of a phase's operations: how often it crosses the network in a row, messages that leave a port
    together, and cores' work in a row."""

    crossed: float
    behind: float
    chain: float


class ClusterSystem(QueueingSystem):
    """The stations of clusters, and the paths of requests through them."""

    def __init__(self, work: Prepared, flows: Sequence[EstimatedWorkload], drives: DriveBenchmarks) -> None:
        self.work, self.flows, self.drives = work, flows, drives
        simulation = work.plan["simulation"]
        self.volumes = simulation["volumes"]
        self.controller, self.virtual, self._moving = {}, (), []
        self.assumptions = [*assumed(flows, {}, ()), ASSUMED]
        self.clusters: Sequence[Mapping[str, Any]] = simulation["clusters"]
        self.placed = [
            PlacedPool.of(work.plan, number, own)
            for number, cluster in enumerate(self.clusters)
            for own in cluster["pools"]
        ]

    def network(self, rates: Sequence[float], *, full: bool = False, behind: float | None = None) -> Network:
        """Stations and paths where flows go at such rates."""
        nodes = [
            NodeStations(cluster, names)
            for cluster, names in zip(self.clusters, self.work.plan["names"]["clusters"], strict=True)
        ]
        by_volume = {pool.number: pool for pool in self.placed}
        wanted = {pool.number: PoolDemand() for pool in self.placed}
        asked: list[tuple[int, PlacedPool, float, PartOfRequest]] = []
        for number, flow in enumerate(self.flows):
            pool = by_volume[self.volumes[flow.volume]["pool"]]
            for share, part in pool.requests(flow):
                asked.append((number, pool, share, part))
                wanted[pool.number].add(number, share * part.parts, part.asked)
                nodes[pool.cluster].visit(number, pool, share * part.parts, part)
        sets = {pool.number: self._drives(pool, wanted[pool.number], rates) for pool in self.placed}
        paths = []
        for number, flow in enumerate(self.flows):
            for write, all_ in ((False, flow.read_share), (True, 1 - flow.read_share)):
                legs: list[Leg] = []
                fixed = 0.0
                for at, pool, share, part in asked:
                    station = sets[pool.number]
                    if at == number and part.write == write and station is not None:
                        own, waits = nodes[pool.cluster].way(pool, part, share / all_, station)
                        legs += own
                        fixed += waits
                if legs:
                    paths.append(RequestPath(number, write, all_, tuple(legs), fixed))
        stations = [one for own in nodes for one in own.stations()]
        return Network(self.flows, [*stations, *(one for one in sets.values() if one is not None)], paths)

    def _drives(self, pool: PlacedPool, wanted: PoolDemand, rates: Sequence[float]) -> Sets | None:
        mix, together = wanted.at(rates)
        if not mix:
            return None
        parity = 0 if pool.geometry is None else pool.geometry.updated_parity
        curve = self.drives.curve(drive_alone(pool.plan), pool.plan, mix, mirrored=1, parity=parity)
        station = Sets(pool.name, "drives", pool.drives, curve, together)
        for flow, own in wanted.mixes.items():
            station.visit(flow, count_commands(own))
        return station


class NodeStations:
    """The stations of one cluster's nodes and racks."""

    def __init__(self, cluster: Mapping[str, Any], names: Mapping[str, Any]) -> None:
        self.classes, self.link = cluster["classes"], cluster["network"]
        self.counts = [
            sum(node["class"] == kind for node in cluster["nodes"]) for kind in range(len(self.classes))
        ]
        self.racks = len({node["rack"] for node in cluster["nodes"]})
        called = [f"{names['name']}.{one['name']}" for one in names["classes"]]
        self.cores = [
            Servers(f"cluster.{name}", "processor", kind["processors"])
            for name, kind in zip(called, self.classes, strict=True)
        ]
        #: By kind of nodes: front in and out, back in and out; one port may be both.
        self.ports = [_ports(name, kind) for name, kind in zip(called, self.classes, strict=True)]
        rate = self.link["uplink_bytes_per_s"] if self.racks > 1 else None
        self.uplinks = [Servers(f"{names['name']} uplinks {way}", "link", 1) for way in ("out", "in") if rate]

    def stations(self) -> list[Servers]:
        """Those that anything passes."""
        every = [*self.cores, *(one for ports in self.ports for one in ports.values()), *self.uplinks]
        return [one for one in {id(one): one for one in every}.values() if one.work]

    def wire_s(self, kind: int, bytes_: float, *, back: bool) -> float:
        """Seconds of data and a message's own bytes at a port."""
        own = self.classes[kind]
        rate = own["back_bytes_per_s"] if back and own["back_bytes_per_s"] else own["front_bytes_per_s"]
        return (bytes_ + self.link["message_bytes"]) / rate if rate else 0.0

    def request_s(self, kind: int, pool: PlacedPool, part: PartOfRequest) -> float:
        """Seconds of a core for a part at the node that serves it."""
        own = self.classes[kind]
        coded = own["code_byte_s"] if part.write and pool.geometry is not None else 0.0
        return float(own["request_s"] + part.size * (own["request_byte_s"] + coded))

    def operation_s(self, kind: int, bytes_: float) -> float:
        """Seconds of a core for an operation of one of its drives."""
        own = self.classes[kind]
        return float(own["operation_s"] + bytes_ * own["operation_byte_s"])

    def visit(self, flow: int, pool: PlacedPool, times: float, part: PartOfRequest) -> None:
        """Count the visits of ``times`` parts of a flow's request, spread over the nodes of the pool."""
        remote = 1 - pool.local
        for kind, share in pool.kinds.items():
            each = times * share / self.counts[kind]
            ports, cores = self.ports[kind], self.cores[kind]
            front = "front in" if part.write else "front out"
            _visit(ports[front], flow, each, self.wire_s(kind, part.size, back=False))
            cores.visit(flow, each, self.request_s(kind, pool, part))
            for operation, count in part.asked.mix.items():
                for _ in _commands(operation.how):
                    cores.visit(flow, each * count, self.operation_s(kind, operation.bytes))
                    wire = self.wire_s(kind, operation.bytes, back=True)
                    crossing = each * count * (remote if pool.geometry or part.write else 0.0)
                    _visit(ports["back out"], flow, crossing, wire)
                    _visit(ports["back in"], flow, crossing, wire)
        for operation, count in part.asked.mix.items() if self.uplinks else ():
            crossing = count * (remote if pool.geometry or part.write else 0.0) * (1 - pool.same_rack)
            for _ in _commands(operation.how):
                for link in self.uplinks:
                    time = operation.bytes / self.link["uplink_bytes_per_s"]
                    _visit(link, flow, times * crossing / self.racks, time)

    def way(
        self, pool: PlacedPool, part: PartOfRequest, times: float, drives: Sets
    ) -> tuple[list[Leg], float]:
        """Legs of a request with such parts, and what it waits for besides, for a share ``times`` of all."""
        legs: list[Leg] = []
        message_s = 0.0
        for kind, share in pool.kinds.items():
            own = times * share
            ports, cores = self.ports[kind], self.cores[kind]
            front = "front in" if part.write else "front out"
            # The parts of a request pass nodes of their own side by side.
            legs.append(Leg(ports[front], own, self.wire_s(kind, part.size, back=False)))
            legs.append(Leg(cores, own, self.request_s(kind, pool, part)))
            message_s += share * self.wire_s(kind, 0.0, back=True)
            bytes_ = _mean_bytes(part)
            for how, often, abreast in part.asked.phases:
                for command in _commands(how):
                    hops = _hops(pool, command, abreast)
                    legs.append(Leg(cores, own * often * hops.chain, self.operation_s(kind, bytes_)))
                    wire = self.wire_s(kind, bytes_, back=True) * hops.behind
                    legs.append(Leg(ports["back out"], own * often * hops.crossed, wire))
                    legs.append(Leg(ports["back in"], own * often * hops.crossed))
        latency = (
            pool.same_rack * self.link["rack_latency_s"] + (1 - pool.same_rack) * self.link["core_latency_s"]
        )
        fixed = 2 * self.link["client_latency_s"]
        for how, often, abreast in part.asked.phases:
            legs.append(Leg(drives, times * often, abreast=abreast * part.parts, how=how))
            for command in _commands(how):
                hops = _hops(pool, command, abreast)
                fixed += often * hops.crossed * (2 * latency + message_s)
                for link in self.uplinks:
                    legs.append(Leg(link, times * often * hops.crossed * (1 - pool.same_rack)))
        return legs, times * fixed


def _ports(name: str, kind: Mapping[str, Any]) -> dict[str, Servers]:
    ways = ("in", "out")
    front = {f"front {way}": Servers(f"{name} front {way}", "link", 1) for way in ways}
    if kind["back_bytes_per_s"] is None:
        return front | {f"back {way}": front[f"front {way}"] for way in ways}
    return front | {f"back {way}": Servers(f"{name} back {way}", "link", 1) for way in ways}


def _hops(pool: PlacedPool, how: How, abreast: float) -> Hops:
    """The way of ``abreast`` operations of a part."""
    if pool.geometry is None:
        others = max(0.0, abreast - 1) if how == "write" else 0.0
        return Hops(others, 1.0, abreast) if pool.pipelined else Hops(min(1.0, others), max(1.0, others), 1.0)
    remote = abreast * (1 - pool.local)
    crossed = min(1.0, remote) if abreast < 2 else 1.0
    # What is written leaves one port; what is read comes at one, as drives are done with it.
    return Hops(crossed, max(1.0, remote) if how == "write" else 1.0, 1.0)


def _commands(how: How) -> Iterator[How]:
    """What an operation is to the network: an update is read, and then written."""
    yield from ("read", "write") if how == "update" else (how,)


def _mean_bytes(part: PartOfRequest) -> float:
    total = sum(part.asked.mix.values())
    return sum(kind.bytes * count for kind, count in part.asked.mix.items()) / total if total else 0.0


def _visit(station: Servers, flow: int, times: float, service_s: float) -> None:
    if times > 0 and service_s > 0:
        station.visit(flow, times, service_s)
