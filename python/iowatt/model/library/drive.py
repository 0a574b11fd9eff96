"""A disk in numbers for the simulator's plan, and the changes that a scenario may make to it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from iowatt.base.errors import BadValueError, InputError
from iowatt.model.library import derive, mechanics
from iowatt.model.library.class_rules import complete
from iowatt.model.library.device import DeviceFile, Endurance
from iowatt.model.library.electrical.figures import HddPower
from iowatt.model.library.electrical.levels import Ladder, ladder
from iowatt.model.library.electronics import CommandQueue, DriveBuffer, DriveController
from iowatt.model.library.geometry import (
    MOST_CYLINDERS,
    MOST_SECTORS_PER_TRACK,
    HplSeek,
    IndexedGeometry,
    MeasuredSeek,
    ZonedGeometry,
)
from iowatt.model.library.layout import Layout, Tree, Zones
from iowatt.model.library.mechanics import SeekCurve, TrackZone
from iowatt.model.library.price_class import PurchaseInfo
from iowatt.model.library.reliability import RatedReliability
from iowatt.model.library.shingled import ZONE_BYTES, Shingled
from iowatt.model.library.source import stand_in

LayoutFile = Callable[[str], dict[str, Any]]
"""From the name that a device file gives its layout file to ``IndexedPlan``."""


@dataclass(frozen=True)
class Disk:
    """A mechanical disk.

    ``seek`` is (cylinders, seconds) of reads, ``seek_plan`` the simulator's curves of reads and writes; times
    are in seconds; ``sectors`` are those offered. ``notes`` are statements that a reader of results must see.
    """

    name: str
    title: str
    notes: tuple[str, ...]
    rpm: float
    sector_bytes: int
    surfaces: int
    layout: Layout
    sectors: int
    seek: SeekCurve
    seek_plan: dict[str, Any]
    head_switch_s: float
    write_settle_s: float
    controller: DriveController
    buffer: DriveBuffer
    command_queue: CommandQueue
    power: HddPower
    #: Arms on the one spindle; surfaces and layout are those of one.
    actuators: int = 1
    recording: str = "cmr"
    #: Bands and media cache of each arm, where the drive manages overlapping tracks.
    shingled: Shingled | None = None
    endurance: Endurance = field(default_factory=Endurance)
    #: What it is bought as; None for a drive made up in a test.
    sold: PurchaseInfo | None = None
    #: How often it fails, as rated; None for a drive made up in a test.
    reliability: RatedReliability | None = None

    @property
    def ratings(self) -> dict[str, float]:
        """The ratings of its data sheet, as far as stated: bytes a year, cycles."""
        return self.endurance.ratings()

    @property
    def raw_bytes(self) -> int:
        """Capacity in bytes."""
        return self.sectors * self.sector_bytes

    @property
    def zone_bytes(self) -> int | None:
        """Bytes of a zone that hosts must write in order; None where they may write anywhere."""
        return ZONE_BYTES if self.recording == "hm-smr" else None

    @property
    def is_special(self) -> bool:
        """Whether there is more to it than one arm over tracks that lie apart."""
        return self.actuators > 1 or self.shingled is not None

    @property
    def cylinders(self) -> int:
        """Cylinders."""
        return self.layout.cylinders

    @property
    def zones(self) -> tuple[TrackZone, ...]:
        """Its zones; none where the layout is irregular."""
        return self.layout.zones if isinstance(self.layout, Zones) else ()

    @property
    def average_seek_s(self) -> float:
        """Mean seek over random pairs of cylinders."""
        return mechanics.average_seek(self.seek, self.cylinders)

    def sequential_rate(self, zone: int) -> float:
        """Bytes per second of reading zone ``zone`` (0 outermost, -1 innermost) from end to end.

        For an irregular layout: the rate of its first or last track, without switches.
        """
        if isinstance(self.layout, Tree):
            return self.layout.sectors_per_track(last=zone < 0) * self.sector_bytes * self.rpm / 60
        return mechanics.sequential_rate(self.zones[zone], self.rpm, self.sector_bytes, self.surfaces)

    def at_rpm(self, rpm: float) -> Disk:
        """The drive at another speed: same tracks and arm; skews keep their time, not their sectors.

        Raises ``BadValueError`` where the layout is irregular, for its skews are known at one speed only.
        """
        change = f"{self.rpm:g} to {rpm:g} rpm"
        note = f"{self.name}: rotation changed from {change}; seeks and power are not rescaled"
        layout = self.layout.at_speed(rpm / self.rpm)
        return replace(self, rpm=rpm, layout=layout, notes=(*self.notes, note))

    def short_stroked(self, capacity: int) -> Disk:
        """The drive with only its first ``capacity`` bytes in use.

        Raises ``BadValueError`` where that is less than a sector or more than the drive has.
        """
        sectors = capacity // self.sector_bytes
        if not 1 <= sectors <= self.sectors:
            raise BadValueError(
                "out-of-range",
                None,
                f"the drive has {self.raw_bytes} bytes, of which {capacity} cannot be used",
            )
        note = f"{self.name}: short-stroked to {capacity} of {self.raw_bytes} bytes"
        return replace(self, sectors=sectors, notes=(*self.notes, note))

    @property
    def write_cache(self) -> bool:
        """Whether writes complete in its buffer."""
        return self.buffer.fast_write != "none"

    def with_write_cache(self, on: bool) -> Disk:
        """The drive with its write cache on or off.

        Turned on where its file has it off, it takes all writes (``across-reads``).

        Raises ``BadValueError`` where the drive has no buffer.
        """
        if on == self.write_cache:
            return self
        if on and not self.buffer.segments:
            raise BadValueError(
                "not-applicable", None, f"{self.name!r} has no on-board buffer to take writes"
            )
        how = "writes complete in its buffer" if on else "writes complete on the media"
        note = f"{self.name}: the scenario turns its write cache {'on' if on else 'off'}: {how}"
        buffer = self.buffer.model_copy(update={"fast_write": "across-reads" if on else "none"})
        return replace(self, buffer=buffer, notes=(*self.notes, note))

    @property
    def read_ahead(self) -> bool:
        """Whether it reads on after a read, into its buffer."""
        return self.buffer.read_ahead != "none"

    def with_read_ahead(self, on: bool) -> Disk:
        """The drive with its read-ahead on or off (SCSI: the bit DRA of the caching mode page).

        Turned on where its file has it off, it reads on until a segment is full (``segment``).

        Raises ``BadValueError`` where the drive has no buffer.
        """
        if on == self.read_ahead:
            return self
        if on and not self.buffer.segments:
            raise BadValueError("not-applicable", None, f"{self.name!r} has no on-board buffer to read into")
        note = f"{self.name}: the scenario turns its read-ahead {'on' if on else 'off'}"
        buffer = self.buffer.model_copy(update={"read_ahead": "segment" if on else "none"})
        return replace(self, buffer=buffer, notes=(*self.notes, note))

    def with_power(self, power: HddPower) -> Disk:
        """The drive with the figures of ``power`` in place of its own."""
        changed = ", ".join(name for name in type(power).model_fields if name in power.model_fields_set)
        note = f"{self.name}: the scenario gives its own power figures ({changed})"
        return replace(self, power=self.power.with_figures(power), notes=(*self.notes, note))

    @property
    def missing_watts(self) -> list[str]:
        """Names of the figures of ``power`` that its energy needs and that are not known."""
        return [name for name in ("active", "positioning", "idle") if getattr(self.power, name) is None]

    @property
    def ladder(self) -> Ladder:
        """Its power levels below idling whose figures are all known."""
        return ladder(self.power, self.rpm)

    def plan(self, phase: str, states: Mapping[str, int] | None = None) -> dict[str, Any]:
        """The ``device`` of a plan's pool. Watts that are not known are None."""
        return {"kind": "hdd", **self.hdd_plan(phase, states)}

    def hdd_plan(self, phase: str, states: Mapping[str, int] | None = None) -> dict[str, Any]:
        """``HddPlan``: the mechanics, the electronics and the watts.

        ``states`` are the numbers of the states that power levels other than standby are reported as.
        """
        power, ladder = self.power, self.ladder
        return {
            "rpm": self.rpm,
            "sector_bytes": self.sector_bytes,
            "surfaces": self.surfaces,
            "cylinders": self.cylinders,
            "sectors": self.sectors,
            "layout": self.layout.plan(),
            "seek": self.seek_plan,
            "head_switch_s": self.head_switch_s,
            "write_settle_s": self.write_settle_s,
            "controller": self.controller.plan(),
            "buffer": self.buffer.plan(),
            **self._special_plan(),
            "phase": phase,
            "power": {
                "active_w": power.active,
                "positioning_w": power.positioning,
                "levels": ladder.plan,
                "states": ladder.states(states),
            },
        }

    def _special_plan(self) -> dict[str, Any]:
        plan: dict[str, Any] = {} if self.actuators == 1 else {"actuators": self.actuators}
        if self.shingled is not None:
            plan["shingled"] = self.shingled.plan(self.sector_bytes)
        return plan


def resolve(file: DeviceFile, where: str, layout_file: LayoutFile | None = None) -> Disk:
    """The disk that a device file describes; its notes list what was derived or assumed.

    ``layout_file`` reads the tree of an irregular layout by its name in the file.

    Raises ``InputError`` where figures are missing that cannot be derived, or contradict one another;
    ``where`` names the file. Missing watts are not an error here: the scenario decides which ones it needs.
    """
    if file.kind != "hdd":
        hint = "`iowatt devices list --kind hdd --needs mechanics` prints the disks that will do"
        raise InputError("not-accepted", where, f"{file.name!r} is an SSD; expected a disk", hint=hint)
    steps = derive.Steps()
    file = complete(file, steps)
    parts = derive.mechanics(file, steps)
    if parts is None:
        missing = derive.missing_mechanics(file)
        raise InputError(
            "missing-figure",
            where,
            f"the simulation needs figures that {file.name!r} lacks: {', '.join(missing)}",
            hint=f'give them in a device file of your own, with based_on = "{file.name}"',
        )
    power = derive.state_watts(file, steps)
    sectors = parts.capacity // parts.sector_bytes
    placed = math.ceil(sectors / parts.actuators)  # of each arm
    if parts.shingled is not None:
        placed += parts.shingled.cache // parts.sector_bytes
    _check_shingled(parts, where)
    layout = _layout(parts, placed, where, layout_file)
    if layout.cylinders > MOST_CYLINDERS:
        raise InputError(
            "out-of-range",
            where,
            f"geometry: the capacity takes {layout.cylinders:,} cylinders; at most "
            f"{MOST_CYLINDERS:,} are accepted",
            hint="look at the units of capacity, sector_size and the rates",
        )
    held = layout.held(parts.geometry.surfaces)
    if placed > held:
        whose = "of each arm, with its media cache, " if placed != sectors else ""
        message = f"capacity {whose}is {placed} sectors, but the zones hold only {held}"
        raise InputError("conflict", where, message)
    seek, seek_plan = _seek(parts, layout.cylinders, where)
    return Disk(
        name=file.name,
        title=file.title,
        notes=_notes(file, steps),
        rpm=parts.rpm,
        sector_bytes=parts.sector_bytes,
        surfaces=parts.geometry.surfaces,
        layout=layout,
        sectors=sectors,
        seek=seek,
        seek_plan=seek_plan,
        head_switch_s=parts.head_switch,
        write_settle_s=parts.write_settle,
        controller=parts.controller,
        buffer=parts.buffer,
        command_queue=parts.command_queue,
        power=power,
        actuators=parts.actuators,
        recording=file.recording or "cmr",
        shingled=parts.shingled,
        endurance=file.endurance,
        sold=PurchaseInfo.of(file, parts.capacity),
        reliability=RatedReliability.of(file, parts.capacity),
    )


def _check_shingled(parts: derive.Mechanics, where: str) -> None:
    shingled, sector = parts.shingled, parts.sector_bytes
    if shingled is None:
        return
    if shingled.band % sector:
        raise InputError(
            "not-accepted", where, f"shingled.band is not a multiple of {sector} bytes, its sectors"
        )
    if shingled.cache // sector < shingled.band // sector:
        raise InputError(
            "conflict", where, "shingled.cache must hold at least one shingled.band for each arm"
        )


def _layout(parts: derive.Mechanics, sectors: int, where: str, layout_file: LayoutFile | None) -> Layout:
    geometry = parts.geometry
    if isinstance(geometry, ZonedGeometry):
        return Zones.of(geometry)
    if isinstance(geometry, IndexedGeometry):
        if layout_file is None:
            raise InputError("unknown-name", where, f"there is no layout {geometry.layout!r}")
        return Tree(geometry.cylinders, layout_file(geometry.layout))
    return Zones(_zones(parts, geometry, sectors, where))


def _zones(
    parts: derive.Mechanics, rates: derive.ZoneRates, sectors: int, where: str
) -> tuple[TrackZone, ...]:
    """Zones from sustained rates, which count one head switch per turn."""
    turn_s = 60 / parts.rpm
    track_s = turn_s + parts.head_switch
    outer, inner = (round(rate * track_s / parts.sector_bytes) for rate in (rates.outer, rates.inner))
    if outer > MOST_SECTORS_PER_TRACK:
        raise InputError(
            "out-of-range",
            where,
            f"geometry: the capacity takes {outer:,} sectors per track; at most "
            f"{MOST_SECTORS_PER_TRACK:,} are accepted",
            hint="look at the units of capacity, sector_size and the rates",
        )
    if not outer >= inner >= 1:
        raise InputError("conflict", where, "geometry.outer_rate must be at least geometry.inner_rate")
    next_cylinder_s = _next_cylinder_s(parts.seek)
    return mechanics.linear_zones(
        sectors,
        rates.surfaces,
        outer_spt=outer,
        inner_spt=inner,
        zone_count=rates.zone_count,
        track_skew_turns=parts.head_switch / turn_s,
        cylinder_skew_turns=max(next_cylinder_s, parts.head_switch) / turn_s,
    )


def _next_cylinder_s(seek: MeasuredSeek | HplSeek | derive.ThreeTimes) -> float:
    if isinstance(seek, MeasuredSeek):
        return seek.points_ms[0][1] / 1e3
    if isinstance(seek, HplSeek):
        return mechanics.hpl_curve(seek.hpl_ms, seek.first_ms, 2)[0][1]
    return seek.single_cylinder


def _seek(parts: derive.Mechanics, cylinders: int, where: str) -> tuple[SeekCurve, dict[str, Any]]:
    """The curve of reads, and ``SeekPlan``."""
    seek = parts.seek
    if isinstance(seek, HplSeek):
        curve = mechanics.hpl_curve(seek.hpl_ms, seek.first_ms, cylinders)
        return curve, {"hpl": {"values": list(seek.hpl_ms), "first_ms": list(seek.first_ms)}}
    if isinstance(seek, MeasuredSeek):
        points = [(point[0], _seconds(point[1]), _seconds(point[-1])) for point in seek.points_ms]
    else:
        try:
            single, average, full = seek.single_cylinder, seek.average, seek.full_stroke
            fitted = mechanics.three_point_curve(single, average, full, cylinders)
        except InputError as error:
            raise error.at(f"{where}: seek") from None
        points = [(distance, time_s, time_s) for distance, time_s in fitted]
    return tuple(point[:2] for point in points), {"points": [list(point) for point in points]}


def _seconds(milliseconds: float) -> float:
    return float(Decimal(repr(milliseconds)).scaleb(-3))


def _notes(file: DeviceFile, steps: derive.Steps) -> tuple[str, ...]:
    texts = [*file.assumptions, *steps.notes(), *_bus_note(file)]
    return (*stand_in(file.name, file.stand_in), *(f"{file.name}: {text}" for text in texts))


def _bus_note(file: DeviceFile) -> list[str]:
    """The note that a drive keeps the speed of the slow bus on which it was measured."""
    slowest = max(file.controller.sector) if file.controller is not None else 0.0
    if not slowest:
        return []
    rate = (file.sector_size or derive.SECTOR_BYTES) / slowest / 1e6
    return [
        f"a transfer takes {slowest * 1e3:g} ms a sector ({rate:.1f} MB/s), as on the bus on which it was "
        "measured; controller.sector in a device file of your own changes that"
    ]
