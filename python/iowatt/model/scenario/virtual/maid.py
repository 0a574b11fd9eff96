"""MAID: a cache on drives that always spin, in front of drives that mostly stand by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from iowatt.base.problems import KeyPath, Reporter
from iowatt.base.quantity import BlockSize, Duration
from iowatt.base.results import Note
from iowatt.base.strict import key
from iowatt.model.scenario.virtual.scheme import (
    MOST_EXTENTS,
    PlacedRange,
    PoolRange,
    Scheme,
    VolumeRange,
    sector_bytes,
)


class MaidPool(Scheme):
    """Data parts one behind another, and a cache in front of them."""

    scheme: Literal["maid"] = key(
        "How the parts make one address space. maid: the data parts one behind another; what is read from "
        "them is copied to the cache, whose drives spin.",
        example="maid",
    )
    cache: PoolRange = key("The cache drives. Give their pool no power policy.", example={"pool": "cache"})
    data: list[PoolRange] = key(
        "The data parts, in the order of their addresses: tables, or names of pools.",
        min_length=1,
        max_length=1024,
        example=["disks0", "disks1"],
    )
    line: BlockSize = key(
        "Unit of the cache, whose sectors are valid or not one by one. A power of two of whole sectors.",
        default=64 * 1024,
        within=(512, 64 * 1024),
        example="16KiB",
    )
    writes: Literal["through", "log"] = key(
        "What becomes of writes. through: to the data part, and to the cache where it has the line. log: to "
        "the cache alone, while the data part does not spin or has not been read for log_after.",
        default="log",
        example="through",
    )
    log_after: Duration = key(
        "Time since the last read from a data part from which its writes are logged.",
        default=60.0,
        example="60s",
    )
    log_fill: float = key(
        "Share of the cache's lines that may hold logged writes before the data part that has most of them "
        "is brought up to take them.",
        default=0.5,
        gt=0,
        le=1,
        example=0.5,
    )
    destages_at_once: int = key(
        "Most lines written to data parts at a time.", default=2, within=(1, 1024), example=4
    )

    def parts(self) -> list[tuple[KeyPath, str, PoolRange]]:
        """The cache, then the data parts; each of those is called by its pool."""
        data = [(("data", number), part.pool, part) for number, part in enumerate(self.data)]
        return [(("cache",), "cache", self.cache), *data]

    def check(self, parts: Sequence[PlacedRange], report: Reporter) -> None:
        """Lines must be of a size that there is, and fit the parts."""
        sector = sector_bytes(parts)
        if self.line & (self.line - 1) or self.line % sector:
            message = f"{self.line} bytes are not a power of two and a multiple of the sector, {sector} bytes"
            report("not-accepted", "line", message, "use 4KiB, 8KiB, 16KiB, 32KiB or 64KiB")
            return
        for part in parts:
            if part.capacity < self.line:
                report(
                    "out-of-range",
                    "line",
                    f"part {part.label!r} is smaller than one line of {self.line} bytes",
                )
        lines = parts[0].capacity // self.line
        if lines > MOST_EXTENTS:
            message = f"the cache has {lines} lines, which is more than the simulator can number"
            report("out-of-range", "line", message, "use longer lines or a smaller cache")

    def notes(self, parts: Sequence[PlacedRange]) -> Iterator[Note]:
        """What the cache adds to the array."""
        text = f"the cache's pool {parts[0].pool_name!r} adds drives that hold copies alone"
        yield Note(code="cache-drives", text=text)

    def capacity_bytes(self, parts: Sequence[PlacedRange]) -> int:
        """The whole lines of the data parts."""
        return sum(part.capacity // self.line * self.line for part in parts[1:])

    def plan(self, parts: Sequence[PlacedRange], volumes: Sequence[VolumeRange] = ()) -> dict[str, Any]:
        """``MaidPlan`` of iowatt-sim."""
        return {
            "kind": "maid",
            "line_bytes": self.line,
            "log_writes": self.writes == "log",
            "log_after_s": self.log_after,
            "log_fill": self.log_fill,
            "destages_at_once": self.destages_at_once,
        }
