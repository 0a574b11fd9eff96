"""The components between the host and DiskSim's disks: driver, buses, controllers, and arrays over them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias, TypeVar

from iowatt.base.errors import InputError
from iowatt.model.library.disksim.grammar import names
from iowatt.model.library.disksim.parameter import (
    PRINTING,
    Table,
    convert,
    duration,
    flag,
    ignored,
    numbered,
    numbers,
    one_of,
    part,
    read_fields,
    real,
    seconds,
    stored,
    sub_block,
    table_of,
    whole,
    word,
)
from iowatt.model.library.disksim.tree import Block

POLICIES: Final = {
    1: "fcfs", 2: "elevator-lbn", 3: "cycle-lbn", 4: "sstf-lbn", 5: "elevator-cylinder",
    6: "cycle-cylinder", 7: "sstf-cylinder", 8: "sptf", 9: "spctf", 10: "satf", 11: "wptf", 12: "wpctf",
    13: "watf", 14: "asptf", 15: "aspctf", 16: "asatf", 17: "vscan-lbn", 18: "vscan-cylinder",
    19: "priority-vscan-lbn", 20: "priority-asptf", 21: "priority-aspctf", 22: "sdf-approximate",
    23: "sdf-exact", 24: "sptf-rotation", 25: "sptf-rotation-weight", 26: "sptf-seek-weight", 27: "tsps",
    28: "batch-fcfs",
}  # fmt: skip
BUS_TYPES: Final = {1: "tenured", 2: "interleaved"}
ARBITRATION: Final = {1: "slot-priority", 2: "fcfs"}
CONTROLLER_TYPES: Final = {1: "pass-through", 2: "53c700", 3: "smart"}
WRITE_SCHEMES: Final = {1: "synchronous", 2: "write-through", 3: "write-back"}
FLUSH_POLICIES: Final = {0: "on-demand", 1: "periodic"}
REPLACEMENT: Final = {1: "fifo", 2: "segmented-lru", 3: "random", 4: "lifo"}
PREFETCH: Final = {0: "none", 1: "front-of-line", 2: "back-of-line", 3: "full-line"}
ROTATIONS: Final = {1: "left-symmetric", 2: "left-asymmetric", 3: "right-asymmetric", 4: "right-symmetric"}
COPY_CHOICES: Final = {
    1: "primary", 2: "random", 3: "round-robin", 4: "shortest-seek", 5: "shortest-queue",
    6: "shortest-queue-then-seek",
}  # fmt: skip


@dataclass(frozen=True)
class Scheduler:
    """How a queue is served.

    policy: One of `POLICIES`, by name.
    cylinder_mapping: How well the scheduler knows the layout: 0 only LBNs, 1 zones, 2 and spares, 3 and
        slips, 4 exactly, 5 the trace says, 6 an average track.
    write_initiation_s, read_initiation_s: Seconds that positioning estimates allow before the arm starts.
    """

    policy: str = stored("Scheduling policy", numbered(POLICIES))
    cylinder_mapping: int = stored("Cylinder mapping strategy", whole(0, 6))
    write_initiation_s: float = stored("Write initiation delay", duration)
    read_initiation_s: float = stored("Read initiation delay", duration)


def read_scheduler(block: Block, warnings: list[str]) -> Scheduler:
    """The discipline of a ``disksim_ioqueue`` block."""
    return Scheduler(**read_fields(block, SCHEDULER, warnings))


@dataclass(frozen=True, kw_only=True)
class DiskSimDriver:
    """The host's device driver.

    constant_access_s: 0: accesses are simulated. Positive: each takes this long. Negative (-1, -2, -3 ms):
        times come from the trace (access, queue, both).
    uses_queues_below: Requests are sent down as they come, to be queued there; else the driver keeps one
        outstanding per drive.
    scheduler: The order of its queues, one per drive.
    """

    constant_access_s: float = stored("Constant access time", seconds)
    uses_queues_below: bool = stored("Use queueing in subsystem", flag)
    scheduler: Scheduler


@dataclass(frozen=True)
class DiskSimBus:
    """A bus. ``read_sector_s`` and ``write_sector_s`` are seconds per block of 512 bytes.

    ``type`` is tenured (held for a whole transfer) or interleaved (any number at a time); ``arbitration``
    slot-priority or fcfs, taking ``arbitration_s`` each time.
    """

    type: str = stored("type", numbered(BUS_TYPES))
    arbitration: str = stored("Arbitration type", numbered(ARBITRATION))
    arbitration_s: float = stored("Arbitration time", duration)
    read_sector_s: float = stored("Read block transfer time", duration)
    write_sector_s: float = stored("Write block transfer time", duration)


@dataclass(frozen=True, kw_only=True)
class CacheMemory:
    """A controller's cache memory. Sizes in sectors of 512 bytes, times in seconds.

    sectors, line_sectors, max_request_sectors: Its size, that of a line, and the longest request that goes
        through it.
    replacement, lru_shares: The policy; the shares of the segments of segmented LRU, one: plain LRU.
    write_scheme: ``synchronous``, ``write-through`` or ``write-back``.
    flush_policy, flush_period_s, flush_idle_s, flush_max_lines: When dirty lines are written: on demand or
        every period; after so much idle time (negative: never); at most so many lines at once.
    read_prefetch, write_prefetch: What of the line is fetched besides the data asked for.
    clean_first, line_by_line: Clean lines are replaced before dirty ones; each line is fetched with a request
        of its own.
    """

    sectors: int = stored("Cache size", whole())
    line_sectors: int = stored("Line size", whole(1))
    max_request_sectors: int = stored("Max request size", whole())
    replacement: str = stored("Replacement policy", numbered(REPLACEMENT))
    lru_shares: tuple[float, ...]
    write_scheme: str = stored("Write scheme", numbered(WRITE_SCHEMES))
    flush_policy: str = stored("Flush policy", numbered(FLUSH_POLICIES))
    flush_period_s: float = stored("Flush period", seconds)
    flush_idle_s: float = stored("Flush idle delay", seconds)
    flush_max_lines: int = stored("Flush max line cluster", whole())
    read_prefetch: str = stored("Read prefetch type", numbered(PREFETCH))
    write_prefetch: str = stored("Write prefetch type", numbered(PREFETCH))
    clean_first: bool = stored(
        "Allocation policy",
        flag,
        ignored="lines are taken in the order of the replacement policy",
        neutral=False,
    )
    line_by_line: bool = stored(
        "Line-by-line fetches", flag, ignored="the lines of a request are fetched together", neutral=False
    )


@dataclass(frozen=True)
class CacheDevice:
    """A drive that caches another one; fields as in `CacheMemory`, drives by component name."""

    sectors: int = stored("Cache size", whole())
    max_request_sectors: int = stored("Max request size", whole())
    write_scheme: str = stored("Write scheme", numbered(WRITE_SCHEMES))
    flush_policy: str = stored("Flush policy", numbered(FLUSH_POLICIES))
    flush_period_s: float = stored("Flush period", seconds)
    flush_idle_s: float = stored("Flush idle delay", seconds)
    cache_drive: str = stored("Cache device", word)
    cached_drive: str = stored("Cached device", word)


@dataclass(frozen=True, kw_only=True)
class DiskSimController:
    """A controller.

    type: ``pass-through``, ``53c700`` (a simple one with delays) or ``smart`` (scheduler and cache).
    delay_scale: Factor of a 53c700's built-in delays; 0: none.
    sector_s: Seconds to move one block through it.
    max_queue_length, max_pending_per_drive: Requests that it takes at once (0: no limit), and that it sends
        to one drive.
    scheduler, cache: Of a smart one.
    """

    type: str = stored("type", numbered(CONTROLLER_TYPES))
    delay_scale: float = stored("Scale for delays", real(low=0))
    sector_s: float = stored("Bulk sector transfer time", duration)
    max_queue_length: int = stored("Maximum queue length", whole())
    scheduler: Scheduler | None
    cache: CacheMemory | CacheDevice | None
    max_pending_per_drive: int = stored("Max per-disk pending count", whole(), default=1)


@dataclass(frozen=True, kw_only=True)
class LogicalOrganisation:
    """A logical organisation: how addresses spread over drives, and what is kept twice. Sizes in sectors.

    name, drives: Its name, and its components in order.
    addressing: ``Array``: one address space; ``Parts``: each drive has its own.
    distribution, redundancy: ``Asis``, ``Striped``, ``Random``, ``Ideal``; ``Noredun``, ``Shadowed``,
        ``Parity_disk``, ``Parity_rotated``.
    stripe_unit_sectors, parity_stripe_unit_sectors: Consecutive blocks on one drive, of data and of parity.
    rotation: Where rotating parity goes, by the four usual names.
    copies, copy_choice: Copies of each block where shadowed, and which one a read takes.
    rmw_threshold: A row's write reads old data and parity if it covers fewer data units than this fraction of
        all drives; else it reads what it does not write.
    synchronous_writes: All reads of a parity update end before its first write starts.
    """

    name: str
    drives: tuple[str, ...]
    addressing: str = stored("Addressing mode", one_of("Array", "Parts"))
    distribution: str = stored("Distribution scheme", one_of("Asis", "Striped", "Random", "Ideal"))
    redundancy: str = stored(
        "Redundancy scheme", one_of("Noredun", "Shadowed", "Parity_disk", "Parity_rotated")
    )
    stripe_unit_sectors: int = stored("Stripe unit", whole())
    parity_stripe_unit_sectors: int = stored("Parity stripe unit", whole())
    rotation: str = stored("Parity rotation type", numbered(ROTATIONS))
    copies: int = stored("Number of copies", whole())
    copy_choice: str = stored("Copy choice on read", numbered(COPY_CHOICES))
    rmw_threshold: float = stored("RMW vs. reconstruct", real(0, 1))
    synchronous_writes: bool = stored("Synch writes for safety", flag)

    @property
    def raid_level(self) -> int | None:
        """The usual number: 0, 1, 4, 5 or 10; None where the drives stand alone or it has no number."""
        if self.addressing == "Parts" or self.distribution not in {"Asis", "Striped"}:
            return None
        striped = self.distribution == "Striped"
        return {
            "Noredun": 0 if striped else None,
            "Shadowed": 10 if striped and len(self.drives) > self.copies else 1,
            "Parity_disk": 4 if striped else None,
            "Parity_rotated": 5 if striped else None,
        }[self.redundancy]


@dataclass(frozen=True)
class TraceDevice:
    """A device of the trace, and the drive that stands for it.

    ``address_scale`` and ``size_scale`` are as written, in DiskSim's convention: 512 and 1 for a trace in
    blocks. ``offset_sectors`` is added to the address.
    """

    traced: int = stored("tracedev", whole())
    drive: str = stored("simdev", word)
    address_scale: int = stored("locScale", whole(1))
    size_scale: int = stored("sizeScale", whole(1))
    offset_sectors: int = stored("offset", whole(), default=0)


@dataclass(frozen=True)
class TraceMapping:
    """How the trace is read: times are multiplied by ``time_scale``, devices are mapped."""

    time_scale: float = stored("I/O Trace Time Scale", real(above=0), default=1.0)
    devices: tuple[TraceDevice, ...] = ()


@dataclass(frozen=True)
class DriveParents:
    """The components above a drive, by name, from the driver down."""

    driver: str
    buses: tuple[str, ...]
    controllers: tuple[str, ...]


_NO_STREAMS = "iowatt's queues serve each request as it came: requests are not merged or ordered by stream"
_TIMEOUT, _PRIORITY = "Scheduling timeout scheme", "Scheduling priority scheme"
_SEQUENTIAL = "Sequential stream scheme"
_ONE_QUEUE = "iowatt keeps one queue per device: none for requests that waited long or are urgent"

SCHEDULER: Table = {
    **table_of(Scheduler),
    _SEQUENTIAL: ignored(_NO_STREAMS, neutral=0),
    "Maximum concat size": ignored(_NO_STREAMS, only_with=_SEQUENTIAL),
    "Sequential stream diff maximum": ignored(_NO_STREAMS, only_with=_SEQUENTIAL),
    "Overlapping request scheme": ignored("overlapping requests are served like all others", neutral=0),
    _TIMEOUT: ignored(_ONE_QUEUE, neutral=0),
    "Timeout time/weight": ignored(_ONE_QUEUE, only_with=_TIMEOUT),
    "Timeout scheduling": ignored(_ONE_QUEUE, only_with=_TIMEOUT),
    _PRIORITY: ignored(_ONE_QUEUE, neutral=0),
    "Priority scheduling": ignored(_ONE_QUEUE, only_with=_PRIORITY),
}
"""``disksim_ioqueue``, in a disk, a controller or the driver."""

DRIVER: Table = {
    **table_of(DiskSimDriver),
    "type": ignored("DiskSim has only one driver type", neutral=1),
    "Scheduler": part(),
}
"""``disksim_iodriver``."""

BUS: Table = {
    **table_of(DiskSimBus),
    "Print stats": ignored(PRINTING),
}
"""``disksim_bus``."""

CONTROLLER: Table = {
    **table_of(DiskSimController),
    "Print stats": ignored(PRINTING),
    "Scheduler": part(required=False),
    "Cache": part(required=False),
}
"""``disksim_ctlr``."""

_LOCKS = "iowatt's cache has one request per line at a time by construction: there are no locks to wait for"

CACHE_MEMORY: Table = {
    **table_of(CacheMemory),
    "SLRU segments": part(required=False),
    "Max gather": ignored("lines of one request that follow one another go to the drive as one"),
    "Bit granularity": ignored("validity is kept per sector", neutral=1),
    "Lock granularity": ignored(_LOCKS),
    "Shared read locks": ignored(_LOCKS),
}
"""``disksim_cachemem``."""

CACHE_DEVICE: Table = table_of(CacheDevice)
"""``disksim_cachedev``."""

_STAMPS = "DiskSim's time stamps never worked (it writes them nowhere); ask for [observe] interval"

ARRAY: Table = {
    **table_of(LogicalOrganisation),
    "devices": part(),
    "Components": ignored("DiskSim knows whole disks only", neutral="Whole"),
    "Time stamp interval": ignored(_STAMPS, neutral=0),
    "Time stamp start time": ignored(_STAMPS, only_with="Time stamp interval"),
    "Time stamp stop time": ignored(_STAMPS, only_with="Time stamp interval"),
    "Time stamp file name": ignored(_STAMPS, only_with="Time stamp interval"),
}
"""``disksim_logorg``."""

TRACE: Table = {
    **table_of(TraceMapping),
    "I/O Mappings": part(required=False),
}
"""``disksim_iosim``."""

TRACE_DEVICE: Table = table_of(TraceDevice)
"""``disksim_iomap``."""

SYNCSET: Table = {"type": ignored("drives of a set turn in phase"), "devices": part()}
"""``disksim_syncset``."""

IGNORED_BLOCKS: Final = {
    "disksim_global": "a scenario has its own seed, and iowatt's observations are not switched one by one",
    "disksim_stats": PRINTING,
    "disksim_pf": "processors and processes of the host are not simulated",
    "disksim_synthio": "the workload comes from a scenario: a trace, or a profile with the same figures",
}
"""Types of block that do not describe the storage, and why they are ignored as a whole."""

Read = TypeVar("Read")
Reader: TypeAlias = Callable[[Block, list[str]], Read]


def read_driver(block: Block, warnings: list[str]) -> DiskSimDriver:
    """A ``disksim_iodriver``."""
    return DiskSimDriver(**read_fields(block, DRIVER, warnings), scheduler=_scheduler(block, warnings))


def read_bus(block: Block, warnings: list[str]) -> DiskSimBus:
    """A ``disksim_bus``."""
    return DiskSimBus(**read_fields(block, BUS, warnings))


def read_controller(block: Block, warnings: list[str]) -> DiskSimController:
    """A ``disksim_ctlr``."""
    fields = read_fields(block, CONTROLLER, warnings)
    scheduler = _scheduler(block, warnings) if "Scheduler" in block.entries else None
    return DiskSimController(**fields, scheduler=scheduler, cache=_cache(block, warnings))


def read_array(block: Block, warnings: list[str]) -> LogicalOrganisation:
    """A ``disksim_logorg``."""
    fields = read_fields(block, ARRAY, warnings)
    return LogicalOrganisation(name=block.name, drives=_devices(block), **fields)


def read_syncset(block: Block, warnings: list[str]) -> tuple[str, ...]:
    """The drives of a ``disksim_syncset``."""
    read_fields(block, SYNCSET, warnings)
    return _devices(block)


def read_trace(block: Block, warnings: list[str]) -> TraceMapping:
    """A ``disksim_iosim``."""
    fields = read_fields(block, TRACE, warnings)
    entry = block.entries.get("I/O Mappings")
    listed = entry.value if entry else []
    if not isinstance(listed, list):
        raise InputError(
            "wrong-type",
            block.where("I/O Mappings"),
            "'I/O Mappings' must be a list of disksim_iomap { ... }",
        )
    devices = []
    for item in listed:
        if not isinstance(item, Block) or item.type != "disksim_iomap":
            raise InputError(
                "wrong-type", block.where("I/O Mappings"), "a mapping must be a disksim_iomap { ... }"
            )
        devices.append(TraceDevice(**read_fields(item, TRACE_DEVICE, warnings)))
    return TraceMapping(**fields, devices=tuple(devices))


def _scheduler(block: Block, warnings: list[str]) -> Scheduler:
    return read_scheduler(sub_block(block, "Scheduler", "disksim_ioqueue"), warnings)


def _cache(block: Block, warnings: list[str]) -> CacheMemory | CacheDevice | None:
    if "Cache" not in block.entries:
        return None
    cache = sub_block(block, "Cache", "disksim_cachemem", "disksim_cachedev")
    if cache.type == "disksim_cachedev":
        return CacheDevice(**read_fields(cache, CACHE_DEVICE, warnings))
    fields = read_fields(cache, CACHE_MEMORY, warnings)
    shares = convert(cache, "SLRU segments", numbers) if "SLRU segments" in cache.entries else (1.0,)
    return CacheMemory(**fields, lru_shares=shares)


def _devices(block: Block) -> tuple[str, ...]:
    return names(block.entries["devices"].value, block.where("devices"))
