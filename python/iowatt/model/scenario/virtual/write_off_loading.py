"""Write off-loading: writes to parts that rest go to logs of parts that are needed anyway."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

from iowatt.base.problems import Reporter
from iowatt.base.quantity import BlockSize, Capacity, Duration
from iowatt.base.strict import key
from iowatt.base.units import format_bytes
from iowatt.model.scenario.virtual.scheme import PartList, PlacedRange, PoolRange, VolumeRange

#: Bytes of a block of a log.
BLOCK: Final = 4096


class WriteOffLoadingPool(PartList):
    """Parts one behind another; each ends with a log that takes writes to parts that rest."""

    scheme: Literal["write-off-loading"] = key(
        "How the parts make one address space. write-off-loading: one behind another; writes to a part whose "
        "drives rest go to the log of a part that is needed, and home once reads have brought it up.",
        example="write-off-loading",
    )
    part: list[PoolRange] = key(
        "The parts, in the order of their addresses: tables, or names of pools. A volume on each makes them "
        "what Narayanan et al. 2008 call volumes.",
        min_length=2,
        max_length=1024,
        example=["disks0", "disks1"],
    )
    log: Capacity = key(
        "Size of the log at the end of each part, in whole blocks of 4 KiB; the rest of the part is its "
        "share of the address space.",
        within=(BLOCK, 2**40),
        example="1GiB",
    )
    off_load_after: Duration = key(
        "Time since the last read that only the part could answer from which its writes are off-loaded. "
        "A part whose log was used stays up for as long. At least the time after which drives are "
        "stopped keeps them from being stopped under their work.",
        default=60.0,
        example="60s",
    )
    log_fill: float = key(
        "Share of a log in use above which the part that has most in it is brought up to take it.",
        default=0.75,
        gt=0,
        le=1,
        example=0.75,
    )
    reclaim: BlockSize = key(
        "Most bytes that one move brings home.",
        default=256 * 1024,
        within=(BLOCK, 256 * 1024),
        example="64KiB",
    )
    reclaims_at_once: int = key("Most such moves at a time.", default=1, within=(1, 1024), example=2)

    def check(self, parts: Sequence[PlacedRange], report: Reporter) -> None:
        """Every part must hold more than its log."""
        for part in parts:
            if part.capacity // BLOCK <= self.log // BLOCK:
                size = format_bytes(part.capacity, binary=True)
                message = f"part {part.label!r} has {size} in all, its log included"
                report("out-of-range", "log", message, "make the part larger or this smaller")

    def capacity_bytes(self, parts: Sequence[PlacedRange]) -> int:
        """What the parts have beyond their logs, in whole blocks."""
        return sum((part.capacity // BLOCK - self.log // BLOCK) * BLOCK for part in parts)

    def plan(self, parts: Sequence[PlacedRange], volumes: Sequence[VolumeRange] = ()) -> dict[str, Any]:
        """``WriteOffLoadingPlan`` of iowatt-sim."""
        return {
            "kind": "write-off-loading",
            "log_bytes": self.log // BLOCK * BLOCK,
            "off_load_after_s": self.off_load_after,
            "log_fill": self.log_fill,
            "reclaim_bytes": self.reclaim,
            "reclaims_at_once": self.reclaims_at_once,
        }
