"""An SSD's flash and NVMe power states in a device file.

Every key may be left out: what a data sheet does not give is derived or assumed (``library.ssd``), with a
note.
"""

from __future__ import annotations

from typing import Any, Literal

from iowatt.base.quantity import BlockSize, Duration, Power, Rate
from iowatt.base.strict import Strict, key

Cell = Literal["slc", "mlc", "tlc", "qlc"]


def _optional(
    description: str, unit: str | None = None, unset: str = "derived or assumed, and said so", **more: Any
) -> Any:
    return key(description, default=None, unset=unset, unit=unit, **more)


class PowerState(Strict):
    """A power state of NVMe, as the drive describes it (`nvme id-ctrl`).

    An operational state is a cap: the drive works, drawing no more than its power. A non-operational one is a
    level below idling that a command ends.
    """

    name: str = key("Its name: ps and its number.", pattern=r"^ps([0-9]|[12][0-9]|3[01])$", example="ps3")
    power: Power = key("The most it draws while at it (MP).", example="40mW")
    operational: bool = key("Whether it serves commands (not NOPS).", default=True, example=False)
    enter_latency: Duration = key("The longest that entering it takes (ENLAT).", default=0.0, example="2ms")
    exit_latency: Duration = key("The longest that leaving it takes (EXLAT).", default=0.0, example="1.2ms")


class Suspend(Strict):
    """Reads that interrupt the programs and erases of their die."""

    program: bool = key("Reads interrupt programs.", default=True, example=True)
    erase: bool = key("Reads interrupt erases.", default=True, example=True)
    latency: Duration = key(
        "From a read's arrival at a die that programs or erases to its start.", default=20e-6, example="20us"
    )


class FlashFigures(Strict):
    """The flash of an SSD and the memory in front of it."""

    cell: Cell | None = _optional(
        "Bits of a cell: 1 (slc) to 4 (qlc).", unset="found in media", example="tlc"
    )
    channels: int | None = _optional("Buses between controller and dies.", within=(1, 256), example=8)
    dies_per_channel: int | None = _optional("Dies on each.", within=(1, 4096), example=8)
    planes: int | None = _optional("Planes of a die, which work at once.", within=(1, 16), example=2)
    page: BlockSize | None = _optional("A page of one plane.", gt=0, le=2**20, example="16KiB")
    pages_per_block: int | None = _optional(
        "Pages that are erased together.", within=(16, 65536), example=1152
    )
    read_time: Duration | None = _optional("A page from the cells to its register.", example="60us")
    program_time: Duration | None = _optional(
        "A page from its register to the cells, the mean of the pages of a cell.", example="700us"
    )
    erase_time: Duration | None = _optional("Erasing a block.", example="5ms")
    channel_rate: Rate | None = _optional("Speed of a channel.", gt=0, example="800MB/s")
    suspend: Suspend | None = _optional("Whether reads interrupt programs and erases.")
    mapping_unit: BlockSize | None = _optional(
        "What the drive maps and writes as one (indirection unit). A smaller write reads and writes it all.",
        gt=0,
        le=2**20,
        example="4KiB",
    )
    write_buffer: BlockSize | None = _optional(
        "Memory behind power-loss protection, in which writes complete; 0: they complete on the flash.",
        within=(0, 2**34),
        example="16MiB",
    )
    over_provisioning: float | None = _optional(
        "Flash beyond the capacity offered, as a share of it, blocks that are kept free left out.",
        within=(0.01, 10),
        example=0.28,
    )
    pe_cycles: int | None = _optional("Program and erase cycles that a block bears.", ge=1, example=3000)
