"""PDC, popular data concentration: the most popular extents on the first part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from iowatt.base.problems import Reporter
from iowatt.base.quantity import BlockSize, Duration, Iops
from iowatt.base.strict import key
from iowatt.model.scenario.virtual.scheme import PartList, PlacedRange, PoolRange, VolumeRange, check_extents


class PdcPool(PartList):
    """Extents change places now and then, so that the last parts may rest."""

    scheme: Literal["pdc"] = key(
        "How the parts make one address space. pdc: extents; every period the most popular ones move to the "
        "first parts.",
        example="pdc",
    )
    part: list[PoolRange] = key(
        "The parts, that for the most popular extents first: tables, or names of pools.",
        min_length=2,
        max_length=1024,
        example=["disks0", "disks1"],
    )
    extent: BlockSize = key(
        "Unit of ranking and of migration. A whole number of sectors of all parts.",
        default=64 << 20,
        gt=0,
        le=2**40,
        example="64MiB",
    )
    period: Duration = key("Time between two rankings.", default=7200.0, gt=0, le=1e9, example="2h")
    memory: float = key(
        "Weight of earlier periods against the last one in an extent's average of requests per second.",
        default=0.5,
        ge=0,
        lt=1,
        example=0.9,
    )
    load: Iops | None = key(
        "Most requests per second that a part is given, by the rates of its extents.",
        unset="as many as there are",
        gt=0,
        example=80,
    )
    migrations_at_once: int = key(
        "Most extents on their way at a time. Room for as many stays free in each part.",
        default=1,
        within=(1, 1024),
        example=2,
    )
    step: BlockSize = key(
        "Bytes that a migration copies at a time.", default=1 << 20, gt=0, le=2**30, example="256KiB"
    )

    def check(self, parts: Sequence[PlacedRange], report: Reporter) -> None:
        """Extents must fit the parts, with some to spare, and steps the extents."""
        if not check_extents("extent", self.extent, parts, report):
            return
        if self.step > self.extent or self.step % 512:
            message = (
                f"{self.step} bytes are not whole sectors, or more than an extent of {self.extent} bytes"
            )
            report("not-accepted", "step", message, "use a multiple of 512 up to the extent")
        elif self.extent // self.step > 2**20:
            report("out-of-range", "step", "an extent has more than 2^20 steps", "use longer steps")
        for part in parts:
            if part.capacity // self.extent <= self.migrations_at_once:
                message = (
                    f"part {part.label!r} holds {part.capacity // self.extent} extents, and "
                    f"{self.migrations_at_once} stay free for migrations"
                )
                report("out-of-range", "extent", message, "use shorter extents or a larger part")

    def capacity_bytes(self, parts: Sequence[PlacedRange]) -> int:
        """The whole extents of the parts, less those that stay free."""
        held = sum(part.capacity // self.extent - self.migrations_at_once for part in parts)
        return held * self.extent

    def plan(self, parts: Sequence[PlacedRange], volumes: Sequence[VolumeRange] = ()) -> dict[str, Any]:
        """``PdcPlan`` of iowatt-sim."""
        return {
            "kind": "pdc",
            "extent_bytes": self.extent,
            "period_s": self.period,
            "memory": self.memory,
            "load_per_s": self.load,
            "migrations_at_once": self.migrations_at_once,
            "step_bytes": self.step,
        }
