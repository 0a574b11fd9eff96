"""Caching: the slow part holds everything, the fast part copies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

from iowatt.base.digits import apart
from iowatt.base.problems import KeyPath, Reporter
from iowatt.base.quantity import BlockSize, Duration, Share
from iowatt.base.strict import key
from iowatt.base.units import format_bytes
from iowatt.model.scenario.virtual.scheme import (
    PlacedRange,
    PoolRange,
    Scheme,
    VolumeRange,
    check_extents,
    sector_bytes,
)


class TwoParts(Scheme):
    """A fast part before a slow one, in extents."""

    fast: PoolRange = key("The fast part.", example={"pool": "ssd", "capacity": "300GB"})
    slow: PoolRange = key("The slow part.", example={"pool": "hdd"})
    extent: BlockSize = key(
        "Unit of placement: what is moved or copied as a whole. A whole number of sectors of both parts. "
        "Smaller extents move less for nothing, and take more memory (about 16 bytes each).",
        default=1 << 20,
        example="64KiB",
        gt=0,
        le=2**40,
    )
    promotion_threshold: int = key(
        "Accesses to an extent of the slow part, reads and writes alike, after which it is moved (tiering) "
        "or copied (caching) to the fast part. In a cache that allocates on write, reads alone are such.",
        default=4,
        within=(1, 65_535),
        example=16,
    )
    max_migrations: int = key(
        "Most extents that change places (tiering) or are copied at a time, and most that are written back "
        "at a time (caching). An extent that is due while as many are under way waits for its next access, "
        "and is counted (postponed).",
        default=4,
        within=(1, 4096),
        example=8,
    )

    def parts(self) -> list[tuple[KeyPath, str, PoolRange]]:
        """The fast part, then the slow one."""
        return [(("fast",), "fast", self.fast), (("slow",), "slow", self.slow)]

    def check(self, parts: Sequence[PlacedRange], report: Reporter) -> None:
        """Extents must fit both parts."""
        check_extents("extent", self.extent, parts, report)


class Tiering(TwoParts):
    """Every extent lives in exactly one part; hot ones move to the fast part."""

    scheme: Literal["tiering"] = key(
        "How the parts make one address space. tiering: each extent lives in exactly one part and moves.",
        example="tiering",
    )
    initial: Literal["cold", "random", "first-touch", "hot"] = key(
        "Which extents the fast part holds at the start; it is always full. cold: those that the workload "
        "touches last or never. random: drawn from the seed. first-touch: "
        "those that are touched first. hot: those that the workload touches most (a first pass counts them).",
        default="random",
        example="cold",
    )

    def check(self, parts: Sequence[PlacedRange], report: Reporter) -> None:
        """Extents must fit, and the slow part needs a free place for each demotion."""
        fit = check_extents("extent", self.extent, parts, report)
        slots = parts[1].capacity // self.extent
        if fit and slots <= self.max_migrations:
            message = f"the slow part holds {slots} extents, and each migration needs a free one"
            report("out-of-range", "max_migrations", message, "fewer, or smaller extents")

    def capacity_bytes(self, parts: Sequence[PlacedRange]) -> int:
        """The whole extents of both parts, but those of the slow part that stay free for what is demoted."""
        slots = sum(part.capacity // self.extent for part in parts)
        return (slots - self.max_migrations) * self.extent

    def plan(self, parts: Sequence[PlacedRange], volumes: Sequence[VolumeRange] = ()) -> dict[str, Any]:
        """Extent, threshold, concurrency, initial placement."""
        return {
            "kind": "tiering",
            "extent_bytes": self.extent,
            "promotion_threshold": self.promotion_threshold,
            "max_migrations": self.max_migrations,
            "initial": {"placement": self.initial},
        }


#: Sectors of an extent that the simulator can tell apart.
MOST_SECTORS: Final = 2**15


class Caching(TwoParts):
    """The slow part holds everything, the fast part copies of what is hot."""

    scheme: Literal["caching"] = key(
        "How the parts make one address space. caching: the slow part holds everything, the fast one copies.",
        example="caching",
    )
    extent: BlockSize = key(
        "Unit of allocation in the fast part. A whole number of sectors of both parts. copy_unit sets the "
        "unit that is copied and written back.",
        default=64 * 1024,
        example="64KiB",
        gt=0,
        le=2**40,
    )
    initial: Literal["empty", "random", "first-touch", "hot"] = key(
        "Which extents the fast part holds copies of at the start, clean ones. empty: none. random: drawn "
        "from the seed. first-touch: those that are touched first. hot: those that the workload touches "
        "most (a first pass counts them).",
        default="empty",
        example="hot",
    )
    copy_unit: Literal["sector", "extent"] = key(
        "Unit whose state (valid, dirty) is tracked. sector: each sector of an extent; sectors that a read "
        "brought from the slow part are kept, and only dirty sectors are written back. extent: the whole; "
        "it is read and copied as one, writes to it wait meanwhile, and it is written back as one.",
        default="sector",
        example="extent",
    )
    allocate_on_write: bool | None = key(
        "Whether a write to an extent without a copy takes a place in the fast part at once. Otherwise it "
        "goes to the slow part and counts as an access. Needs copies by sector.",
        unset='true with copy_unit = "sector", unless write = "around"',
        example=False,
    )
    write: Literal["back", "through", "around"] = key(
        "How a write to an extent with a copy is served. back: goes to the copy, which is dirty until it is "
        "written back in the background. through: goes to both, and completes when both have it. around: "
        'goes to the slow part, and the copy is given up (its sectors, with copy_unit = "sector").',
        default="back",
        example="through",
    )
    dirty_high: Share = key(
        "Share of the copies that are dirty above which they are written back, the least recently used "
        "first. 0 writes back as soon as a migration may start. Write-back only.",
        default=0.0,
        example=0.1,
    )
    dirty_low: Share | None = key(
        "Share of the copies that are dirty at which that ends; at most dirty_high.",
        unset="dirty_high",
        example=0.05,
    )
    dirty_age: Duration = key(
        "A copy that was written less than this ago is not written back for the watermark alone: writes that "
        "follow one another soon cost one write of the slow part.",
        default=0.0,
        example="1s",
    )

    def check(self, parts: Sequence[PlacedRange], report: Reporter) -> None:
        """Extents must fit, and sectors, writes and watermarks must agree."""
        fit = check_extents("extent", self.extent, parts, report)
        sector = sector_bytes(parts)
        if fit and self.copy_unit == "sector" and self.extent > MOST_SECTORS * sector:
            most = format_bytes(MOST_SECTORS * sector, binary=True)
            message = f"{self.extent} bytes are more than {MOST_SECTORS} sectors of {sector} bytes"
            report("out-of-range", "extent", message, f'use at most {most}, or copy_unit = "extent"')
        if self.allocate_on_write and self.copy_unit == "extent":
            message = "a write is a part of an extent, and copies are of whole extents"
            report(
                "not-applicable", "allocate_on_write", message, 'leave it out, or use copy_unit = "sector"'
            )
        elif self.allocate_on_write and self.write == "around":
            message = 'with write = "around" no write goes to the fast part'
            report("not-applicable", "allocate_on_write", message, 'leave it out, or use write = "through"')
        if self.dirty_low is not None and self.dirty_low > self.dirty_high:
            message = f"{apart(self.dirty_low, self.dirty_high, 1)} is above dirty_high, {self.dirty_high:g}"
            report("conflict", "dirty_low", message)

    def capacity_bytes(self, parts: Sequence[PlacedRange]) -> int:
        """The whole extents of the slow part."""
        return parts[1].capacity // self.extent * self.extent

    def plan(self, parts: Sequence[PlacedRange], volumes: Sequence[VolumeRange] = ()) -> dict[str, Any]:
        """Extent, threshold, concurrency, writes, copies at the start and by what unit."""
        by_sector = self.copy_unit == "sector"
        allocates = by_sector and self.write != "around" and self.allocate_on_write is not False
        return {
            "kind": "caching",
            "extent_bytes": self.extent,
            "promotion_threshold": self.promotion_threshold,
            "max_migrations": self.max_migrations,
            "write": self.write,
            "dirty_high": self.dirty_high,
            "dirty_low": self.dirty_high if self.dirty_low is None else self.dirty_low,
            "dirty_age_s": self.dirty_age,
            "initial": {"placement": self.initial},
            "sector_bytes": sector_bytes(parts) if by_sector else None,
            "allocate_on_write": allocates,
        }
