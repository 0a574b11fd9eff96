"""Reduced: the capacity optimisation methods (COMs) over a range of one pool."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal

from iowatt.base.problems import KeyPath, Reporter
from iowatt.base.quantity import BlockSize, Capacity, Duration, Rate, Share
from iowatt.base.results import Note
from iowatt.base.strict import Strict, key
from iowatt.base.units import format_bytes
from iowatt.model.scenario.virtual.scheme import MOST_EXTENTS, PlacedRange, PoolRange, Scheme, VolumeRange

#: Pages that are filled together at the start, and of a group of such runs (initial.rs of iowatt-sim).
RUN_PAGES: Final = 64
GROUP_PAGES: Final = 64 * 64
DEFAULT_RESERVE: Final = 0.1


class Snapshots(Strict):
    """Delta snapshots, one after another."""

    interval: Duration = key("Time between two; the first comes after as long.", example="1h", gt=0)
    retain: int = key(
        "How many are kept. When one more is taken the oldest goes, with what only it needed.",
        default=1,
        within=(1, 100_000),
        example=24,
    )
    method: Literal["copy-on-write", "redirect-on-write"] = key(
        "What the first write to a page after a snapshot does with the old contents. copy-on-write copies "
        "them elsewhere first: a read and a write more, before the write. redirect-on-write leaves them and "
        "writes elsewhere, by which neighbours are parted.",
        default="redirect-on-write",
        example="copy-on-write",
    )


class Reclaim(Strict):
    """How pages that hold nothing any more give their space back to the part."""

    unmap: bool = key(
        "Whether trims of hosts (UNMAP, discard) give up the whole pages in their range. They come with "
        "traces that record them.",
        default=True,
        example=False,
    )
    zeros: bool = key(
        "Whether a write of nothing but zeros (`zero_share` of a workload) gives up the whole pages in its "
        "range instead of storing them.",
        default=True,
        example=False,
    )
    rate: Rate | None = key(
        "Bytes of the part given back a second, at most. Until then they are taken; the drives are told "
        "as they are given back.",
        unset="at once",
        example="200MB/s",
        ge=1,
    )

    def plan(self) -> dict[str, Any]:
        """``ReclaimPlan`` of iowatt-sim."""
        return {"trims": self.unmap, "zeros": self.zeros, "bytes_per_s": self.rate}


class Reduced(Scheme):
    """One part, on which pages take less space than they have."""

    scheme: Literal["reduced"] = key(
        "How the parts make one address space. reduced: one part, by capacity optimisation; thin "
        "provisioning, de-duplication, compression and snapshots, each if its keys are there.",
        example="reduced",
    )
    part: PoolRange = key("The range that stores the pages.", example={"pool": "disks", "capacity": "10TB"})
    capacity: Capacity | None = key(
        "What it offers to volumes, rounded down to whole pages.",
        unset="as much as the part, less the reserve, holds at the ratios given",
        example="40TB",
        gt=0,
    )
    page: BlockSize = key(
        "Unit of allocation, of comparison and of compression.",
        default=16 * 1024,
        example="16KiB",
        gt=0,
        le=2**30,
    )
    thin: bool = key(
        "A page takes space from its first write on (true), and what was never written is read without I/O; "
        "or all pages are there from the start.",
        default=False,
        example=True,
    )
    filled: Share | None = key(
        "Share of the pages that hold data at the start, in runs of 64 pages. Only with thin, and an "
        "assumption.",
        unset="1, which is also what it must be without thin",
        example=0.4,
    )
    duplicates: float = key(
        "Share of the pages, of those there at the start and of those written, whose contents exist already: "
        "0.5 is a de-duplication ratio of 2 : 1. An assumption, drawn page by page.",
        default=0.0,
        within=(0, 0.99),
        example=0.3,
    )
    compression: float = key(
        "Bytes of a page over the bytes that it takes, which are rounded up to whole sectors. 2 is 2 : 1, an "
        "assumption. Pages are then read and written as wholes.",
        default=1.0,
        within=(1, 1000),
        example=2.0,
    )
    page_time: Duration = key(
        "Time in the controller of each page that is written, or read and expanded, one page at a time.",
        default=0.0,
        example="10us",
    )
    snapshots: Snapshots | None = key(
        "Delta snapshots.", unset="none", example={"interval": "1h", "retain": 24}
    )
    reclaim: Reclaim | None = key(
        "Pages that hosts trim, or write zeros to, give their space back. Only with thin, and without a "
        "controller. `{}` takes all of its defaults.",
        unset="never: trims are left out, and zeros are data",
        example={"rate": "200MB/s"},
    )
    reserve: float | None = key(
        "Share of the part that is free at the start where capacity is not given: for first writes, "
        "redirected writes and snapshots.",
        unset="0.1 with thin, duplicates or snapshots, else 0",
        ge=0,
        lt=1,
        example=0.2,
    )

    def parts(self) -> list[tuple[KeyPath, str, PoolRange]]:
        """The one part."""
        return [(("part",), "store", self.part)]

    @property
    def share_filled(self) -> float:
        """Share of the pages that hold data at the start."""
        return 1.0 if self.filled is None else self.filled

    def stored_bytes(self, parts: Sequence[PlacedRange]) -> int:
        """What a page takes, in whole sectors."""
        sector = parts[0].sector_bytes
        return min(self.page, -(-int(self.page / self.compression + 0.5) // sector) * sector)

    def factor(self, parts: Sequence[PlacedRange]) -> float:
        """Bytes offered for each byte of the part at the ratios given; pages in their whole sectors."""
        share = self.share_filled * (1 - self.duplicates)
        return self.page / self.stored_bytes(parts) / max(share, 1e-3)

    def check(self, parts: Sequence[PlacedRange], report: Reporter) -> None:
        """Pages of whole sectors, and room for what is there at the start."""
        sector = parts[0].sector_bytes
        if self.page % sector:
            message = f"{self.page} bytes are not a multiple of the drives' sector, {sector} bytes"
            report("not-accepted", "page", message, f"use a multiple of {sector}")
            return
        if self.filled is not None and self.filled < 1 and not self.thin:
            message = "without thin provisioning all pages are there from the start"
            report("not-applicable", "filled", message, "say thin = true, or leave it out")
        if self.reclaim is not None and not self.thin:
            message = "without thin provisioning pages keep their space"
            report("not-applicable", "reclaim", message, "say thin = true, or leave it out")
        if self.thin and self.filled is None:
            hint = "for example filled = 0.4; 0 is a volume without data"
            report("missing", "filled", "a thin volume needs the share that is filled at the start", hint)
            return
        pages = self.capacity_bytes(parts) // self.page
        slots = parts[0].capacity // self.stored_bytes(parts)
        if not pages:
            report(
                "out-of-range",
                "page",
                "the part is smaller than one page",
                "make pages smaller, or the part larger",
            )
        elif max(pages, slots) >= MOST_EXTENTS:
            message = f"{max(pages, slots)} of them are more than the simulator can number"
            report("out-of-range", "page", message, "make pages larger")
        elif self.capacity is not None and self._stored_pages(pages) > slots:
            size = format_bytes(parts[0].capacity)
            message = f"the part ({size}) cannot hold what is there at the start, at the ratios given"
            report("infeasible", "capacity", message, "make it smaller, or the part larger")

    def _stored_pages(self, pages: int) -> int:
        """Most stored pages at the start, whatever the seed: ``initial_slots`` of iowatt-sim."""
        filled, unique = (int(share * 2**32 + 0.5) for share in (self.share_filled, 1 - self.duplicates))
        runs = max(-(-pages // RUN_PAGES), 1)
        group = GROUP_PAGES // RUN_PAGES
        first = (runs - 1) // group * group
        before = first * filled >> 32
        within = min(runs - first, ((first + group) * filled >> 32) - before)
        cut = runs * RUN_PAGES - pages if within == runs - first else 0
        there = (before + within) * RUN_PAGES - cut
        return max(there * unique >> 32, int(there > 0))

    def notes(self, parts: Sequence[PlacedRange]) -> Iterator[Note]:
        """Which ratios are assumed."""
        assumed = []
        if self.compression > 1:
            stored = self.stored_bytes(parts)
            assumed.append(f"compression ({self.page:,} bytes in {stored:,}, {self.page / stored:.3g} : 1)")
        if self.duplicates:
            assumed.append(f"duplicates ({self.duplicates:.3g}, {1 / (1 - self.duplicates):.3g} : 1)")
        if self.share_filled < 1:
            assumed.append(f"filled ({self.share_filled:.3g} of what is offered)")
        if assumed:
            text = f"effective capacity rests on assumed, not measured, ratios: {', '.join(assumed)}"
            yield Note(code="assumed-ratios", text=text, decides=True)
        if (self.compression > 1 or self.duplicates) and not self.page_time:
            text = "compressing and comparing pages takes the controller no time (page_time)"
            yield Note(code="no-page-time", text=text, decides=True)

    def capacity_bytes(self, parts: Sequence[PlacedRange]) -> int:
        """``capacity``, or what the part holds at the ratios given."""
        if self.capacity is not None:
            return self.capacity // self.page * self.page
        reserve = self.reserve
        if reserve is None:
            reserve = DEFAULT_RESERVE if self.thin or self.duplicates or self.snapshots else 0.0
        slots = int(parts[0].capacity // self.stored_bytes(parts) * (1 - reserve))
        share = self.share_filled * (1 - self.duplicates)
        if share == 1:
            return slots * self.page
        # A group that is cut short may be fuller than the rest.
        return max(int(slots / max(share, 1e-3)) - GROUP_PAGES, 0) * self.page

    def plan(self, parts: Sequence[PlacedRange], volumes: Sequence[VolumeRange] = ()) -> dict[str, Any]:
        """Pages, shares, times."""
        snapshots = self.snapshots
        return {
            "kind": "reduced",
            "capacity_bytes": self.capacity_bytes(parts),
            "page_bytes": self.page,
            "stored_bytes": self.stored_bytes(parts),
            "filled": self.share_filled,
            "duplicates": self.duplicates,
            "page_s": self.page_time,
            "snapshots": None
            if snapshots is None
            else {
                "interval_s": snapshots.interval,
                "retain": snapshots.retain,
                "method": snapshots.method,
            },
            **({} if self.reclaim is None else {"reclaim": self.reclaim.plan()}),
        }

    def space(self, parts: Sequence[PlacedRange]) -> dict[str, Any]:
        """Usable bytes are the part's; each is worth ``factor`` of the hosts'."""
        return {"usable_bytes": parts[0].capacity, "capacity_factor": self.factor(parts)}
