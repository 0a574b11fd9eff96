"""The array controller: what a request costs on its way to the drives, and the cache that may spare it.

See docs/models/cache.md for what the simulator makes of these keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import lcm
from typing import Any, Final, Literal

from iowatt.caching import policies
from iowatt.scenario import replacement as replaced
from iowatt.scenario.problems import KeyPath, Problem
from iowatt.scenario.quantity import BlockSize, Capacity, Duration, Rate
from iowatt.scenario.strict import Strict, key
from iowatt.scenario.units import format_bytes

#: Parts of a line that are known to be valid or dirty by themselves.
MOST_PARTS: Final = 64
DESTAGE_LINES: Final = 16

PATH: Final[KeyPath] = ("array", "controller")


class Cache(Strict):
    """A cache for all pools, in lines."""

    size: Capacity = key(
        "Its size, rounded down to whole lines. 0B is no cache.", unit="bytes", example="4GiB"
    )
    line: BlockSize = key(
        "Unit of allocation, also called page: a whole number of sectors of every pool. Reads that miss "
        "fetch whole lines.",
        default=16 * 1024,
        unit="bytes",
        example="16KiB",
        gt=0,
        le=2**30,
    )
    replacement: policies.Name = key(
        "Which clean line gives way to a new one: the least recently used (lru), or another policy of "
        "docs/models/cache.md.",
        default="lru",
        example="s3-fifo",
    )
    replacement_parameters: replaced.Replacement | None = key(
        "Where the policy departs from its paper.",
        default=None,
        unset="the parameters of the paper",
        example={"small_share": 0.2},
    )
    read: bool = key("Whether data that reads miss is kept for later reads.", default=True, example=False)
    write: Literal["back", "through", "around"] = key(
        "What happens to writes. back: complete once in the cache, and are destaged later. through: complete "
        "once on the drives, and stay in the cache for reads. around: as through, but take no new line.",
        default="back",
        example="through",
    )
    high_watermark: float = key(
        "Share of the lines that are dirty from which destaging starts. Write-back only.",
        default=0.8,
        example=0.8,
        ge=0,
        le=1,
    )
    low_watermark: float = key(
        "Share of the lines that are dirty at which destaging ends; at most high_watermark.",
        default=0.6,
        example=0.6,
        ge=0,
        le=1,
    )
    destage_size: BlockSize | None = key(
        "Most contiguous dirty bytes written at once, whole lines. A destage does not cross a multiple of it "
        "in its pool: with the data of one stripe, whole stripes are written without reading first.",
        default=None,
        unset=f"{DESTAGE_LINES} lines",
        unit="bytes",
        example="256KiB",
        gt=0,
        le=2**40,
    )
    destage_outstanding: int = key(
        "Most destages under way at a time, over all pools.", default=16, example=16, ge=1, le=1_000_000
    )

    @property
    def destage_bytes(self) -> int:
        """``destage_size`` or its default."""
        return DESTAGE_LINES * self.line if self.destage_size is None else self.destage_size


class Processing(Strict):
    """The time that requests take of the controller's processors, one visit each."""

    read: Duration = key("Time of a processor for a read.", default=0.0, unit="s", example="20us")
    write: Duration = key("Time of a processor for a write.", default=0.0, unit="s", example="30us")
    processors: int = key(
        "Processors; each works on one request at a time, first come first served.",
        default=1,
        example=2,
        ge=1,
        le=1024,
    )


class Controller(Strict):
    """What stands between hosts and pools."""

    cache: Cache | None = key(
        "The cache.", default=None, unset="none", example={"size": "4GiB", "write": "back"}
    )
    processing: Processing | None = key(
        "Time that each request takes of a processor.",
        default=None,
        unset="none",
        example={"read": "20us", "write": "30us", "processors": 2},
    )
    host_bandwidth: Rate | None = key(
        "Speed of the link between hosts and controller, one transfer at a time: a write's data before it is "
        "cached or passed on, a read's data before the answer.",
        default=None,
        unset="transfers to and from hosts take no time",
        unit="bytes/s",
        example="400MB/s",
        gt=0,
    )


def part_bytes(line: int, sectors: Sequence[int]) -> int | None:
    """Bytes of the parts of a line: sectors, or a 64th where it has more; None where it has no such parts."""
    sector = lcm(*sectors)
    if line % sector:
        return None
    if line <= MOST_PARTS * sector:
        return sector
    return line // MOST_PARTS if line % (MOST_PARTS * sector) == 0 else None


def problems(controller: Controller | None, sectors: Sequence[int]) -> Iterator[Problem]:
    """What is wrong between the keys of a controller over pools with sectors of these bytes."""
    cache = None if controller is None else controller.cache
    if cache is None or cache.size == 0:
        return
    path: KeyPath = (*PATH, "cache")
    if sectors and part_bytes(cache.line, sectors) is None:
        sector = lcm(*sectors)
        if cache.line % sector:
            message = f"{cache.line} bytes are no whole number of the drives' sectors of {sector} bytes"
            hint = f"use a multiple of {sector}"
        else:
            message = f"{cache.line} bytes do not divide into {MOST_PARTS} parts of whole sectors"
            hint = f"use a multiple of {MOST_PARTS * sector}, or {MOST_PARTS * sector} or less"
        yield Problem((*path, "line"), message, hint)
    if cache.size < cache.line:
        message = f"{cache.size} bytes hold no line of {cache.line} bytes"
        yield Problem((*path, "size"), message, "0B is no cache")
    elif cache.size // cache.line >= 2**32 - 1:
        message = f"{cache.size // cache.line} lines are more than the simulator can number"
        yield Problem((*path, "size"), message, "use longer lines")
    yield from replaced.problems(
        cache.replacement, cache.replacement_parameters, (*path, "replacement_parameters")
    )
    if cache.low_watermark > cache.high_watermark:
        message = f"{cache.low_watermark:g} is above high_watermark, {cache.high_watermark:g}"
        yield Problem((*path, "low_watermark"), message)
    if cache.destage_bytes % cache.line:
        message = f"{cache.destage_bytes} bytes are no whole number of lines of {cache.line} bytes"
        yield Problem((*path, "destage_size"), message, f"use a multiple of {cache.line}")


def notes(controller: Controller | None, sectors: Sequence[int]) -> Iterator[str]:
    """What a reader must know about a controller without problems."""
    cache = None if controller is None else controller.cache
    if cache is None or cache.size == 0 or not sectors:
        return
    part = part_bytes(cache.line, sectors)
    if part is not None and part > min(sectors):
        yield f"cache: requests are rounded out to {format_bytes(part, binary=True)}, the parts of its lines"


def plan(controller: Controller | None) -> dict[str, Any] | None:
    """The controller's part of a plan; None where it would do nothing."""
    if controller is None:
        return None
    cache, processing = controller.cache, controller.processing
    if cache is not None and cache.size == 0:
        cache = None
    if cache is None and processing is None and controller.host_bandwidth is None:
        return None
    return {
        "processing": None
        if processing is None
        else {
            "read_s": processing.read,
            "write_s": processing.write,
            "processors": processing.processors,
        },
        "host_bandwidth_bytes_per_s": controller.host_bandwidth,
        "cache": None if cache is None else _cache(cache),
    }


def _cache(cache: Cache) -> dict[str, Any]:
    return {
        "capacity_bytes": cache.size,
        "line_bytes": cache.line,
        "replacement": replaced.plan(cache.replacement, cache.replacement_parameters),
        "read": cache.read,
        "write": cache.write,
        "high_watermark": cache.high_watermark,
        "low_watermark": cache.low_watermark,
        "destage_bytes": cache.destage_bytes,
        "destage_outstanding": cache.destage_outstanding,
    }
