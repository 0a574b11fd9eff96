"""A cluster of a scenario in numbers: its nodes, its pools' placement, its plan and its names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from iowatt.base.problems import Reporter
from iowatt.model.library.clusters import (
    Copies,
    ErasureCode,
    NetworkFigures,
    PlacementFigures,
    PresetFile,
    RecoveryFigures,
    SoftwareFigures,
)
from iowatt.model.library.servers import NetworkAdapterFile, RackSwitchFile, ServerFigures
from iowatt.model.scenario.keys.cluster import ClusterKeys, ClusterPoolKeys, NodeKeys
from iowatt.model.scenario.virtual_pool import Allocator

MOST_DRIVES_NAMED: Final = 512
"""Drives of a cluster that results have by one; those of more are taken together node by node."""


@dataclass(frozen=True)
class ResolvedNodes:
    """Like nodes; ``first`` is the number of the first of them among all of the cluster's."""

    keys: NodeKeys
    server: ServerFigures
    model: str  #: What the server is called in results.
    adapter: NetworkAdapterFile | None
    first: int

    def names(self) -> list[str]:
        """The names of its nodes."""
        return [f"{self.keys.name}{number}" for number in range(self.keys.count)]

    @property
    def numbers(self) -> range:
        """Their numbers among all nodes of the cluster."""
        return range(self.first, self.first + self.keys.count)


@dataclass
class PlacementAllocator(Allocator):
    """Gives out the addresses of a cluster's pool, one region that goes round all placement groups.

    It stands where a pool of chunklets has its allocator: a member of a placement group is a chunklet.
    """

    redundancy: Copies | ErasureCode = field(default_factory=lambda: Copies(level="copies", copies=3))
    #: Bytes of a member, and of a stripe's unit in it.
    member: int = 0
    unit: int = 0
    #: Members that a drive has room for, and of these those that are kept free.
    each: int = 0
    spare: int = 0
    groups: int = 0
    small_write: str = "auto"

    def allocate(self, capacity: int | None, user: str, report: Reporter) -> tuple[int, int] | None:
        """As :meth:`Allocator.allocate`; what does not fit is told with what the redundancy leaves."""
        left = (
            f"{self.free_bytes} of the {self.usable_bytes} bytes of pool {self.name!r} are left, after "
            f"{self.redundancy.text} and its reserve"
        )
        size = self.size(capacity, self.free_bytes, left, user, report)
        if size is None:
            return None
        self.used += size
        return self.used - size, size

    def close(self) -> None:
        """Nothing: all placement groups are there from the start."""

    @property
    def default(self) -> None:
        """Of pools of chunklets alone."""
        return

    def raid(self) -> dict[str, Any]:
        """``RaidPlan`` of iowatt-sim, of a placement group."""
        code = self.redundancy
        level = "1" if isinstance(code, Copies) else "ec"
        plan: dict[str, Any] = {
            "level": level,
            "stripe_unit_bytes": self.unit,
            "layout": "left-symmetric",
            "small_write": self.small_write,
            "parity_check_on_read": False,
        }
        if isinstance(code, ErasureCode):
            plan["code"] = {"data": code.data, "parity": code.parity, "local_groups": code.local_groups}
        return plan

    def plan(self) -> dict[str, Any]:
        """``ChunkletPlan`` of iowatt-sim."""
        region = {"raid": self.raid(), "set_size": self.redundancy.members, "sets": self.groups}
        return {"bytes": self.member, "spare": self.spare, "regions": [region]}


@dataclass(frozen=True)
class ClusterPool:
    """A pool of a cluster: its keys, its number among all pools, and its placement."""

    keys: ClusterPoolKeys
    index: int
    placement: PlacementFigures
    node_of_drive: list[int]

    def text(self) -> str:
        """How its data lies, in words."""
        placed = self.placement
        assert placed.redundancy is not None
        return f"{placed.redundancy.text} over {placed.failure_domain}s"

    def plan(self) -> dict[str, Any]:
        """``ClusterPoolPlan`` of iowatt-sim."""
        acks = self.placement.acknowledge
        return {
            "pool": self.index,
            "node_of_drive": self.node_of_drive,
            "failure_domain": self.placement.failure_domain,
            "copying": self.placement.copying,
            "reads": self.placement.reads,
            "acks": None if acks == "all" else acks,
        }


@dataclass(frozen=True)
class ResolvedCluster:
    """A cluster with all figures known."""

    keys: ClusterKeys
    preset: PresetFile | None
    nodes: list[ResolvedNodes]
    racks: list[int]  #: By node.
    network: NetworkFigures
    ports: tuple[float | None, float | None]  #: Bytes a second of front and back.
    uplink: float | None
    switch: RackSwitchFile | None
    software: SoftwareFigures
    pools: list[ClusterPool]

    @property
    def rack_units(self) -> int:
        """Rack units of all nodes and switches."""
        units = sum(kind.keys.count * (kind.server.rack_units or 0) for kind in self.nodes)
        if self.switch is not None:
            units += self.keys.racks * self.keys.network.switches * self.switch.rack_units
        return units

    def node_names(self) -> list[str]:
        """Names of all nodes, by number."""
        return [name for kind in self.nodes for name in kind.names()]

    @property
    def by_node(self) -> bool:
        """Whether results have a row for the drives of each node in place of one for each drive."""
        return sum(len(pool.node_of_drive) for pool in self.pools) > MOST_DRIVES_NAMED

    def drive_names(self, pool: ClusterPool) -> list[tuple[str, int]]:
        """Names of a pool's drives, each with the drives that it is of.

        Cluster, node, and the number among the node's drives of the pool: ``ceph.osd3.1``. Drives that are
        taken together are called by their node.
        """
        names, each = self.node_names(), pool.keys.drives
        label = "" if len(self.pools) == 1 else f"{pool.keys.name}."
        own = f".{label[:-1]}" if label else ""
        if self.by_node and each > 1:
            nodes = pool.node_of_drive[::each]
            return [(f"{self.keys.name}.{names[node]}{own}", each) for node in nodes]
        return [
            (f"{self.keys.name}.{names[node]}.{label}{at % each}", 1)
            for at, node in enumerate(pool.node_of_drive)
        ]

    def plan(self) -> dict[str, Any]:
        """``ClusterPlan`` of iowatt-sim."""
        soft, net = self.software, self.network
        front, back = self.ports
        figures = {
            "request_s": soft.request or 0.0,
            "request_byte_s": _per_byte(soft.request_rate),
            "operation_s": soft.operation or 0.0,
            "operation_byte_s": _per_byte(soft.operation_rate),
            "code_byte_s": _per_byte(soft.code_rate),
            "front_bytes_per_s": front,
            "back_bytes_per_s": back,
        }
        return {
            "classes": [{"processors": kind.server.cores, **figures} for kind in self.nodes],
            "nodes": [
                {
                    "class": at,
                    "rack": self.racks[number],
                    **_present(joins_at_s=kind.keys.joins, leaves_at_s=kind.keys.leaves),
                }
                for at, kind in enumerate(self.nodes)
                for number in kind.numbers
            ],
            "network": {
                "client_latency_s": net.client_latency or 0.0,
                "rack_latency_s": net.rack_latency or 0.0,
                "core_latency_s": net.core_latency or 0.0,
                "uplink_bytes_per_s": self.uplink,
                "message_bytes": net.message or 0,
            },
            "pools": [pool.plan() for pool in self.pools],
            "failures": [
                {
                    "unit": "rack" if one.node is None else "node",
                    "index": one.rack if one.node is None else self.node_names().index(one.node),
                    "at_s": one.at,
                }
                for one in self.keys.failure
            ],
        }

    def names(self) -> dict[str, Any]:
        """Its part of the plan's names."""
        return {
            "name": self.keys.name,
            "preset": self.keys.preset,
            "racks": self.keys.racks,
            "classes": [
                {
                    "name": kind.keys.name,
                    "count": kind.keys.count,
                    "server": kind.model,
                    "rack_units": kind.server.rack_units,
                    "price_usd": kind.keys.price,
                }
                for kind in self.nodes
            ],
            "switches": self._switches(),
            "pools": [
                {
                    "name": pool.keys.name,
                    "redundancy": pool.placement.redundancy.text if pool.placement.redundancy else "",
                    "failure_domain": pool.placement.failure_domain,
                }
                for pool in self.pools
            ],
        }

    def _switches(self) -> dict[str, Any] | None:
        if self.switch is None:
            return None
        network = self.keys.network
        return {
            "model": self.switch.name,
            "count": network.switches * self.keys.racks,
            "price_usd": network.switch_price,
        }


def _per_byte(rate: float | None) -> float:
    return 0.0 if rate is None else 1.0 / rate


def _present(**values: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


_RECOVERY: Final = {"delay": 0.0, "outstanding": 1, "step": 1 << 20, "priority": "host-first"}


def merged_recovery(keys: RecoveryFigures, preset: PresetFile | None) -> RecoveryFigures:
    """What a scenario gives over what its preset does, over the defaults of the keys."""
    manner = {} if preset is None else given(preset.recovery)
    return RecoveryFigures().model_copy(update=_RECOVERY | manner | given(keys))


def given(figures: Any) -> dict[str, Any]:
    """The figures that are there."""
    return {name: value for name, value in figures if value is not None}
