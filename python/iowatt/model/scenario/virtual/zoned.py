"""Zoned: a log-structured host over drives whose zones are written in order only, or over any drives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal

from iowatt.base.problems import KeyPath, Reporter
from iowatt.base.quantity import BlockSize, Capacity
from iowatt.base.results import Note
from iowatt.base.strict import Strict, key
from iowatt.base.units import format_bytes
from iowatt.model.scenario.virtual.scheme import MOST_EXTENTS, PlacedRange, PoolRange, Scheme, VolumeRange

#: Of drives without zones: that of host-managed disks.
USUAL_ZONE: Final = 256 << 20
LEAST_UNIT: Final = 4096


class Cleaning(Strict):
    """How the host makes zones free again."""

    policy: Literal["greedy", "cost-benefit", "fifo"] = key(
        "Which zone is cleaned: the one with the least valid data (greedy), the best by age x free share / "
        "(2 x valid share) (cost-benefit), or the one written longest ago (fifo).",
        default="greedy",
        example="cost-benefit",
    )
    free_zones: int = key(
        "Cleaning begins when no more zones than this are free. The last one is for cleaning alone.",
        default=3,
        within=(2, 10_000),
        example=8,
    )
    pace: Literal["in-step", "at-once"] = key(
        "in-step: a zone with v of s units valid is moved by v units for every s - v that hosts write, so "
        "that cleaning is spread evenly. at-once: as fast as the drives allow.",
        default="in-step",
        example="at-once",
    )
    hot_cold: bool = key(
        "What cleaning moves goes to zones of its own (true), or follows in those of the hosts' writes.",
        default=True,
        example=False,
    )
    step: BlockSize = key(
        "Bytes of a zone whose valid units are read, and then written, at a time.",
        default=1 << 20,
        gt=0,
        le=2**30,
        example="512KiB",
    )
    steps_at_once: int = key("Steps under way at a time.", default=2, within=(1, 64), example=8)


class ZonedInitial(Strict):
    """What zones hold at the start."""

    state: Literal["steady", "fresh"] = key(
        "steady: as after a long time of random writes. fresh: nothing was written yet.",
        default="steady",
        example="fresh",
    )
    fill: float = key(
        "Share of the addresses that hold data, from the first on. Only of steady.",
        default=1.0,
        gt=0,
        le=1,
        example=0.8,
    )
    run: BlockSize | None = key(
        "Bytes of consecutive addresses that lie together. Only of steady.",
        unset="a unit",
        gt=0,
        example="64KiB",
    )


class ZonedPool(Scheme):
    """One part, written as a log: zones are filled in order, cleaned and reset."""

    scheme: Literal["zoned"] = key(
        "How the parts make one address space. zoned: one part, written zone by zone by a log-structured "
        "host that cleans and resets zones; what host-managed disks and zoned SSDs need.",
        example="zoned",
    )
    part: PoolRange = key("The range that holds the zones.", example={"pool": "disks", "capacity": "10TB"})
    zone: Capacity | None = key(
        "Bytes that are reset as a whole, a multiple of the zones of the pool's drives side by side.",
        unset="those zones; 256MiB where the drives have none",
        gt=0,
        example="1GiB",
    )
    unit: BlockSize | None = key(
        "Bytes that the host maps and moves as a whole. A write of less reads the unit first.",
        unset="4KiB, or as much more as numbering takes (2^31 units)",
        gt=0,
        le=2**30,
        example="16KiB",
    )
    reserve: float = key(
        "Share of the zones that is not offered, those kept free and those being written apart: the host's "
        "over-provisioning.",
        default=0.2,
        ge=0,
        lt=1,
        example=0.1,
    )
    write: BlockSize = key(
        "Most bytes of one write to a zone. One is under way at a time and zone; what comes meanwhile is "
        "joined in the next one.",
        default=1 << 20,
        gt=0,
        le=2**30,
        example="512KiB",
    )
    cleaning: Cleaning = key("How zones become free again.", default=Cleaning())
    initial: ZonedInitial = key("What is there at the start.", default=ZonedInitial())

    def parts(self) -> list[tuple[KeyPath, str, PoolRange]]:
        """The one part."""
        return [(("part",), "zones", self.part)]

    def zone_bytes(self, part: PlacedRange) -> int:
        """Bytes of a zone."""
        return self.zone or part.zone_bytes or USUAL_ZONE

    def zones(self, part: PlacedRange) -> int:
        """Whole zones of the part."""
        return part.capacity // self.zone_bytes(part)

    def rotation(self, part: PlacedRange) -> int:
        """Zones that hold data: all but those kept free and those being written."""
        return self.zones(part) - self.cleaning.free_zones - 1 - int(self.cleaning.hot_cold)

    def unit_bytes(self, part: PlacedRange) -> int:
        """Bytes of a unit."""
        if self.unit is not None:
            return self.unit
        unit = max(LEAST_UNIT, part.sector_bytes)
        while self.zones(part) * self.zone_bytes(part) // unit >= MOST_EXTENTS:
            unit *= 2
        return unit

    def check(self, parts: Sequence[PlacedRange], report: Reporter) -> None:
        """Units of whole sectors, zones of whole units and of the drives' zones, and enough of them."""
        (part,) = parts
        zone, own = self.zone_bytes(part), part.zone_bytes
        if own is not None and zone % own:
            message = f"{zone} bytes are not a multiple of the zones of pool {part.pool_name!r}, {own} bytes"
            report("not-accepted", "zone", message, f"use a multiple of {format_bytes(own, binary=True)}")
            return
        if own is not None and part.offset % own:
            message = f"the part begins {part.offset % own} bytes behind the start of a zone"
            hint = f"give the parts before it whole zones of {format_bytes(own, binary=True)}"
            report("not-accepted", "part.capacity", message, hint)
        if self.rotation(part) < 2:
            kept = self.zones(part) - self.rotation(part)
            message = (
                f"the part has {self.zones(part)} zones; {kept} are kept free or open, two must hold data"
            )
            least = format_bytes((kept + 2) * self.zone_bytes(part), binary=True)
            report("out-of-range", "part.capacity", message, f"use {least} or more, or smaller zones")
            return
        unit, sector = self.unit_bytes(part), part.sector_bytes
        if unit % sector or zone % unit:
            message = f"{unit} bytes are not whole sectors ({sector} bytes), or do not divide a zone"
            report("not-accepted", "unit", message, f"use a multiple of {sector} that divides {zone}")
        elif self.zones(part) * zone // unit >= MOST_EXTENTS:
            message = f"{self.zones(part) * zone // unit} units are more than the simulator can number"
            report("out-of-range", "unit", message, "make units larger, or leave it out")
        elif not self.capacity_bytes(parts):
            report("out-of-range", "reserve", "nothing is left to offer", "keep less back")
        run = self.initial.run
        if self.initial.state == "fresh":
            for name in ("fill", "run"):
                if name in self.initial.model_fields_set:
                    hint = 'leave it out, or say state = "steady"'
                    report("not-applicable", f"initial.{name}", "fresh zones hold no data", hint)
        elif run is not None and run % unit:
            message = f"{run} bytes are not a multiple of the unit, {unit} bytes"
            report("not-accepted", "initial.run", message, f"use a multiple of {unit}")

    def notes(self, parts: Sequence[PlacedRange]) -> Iterator[Note]:
        """The host's policy, on which every figure rests."""
        (part,) = parts
        how = self.cleaning
        text = (
            f"a log-structured host: units of {format_bytes(self.unit_bytes(part), binary=True)}, zones of "
            f"{format_bytes(self.zone_bytes(part), binary=True)}, {self.reserve:.3g} of them kept back, "
            f"{how.policy} cleaning ({how.pace}) below {how.free_zones + 1} free zones; its map costs no I/O"
        )
        yield Note(code="host-policy", text=text)

    def capacity_bytes(self, parts: Sequence[PlacedRange]) -> int:
        """What the zones in rotation hold, less the reserve (a unit at least), in whole units."""
        (part,) = parts
        unit, room = self.unit_bytes(part), self.rotation(part) * self.zone_bytes(part)
        return min(int(room * (1 - self.reserve)), room - 1) // unit * unit

    def plan(self, parts: Sequence[PlacedRange], volumes: Sequence[VolumeRange] = ()) -> dict[str, Any]:
        """``ZonedVolumePlan`` of iowatt-sim."""
        (part,) = parts
        unit, how, start = self.unit_bytes(part), self.cleaning, self.initial

        def whole(size: int) -> int:
            return max(size // unit, 1) * unit

        return {
            "kind": "zoned",
            "capacity_bytes": self.capacity_bytes(parts),
            "unit_bytes": unit,
            "zone_bytes": self.zone_bytes(part),
            "free_zones": how.free_zones,
            "policy": how.policy,
            "hot_cold": how.hot_cold,
            "in_step": how.pace == "in-step",
            "write_bytes": whole(self.write),
            "step_bytes": whole(how.step),
            "steps_at_once": how.steps_at_once,
            # A disk passes over a gap sooner than it comes back to what lies behind it.
            "reads_through": not part.solid,
            "initial": None
            if start.state == "fresh"
            else {"fill": start.fill, "run_bytes": start.run or unit},
        }
