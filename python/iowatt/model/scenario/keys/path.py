"""Keys of the paths between hosts and the array: adapters, links, switches, target ports, protocol.

See docs/models/path.md for what the simulator makes of them.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import BeforeValidator, Field, GetJsonSchemaHandler
from pydantic_core import CoreSchema

from iowatt.base.quantity import BlockSize, Distance, Duration
from iowatt.base.strict import Name, ShortForm, Strict, key
from iowatt.model.library.fabric import AdapterFigures, LinkFigures, SwitchFigures

PROTOCOLS: Final = ("fcp", "nvme-fc", "nvme-tcp", "nvme-rdma", "iscsi", "nvme-pcie")
"""Protocols that a path may speak."""


class _Protocol(Strict):
    """What may be said of every protocol."""

    stack: Duration | None = key(
        "Time that software or firmware of the protocol on both ends adds to a command and its answer: half "
        "of it passes with each message, and nothing queues for it.",
        unset="the library's figure for it (`iowatt fabric show NAME`)",
        example="20us",
        le=1,
    )

    @property
    def unsolicited(self) -> int | None:
        """Data that goes with the command of a write; None: the library's figure."""
        return None

    @property
    def most(self) -> int | None:
        """Most data requested at once; None: the library's figure."""
        return getattr(self, "burst", None)

    @property
    def fast_write_at(self) -> str | None:
        """The switch that answers writes itself."""
        return getattr(self, "fast_write", None)


def _burst() -> Any:
    return key(
        "Most data of a write that the array asks for at once; each burst costs a round trip.",
        unset="all of it; of iSCSI 256KiB (MaxBurstLength)",
        unit="bytes",
        example="64KiB",
        gt=0,
        le=2**40,
    )


def _first_burst() -> Any:
    return key(
        "Unsolicited data of a write: its first bytes, behind the command (FCP first "
        "burst, with XFER_RDY disabled; of iSCSI FirstBurstLength with InitialR2T=No).",
        unset="none; of iSCSI what `immediate` says",
        unit="bytes",
        example="64KiB",
        le=2**40,
    )


def _fast_write() -> Any:
    return key(
        "The switch of the path, by its name, that tells hosts itself that the array is ready for data (FC "
        "fast write), so that a write makes one round trip over what lies behind it.",
        unset="the array tells",
        example="near",
    )


class _FibreChannel(_Protocol):
    """SCSI or NVMe over Fibre Channel."""

    first_burst: BlockSize | None = _first_burst()
    burst: BlockSize | None = _burst()
    fast_write: Name | None = _fast_write()

    @property
    def unsolicited(self) -> int | None:
        """First burst."""
        return self.first_burst


class Fcp(_FibreChannel):
    """SCSI over Fibre Channel."""

    name: Literal["fcp"] = key(
        "Which protocol. fcp: SCSI over Fibre Channel; a write waits for the array's XFER_RDY.", example="fcp"
    )


class NvmeFc(_FibreChannel):
    """NVMe over Fibre Channel."""

    name: Literal["nvme-fc"] = key(
        "Which protocol. nvme-fc: NVMe over Fibre Channel, with the exchange of FCP.", example="nvme-fc"
    )


class _InCapsule(_Protocol):
    """NVMe with data in the command capsule."""

    in_capsule: BlockSize | None = key(
        "Largest write whose data goes in the command's capsule; a larger one waits for the array to ask for "
        "all of it.",
        unset="8KiB over TCP, 4KiB over RDMA",
        example="8KiB",
        le=2**40,
    )

    @property
    def unsolicited(self) -> int | None:
        """Data in the capsule."""
        return self.in_capsule


class NvmeTcp(_InCapsule):
    """NVMe over TCP."""

    name: Literal["nvme-tcp"] = key(
        "Which protocol. nvme-tcp: NVMe over TCP; larger writes wait for R2T.", example="nvme-tcp"
    )
    burst: BlockSize | None = _burst()


class NvmeRdma(_InCapsule):
    """NVMe over RDMA (RoCE v2)."""

    name: Literal["nvme-rdma"] = key(
        "Which protocol. nvme-rdma: NVMe over RoCE v2; the target fetches larger writes from the host.",
        example="nvme-rdma",
    )


class Iscsi(_Protocol):
    """SCSI over TCP."""

    name: Literal["iscsi"] = key(
        "Which protocol. iscsi: SCSI over TCP; what is neither immediate data nor first burst waits for R2T.",
        example="iscsi",
    )
    immediate: BlockSize | None = key(
        "Data of a write in the command itself (ImmediateData).",
        unset="8KiB (MaxRecvDataSegmentLength)",
        example="0",
        le=2**40,
    )
    first_burst: BlockSize | None = _first_burst()
    burst: BlockSize | None = _burst()

    @property
    def unsolicited(self) -> int | None:
        """First burst, which immediate data is the front of."""
        return self.immediate if self.first_burst is None else self.first_burst


class NvmePcie(_Protocol):
    """NVMe over PCI Express."""

    name: Literal["nvme-pcie"] = key(
        "Which protocol. nvme-pcie: NVMe on PCI Express; the drive or array fetches commands and data.",
        example="nvme-pcie",
    )


def _from_name(value: Any) -> Any:
    return {"name": value} if isinstance(value, str) else value


class _NameOrTable:
    """The short form for editors: a name stands for a table with that name."""

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        names = {
            "type": "string",
            "enum": list(PROTOCOLS),
            "description": "The protocol as the library has it.",
        }
        return {"anyOf": [names, handler(core)]}


Protocol = Annotated[
    Fcp | NvmeFc | NvmeTcp | NvmeRdma | Iscsi | NvmePcie,
    Field(discriminator="name"),
    BeforeValidator(_from_name),
    _NameOrTable,
]


class _Choice(ShortForm):
    """A part of the library with changed figures, or all figures of another part."""

    SHORT_MEANS: ClassVar[str] = "A name of the library, without changes."

    name: str | None = key(
        "A part of the library (`iowatt fabric list`); the other keys change its figures.",
        unset="a part that the other keys describe",
        example="fc-8g",
        min_length=1,
    )


class LinkChoice(LinkFigures, _Choice):
    """A link."""


class SwitchChoice(SwitchFigures, _Choice):
    """A switch."""


class AdapterChoice(AdapterFigures, _Choice):
    """A host adapter."""


class HopKeys(Strict):
    """One link, one switch, or one delay on the way."""

    name: Name | None = key(
        "Name in results and in `--set` paths.",
        unset="that of its part, with a number where the path has several of them",
        example="near",
    )
    link: LinkChoice | None = key(
        "A link: a library name, or a table of figures. Each direction is a station of its own: "
        "messages one after another, first come first served.",
        unset="it is a switch, or a delay",
        accepts="a library name, or a table with the keys name, medium, rate, frame, overhead, "
        "latency, delay_per_km",
        example="fc-8g",
    )
    switch: SwitchChoice | None = key(
        "A switch: a library name, or a table of figures. Its time is a latency; what queues at its "
        "ports queues for the link behind it.",
        unset="it is a link, or a delay",
        accepts="a library name, or a table with the keys name, medium, latency, forwarding",
        example="brocade-6510",
    )
    distance: Distance = key("Length of the link, one way.", default=0.0, example="10km")
    credits: int | None = key(
        "Buffer credits of each direction of the link: frames that may be sent before word comes back that "
        "one of them has found a buffer free. A link of length L carries credits x frame bytes in the time "
        "of a frame and of twice the way, at most.",
        unset="as many as its length needs",
        example=500,
        within=(1, 2**20),
    )
    latency: Duration = key(
        "Further time of every message here, in each direction; alone it makes a hop that only delays.",
        default=0.0,
        example="2us",
        le=100,
    )


class ExpressWrites(Strict):
    """A class of writes that the target port answers without the controller."""

    up_to: BlockSize = key(
        "Largest write of the class; the class before it ends where it begins.",
        example="16KiB",
        gt=0,
        le=2**40,
    )
    buffers: int = key(
        "Buffers of each lane's port that are allocated before writes come. A write takes one until the "
        "array has answered it; without a free one the write goes to the controller, as others do.",
        example=256,
        within=(1, 2**32 - 1),
    )


class Port(Strict):
    """The array's port of a lane."""

    command: Duration = key(
        "Time of one of its processors for every command.", default=0.0, example="2us", le=10
    )
    processors: int = key(
        "Commands that it works on at a time, first come first served.",
        default=1,
        example=2,
        within=(1, 1024),
    )
    express_writes: list[ExpressWrites] = key(
        "Classes of writes, by ascending size, for which the port itself tells hosts that it is ready, from "
        "buffers allocated in advance: they spare the time array.controller.processing.ready.",
        default=[],
        example=[{"up_to": "16KiB", "buffers": 256}],
    )


class PathKeys(Strict):
    """The way of workloads' requests from their host to the array and back."""

    name: Name = key("Name in results and in `--set` paths.", example="san")
    workloads: list[Name] | None = key(
        "The workloads that go this way.", unset="all workloads", example=["oltp"], min_length=1
    )
    protocol: Protocol = key(
        "The protocol: a name, or a table that changes what goes unsolicited.",
        accepts=f"one of {', '.join(PROTOCOLS)}, or a table with the keys name, first_burst, burst, "
        "in_capsule, immediate, fast_write, stack",
        example="fcp",
    )
    count: int = key(
        "Equal lanes, each with its own adapter port, hops and target port; requests take turns over them.",
        default=1,
        example=2,
        within=(1, 1024),
    )
    queue_depth: int | None = key(
        "Most commands of a lane outstanding, from the adapter to completion; more wait in the host.",
        unset="that of the adapter; without one, no limit",
        example=32,
        within=(1, 2**32 - 1),
    )
    hba: AdapterChoice | None = key(
        "The host's adapter: a library name, or a table of figures.",
        unset="it takes no time",
        accepts="a library name, or a table with the keys name, medium, iops, submit, ready, "
        "complete, processors, bandwidth, queue_depth",
        example="emulex-lpe12002",
    )
    hop: list[HopKeys] = key(
        "Links and switches, from the host to the array.",
        default=[],
        example=[{"link": "fc-8g"}, {"switch": "brocade-6510"}, {"link": "fc-8g", "distance": "10km"}],
        max_length=100,
    )
    port: Port = key("The array's port.", default=Port(), example={"command": "2us"})
    segment: BlockSize | None = key(
        "Data is sent in pieces of this size, which take turns with other messages at the sender, as large "
        "requests do that an array divides.",
        unset="array.controller.split; without it a message is sent in one go",
        example="32KiB",
        gt=0,
        le=2**40,
    )
    observed: Name | None = key(
        "The hop at which response times are recorded, too, besides the host and the array.",
        unset="the first switch, if there is one",
        example="near",
    )
