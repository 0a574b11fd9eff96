"""Pools of up to three tiers, in pages, as arrays have them: with the defaults of Smart Tiers or FAST VP."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, WithJsonSchema

from iowatt.base import units
from iowatt.base.errors import BadValueError
from iowatt.base.problems import KeyPath, Reporter, suggestion
from iowatt.base.quantity import BlockSize, Capacity, Duration, Rate, Share
from iowatt.base.results import Note
from iowatt.base.strict import Name, Strict, key
from iowatt.model.scenario.virtual.scheme import PlacedRange, PoolRange, Scheme, VolumeRange, check_extents

_CLOCK: Final = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])")
CLOCK_TEXT: Final = 'a time of day such as "22:00"'


def _time_of_day(value: Any) -> float:
    found = _CLOCK.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise BadValueError("bad-syntax", None, f"{value!r} is not accepted; expected {CLOCK_TEXT}")
    return 3600.0 * int(found[1]) + 60.0 * int(found[2])


TimeOfDay = Annotated[
    float,
    BeforeValidator(_time_of_day),
    WithJsonSchema(
        {
            "type": "string",
            "pattern": f"^{_CLOCK.pattern}$",
            "examples": ["22:00"],
            "x-accepts": CLOCK_TEXT,
        }
    ),
]

#: Bytes of a page of a P9500 (from memory), and of a slice of a VNX2.
SMART_TIERS_PAGE: Final = 42 * 2**20
FAST_VP_SLICE: Final = 256 * 2**20


class TierPart(PoolRange):
    """One tier, and what relocations make of it."""

    performance_iops: float | None = key(
        "Accesses a second that the pages of this tier may have together; pages beyond that go to the next "
        "tier even where there is room. Over the pages of the tier it is the performance limit per page.",
        unset="capacity alone decides",
        unit="1/s",
        example=5000,
        gt=0,
    )
    relocation_buffer: Share | None = key(
        "Share of the tier that only relocations may fill; at least one page.",
        unset="0.02 (smart-tiers), 0 (fast-vp)",
        example=0.02,
    )
    new_page_buffer: Share | None = key(
        "Share of the tier that relocations leave to new pages.",
        unset="0.08, and 0 for the first of several tiers (smart-tiers); 0.1 (fast-vp)",
        example=0.08,
    )


class RelocationWindow(Strict):
    """When relocations may start, every day."""

    start: TimeOfDay = key("When it opens.", unit="s", example="22:00")
    length: Duration = key("How long it stays open.", example="8h", gt=0, le=86_400)


class TieringPolicy(Strict):
    """How the pages of one volume may be spread over the tiers."""

    volume: Name = key("The volume.", example="db")
    most: dict[Name, Share] = key(
        "Most of the volume's pages in a tier, as a share, by the name of the tier's pool. Tiers that "
        "are left out are not limited.",
        example={"ssd": 0.1},
    )


class TieredPool(Scheme):
    """Pages in up to three tiers, relocated every cycle by what was counted of them."""

    scheme: Literal["tiered-pool"] = key(
        "How the parts make one address space. tiered-pool: pages in up to three tiers, relocated every "
        "cycle by their accesses.",
        example="tiered-pool",
    )
    variant: Literal["smart-tiers", "fast-vp"] = key(
        "Whose defaults. smart-tiers: pages of 42 MiB, new pages in the middle tier, cycles of an hour, as "
        "in the HP P9500. fast-vp: slices of 256 MiB, new ones as high as there is room, relocation once a "
        "day, 10 % of each tier kept free, as in the EMC VNX2.",
        default="smart-tiers",
        example="fast-vp",
    )
    tier: list[TierPart] = key(
        "The tiers, the fastest first; one to three.",
        min_length=1,
        max_length=3,
        example=[{"pool": "ssd"}, {"pool": "hdd"}],
    )
    capacity: Capacity | None = key(
        "What the pool offers, rounded down to whole pages.",
        unset="all pages of its tiers without their relocation buffers",
        example="10TB",
        gt=0,
    )
    page: BlockSize | None = key(
        "Unit of placement.", unset="42MiB (smart-tiers), 256MiB (fast-vp)", example="42MiB", gt=0, le=2**40
    )
    step: BlockSize = key(
        "What a relocation copies at a time. Requests wait behind it at the drives, and writes to it wait "
        "until it is copied.",
        default=1 << 20,
        example="256KiB",
        gt=0,
        le=2**30,
    )
    mode: Literal["period", "continuous"] = key(
        "How pages are ranked: by the accesses of the last cycle (period), or by their average over cycles, "
        "in "
        "which older ones count less and less (continuous).",
        default="period",
        example="continuous",
    )
    weight: float = key(
        "How much the last cycle counts in that average; the average so far counts for the rest. Continuous "
        "mode only.",
        default=0.5,
        gt=0,
        le=1,
        example=0.3,
    )
    cycle: Duration | None = key(
        "Time from one ranking to the next, from the first request on.",
        unset="1h (smart-tiers), 24h (fast-vp)",
        example="30min",
        gt=0,
    )
    new_pages: Literal["top", "middle", "bottom"] | None = key(
        "The tier of a page that is touched for the first time; where it is full, the nearest below, else "
        "above. middle is the second of three or two tiers.",
        unset="middle (smart-tiers), top (fast-vp)",
        example="middle",
    )
    max_migrations: int = key(
        "Most pages that are relocated at a time.", default=1, within=(1, 4096), example=2
    )
    rate: Rate | None = key(
        "Most bytes relocated a second.",
        unset="as fast as drives and max_migrations allow",
        example="50MB/s",
        gt=0,
    )
    window: RelocationWindow | None = key(
        "When relocations may start. A page on its way is brought to its end.",
        unset="at any time",
        example={"start": "22:00", "length": "8h"},
    )
    clock: TimeOfDay = key("Time of day at the start of the run.", default=0.0, unit="s", example="08:00")
    policy: list[TieringPolicy] = key("Tiering policies: limits for single volumes.", default=[])

    @property
    def page_bytes(self) -> int:
        """``page`` or its default."""
        default = SMART_TIERS_PAGE if self.variant == "smart-tiers" else FAST_VP_SLICE
        return default if self.page is None else self.page

    def parts(self) -> list[tuple[KeyPath, str, PoolRange]]:
        """The tiers; each is called by its pool."""
        return [(("tier", number), part.pool, part) for number, part in enumerate(self.tier)]

    def check(self, parts: Sequence[PlacedRange], report: Reporter) -> None:
        """Pages must fit the tiers, and steps and capacity go with them."""
        if not check_extents("page", self.page_bytes, parts, report):
            return
        sector = max(part.sector_bytes for part in parts)
        if self.step % sector:
            message = f"{self.step} bytes are not a multiple of the drives' sector, {sector} bytes"
            report("not-accepted", "step", message, f"use a multiple of {sector}")
        if -(-self.page_bytes // self.step) >= 2**15:
            message = f"a page of {self.page_bytes} bytes has too many steps of {self.step} bytes"
            report("out-of-range", "step", message, f"use {-(-self.page_bytes // 2**15)} bytes or more")
        for number, (relocation, new) in enumerate(self._buffers()):
            if relocation + new > 1:
                message = f"the buffers take {relocation + new:g} of the tier; all of it is 1"
                report("out-of-range", f"tier.{number}.new_page_buffer", message)
        offered = self._room(parts) * self.page_bytes
        if self.capacity is not None and not self.page_bytes <= self.capacity <= offered:
            message = (
                f"{self.capacity} bytes do not fit: the tiers offer {offered} in pages of {self.page_bytes}"
            )
            report("out-of-range", "capacity", message, "leave capacity out to take all")
        elif offered == 0:
            message = "the buffers take all pages of the tiers: each tier needs a page beyond its "
            "relocation buffer"
            report("infeasible", "page", message, "make the tiers larger or pages smaller")
        pools = [part.pool for part in self.tier]
        for number, policy in enumerate(self.policy):
            for name in policy.most:
                if name not in pools:
                    message = f"{self.name!r} has no tier on pool {name!r}"
                    report(
                        "unknown-name",
                        ("policy", number, "most", name),
                        message,
                        suggestion(name, pools, "tiers"),
                    )

    def check_volumes(self, volumes: Sequence[VolumeRange], report: Reporter) -> None:
        """Policies are about volumes on this pool."""
        names = [volume.name for volume in volumes]
        for number, policy in enumerate(self.policy):
            if policy.volume not in names:
                message = f"there is no volume {policy.volume!r} on {self.name!r}"
                hint = suggestion(policy.volume, names, "volumes")
                report("unknown-name", f"policy.{number}.volume", message, hint)

    def capacity_bytes(self, parts: Sequence[PlacedRange]) -> int:
        """``capacity`` in whole pages, or all of them."""
        pages = self._room(parts)
        if self.capacity is not None:
            pages = self.capacity // self.page_bytes
        return pages * self.page_bytes

    def plan(self, parts: Sequence[PlacedRange], volumes: Sequence[VolumeRange] = ()) -> dict[str, Any]:
        """Everything in numbers; tiers by position."""
        places = {volume.name: volume for volume in volumes}
        daily = self.cycle is None and self.variant == "fast-vp"
        return {
            "kind": "tiered-pool",
            "page_bytes": self.page_bytes,
            "step_bytes": self.step,
            "capacity_bytes": self.capacity_bytes(parts),
            "tiers": [
                {
                    "performance_iops": part.performance_iops,
                    "relocation_buffer": relocation,
                    "new_page_buffer": new,
                }
                for part, (relocation, new) in zip(self.tier, self._buffers(), strict=True)
            ],
            "cycle_s": 86_400.0 if daily else 3600.0 if self.cycle is None else self.cycle,
            "weight": 1.0 if self.mode == "period" else self.weight,
            "new_pages": self._new_pages(),
            "max_relocations": self.max_migrations,
            "rate_bytes_per_s": self.rate,
            "clock_s": self.clock,
            "window": None
            if self.window is None
            else {"start_s": self.window.start, "length_s": self.window.length},
            "policies": [
                {
                    "from_bytes": places[policy.volume].offset,
                    "until_bytes": places[policy.volume].offset + places[policy.volume].capacity,
                    "most": self._most(policy.most),
                }
                for policy in self.policy
                if policy.volume in places
            ],
        }

    def notes(self, parts: Sequence[PlacedRange]) -> Iterator[Note]:
        """A note on the page size that is from memory."""
        if self.page is None and self.variant == "smart-tiers":
            size = units.format_bytes(SMART_TIERS_PAGE, binary=True)
            text = f"pages of {size}, as in a P9500: UNVERIFIED, from memory"
            yield Note(code="unverified-page", text=text)

    def _most(self, shares: Mapping[str, float]) -> list[float]:
        return [shares.get(part.pool, 1.0) for part in self.tier]

    def _new_pages(self) -> int:
        where = self.new_pages or ("top" if self.variant == "fast-vp" else "middle")
        return {"top": 0, "middle": len(self.tier) // 2, "bottom": len(self.tier) - 1}[where]

    def _buffers(self) -> list[tuple[float, float]]:
        """Relocation buffer and new-page buffer of each tier."""
        found = []
        for number, part in enumerate(self.tier):
            relocation, new = (0.0, 0.1) if self.variant == "fast-vp" else (0.02, 0.08)
            if self.variant == "smart-tiers" and number == 0 and len(self.tier) > 1:
                new = 0.0
            relocation = relocation if part.relocation_buffer is None else part.relocation_buffer
            found.append((relocation, new if part.new_page_buffer is None else part.new_page_buffer))
        return found

    def _room(self, parts: Sequence[PlacedRange]) -> int:
        """Pages that the tiers hold without those that only relocations may fill."""
        room = 0
        for part, (relocation, _) in zip(parts, self._buffers(), strict=True):
            slots = part.capacity // self.page_bytes
            room += slots - min(max(int(relocation * slots), 1), slots)
        return room
