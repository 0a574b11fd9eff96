"""Pools of chunklets: drives in equal pieces, RAID sets over pieces of different drives.

Sets of 3+1 (RAID-5), 6+2 (RAID-6) and two (RAID-10), and 256 MiB a chunklet, are what HP 3PAR documents for
its arrays.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from iowatt.base.problems import Reporter
from iowatt.base.units import format_bytes
from iowatt.model import raid as levels
from iowatt.model.scenario.code_keys import check_code, refuse_log
from iowatt.model.scenario.keys.array import Raid
from iowatt.model.scenario.virtual_pool import Allocator


@dataclass(frozen=True)
class Region:
    """Some RAID sets of one kind: what a volume, a part of a virtual pool, or nothing yet lies on."""

    raid: Raid
    sets: int = 0

    @property
    def level(self) -> levels.Level:
        """RAID level, or ``ec``."""
        return self.raid.level

    @property
    def name(self) -> str:
        """For people."""
        return levels.level_name(self.level, self.raid.code)

    @property
    def set_size(self) -> int:
        """Chunklets of a set."""
        if self.raid.set_size is not None:
            return self.raid.set_size
        code = self.raid.code
        return levels.SET_SIZE.get(self.level, 0) if code is None else code.width

    def set_bytes(self, chunklet: int) -> int:
        """What one set holds of data, in whole stripes."""
        return levels.data_drives(self.level, self.set_size, self.raid.code) * (
            chunklet // self.raid.stripe_unit * self.raid.stripe_unit
        )

    def plan(self) -> dict[str, Any]:
        """``RegionPlan`` of iowatt-sim."""
        return {
            "raid": self.raid.plan(),
            "set_size": self.set_size,
            "sets": self.sets,
        }

    def check(self, members: int, chunklet: int, sector: int, report: Reporter) -> bool:
        """Whether sets of this kind can be laid; ``report`` is at the ``raid`` table."""
        before = len(report.problems)
        refuse_log(self.raid, report)
        if not check_code(self.raid, report):
            return False
        code = self.raid.code
        if code is None and self.level not in levels.SET_SIZE:
            message = (
                f"RAID-{self.level} is not accepted; RAID sets over chunklets have level 0, 5, 6, 10 or ec"
            )
            report("not-accepted", "level", message, "use 10 for mirrored chunklets, 5 for single parity")
            return False
        least = levels.LEAST_SET[self.level] if code is None else code.width
        if code is not None and self.set_size != code.width:
            message = f"a set of {code.label} has {code.width} chunklets, not {self.set_size}"
            report("not-accepted", "set_size", message, "leave it out")
        elif self.set_size < least or (self.level == 10 and self.set_size % 2):
            kind = "an even number of chunklets, " if self.level == 10 else ""
            message = f"a set of RAID-{self.level} has {kind}{least} or more, not {self.set_size}"
            report("not-accepted", "set_size", message, f"the usual one is {levels.SET_SIZE[self.level]}")
        elif self.set_size > members:
            message = f"a set of {self.set_size} chunklets needs as many drives, and there are {members}"
            report("out-of-range", "set_size", message, f"at most {members}")
        if self.raid.stripe_unit % sector:
            message = (
                f"{self.raid.stripe_unit} bytes are not a multiple of the drive's sector, {sector} bytes"
            )
            report("not-accepted", "stripe_unit", message, f"use a multiple of {sector}")
        if self.raid.stripe_unit > chunklet:
            message = f"{format_bytes(self.raid.stripe_unit, binary=True)} do not fit a chunklet"
            report("out-of-range", "stripe_unit", message, f"at most {format_bytes(chunklet, binary=True)}")
        return len(report.problems) == before


@dataclass
class ChunkletAllocator(Allocator):
    """Gives out the chunklets of a pool in RAID sets; the regions follow one another in its addresses."""

    chunklet: int = levels.DEFAULT_CHUNKLET
    default: Region | None = None
    #: Drives with data, and chunklets of each that are not spare.
    members: int = 0
    each: int = 0
    #: Spare chunklets of each drive, with distributed sparing.
    spare: int = 0
    regions: list[Region] = field(default_factory=list)

    @property
    def chunklets_left(self) -> int:
        """Chunklets that no set has."""
        return self.members * self.each - sum(r.set_size * r.sets for r in self.regions)

    @property
    def whole_bytes(self) -> int:
        """Bytes that the regions and sets of the pool's own kind over the rest hold."""
        return self.used + self.free_bytes

    @property
    def free_bytes(self) -> int:
        """Bytes that sets of the pool's own kind would hold."""
        return self._bytes_of(self.default) if self.default else 0

    def _bytes_of(self, kind: Region) -> int:
        return self.sectors(self.chunklets_left // kind.set_size * kind.set_bytes(self.chunklet))

    def allocate(self, capacity: int | None, user: str, report: Reporter) -> tuple[int, int] | None:
        """As :meth:`Allocator.allocate`, in whole sets of the pool's own kind."""
        assert self.default is not None
        return self.allocate_sets(self.default, capacity, user, report)

    def allocate_sets(
        self, kind: Region, capacity: int | None, user: str, report: Reporter
    ) -> tuple[int, int] | None:
        """The same, in whole sets of a kind."""
        free_bytes = self._bytes_of(kind)
        left = (
            f"the {self.chunklets_left} chunklets of pool {self.name!r} that are left hold {free_bytes} "
            f"bytes in {kind.name} sets of {kind.set_size}"
        )
        size = self.size(capacity, free_bytes, left, user, report)
        if size is None:
            return None
        offset = self.used
        self._append(kind, -(-size // kind.set_bytes(self.chunklet)))
        return offset, size

    def _append(self, kind: Region, sets: int) -> None:
        taken = replace(kind, sets=sets)
        self.regions.append(taken)
        self.used += sets * kind.set_bytes(self.chunklet)

    def close(self) -> None:
        """Lays sets of the pool's own kind over what is left: usable capacity is what regions hold."""
        self.usable_bytes = self.whole_bytes
        if self.default and (sets := self.chunklets_left // self.default.set_size):
            self._append(self.default, sets)

    def plan(self) -> dict[str, Any]:
        """``ChunkletPlan`` of iowatt-sim."""
        return {
            "bytes": self.chunklet,
            "spare": self.spare,
            "regions": [region.plan() for region in self.regions],
        }
