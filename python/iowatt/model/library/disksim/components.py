"""What stands between the host and DiskSim's disks: driver, buses, controllers, and arrays over them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from iowatt.base.errors import InputError
from iowatt.model.library.disksim import parameters
from iowatt.model.library.disksim.grammar import names
from iowatt.model.library.disksim.parameter import convert, numbers, read_fields, sub_block
from iowatt.model.library.disksim.parameters import SCHEDULER
from iowatt.model.library.disksim.tree import Block


@dataclass(frozen=True)
class Scheduler:
    """How a queue is served.

    policy: One of `iowatt.model.library.disksim.parameters.POLICIES`, by name.
    cylinder_mapping: How well the scheduler knows the layout: 0 only LBNs, 1 zones, 2 and spares, 3 and
        slips, 4 exactly, 5 the trace says, 6 an average track.
    write_initiation_s, read_initiation_s: Seconds that positioning estimates allow before the arm starts.
    """

    policy: str
    cylinder_mapping: int
    write_initiation_s: float
    read_initiation_s: float


def read_scheduler(block: Block, warnings: list[str]) -> Scheduler:
    """The discipline that a ``disksim_ioqueue`` block declares; InputError where it is not one."""
    return Scheduler(**read_fields(block, SCHEDULER, warnings))


@dataclass(frozen=True)
class Driver:
    """The host's device driver.

    constant_access_s: 0: accesses are simulated. Positive: each takes this long. Negative (-1, -2, -3 ms):
        times come from the trace (access, queue, both).
    uses_queues_below: Requests are sent down as they come, to be queued there; else the driver keeps one
        outstanding per drive.
    scheduler: The order of its queues, one per drive.
    """

    constant_access_s: float
    uses_queues_below: bool
    scheduler: Scheduler


@dataclass(frozen=True)
class Bus:
    """A bus. ``read_sector_s`` and ``write_sector_s`` are seconds per block of 512 bytes.

    ``type`` is tenured (held for a whole transfer) or interleaved (any number at a time); ``arbitration``
    slot-priority or fcfs, taking ``arbitration_s`` each time.
    """

    type: str
    arbitration: str
    arbitration_s: float
    read_sector_s: float
    write_sector_s: float


@dataclass(frozen=True)
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

    sectors: int
    line_sectors: int
    max_request_sectors: int
    replacement: str
    lru_shares: tuple[float, ...]
    write_scheme: str
    flush_policy: str
    flush_period_s: float
    flush_idle_s: float
    flush_max_lines: int
    read_prefetch: str
    write_prefetch: str
    clean_first: bool
    line_by_line: bool


@dataclass(frozen=True)
class CacheDevice:
    """A drive that caches another one; fields as in `CacheMemory`, drives by component name."""

    sectors: int
    max_request_sectors: int
    write_scheme: str
    flush_policy: str
    flush_period_s: float
    flush_idle_s: float
    cache_drive: str
    cached_drive: str


@dataclass(frozen=True)
class Controller:
    """A controller.

    type: ``pass-through``, ``53c700`` (a simple one with delays) or ``smart`` (scheduler and cache).
    delay_scale: Factor of a 53c700's built-in delays; 0: none.
    sector_s: Seconds to move one block through it.
    max_queue_length, max_pending_per_drive: Requests that it takes at once (0: no limit), and that it sends
        to one drive.
    scheduler, cache: Of a smart one.
    """

    type: str
    delay_scale: float
    sector_s: float
    max_queue_length: int
    scheduler: Scheduler | None
    cache: CacheMemory | CacheDevice | None
    max_pending_per_drive: int = 1


@dataclass(frozen=True)
class Array:
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
    addressing: str
    distribution: str
    redundancy: str
    stripe_unit_sectors: int
    parity_stripe_unit_sectors: int
    rotation: str
    copies: int
    copy_choice: str
    rmw_threshold: float
    synchronous_writes: bool

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

    traced: int
    drive: str
    address_scale: int
    size_scale: int
    offset_sectors: int = 0


@dataclass(frozen=True)
class Trace:
    """How the trace is read: times are multiplied by ``time_scale``, devices are mapped."""

    time_scale: float = 1.0
    devices: tuple[TraceDevice, ...] = ()


@dataclass(frozen=True)
class Place:
    """Where a drive hangs: its components from the driver down, by name, the drive itself left out."""

    driver: str
    buses: tuple[str, ...]
    controllers: tuple[str, ...]


@dataclass(frozen=True)
class Transfer:
    """Seconds per block between a drive and its controller: bus, controller and drive, the slowest."""

    read_sector_s: float
    write_sector_s: float


Read = TypeVar("Read")
Reader: TypeAlias = Callable[[Block, list[str]], Read]


def read_driver(block: Block, warnings: list[str]) -> Driver:
    """A ``disksim_iodriver``."""
    return Driver(**read_fields(block, parameters.DRIVER, warnings), scheduler=_scheduler(block, warnings))


def read_bus(block: Block, warnings: list[str]) -> Bus:
    """A ``disksim_bus``."""
    return Bus(**read_fields(block, parameters.BUS, warnings))


def read_controller(block: Block, warnings: list[str]) -> Controller:
    """A ``disksim_ctlr``."""
    fields = read_fields(block, parameters.CONTROLLER, warnings)
    scheduler = _scheduler(block, warnings) if "Scheduler" in block.entries else None
    return Controller(**fields, scheduler=scheduler, cache=_cache(block, warnings))


def read_array(block: Block, warnings: list[str]) -> Array:
    """A ``disksim_logorg``."""
    fields = read_fields(block, parameters.ARRAY, warnings)
    return Array(name=block.name, drives=_devices(block), **fields)


def read_syncset(block: Block, warnings: list[str]) -> tuple[str, ...]:
    """The drives of a ``disksim_syncset``."""
    read_fields(block, parameters.SYNCSET, warnings)
    return _devices(block)


def read_trace(block: Block, warnings: list[str]) -> Trace:
    """A ``disksim_iosim``."""
    fields = read_fields(block, parameters.TRACE_INPUT, warnings)
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
        devices.append(TraceDevice(**read_fields(item, parameters.TRACE_DEVICE, warnings)))
    return Trace(**fields, devices=tuple(devices))


def _scheduler(block: Block, warnings: list[str]) -> Scheduler:
    return read_scheduler(sub_block(block, "Scheduler", "disksim_ioqueue"), warnings)


def _cache(block: Block, warnings: list[str]) -> CacheMemory | CacheDevice | None:
    if "Cache" not in block.entries:
        return None
    cache = sub_block(block, "Cache", "disksim_cachemem", "disksim_cachedev")
    if cache.type == "disksim_cachedev":
        return CacheDevice(**read_fields(cache, parameters.CACHE_DEVICE, warnings))
    fields = read_fields(cache, parameters.CACHE_MEMORY, warnings)
    shares = convert(cache, "SLRU segments", numbers) if "SLRU segments" in cache.entries else (1.0,)
    return CacheMemory(**fields, lru_shares=shares)


def _devices(block: Block) -> tuple[str, ...]:
    return names(block.entries["devices"].value, block.where("devices"))
