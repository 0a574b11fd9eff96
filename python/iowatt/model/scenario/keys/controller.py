"""Keys of the array controller: its processors, its links and its cache.

docs/models/cache.md describes how the simulator treats them.
"""

from __future__ import annotations

from typing import Final, Literal

from iowatt.base.quantity import BlockSize, Capacity, Duration, Rate, Share
from iowatt.base.strict import Strict, key
from iowatt.model import cache_policies

DESTAGE_LINES: Final = 16


class ReadAheadKeys(Strict):
    """Reading ahead of sequential reads."""

    start: BlockSize = key(
        "How far is read ahead at first: this or twice the request, whichever is more. The distance "
        "doubles each time the reader has used half of it, and halves when the reader misses what gave way "
        "too early.",
        default=128 * 1024,
        example="128KiB",
        gt=0,
        le=2**40,
    )
    most: BlockSize = key(
        "Greatest distance; at least ``start``.", default=1024 * 1024, example="2MiB", gt=0, le=2**40
    )
    after: int = key(
        "Reads in sequence (each beginning where one ended, or less than a line behind) that start it.",
        default=2,
        example=3,
        within=(1, 1000),
    )
    streams: int = key(
        "Sequential streams followed at a time; the least recently continued gives way.",
        default=32,
        example=64,
        within=(1, 4096),
    )
    share: float = key(
        "Most lines, as a share, that hold data read ahead and not yet requested.",
        default=0.25,
        example=0.1,
        gt=0,
        le=1,
    )


class Mirror(Strict):
    """The link over which the partner controller gets a copy of written data."""

    bandwidth: Rate = key("Its speed, one transfer at a time.", example="2GB/s", gt=0)
    latency: Duration = key("From the end of a transfer to the partner's answer.", default=0.0, example="5us")


class Mesh(Strict):
    """The links between nodes, one from each to each other."""

    bandwidth: Rate = key("Speed of each, one transfer at a time.", example="2GB/s", gt=0)
    latency: Duration = key("From the end of a transfer until it has arrived.", default=0.0, example="2us")


class NodesKeys(Strict):
    """Controller nodes, which share `processors` and the cache in equal parts.

    Requests come to them in turn. What another one owns crosses the mesh; what is written to the cache is
    copied over it to the next node.
    """

    count: int = key("How many; the processors are a multiple of it.", within=(2, 64), example=4)
    mesh: Mesh = key("The links between them.", example={"bandwidth": "2GB/s", "latency": "2us"})
    ownership: Literal["volume", "extent"] = key(
        "Which node owns what. volume: the volumes in turn. extent: extents of each volume in turn.",
        default="volume",
        example="extent",
    )
    extent: BlockSize = key(
        "Bytes of an extent, with ownership by extent.", default=32 * 2**20, example="128MiB", gt=0, le=2**50
    )


class LossKeys(Strict):
    """A part that fails and may return.

    Meanwhile write-back is write-through, and what is dirty is destaged.
    """

    of: Literal["controller", "battery"] = key(
        "What fails. battery: the one that protects dirty data. controller: one of the two, with half of the "
        "cache's lines and half of all processors; under write-back the cache must have a mirror. With nodes "
        "the last one of them, with its share; writes are still cached while two others are left.",
        example="battery",
    )
    at: Duration = key("When, from the start of the run.", example="10min")
    back: Duration | None = key("When it is back.", unset="not before the end", example="20min")


class CacheKeys(Strict):
    """A cache for all pools, in lines."""

    size: Capacity = key("Cache size, rounded down to whole lines. 0B is no cache.", example="4GiB")
    line: BlockSize = key(
        "Allocation unit, also called page: a whole number of sectors of every pool. Read misses fetch "
        "whole lines.",
        default=16 * 1024,
        example="16KiB",
        gt=0,
        le=2**30,
    )
    replacement: cache_policies.Name = key(
        "Replacement policy for clean lines: least recently used (lru), or another policy of "
        "docs/models/cache.md.",
        default="lru",
        example="s3-fifo",
    )
    replacement_parameters: cache_policies.Replacement | None = key(
        "Parameters of the policy that differ from its paper.",
        unset="the paper's parameters",
        example={"small_share": 0.2},
    )
    read: bool = key("Cache data on a read miss.", default=True, example=False)
    write: Literal["back", "through", "around"] = key(
        "Write policy. back: writes complete in the cache and are destaged later. through: complete on the "
        "drives and stay cached for reads. around: as through, but without allocating a line.",
        default="back",
        example="through",
    )
    high_watermark: Share = key(
        "Share of dirty lines at which destaging starts. Write-back only.",
        default=0.8,
        example=0.8,
    )
    low_watermark: Share = key(
        "Share of dirty lines at which destaging stops; at most high_watermark.",
        default=0.6,
        example=0.6,
    )
    destage_size: BlockSize | None = key(
        "Maximum contiguous dirty bytes per destage, in whole lines. Destages are aligned to it: set to the "
        "data of one stripe, it gives full-stripe writes.",
        unset=f"{DESTAGE_LINES} lines",
        example="256KiB",
        gt=0,
        le=2**40,
    )
    destage_outstanding: int = key(
        "Maximum number of destages in flight, over all pools.", default=16, example=16, within=(1, 1_000_000)
    )
    destage: Literal["watermark", "utilisation"] = key(
        "When dirty lines are written. watermark: from high_watermark down to low_watermark, as many at a "
        "time as allowed. utilisation: none at low_watermark, all that are allowed at high_watermark, in "
        "proportion between; below high_watermark, lines that were written again since the destager last "
        "passed stay.",
        default="watermark",
        example="utilisation",
    )
    adaptive: bool | None = key(
        "How much of a line is read and written. true: the sectors requested, and the dirty ones. false: "
        "whole lines both ways; what is missing of a dirty line is read before it is written.",
        unset="whole lines are read, what is dirty is written",
        example=True,
    )
    read_ahead: ReadAheadKeys | None = key(
        "Read-ahead for sequential reads. `{}` takes all defaults.",
        unset="no read-ahead",
        example={"most": "2MiB"},
    )
    mirror: Mirror | None = key(
        "Mirroring of written data to a partner controller before a write is acknowledged. `size` is the "
        "total of both controllers, excluding copies. Write-back only.",
        unset="none",
        example={"bandwidth": "2GB/s", "latency": "5us"},
    )

    @property
    def destage_bytes(self) -> int:
        """``destage_size`` or its default."""
        return DESTAGE_LINES * self.line if self.destage_size is None else self.destage_size


class Moderation(Strict):
    """Interrupts of requests over paths that are held back, so that several are taken at once."""

    delay: Duration = key("Longest that an interrupt is held back.", example="20us", gt=0, le=1)
    count: int = key("Interrupts that are held back at most.", default=8, example=8, within=(2, 2**31 - 1))


class Processing(Strict):
    """The time that requests take of the controller's processors, one visit each.

    A write over a path whose data waits for the array is a second visit (``ready``). Requests over a path
    come with an interrupt; those of workloads without a path have none.
    """

    read: Duration = key("Processor time per read.", default=0.0, example="20us")
    write: Duration = key("Processor time per write.", default=0.0, example="30us")
    processors: int = key(
        "Processors; each works on one request at a time, first come first served.",
        default=1,
        example=2,
        within=(1, 1024),
    )
    ready: Duration = key(
        "Time of a processor to allocate space for a write before it requests the data. Only of writes over "
        "a path whose data does not come with the command; a target port with express_writes spares it.",
        default=0.0,
        example="30us",
        le=10,
    )
    interrupt: Duration = key(
        "Time of a processor to take an interrupt: with every visit of a request over a path; once for all "
        "that moderation held back. Requests without a path have none.",
        default=0.0,
        example="5us",
        le=10,
    )
    moderation: Moderation | None = key(
        "Interrupts of visits that come over a path, of all paths together, held back so that several are "
        "taken at once: less work for processors, later answers.",
        unset="each interrupt is taken at once",
        example={"delay": "20us", "count": 8},
    )


class BackEndKeys(Strict):
    """Time that commands to drives take of the controller, before they join the drives' queues.

    One request may be several commands: a small write of RAID-5 is two reads and two writes.
    """

    command: Duration = key(
        "Time of a processor for every command to a drive, whatever it is for.", default=0.0, example="25us"
    )
    write_command: Duration = key(
        "Time on the write path, a station of its own that is passed before, for each command that is made "
        "for a write: destages, copies, parity updates with their reads of old data and parity. Rebuilds "
        "and moves of data do not pass it.",
        default=0.0,
        example="33us",
    )
    processors: int = key(
        "Processors for `command`; each works on one command at a time, first come first served.",
        default=1,
        example=2,
        within=(1, 1024),
    )
    write_processors: int = key("Processors of the write path.", default=1, example=2, within=(1, 1024))


class ControllerKeys(Strict):
    """What stands between hosts and pools."""

    cache: CacheKeys | None = key("The cache.", unset="none", example={"size": "4GiB", "write": "back"})
    processing: Processing | None = key(
        "Processor time per request.",
        unset="none",
        example={"read": "20us", "write": "30us", "processors": 2},
    )
    nodes: NodesKeys | None = key(
        "Several nodes and the mesh between them.",
        unset="one, or two whose work is not told apart",
        example={"count": 4, "mesh": {"bandwidth": "2GB/s"}},
    )
    back_end: BackEndKeys | None = key(
        "Controller time per drive command, behind the cache and RAID.",
        unset="none",
        example={"command": "25us", "write_command": "33us"},
    )
    host_bandwidth: Rate | None = key(
        "Bandwidth of the link between hosts and controller, one transfer at a time: write data before it is "
        "cached or passed on, read data before the response.",
        unset="host transfers take no time",
        example="400MB/s",
        gt=0,
    )
    split: BlockSize | None = key(
        "Split larger requests at multiples of this; the pieces share the links with other requests and go "
        "to the cache and pools separately.",
        unset="requests are not split",
        example="32KiB",
        gt=0,
        le=2**40,
    )
    split_outstanding: int = key(
        "Maximum number of pieces of one request in flight.", default=8, example=4, within=(1, 1_000_000)
    )
    zero_detect: bool = key(
        "Whether writes of nothing but zeros (`zero_share` of a workload) are recognised: they are "
        "answered without cache and pools, as are reads of what is known to be zeros.",
        default=False,
        example=True,
    )
    loss: list[LossKeys] = key(
        "Parts that fail at given times; a controller without a cache is not lost.",
        default=[],
        example=[{"of": "battery", "at": "10min", "back": "20min"}],
    )
