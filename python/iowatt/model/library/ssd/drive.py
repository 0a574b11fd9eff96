"""An SSD in numbers for the simulator's plan, and the changes that a scenario may make to it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

from iowatt.base.errors import BadValueError
from iowatt.model.library.electrical.figures import HddPower, PowerLevel
from iowatt.model.library.electrical.levels import Ladder, ladder_of
from iowatt.model.library.electronics import CommandQueue
from iowatt.model.library.flash import CollectionBursts, PowerState, SlcCache, Suspend
from iowatt.model.library.price_class import PurchaseInfo
from iowatt.model.library.reliability import RatedReliability
from iowatt.model.library.ssd import joules
from iowatt.model.library.ssd.figures import (
    Behaviour,
    FlashGeometry,
    Points,
    RatedWear,
    Sheet,
    SsdInterface,
    Times,
)
from iowatt.model.library.ssd.joules import WorkWatts

FREE_BLOCKS: Final = 4
MOST_UNITS: Final = 2**32 - 16
#: No flash operation takes as long.
LONGEST_S: Final = 1.0
MOST_DIES: Final = 4096


@dataclass(frozen=True)
class Ssd:
    """A solid-state drive.

    ``geometry`` and ``times`` are None where the data sheet alone is simulated; ``why_sheet`` is the reason.
    ``notes`` are statements that a reader of results must see.
    """

    name: str
    title: str
    notes: tuple[str, ...]
    sector_bytes: int
    sectors: int
    interface: SsdInterface
    sheet: Sheet
    geometry: FlashGeometry | None
    times: Times | None
    buffer_bytes: int
    suspend: Suspend | None
    bursts: CollectionBursts | None
    slc_cache: SlcCache | None
    map_entry_bytes: int
    wear: RatedWear
    work: WorkWatts
    power: HddPower
    command_queue: CommandQueue
    why_sheet: str | None = None
    #: Whether hosts write it zone by zone.
    zones: bool = False
    #: Placement handles that it takes writes with.
    placement_handles: int = 1
    behaviour: Behaviour = field(default_factory=Behaviour)
    #: What it is bought as; None for a drive made up in a test.
    sold: PurchaseInfo | None = None
    #: How often it fails, as rated; None for a drive made up in a test.
    reliability: RatedReliability | None = None

    @property
    def ratings(self) -> dict[str, float]:
        """Its ratings: bytes written by hosts, program and erase cycles."""
        return self.wear.ratings()

    @property
    def raw_bytes(self) -> int:
        """Capacity offered, in bytes."""
        return self.sectors * self.sector_bytes

    @property
    def flash_bytes(self) -> int | None:
        """Bytes of flash; None where they are not known."""
        geometry = self.geometry
        return None if geometry is None else geometry.superblock_bytes * self._superblocks(geometry)

    @property
    def zone_bytes(self) -> int | None:
        """Bytes of a zone that hosts must write in order; None where they may write anywhere."""
        return self.geometry.superblock_bytes if self.zones and self.geometry is not None else None

    @property
    def write_cache(self) -> bool:
        """Whether writes complete in its buffer."""
        return self.geometry is None or self.buffer_bytes > 0

    @property
    def states(self) -> dict[str, PowerState]:
        """Its power states of NVMe by name."""
        return {state.name: state for state in self.power.state}

    @property
    def ladder(self) -> Ladder:
        """Its power levels below idling: the states of NVMe that serve no requests.

        NVMe gives no energy of transitions; they draw the drive's most for the longest that they take.
        """
        return ladder_of(self.levels, self.power.idle)

    @property
    def levels(self) -> dict[str, PowerLevel]:
        """The levels by name."""
        first = next((state.power for state in self.power.state if state.operational), None)
        most = first if first is not None else self.power.active or self.power.idle
        return {
            state.name: PowerLevel.model_construct(
                name=state.name,
                power=state.power,
                enter_time=state.enter_latency,
                enter_power=most,
                leave_time=state.exit_latency,
                leave_power=most,
                speed=None,
                stopped=False,
            )
            for state in self.power.state
            if not state.operational
        }

    @property
    def missing_watts(self) -> list[str]:
        """Keys of the watts that its energy needs and that are not known."""
        lacking = [] if self.power.idle is not None else ["idle"]
        return lacking + ([] if self.work.sequential_write is not None else ["active"])

    def noted(self, *notes: str) -> Ssd:
        """The drive with further notes."""
        return replace(self, notes=(*self.notes, *notes))

    def short_stroked(self, capacity: int) -> Ssd:
        """The drive with only its first ``capacity`` bytes offered; the flash of the rest is spare.

        Raises ``BadValueError`` where that is less than a sector or more than the drive has.
        """
        sectors = capacity // (self.zone_bytes or self.sector_bytes) * (self.zone_bytes or self.sector_bytes)
        sectors //= self.sector_bytes
        if not 1 <= sectors <= self.sectors:
            raise BadValueError(
                "out-of-range",
                None,
                f"the drive has {self.raw_bytes} bytes, of which {capacity} cannot be used",
            )
        geometry = self.geometry
        note = f"{self.name}: {capacity} of {self.raw_bytes} bytes are used"
        if geometry is not None and not self.zones:
            spare = (1 + geometry.spare) * self.sectors / sectors - 1
            geometry = replace(geometry, spare=spare)
            note += f", the others are over-provisioning ({spare:.3g} of what is used)"
        return replace(self, sectors=sectors, geometry=geometry, notes=(*self.notes, note))

    def with_power(self, power: HddPower) -> Ssd:
        """The drive with the figures of ``power`` in place of its own; ``active`` applies to all work."""
        changed = ", ".join(name for name in type(power).model_fields if name in power.model_fields_set)
        work = self.work if power.active is None else WorkWatts.any(power.active)
        note = f"{self.name}: the scenario gives its own power figures ({changed})"
        merged = self.power.with_figures(power)
        rule = None
        if power.active_idle is None and (power.active is not None or power.idle is not None):
            merged = merged.model_copy(update={"active_idle": None})
            awake, rule = joules.active_idle(merged, work)
            merged = merged.model_copy(update={"active_idle": awake})
        if rule is not None:
            note += f"; with them its power.active_idle is {merged.active_idle:.3g} W, assumed: {rule}"
        return replace(self, power=merged, work=work, notes=(*self.notes, note))

    @property
    def sleeps(self) -> bool:
        """Whether its idle watts are those of a sleep state, which it enters after its work."""
        return self.power.idle is not None and self.awake_w is not None and self.awake_w > self.power.idle

    @property
    def awake_w(self) -> float | None:
        """Watts while there is any work, operations apart; None where its idle watts are not known."""
        idle = self.power.idle
        return None if idle is None else max(self.power.active_idle or 0.0, idle)

    def kept_awake(self) -> Ssd:
        """The drive idling awake, because a power policy decides when it sleeps."""
        if not self.sleeps:
            return self
        note = (
            f"{self.name}: its idle of {self.power.idle:g} W is a sleep state's; under a power policy it "
            f"idles awake at {self.awake_w:.3g} W, and the policy decides when it sleeps"
        )
        return replace(self, power=self.power.model_copy(update={"idle": self.awake_w})).noted(note)

    def provisioned(self, spare: float) -> Ssd:
        """The drive with other over-provisioning."""
        if self.geometry is None:
            return self
        own = f"{self.geometry.spare:.3g}"
        note = f"{self.name}: the scenario sets its over-provisioning to {spare:g} (its own is {own})"
        return replace(self, geometry=replace(self.geometry, spare=spare)).noted(note)

    def by_data_sheet(self) -> Ssd:
        """The drive simulated by its data sheet alone."""
        note = f"{self.name}: the scenario has it simulated by its data sheet alone"
        return replace(self, geometry=None, times=None, why_sheet="the scenario says so").noted(note)

    def problem(self) -> str | None:
        """The first impossible figure of its flash, or None."""
        return next(self._problems(), None)

    def _problems(self) -> Iterator[str]:
        geometry, times = self.geometry, self.times
        if self.zones and (geometry is None or not self.buffer_bytes):
            yield "zones (flash.zones) are simulated with a known type of cell and a write buffer only"
        if self.placement_handles > 1 and self.zones:
            yield "placement handles (flash.placement_handles) and zones (flash.zones) exclude one another"
        if geometry is None or times is None:
            return
        unit, page, stripe = geometry.mapping_bytes, geometry.page_bytes, geometry.stripe_bytes
        if page % unit and (unit % page or stripe % unit):
            yield (
                f"flash.mapping_unit is {unit} bytes; it must divide a page ({page}), or be whole pages that "
                f"divide those of all planes ({stripe})"
            )
        if unit % self.sector_bytes:
            yield f"flash.mapping_unit is {unit} bytes, no whole number of sectors of {self.sector_bytes}"
        if times.read_hold_s >= LONGEST_S:
            held = f"{times.read_hold_s:.3g} s for a read (flash.read_hold)"
            yield f"its rates come to {held}; less than {LONGEST_S:g} s is accepted"
        if geometry.dies > MOST_DIES:
            yield f"its rates come to {geometry.dies} dies; at most {MOST_DIES} are accepted"
        units = geometry.superblock_bytes * self._superblocks(geometry) // unit
        if units > MOST_UNITS:
            yield (
                f"its flash comes to {units:,} mapping units of {unit} bytes; at most {MOST_UNITS:,} are "
                "accepted: a larger flash.mapping_unit is needed"
            )
        if self.placement_handles > 1 and 0 < self.buffer_bytes < self.placement_handles * stripe:
            yield (
                f"its write buffer has {self.buffer_bytes} bytes; {self.placement_handles} placement handles "
                f"need the pages of all planes of a die ({stripe} bytes) each"
            )
        if not all(0 < time_s < 1 for time_s in (times.read_s, times.program_s, times.erase_s)):
            yield "operations on flash take more than 0 s and less than 1 s"

    def _superblocks(self, geometry: FlashGeometry) -> int:
        """The number at which those not kept free or open have ``spare`` beyond the capacity."""
        offered, size = self.raw_bytes, geometry.superblock_bytes
        # Collection needs at least one superblock more, even where the whole spare is less.
        holding = max(math.ceil(offered * (1 + geometry.spare) / size), math.ceil(offered / size) + 1)
        freed = 0 if self.bursts is None else self.bursts.superblocks
        # One open for each handle; with several, and with hot_cold, one for moved data.
        handles = self.placement_handles
        return holding + FREE_BLOCKS + freed + handles + (self.behaviour.hot_cold or handles > 1)

    def plan(self, states: Mapping[str, int] | None = None) -> dict[str, Any]:
        """The ``device`` of a plan's pool (``SsdPlan``). Watts and joules that are not known are None."""
        link, ladder = self.interface, self.ladder
        awake = self.awake_w
        return {
            "kind": "ssd",
            "sector_bytes": self.sector_bytes,
            "sectors": self.sectors,
            "interface": {
                "read_bytes_per_s": link.link_rate,
                "write_bytes_per_s": link.link_rate,
                "command_read_s": link.command_read_s,
                "command_write_s": link.command_write_s,
                "commands_per_s": link.commands_per_s,
                "read_holds": _holds(link.read_holds),
                "write_holds": _holds(link.write_holds),
                "queue_depth": link.queue_depth,
            },
            "media": self._data_sheet(awake) if self.geometry is None else self._flash(awake, self.geometry),
            "power": {
                "active_w": awake,
                "awake_s": joules.AWAKE_S if self.sleeps else 0.0,
                "levels": ladder.plan,
                "states": ladder.states(states),
                "cap_w": self.behaviour.cap_w,
            },
            "wear": {"pe_cycles": self.wear.pe_cycles, "rated_bytes_written": self.wear.rated_bytes},
        }

    def _flash(self, awake_w: float | None, geometry: FlashGeometry) -> dict[str, Any]:
        times, how, suspend, bursts = self.times, self.behaviour, self.suspend, self.bursts
        assert times is not None
        joules_of = joules.UNKNOWN
        if awake_w is not None and not self.missing_watts:
            joules_of = joules.operations(self.work, awake_w, self.sheet, geometry, times)
        steady = {
            "kind": "steady",
            "fill": how.fill,
            "traffic": [asdict(traffic) for traffic in how.traffic],
            "run_bytes": how.run_bytes,
        }
        return {
            "kind": "flash",
            "channels": geometry.channels,
            "dies_per_channel": geometry.dies_per_channel,
            "planes": geometry.planes,
            "blocks_per_plane": self._superblocks(geometry),
            "pages_per_block": geometry.pages_per_block,
            "page_bytes": geometry.page_bytes,
            "mapping_bytes": geometry.mapping_bytes,
            **asdict(times),
            "read_by_page_s": list(times.read_by_page_s),
            "suspend": suspend and {
                "program": suspend.program, "erase": suspend.erase, "latency_s": suspend.latency,
                "most": suspend.most,
            },
            "buffer_bytes": self.buffer_bytes,
            "gc": {
                "policy": how.gc, "free_blocks": FREE_BLOCKS, "hot_cold": how.hot_cold,
                "burst": bursts and {"blocks": bursts.superblocks, "share": bursts.share},
            },
            "map_entry_bytes": self.map_entry_bytes,
            **({"zoned": True} if self.zones else {}),
            **self._placement(),
            "slc_cache": (cache := self.slc_cache) and {
                "bytes": self._cached_bytes(cache), "program_s": min(cache.program_time, times.program_s),
                "idle_s": cache.idle,
            },
            "wear_levelling": how.wear_levelling,
            "initial": steady if how.steady else {"kind": "fresh"},
            "energy": asdict(joules_of),
        }  # fmt: skip

    def _placement(self) -> dict[str, Any]:
        """The handles that hosts write with; nothing where they use none."""
        if not self.behaviour.placement:
            return {}
        table = [{"from_sector": sector, "handle": handle} for sector, handle in self.behaviour.placement]
        return {"placement_handles": self.placement_handles, "placement": table}

    def _cached_bytes(self, cache: SlcCache) -> int:
        """What the cache holds; of a dynamic one, as the drive is filled at the start."""
        filled = self.behaviour.fill if self.behaviour.steady and self.geometry is not None else 0.0
        return round(cache.size * (1 - filled)) if cache.dynamic else cache.size

    def _data_sheet(self, awake_w: float | None) -> dict[str, Any]:
        sheet, work = self.sheet, self.work
        ways = {
            "read": (sheet.read_s, sheet.read_iops, sheet.read_rate, work.sequential_read),
            "write": (sheet.write_s, sheet.write_iops, sheet.write_rate, work.sequential_write),
        }
        laws = {
            "read": (sheet.read_holds, sheet.read_quantiles),
            "write": (sheet.write_holds, sheet.write_quantiles),
        }
        return {
            "kind": "data-sheet",
            **{
                way: {
                    "latency_s": s,
                    "iops": iops,
                    "bytes_per_s": rate,
                    "holds": _holds(laws[way][0]),
                    "quantiles": [{"share": share, "latency_s": s} for share, s in laws[way][1]],
                    "active_w": _at_least(awake_w, watts),
                }
                for way, (s, iops, rate, watts) in ways.items()
            },
            "write_amplification": sheet.write_amplification,
            "write_cache": (cache := self.slc_cache)
            and {
                "bytes": self._cached_bytes(cache),
                "folding_bytes_per_s": cache.sustained,
                "idle_s": cache.idle,
            },
            "raw_bytes": None,
        }


def _holds(points: Points) -> list[dict[str, float]]:
    return [{"bytes": int(size), "time_s": s} for size, s in points]


def _at_least(idle: float | None, work: float | None) -> float | None:
    """Watts of work, never below those of idling; None where either is not known."""
    return None if idle is None or work is None else max(idle, work)
