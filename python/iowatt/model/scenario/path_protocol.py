"""Keys of the protocol of a path: which one, and what it lets go without being asked for."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Field, GetJsonSchemaHandler
from pydantic_core import CoreSchema

from iowatt.base.quantity import BlockSize, Duration
from iowatt.base.strict import Name, Strict, key

NAMES: Final = ("fcp", "nvme-fc", "nvme-tcp", "nvme-rdma", "iscsi", "nvme-pcie")
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
        """Most data asked for at once; None: the library's figure."""
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
        "Data of a write that goes without being asked for: its first bytes, behind the command (FCP first "
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
        """First burst, of which immediate data is the front."""
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
        names = {"type": "string", "enum": list(NAMES), "description": "The protocol as the library has it."}
        return {"anyOf": [names, handler(core)]}


Protocol = Annotated[
    Fcp | NvmeFc | NvmeTcp | NvmeRdma | Iscsi | NvmePcie,
    Field(discriminator="name"),
    BeforeValidator(_from_name),
    _NameOrTable,
]
