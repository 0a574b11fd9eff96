"""An SSD's flash and NVMe power states in a device file.

Every key may be left out: what a data sheet does not give is derived or assumed (``library.ssd``), with a
note.
"""

from __future__ import annotations

from typing import Any, Literal

from iowatt.base.quantity import BlockSize, Capacity, Duration, Power, Rate
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
    most: int | None = key(
        "How often one program or erase can be interrupted; then reads wait for its end.",
        default=None,
        unset="without limit",
        within=(1, 2**20),
        example=10,
    )


class CollectionBursts(Strict):
    """Garbage collection that begins when few superblocks are free and goes on until some more are.

    A superblock is the same block of every plane of every die.
    """

    superblocks: int = key("How many more are free after it.", default=2, within=(1, 1024), example=2)
    share: float = key(
        "Share of the dies' time that its programs take meanwhile.", default=0.3, gt=0, le=1, example=0.3
    )


class SlcCache(Strict):
    """Cells that are written with one bit each at first, and folded into cells of several bits later.

    `performance.sequential_write` is then of the cache.
    """

    size: Capacity = key("Bytes written that it holds.", gt=0, example="42GB")
    sustained: Rate = key("Sequential writes once it is full.", gt=0, example="1200MB/s")
    dynamic: bool = key(
        "Whether it shrinks as the drive fills: `size` is that of an empty drive, and a full one has none.",
        default=False,
        example=True,
    )
    program_time: Duration = key(
        "A page from its register to cells of one bit.", default=200e-6, gt=0, example="200us"
    )
    idle: Duration = key("Without work for so long, the drive folds.", default=0.1, example="100ms")


class FlashZones(Strict):
    """Zones that the host writes in order (NVMe zoned namespaces), in place of a map and its collection."""

    size: Capacity = key(
        "Bytes of a zone that can be written (zone capacity), rounded to whole pages of all dies: a zone is "
        "simulated as one superblock.",
        gt=0,
        le=2**40,
        example="1077MiB",
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
    read_times: list[Duration] | None = _optional(
        "The same for each page type of a cell, in the order of its pages: as many as it has bits.",
        unset="from read_time, by the references that each type is sensed against",
        min_length=1,
        max_length=8,
        example=["44us", "60us", "92us"],
    )
    read_hold: Duration | None = _optional(
        "How long a read keeps its die from other work, the mean over page types.",
        unset="so that all dies together make the published random reads",
        gt=0,
        example="79us",
    )
    retries: float | None = _optional(
        "Share of the reads of a page that are repeated, because its data cannot be corrected.",
        within=(0, 0.5),
        example=0.002,
    )
    program_time: Duration | None = _optional(
        "A page from its register to the cells, the mean of the pages of a cell.", example="700us"
    )
    erase_time: Duration | None = _optional("Erasing a block.", example="5ms")
    channel_rate: Rate | None = _optional("Speed of a channel.", gt=0, example="800MB/s")
    suspend: Suspend | None = _optional("Whether reads interrupt programs and erases.")
    bursts: CollectionBursts | None = _optional(
        "Garbage collection in bursts.", unset="by interface and year: in step with the host's writes, or so"
    )
    slc_cache: SlcCache | None = key(
        "Cells that are written with one bit each at first.", default=None, unset="none"
    )
    map_entry: int | None = _optional(
        "Bytes of the map for each unit written, which go to flash with it; 0: none.",
        "B",
        within=(0, 64),
        example=8,
    )
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
    zones: FlashZones | None = key(
        "Zones that the host writes in order and resets (ZNS), as a virtual pool with the scheme zoned does.",
        default=None,
        unset="none: the drive maps and collects by itself",
        example={"size": "1077MiB"},
    )
    placement_handles: int = key(
        "Placement handles of NVMe flexible data placement (FDP): writes with different ones never share a "
        "superblock. Moved data go to superblocks of their own, which all handles share (initially "
        "isolated). Flash for the superblocks open at once comes on top of over_provisioning.",
        default=1,
        unset="1: the drive places all writes together",
        within=(1, 64),
        example=8,
    )
    over_provisioning: float | None = _optional(
        "Flash beyond the capacity offered, as a share of it, blocks that are kept free left out.",
        within=(0.01, 10),
        example=0.28,
    )
    pe_cycles: int | None = _optional("Program and erase cycles that a block bears.", ge=1, example=3000)
