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
        "A server of the library (`iowatt explain cluster.node.server` lists them); the other keys change "
        "its figures.",
        unset="a server that the other keys describe",
        example="dell-poweredge-r6515",
        min_length=1,
    )


class NodeKeys(Strict):
    """Like nodes: servers with drives of the cluster's pools."""

    name: Name = key(
        "Their name; each node is called by it and its number, osd0, osd1 and so on.", example="osd"
    )
    count: int = key("Number of nodes.", within=(1, 100_000), example=6)
    server: ServerChoice = key(
        "The server: a library name, or a table of figures.",
        accepts="a library name, or a table with the keys name, rack_units, cores, memory, bays, "
        "form_factor, idle, busy, supply_rating, supplies, supply_efficiency",
        example="dell-poweredge-r6515",
    )
    adapter: str | None = key(
        "Its network adapter, a library name, for its watts.",
        unset="no watts beside those of the server",
        example="nvidia-connectx-5-25gbe",
        min_length=1,
    )
    adapters: int = key("Number of network adapters.", default=1, within=(1, 16), example=2)
    price: float | None = key(
        "What a node costs without the drives of the cluster's pools.",
        unset="what the cost book assumes, which `iowatt cost` says",
        unit="USD",
        within=(0, 1e9),
        example=7000,
    )
    joins: Duration | None = key(
        "When its nodes join: data moves to them from then on, before that their drives are dark.",
        unset="they are there from the start",
        example="10min",
    )
    leaves: Duration | None = key(
        "When its nodes are to leave: their data moves to the others from then on, and they serve what is "
        "left.",
        unset="they stay",
        example="10min",
    )


class NetworkKeys(NetworkFigures):
    """The networks of a cluster. Links are full duplex; each direction of each port is a station."""

    front: LinkChoice | None = key(
        "Port of a node towards the clients.",
        unset="that of the preset; without one it takes no time",
        accepts=_LINK,
        example="eth-25g",
    )
    back: LinkChoice | None = key(
        "Port towards the other nodes.",
        unset="that of the preset; without one, what goes between nodes passes the front port",
        accepts=_LINK,
        example="eth-25g",
    )
    oversubscription: float | None = key(
        "What the ports of a rack's nodes carry together over what its uplink carries: 3 is 3:1.",
        unset="1; between the nodes of one rack nothing passes an uplink",
        within=(0.01, 1000),
        example=3,
    )
    uplink: Rate | None = key(
        "Rate of a rack's uplink, each way, in place of `oversubscription`.",
        unset="as `oversubscription` says",
        gt=0,
        example="200Gbit/s",
    )
    switch: str | None = key(
        "The switches of each rack, a library name, for their watts.",
        unset="their watts are not counted",
        example="arista-7050sx3-48yc8",
        min_length=1,
    )
    switches: int = key("Switches of a rack.", default=1, within=(1, 64), example=2)
    switch_price: float | None = key(
        "What a switch costs.",
        unset="what the cost book assumes, which `iowatt cost` says",
        unit="USD",
        within=(0, 1e9),
        example=9000,
    )


class DriveFailure(Strict):
    """A drive of a node fails and stays failed."""

    node: Name = key("Its node: the name of the nodes and a number.", example="osd0")
    drive: int = key("Which of its drives of this pool, from 0.", ge=0, example=3)
    at: Duration = key("When it fails, from the start of the run.", example="10min")


class ClusterPoolKeys(PlacementFigures):
    """Like drives of the nodes, and the redundancy that is spread over them."""

    name: Name = key("Its name in results, in `cluster.volume.pool` and in `--set` paths.", example="hdd")
    device: DeviceChoice = key(
        "The drive model, with optional overrides of its figures.",
        accepts="a library name, a device file (.toml), or a table with the keys name, rpm, capacity, power",
        example="intel-dc-p4510-4tb",
    )
    drives: int = key("Drives of each of the nodes.", within=(1, 256), example=12)
    nodes: list[Name] | None = key(
        "The kinds of nodes that have them.", unset="all nodes", example=["osd"], min_length=1
    )
    small_write: Literal["auto", "read-modify-write", "reconstruct"] = key(
        "How a write smaller than a stripe of an erasure code updates parity, as "
        "`array.pool.raid.small_write`.",
        default="auto",
        example="read-modify-write",
    )
    failure: list[DriveFailure] = key("Drive failures.", default=[])
    recovery: RecoveryFigures = key(
        "How lost members are restored, and moved ones copied.",
        default=RecoveryFigures(),
        example={"rate": "100MB/s"},
    )
    scheduler: Scheduler = key(
        "Order in which a node hands each drive its operations, as `array.pool.scheduler`.",
        default="look",
        example="fcfs",
    )
    queue_depth: int | None = key(
        "Most commands outstanding at a drive, as `array.pool.queue_depth`.",
        unset="1 for disks; for SSDs what the drive takes",
        within=(1, 2**20),
        example=32,
    )
    ssd: SsdSettings | None = key(
        "How its SSDs are simulated, as `array.pool.ssd`.",
        unset="by their file, in steady state",
        example={"over_provisioning": 0.28},
    )
    write_cache: bool | None = key(
        "Whether writes complete in the drives' buffers, as `array.pool.write_cache`.",
        unset="as in the drive's file",
        example=False,
    )
    power: PowerPolicy = key(
        "When idle drives change their power level, as `array.pool.power`.",
        default=NeverPolicy(policy="never"),
        example={"policy": "fixed-threshold", "threshold": "10s"},
    )


class ClusterVolumeKeys(Strict):
    """A range of a pool's usable bytes."""

    name: Name = key("Name in results and in `workload.volume`.", example="images")
    pool: Name | None = key("The pool that holds it.", unset="the cluster's only pool", example="hdd")
    capacity: Capacity | None = key("Its size.", unset="the rest of the pool", example="50TB", gt=0)
    qos: VolumeQos | None = key(
        "What it may take, and its standing among those that wait, as `array.volume.qos`.",
        unset="no limit",
        example={"iops": 500, "burst": "2s"},
    )


class ClusterFailure(Strict):
    """A node or a whole rack fails, its drives with it."""

    node: Name | None = key(
        "The node: the name of the nodes and a number.", unset="a rack fails", example="osd3"
    )
    rack: int | None = key("The rack, from 0.", unset="a node fails", ge=0, example=1)
    at: Duration = key("When it fails, from the start of the run.", example="10min")


class ClusterKeys(Strict):
    """A scale-out system: nodes in racks, joined by networks."""

    name: Name = key("Name in results and in `--set` paths.", example="ceph")
    preset: Preset | None = key(
        "In whose manner it works: defaults of pools, recovery, software and networks, each with its source "
        "(docs/models/cluster.md).",
        unset="what is left out is as each key says",
        example="ceph-replicated",
    )
    racks: int = key(
        "Racks. Each kind of nodes is dealt to them in turn.", default=1, within=(1, 10_000), example=3
    )
    node: Annotated[list[NodeKeys], Field(min_length=1)] = key("Kinds of nodes.")
    pool: Annotated[list[ClusterPoolKeys], Field(min_length=1)] = key("Pools on the nodes' drives.")
    volume: list[ClusterVolumeKeys] = key(
        "Volumes. Left out: one volume for each pool, of all its capacity and with its name.", default=[]
    )
    network: NetworkKeys = key(
        "The networks.", default=NetworkKeys(), example={"front": "eth-25g", "back": "eth-25g"}
    )
    software: SoftwareFigures = key(
        "What requests cost the nodes' cores.", default=SoftwareFigures(), example={"request": "250us"}
    )
    failure: list[ClusterFailure] = key("Nodes and racks that fail.", default=[])

    @property
    def volume_names(self) -> list[str]:
        """Names of its volumes, those that follow from pools where none is given."""
        return [volume.name for volume in self.volume] or [pool.name for pool in self.pool]
