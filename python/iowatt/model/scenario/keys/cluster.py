"""Keys of clusters: servers in racks, the networks between them, and pools that are spread over their drives.

See docs/models/cluster.md for what the simulator makes of them.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Final, Literal

from pydantic import Field

from iowatt.base.quantity import Capacity, Duration, Rate
from iowatt.base.strict import Name, ShortForm, Strict, key
from iowatt.model.library import Scheduler
from iowatt.model.library.clusters import NetworkFigures, PlacementFigures, RecoveryFigures, SoftwareFigures
from iowatt.model.library.servers import ServerFigures
from iowatt.model.scenario.keys.array import DeviceChoice
from iowatt.model.scenario.keys.path import LinkChoice
from iowatt.model.scenario.keys.power import NeverPolicy, PowerPolicy
from iowatt.model.scenario.keys.qos import VolumeQos
from iowatt.model.scenario.keys.ssd import SsdSettings

Preset = Literal["ceph-replicated", "ceph-ec", "hdfs", "hdfs-ec", "minio"]

_LINK: Final = (
    "a library name (`iowatt fabric list --kind link`), or a table with the keys name, rate, frame, overhead"
)


class ServerChoice(ServerFigures, ShortForm):
    """A server of the library with changed figures, or all figures of another one."""

    SHORT_MEANS: ClassVar[str] = "A name of the library, without changes."

    name: str | None = key(
        "A library server (listed by `iowatt explain cluster.node.server`); the other keys override its "
        "figures.",
        unset="described by the other keys",
        example="dell-poweredge-r6515",
        min_length=1,
    )


class NodeKeys(Strict):
    """Like nodes: servers with drives of the cluster's pools."""

    name: Name = key("Name prefix of the nodes: osd gives osd0, osd1 and so on.", example="osd")
    count: int = key("Number of nodes.", within=(1, 100_000), example=6)
    server: ServerChoice = key(
        "The server: a library name, or a table of figures.",
        accepts="a library name, or a table with the keys name, rack_units, cores, memory, bays, "
        "form_factor, idle, busy, supply_rating, supplies, supply_efficiency",
        example="dell-poweredge-r6515",
    )
    adapter: str | None = key(
        "Network adapter, a library name, for its watts.",
        unset="no watts besides the server's",
        example="nvidia-connectx-5-25gbe",
        min_length=1,
    )
    adapters: int = key("Number of network adapters.", default=1, within=(1, 16), example=2)
    price: float | None = key(
        "Price of a node without the drives of the cluster's pools.",
        unset="the cost book's, shown by `iowatt cost`",
        unit="USD",
        within=(0, 1e9),
        example=7000,
    )
    joins: Duration | None = key(
        "Time at which the nodes join: data moves to them from then on; until then their drives are off.",
        unset="present from the start",
        example="10min",
    )
    leaves: Duration | None = key(
        "Time at which the nodes start to leave: their data moves to the others, and they serve what is "
        "left.",
        unset="never",
        example="10min",
    )


class NetworkKeys(NetworkFigures):
    """The networks of a cluster. Links are full duplex; each direction of each port is a station."""

    front: LinkChoice | None = key(
        "Node port to the clients.",
        unset="the preset's; without a preset it takes no time",
        accepts=_LINK,
        example="eth-25g",
    )
    back: LinkChoice | None = key(
        "Node port to the other nodes.",
        unset="the preset's; without one, traffic between nodes uses the front port",
        accepts=_LINK,
        example="eth-25g",
    )
    oversubscription: float | None = key(
        "Ratio of the total node port bandwidth of a rack to its uplink bandwidth: 3 is 3:1.",
        unset="1; traffic within a rack does not use the uplink",
        within=(0.01, 1000),
        example=3,
    )
    uplink: Rate | None = key(
        "Rack uplink bandwidth, each way, in place of `oversubscription`.",
        unset="set by `oversubscription`",
        gt=0,
        example="200Gbit/s",
    )
    switch: str | None = key(
        "Switches of each rack, a library name, for their watts.",
        unset="their watts are not counted",
        example="arista-7050sx3-48yc8",
        min_length=1,
    )
    switches: int = key("Switches of a rack.", default=1, within=(1, 64), example=2)
    switch_price: float | None = key(
        "Price of a switch.",
        unset="the cost book's, shown by `iowatt cost`",
        unit="USD",
        within=(0, 1e9),
        example=9000,
    )


class DriveFailure(Strict):
    """A drive of a node fails and stays failed."""

    node: Name = key("Node: the nodes' name and a number.", example="osd0")
    drive: int = key("Drive of the node in this pool, numbered from 0.", ge=0, example=3)
    at: Duration = key("Time of the failure, from the start of the run.", example="10min")


class ClusterPoolKeys(PlacementFigures):
    """Like drives of the nodes, and the redundancy that is spread over them."""

    name: Name = key("Name in results, in `cluster.volume.pool` and in `--set` paths.", example="hdd")
    device: DeviceChoice = key(
        "The drive model, with optional overrides of its figures.",
        accepts="a library name, a device file (.toml), or a table with the keys name, rpm, capacity, power",
        example="intel-dc-p4510-4tb",
    )
    drives: int = key("Drives per node.", within=(1, 256), example=12)
    nodes: list[Name] | None = key(
        "Kinds of nodes that have these drives.", unset="all nodes", example=["osd"], min_length=1
    )
    small_write: Literal["auto", "read-modify-write", "reconstruct"] = key(
        "How a write smaller than an erasure-code stripe updates parity, as in "
        "`array.pool.raid.small_write`.",
        default="auto",
        example="read-modify-write",
    )
    failure: list[DriveFailure] = key("Drive failures.", default=[])
    recovery: RecoveryFigures = key(
        "Recovery of lost members, and copying of moved ones.",
        default=RecoveryFigures(),
        example={"rate": "100MB/s"},
    )
    scheduler: Scheduler = key(
        "Order in which a node sends operations to each drive, as in `array.pool.scheduler`.",
        default="look",
        example="fcfs",
    )
    queue_depth: int | None = key(
        "Maximum number of outstanding commands at a drive, as in `array.pool.queue_depth`.",
        unset="1 for disks; the drive's command_queue.depth for SSDs",
        within=(1, 2**20),
        example=32,
    )
    ssd: SsdSettings | None = key(
        "SSD simulation settings, as in `array.pool.ssd`.",
        unset="as in the device file, in steady state",
        example={"over_provisioning": 0.28},
    )
    write_cache: bool | None = key(
        "Drive write cache, as in `array.pool.write_cache`.",
        unset="as in the drive's file",
        example=False,
    )
    power: PowerPolicy = key(
        "Power policy of idle drives, as in `array.pool.power`.",
        default=NeverPolicy(policy="never"),
        example={"policy": "fixed-threshold", "threshold": "10s"},
    )


class ClusterVolumeKeys(Strict):
    """A range of a pool's usable bytes."""

    name: Name = key("Name in results and in `workload.volume`.", example="images")
    pool: Name | None = key("Pool of the volume.", unset="the cluster's only pool", example="hdd")
    capacity: Capacity | None = key("Its size.", unset="the rest of the pool", example="50TB", gt=0)
    qos: VolumeQos | None = key(
        "Limits and priority of the volume, as in `array.volume.qos`.",
        unset="no limit",
        example={"iops": 500, "burst": "2s"},
    )


class ClusterFailure(Strict):
    """A node or a whole rack fails, its drives with it."""

    node: Name | None = key("Node: the nodes' name and a number.", unset="a rack fails", example="osd3")
    rack: int | None = key("Rack, numbered from 0.", unset="a node fails", ge=0, example=1)
    at: Duration = key("Time of the failure, from the start of the run.", example="10min")


class ClusterKeys(Strict):
    """A scale-out system: nodes in racks, joined by networks."""

    name: Name = key("Name in results and in `--set` paths.", example="ceph")
    preset: Preset | None = key(
        "System to model: sets defaults of pools, recovery, software and networks, each with its source "
        "(docs/models/cluster.md).",
        unset="each key has its own default",
        example="ceph-replicated",
    )
    racks: int = key(
        "Number of racks. Nodes of each kind are assigned to racks in turn.",
        default=1,
        within=(1, 10_000),
        example=3,
    )
    node: Annotated[list[NodeKeys], Field(min_length=1)] = key("Kinds of nodes.")
    pool: Annotated[list[ClusterPoolKeys], Field(min_length=1)] = key("Pools on the nodes' drives.")
    volume: list[ClusterVolumeKeys] = key(
        "Volumes. Default: one volume with the name and full capacity of each pool.", default=[]
    )
    network: NetworkKeys = key(
        "The networks.", default=NetworkKeys(), example={"front": "eth-25g", "back": "eth-25g"}
    )
    software: SoftwareFigures = key(
        "CPU time of requests on the nodes.", default=SoftwareFigures(), example={"request": "250us"}
    )
    failure: list[ClusterFailure] = key("Node and rack failures.", default=[])

    @property
    def volume_names(self) -> list[str]:
        """Names of its volumes, those that follow from pools where none is given."""
        return [volume.name for volume in self.volume] or [pool.name for pool in self.pool]
