"""Storage: pools of like drives under one redundancy scheme, volumes on pools, buses that drives share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from iowatt.base import units
from iowatt.base.errors import BadValueError
from iowatt.base.quantity import BlockSize, Capacity, Duration, Rate, Share, Speed
from iowatt.base.strict import Name, ShortForm, Strict, key
from iowatt.model.erasure_code import Code
from iowatt.model.library import Scheduler
from iowatt.model.library.electrical import HddPower
from iowatt.model.power import ArrayPower
from iowatt.model.raid import DEFAULT_CHUNKLET, Level
from iowatt.model.scenario.keys.controller import ControllerKeys
from iowatt.model.scenario.keys.library import LibraryKeys
from iowatt.model.scenario.keys.power import NeverPolicy, PowerPolicy
from iowatt.model.scenario.keys.qos import ArrayQos, VolumeQos
from iowatt.model.scenario.keys.ssd import SsdSettings
from iowatt.model.scenario.virtual import VirtualPool

Sparing = Literal["dedicated", "distributed", "adaptive"]


def _rate(value: Any) -> Any:
    if value is None or value == "unlimited":
        return None
    try:
        rate = units.parse_rate(value)
    except BadValueError as error:
        raise BadValueError(error.code, None, f"{error.message}, or 'unlimited'") from None
    if rate < 1:
        message = f"{value!r} would never end; expected {units.RATE}, or 'unlimited'"
        raise BadValueError("out-of-range", None, message)
    return rate


class Failure(Strict):
    """A drive fails and stays failed."""

    drive: int = key(
        "Drive of the pool, numbered from 0. Dedicated spares come last and may fail too.",
        ge=0,
        example=3,
    )
    at: Duration = key(
        "Time of the failure, from the start of the run; 0s is degraded from the start. The operation in "
        "service completes, queued ones go to the other drives, and the drive draws no power from then on.",
        example="10min",
    )


class RebuildKeys(Strict):
    """How a failed drive is rebuilt onto spare space."""

    rate: Annotated[
        float | None,
        BeforeValidator(_rate),
        WithJsonSchema(
            {
                "type": "string",
                "examples": ["50MB/s", "unlimited"],
                "x-accepts": f"{units.RATE}, or 'unlimited'",
            }
        ),
    ] = key(
        "Maximum rebuild rate, per second of the failed drive.",
        unset="unlimited: as fast as outstanding steps and drives allow",
        unit="bytes/s",
        example="50MB/s",
    )
    outstanding: int = key(
        "Rebuild steps in flight. More keep the drives busier and make requests wait longer.",
        default=1,
        within=(1, 1024),
        example=4,
    )
    step: BlockSize = key(
        "Size of a rebuild step on each drive, rounded up to whole stripe units. Contiguous reads, and then "
        "writes, are one operation per drive.",
        default=1 << 20,
        example="512KiB",
        gt=0,
        le=2**40,
    )
    delay: Duration = key("Time from the failure to the start of the rebuild.", default=0.0, example="5min")
    priority: Literal["host-first", "equal"] = key(
        "Priority in the drives' queues. host-first: a rebuild operation starts only if no host operation is "
        "waiting (a saturated array never finishes); equal: the scheduler treats both alike.",
        default="host-first",
        example="equal",
    )


def _not_boolean(value: Any) -> Any:
    if isinstance(value, bool):  # which Python would take for 0 or 1
        raise BadValueError("wrong-type", None, "expected one of 0, 1, 4, 5, 6, 10")
    return value


def _no_switch(value: Any) -> Any:
    if isinstance(value, bool):
        raise BadValueError("wrong-type", None, 'expected one of 0, 1, 4, 5, 6, 10, "ec"')
    return value


def _chunklet(value: Any) -> Any:
    if value is True:
        return DEFAULT_CHUNKLET
    if value is False:
        message = "false is not accepted; expected a size such as '256MiB', or true, or leave it out"
        raise BadValueError("not-accepted", None, message)
    return units.parse_block_size(value)


Chunklet = Annotated[
    int,
    BeforeValidator(_chunklet),
    Field(ge=2**12, le=2**40),
    WithJsonSchema({"anyOf": [{"type": "string", "examples": ["256MiB"]}, {"const": True}]}),
]
RaidLevel = Annotated[Literal[0, 1, 4, 5, 6, 10], BeforeValidator(_not_boolean)]
RaidOrCode = Annotated[Literal[0, 1, 4, 5, 6, 10, "ec"], BeforeValidator(_no_switch)]
MirrorReads = Literal["shorter-queue", "spinning", "primary"]
ParityLayout = Literal["left-symmetric", "left-asymmetric", "right-symmetric", "right-asymmetric"]

# How a bus names its drives: all of a pool, one, or a slice whose bounds may be percentages of the pool.
DRIVES_PATTERN: Final = (
    r"^([0-9]*[A-Za-z][A-Za-z0-9_-]*)(?:\.([0-9]+)|\[([0-9]+%?)?:([0-9]+%?)?(?::([1-9][0-9]*))?\])?$"
)
Selector = Annotated[
    str, Field(pattern=DRIVES_PATTERN, examples=["disks", "disks[0:16]", "disks[:50%]", "disks.3"])
]


class DeviceChoice(ShortForm):
    """A drive of the library or of a file, with figures that differ from it."""

    SHORT_MEANS: ClassVar[str] = "A name or a file, without changes."

    name: str = key(
        "A library drive (listed by `iowatt explain array.pool.device`), a device file (.toml), or a DiskSim "
        "file (.diskspecs or .parv); files are relative to the scenario's directory.",
        example="arrays2002-disk",
        min_length=1,
    )
    drive: str | None = key(
        "Drive of a DiskSim file: the name of a component or a specification.",
        unset="the only one",
        example="disk0",
        min_length=1,
    )
    rpm: Speed | None = key(
        "A different spindle speed. Skew times, seeks and power are not rescaled.",
        unset="the drive's own",
        example=15000,
        gt=0,
    )
    capacity: Capacity | None = key(
        "A smaller capacity. A disk uses only its first bytes, on the outer tracks (short stroking); an SSD "
        "keeps its flash, and the rest becomes over-provisioning.",
        unset="the drive's own",
        example="18GB",
        gt=0,
    )
    power: HddPower | None = key(
        "Electrical figures in place of, or in addition to, the drive's own.",
        unset="the drive's own",
        example={"active": "12W", "positioning": "12W", "idle": "8W"},
    )


class Raid(Strict):
    """Striping and redundancy."""

    level: RaidOrCode = key(
        "RAID level. 0: striping; 1: all drives mirrored (2 or more); 10: striped mirrored pairs (an even "
        "number, 4 or more); 4: parity on the last drive (3 or more); 5: rotating parity (3 or more); 6: "
        'rotating double parity (4 or more); "ec": erasure code with rotating parity, of data, parity and '
        "local_groups (as many drives as units, or more if divided into chunklets).",
        example=5,
    )
    data: int | None = key(
        'Data units per stripe, for level "ec".',
        unset="none, for levels with a number",
        within=(1, 254),
        example=8,
    )
    parity: int | None = key(
        'Parity units per stripe, for level "ec": the number of lost units it tolerates. With local_groups, '
        "the global parity units.",
        unset="none, for levels with a number",
        within=(1, 8),
        example=3,
    )
    local_groups: int | None = key(
        'Equal groups of data units in a stripe of level "ec", each with its own parity unit: a local '
        "reconstruction code, which restores a lost unit from the others in its group. "
        "data = 12, parity = 2, local_groups = 2 is LRC(12,2,2), of 16 units.",
        unset="none: a lost unit is restored from as many units as the stripe has data units",
        within=(1, 7),
        example=2,
    )
    stripe_unit: BlockSize = key(
        "Contiguous bytes on one drive before moving to the next; also called chunk or strip. A whole number "
        "of sectors. Small units spread a request over several drives, large ones keep it on one. Not used "
        "by level 1.",
        default=64 * 1024,
        example="16KiB",
        gt=0,
        le=2**40,
    )
    layout: ParityLayout = key(
        "Rotation of parity and data over the drives, for levels 5, 6 and ec: the four layouts of Linux md.",
        default="left-symmetric",
        example="right-asymmetric",
    )
    small_write: Literal["auto", "read-modify-write", "reconstruct", "parity-log"] = key(
        "How a write smaller than a stripe updates parity: by reading the old data and parity "
        "(read-modify-write), by reading the unwritten data (reconstruct), or by whichever takes "
        "fewer drive operations (auto). parity-log reads the old data and logs parity changes in the "
        "controller's memory, then at the end of the drives; parity is updated later in bulk, paced by "
        "array.pool.rebuild. Levels 4, 5, 6 and ec on whole drives.",
        default="auto",
        example="read-modify-write",
    )
    log: Share = key(
        "Share of each drive, at its end, that the log of parity updates takes of the usable capacity. Only "
        'with small_write = "parity-log".',
        default=0.05,
        example=0.1,
    )
    log_buffer: BlockSize = key(
        "How much of parity updates is written to the log at once, spread over all drives; rounded up to "
        "whole stripes. Each region has two such buffers in the controller's battery-backed memory.",
        default=1 << 20,
        example="2MiB",
        gt=0,
        le=2**30,
    )
    log_run: BlockSize = key(
        "With a log, parity does not go to other drives with every stripe, but after so much of each drive: "
        "it is read and written in operations of up to this size. Rounded up to whole stripe units.",
        default=1 << 20,
        example="2MiB",
        gt=0,
        le=2**30,
    )
    log_regions: int = key(
        "Parts of consecutive stripes with a log each. More of them need less memory to update parity from a "
        "log, which is read into it, and more for buffers.",
        default=16,
        within=(1, 65536),
        example=64,
    )
    parity_check_on_read: bool = key(
        "Reads also fetch and verify parity; levels 4, 5, 6 and ec. A read of w units of a stripe takes w + "
        "1 operations, with level 6 w + 2.",
        default=False,
        example=True,
    )
    mirror_reads: MirrorReads = key(
        "Copy to read from, for levels 1 and 10. shorter-queue: shorter queue, then shorter seek. spinning: "
        "drive ready soonest, ties as in shorter-queue; sleeping drives stay asleep. primary: drive ready "
        "soonest, ties to the first; the others can sleep while the first serves all reads. The last two "
        "are for pools with a power policy.",
        default="shorter-queue",
        example="spinning",
    )
    set_size: int | None = key(
        "Chunklets per RAID set, including parity and copies, each on a different drive. Only if the pool is "
        "divided into chunklets.",
        unset="4 for RAID-5 (3+1), 8 for RAID-6 (6+2), 2 for RAID-10, 1 for RAID-0, the units of a code",
        within=(1, 1000),
        example=6,
    )

    @property
    def code(self) -> Code | None:
        """The erasure code; None for the other levels, and where it is not whole."""
        if self.level != "ec" or self.data is None or self.parity is None:
            return None
        return Code(self.data, self.parity, self.local_groups or 0)

    def plan(
        self, level: Level | None = None, stripe_unit: int | None = None, log: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """``RaidPlan`` of iowatt-sim; ``level`` and ``stripe_unit`` replace its own; ``log`` of parity
        updates, without which none are logged."""
        unlogged = log is None and self.small_write == "parity-log"
        return {
            "level": str(self.level if level is None else level),
            **({} if self.code is None else {"code": self.code.plan()}),
            "stripe_unit_bytes": self.stripe_unit if stripe_unit is None else stripe_unit,
            "layout": self.layout,
            "small_write": "auto" if unlogged else self.small_write,
            **({} if log is None else {"log": dict(log)}),
            "parity_check_on_read": self.parity_check_on_read,
            **({} if self.mirror_reads == "shorter-queue" else {"mirror_reads": self.mirror_reads}),
        }


class Pool(Strict):
    """Like drives and the scheme that joins them."""

    name: Name = key(
        "Name in results, in `[[array.volume]]`, in buses and in `--set` paths.", example="disks"
    )
    device: DeviceChoice = key(
        "The drive model, with optional overrides of its figures.",
        accepts="a library name, a device file (.toml), or a table with the keys name, rpm, capacity, power",
        example="arrays2002-disk",
    )
    count: int = key(
        "Number of drives, including parity and mirrors, excluding spares.", within=(1, 100_000), example=32
    )
    raid: Raid | None = key(
        "Striping and redundancy; in a pool of chunklets, the default for its volumes.",
        unset="none, allowed only for a single drive; level 5 for chunklets",
        example={"level": 5, "stripe_unit": "16KiB"},
    )
    chunklet: Chunklet | None = key(
        "Divides the drives into chunklets of this size (true: 256MiB). RAID sets are built from chunklets "
        "on different drives, and every volume spans all drives. Volumes may have their own RAID levels "
        "(array.volume.raid) on the same drives. The remainder at the end of a drive is unused.",
        unset="RAID uses whole drives",
        unit="bytes",
        accepts="a size, or true",
        example="256MiB",
    )
    spares: int = key(
        "Spare capacity, in drives, in addition to count. Dedicated spares are extra drives, numbered last, "
        "that spin idle.",
        default=0,
        within=(0, 1000),
        example=1,
    )
    sparing: Sparing = key(
        "Location of spare space. dedicated: on spare drives. distributed: one unit of every stripe, rotated "
        "over all count + 1 drives (RAID-5, 6 and 10, with spares = 1); in a pool of chunklets, spare "
        "chunklets on every drive. adaptive: the latter, used by SSDs as over-provisioning until needed.",
        default="dedicated",
        example="distributed",
    )
    failure: list[Failure] = key("Drive failures.", default=[])
    rebuild: RebuildKeys = key(
        "Rebuild of failed drives onto spare space, one at a time. Without spares nothing is rebuilt.",
        default=RebuildKeys(),
        example={"rate": "50MB/s"},
    )
    scheduler: Scheduler = key(
        "Order in which the host or controller sends requests to each drive. fcfs: first come; sstf: "
        "shortest seek; scan, look: elevator that turns at the edge, at the last request; c-look: one-way "
        "elevator; sptf: shortest positioning time; spctf: the same, but reads that hit the drive's buffer "
        "come first; elevator: same as look. SSDs accept only fcfs, their default.",
        default="look",
        example="elevator",
    )
    queue_depth: int | None = key(
        "Maximum number of outstanding commands at a drive, including the one in service. With 1 the host "
        "picks the next request when the drive is free. With more, the drive picks among the commands it "
        "holds (drive_scheduler), and the host schedules from the last block address it sent.",
        unset="1 for disks; the drive's command_queue.depth for SSDs",
        within=(1, 2**20),
        example=32,
    )
    drive_scheduler: Scheduler | None = key(
        "Order in which a disk serves the commands it holds; same names as scheduler. The disk knows its "
        "head position. No effect with queue_depth = 1.",
        unset="the drive's own (command_queue.scheduler of its device file), or fcfs",
        example="spctf",
    )
    scheduler_deadline: Duration | None = key(
        "A request that has waited longer than this at the host goes first (Linux mq-deadline: 500 ms for "
        "reads, 5 s for writes). For disks; not with fcfs.",
        unset="no deadline",
        example="500ms",
    )
    drive_deadline: Duration | None = key(
        "The same for commands held by the drive. For disks; no effect with queue_depth = 1.",
        unset="no deadline",
        example="2s",
    )
    power: PowerPolicy = key(
        "Power policy: when idle drives change their power level.",
        default=NeverPolicy(policy="never"),
        example={"policy": "fixed-threshold", "threshold": "10s"},
    )
    ssd: SsdSettings | None = key(
        "SSD simulation settings, and overrides of flash figures of the device file.",
        unset="as in the device file, in steady state",
        example={"over_provisioning": 0.28, "gc": {"policy": "greedy"}},
    )
    placement: Literal["by-volume"] | None = key(
        "NVMe FDP placement handles for host writes. by-volume: each volume on the pool, and each "
        "part of a virtual pool, has its own handle, including parity. The drive must have handles "
        "(flash.placement_handles of its file).",
        unset="none: all writes are placed together",
        example="by-volume",
    )
    write_cache: bool | None = key(
        "Drive write cache. true: writes complete in the drive's buffer and reach the media in the "
        "background; needs a drive with a buffer. false: writes complete on the media.",
        unset="as in the drive's file (buffer.fast_write); an SSD has ssd.write_buffer",
        example=False,
    )
    read_ahead: bool | None = key(
        "Drive read-ahead into its buffer after a read. true needs a drive with a buffer.",
        unset="as in the drive's file (buffer.read_ahead); an SSD has none",
        example=False,
    )
    phase: Literal["random", "zero"] = key(
        "Rotational position of each drive at time zero: random by the seed, or sector 0 (for cross-checks).",
        default="random",
        example="zero",
    )

    @property
    def drives(self) -> int:
        """Number of drives, spares included."""
        return self.count + self.spares


class VolumeKeys(Strict):
    """A range of a pool's usable bytes. Volumes on one pool lie one after another, behind parts of virtual
    pools."""

    name: Name = key("Name in results and in `workload.volume`.", example="db")
    pool: Name = key("Pool, virtual pool or library that holds the volume.", example="disks")
    capacity: Capacity | None = key(
        "Size, rounded down to whole sectors, or to whole cartridges on a library.",
        unset="the rest of the pool",
        example="500GB",
        gt=0,
    )
    raid: Raid | None = key(
        "RAID of this volume; only on a pool of chunklets.",
        unset="the pool's",
        example={"level": 10},
    )
    qos: VolumeQos | None = key(
        "Limits and priority of the volume (QoS).",
        unset="no limit",
        example={"iops": 500, "burst": "2s"},
    )


def _not_empty(value: list[str]) -> list[str]:
    if not value:
        message = "must not be empty; name at least one drive, such as 'disks' or 'disks[0:16]'"
        raise BadValueError("missing", None, message)
    return value


class BusKeys(Strict):
    """A link that drives share, one transfer at a time, first come first served."""

    name: Name = key("Name in results.", example="scsi0")
    drives: Annotated[list[Selector], AfterValidator(_not_empty)] = key(
        "The drives on it. disks is all of that pool, disks.3 its fourth, disks[0:16] its first sixteen "
        "(the end is not included), disks[:50%] its first half whatever the count, disks[::2] every other "
        "one. All drives of a pool are on buses, or none.",
        example=["disks[:50%]"],
    )
    bandwidth: Rate = key("Speed of a transfer.", example="160MB/s", gt=0)
    arbitration: Duration = key("Time before each transfer.", default=0.0, example="2us")


class ArrayKeys(Strict):
    """The storage system."""

    pool: list[Pool] = key(
        "Pools of identical drives; pools may differ. None in a system of tape libraries only.", default=[]
    )
    library: list[LibraryKeys] = key(
        "Libraries: cartridges that robots put into tape drives. Each is an address space, as a pool is.",
        default=[],
    )
    virtual_pool: list[VirtualPool] = key(
        "Address spaces built from ranges of pools: hybrid volumes, tiers.", default=[]
    )
    volume: list[VolumeKeys] = key(
        "Volumes. Default: one volume with the name and full capacity of each virtual pool, each pool not in "
        "a virtual pool, and each library.",
        default=[],
    )
    bus: list[BusKeys] = key(
        "Shared buses. Default: each drive has a private link of unlimited bandwidth.", default=[]
    )
    controller: ControllerKeys | None = key(
        "Array controller: processors, back end, host link, cache.",
        unset="none; requests reach drives with no delay",
    )
    qos: ArrayQos | None = key(
        "Maximum number of requests in the array, and the order of those waiting.",
        unset="unlimited",
        example={"outstanding": 64, "order": "weighted"},
    )
    power: ArrayPower | None = key(
        "Power draw besides the drives: enclosures, parts and power supplies.",
        unset="only drives draw power",
    )

    @property
    def has_wall_power(self) -> bool:
        """Whether watts at the wall are modelled: those of libraries are, where there is nothing else."""
        return self.power is not None or (bool(self.library) and not self.pool)

    @property
    def volume_names(self) -> list[str]:
        """Names of the volumes in their order, those that follow from pools where none is given."""
        if self.volume:
            return [volume.name for volume in self.volume]
        parts = {part.pool for virtual in self.virtual_pool for _, _, part in virtual.parts()}
        own = [pool.name for pool in self.pool if pool.name not in parts]
        virtual = (one.name for one in self.virtual_pool)
        return [*own, *virtual, *(library.name for library in self.library)]
