"""A drive in numbers, as the simulator's plan wants it, and the changes that a scenario may ask for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from iowatt.errors import InputError
from iowatt.library import mechanics
from iowatt.library.device import (
    MOST_CYLINDERS,
    MOST_SECTORS_PER_TRACK,
    DeviceFile,
    HddPower,
    MeasuredSeek,
    RatedGeometry,
    ZonedGeometry,
)
from iowatt.library.mechanics import SeekCurve, Zone


@dataclass(frozen=True)
class Drive:
    """A mechanical disk.

    ``seek`` is (cylinders, seconds), the last time holding beyond its point; times are in seconds,
    ``sectors`` is what the drive offers. ``notes`` are statements that a reader of results must see.
    """

    name: str
    title: str
    notes: tuple[str, ...]
    rpm: float
    sector_bytes: int
    surfaces: int
    zones: tuple[Zone, ...]
    sectors: int
    seek: SeekCurve
    head_switch_s: float
    write_settle_s: float
    read_overhead_s: float
    write_overhead_s: float
    power: HddPower

    @property
    def raw_bytes(self) -> int:
        """Capacity in bytes."""
        return self.sectors * self.sector_bytes

    @property
    def cylinders(self) -> int:
        """Cylinders of all zones."""
        return sum(zone.cylinders for zone in self.zones)

    @property
    def average_seek_s(self) -> float:
        """Mean seek over random pairs of cylinders."""
        return mechanics.average_seek(self.seek, self.cylinders)

    def sequential_rate(self, zone: int) -> float:
        """Bytes per second of reading zone ``zone`` (0 outermost, -1 innermost) from end to end."""
        return mechanics.sequential_rate(self.zones[zone], self.rpm, self.sector_bytes, self.surfaces)

    def respun(self, rpm: float) -> Drive:
        """The drive at another speed: the same tracks and arm; skews keep their time, not their sectors."""
        ratio = rpm / self.rpm
        zones = tuple(
            replace(
                zone,
                track_skew=zone.track_skew * ratio % zone.sectors_per_track,
                cylinder_skew=zone.cylinder_skew * ratio % zone.sectors_per_track,
            )
            for zone in self.zones
        )
        change = f"{self.rpm:g} to {rpm:g} rpm"
        note = f"{self.name}: rotation changed from {change}; seeks and power are not rescaled"
        return replace(self, rpm=rpm, zones=zones, notes=(*self.notes, note))

    def shortened(self, capacity: int) -> Drive:
        """The drive with only its first ``capacity`` bytes in use.

        Raises
        ------
        ValueError
            Where that is less than a sector or more than the drive has.
        """
        sectors = capacity // self.sector_bytes
        if not 1 <= sectors <= self.sectors:
            raise ValueError(f"the drive has {self.raw_bytes} bytes, of which {capacity} cannot be used")
        note = f"{self.name}: short-stroked to {capacity} of {self.raw_bytes} bytes"
        return replace(self, sectors=sectors, notes=(*self.notes, note))

    def powered(self, power: HddPower) -> Drive:
        """The drive with the figures given in ``power`` in place of its own."""
        given = power.model_dump(exclude_none=True)
        changed = ", ".join(given)
        note = f"{self.name}: the scenario gives its own power figures ({changed})"
        return replace(self, power=self.power.model_copy(update=given), notes=(*self.notes, note))

    def plan(self, phase: str) -> dict[str, Any]:
        """The ``device`` of a plan's pool. The figures that every simulation needs must be there."""
        power = self.power
        return {
            "kind": "hdd",
            "rpm": self.rpm,
            "sector_bytes": self.sector_bytes,
            "surfaces": self.surfaces,
            "zones": [
                {
                    "cylinders": zone.cylinders,
                    "sectors_per_track": zone.sectors_per_track,
                    "track_skew_sectors": float(zone.track_skew),
                    "cylinder_skew_sectors": float(zone.cylinder_skew),
                }
                for zone in self.zones
            ],
            "sectors": self.sectors,
            "seek": [{"cylinders": cylinders, "time_s": time_s} for cylinders, time_s in self.seek],
            "head_switch_s": self.head_switch_s,
            "write_settle_s": self.write_settle_s,
            "read_overhead_s": self.read_overhead_s,
            "write_overhead_s": self.write_overhead_s,
            "phase": phase,
            "power": {
                "active_w": power.active,
                "positioning_w": power.positioning,
                "idle_w": power.idle,
                "standby_w": power.standby,
                "spin_up_w": power.spin_up,
                "spin_down_w": power.spin_down,
                "spin_up_s": power.spin_up_time,
                "spin_down_s": power.spin_down_time,
            },
        }


def resolve(file: DeviceFile, where: str) -> Drive:
    """The drive that a device file describes.

    Raises
    ------
    InputError
        Where its figures contradict one another; ``where`` names the file.
    """
    sectors = file.capacity // file.sector_size
    if isinstance(file.geometry, ZonedGeometry):
        zones = tuple(Zone(**zone.model_dump()) for zone in file.geometry.zones)
    else:
        zones = _zones(file, file.geometry, sectors, where)
    cylinders = sum(zone.cylinders for zone in zones)
    _bounded(cylinders, max(zone.sectors_per_track for zone in zones), where)
    held = file.geometry.surfaces * sum(zone.cylinders * zone.sectors_per_track for zone in zones)
    if sectors > held:
        raise InputError(f"capacity is {sectors} sectors, but the zones hold only {held}", where=where)
    return Drive(
        name=file.name,
        title=file.title,
        notes=_notes(file),
        rpm=file.rpm,
        sector_bytes=file.sector_size,
        surfaces=file.geometry.surfaces,
        zones=zones,
        sectors=sectors,
        seek=_seek(file, cylinders, where),
        head_switch_s=file.head_switch,
        write_settle_s=file.write_settle,
        read_overhead_s=file.read_overhead,
        write_overhead_s=file.write_overhead,
        power=file.power,
    )


def _bounded(cylinders: int, sectors_per_track: int, where: str) -> None:
    """No drive that was ever built comes near these bounds; beyond them a unit is wrong."""
    for found, most, what in (
        (cylinders, MOST_CYLINDERS, "cylinders"),
        (sectors_per_track, MOST_SECTORS_PER_TRACK, "sectors per track"),
    ):
        if found > most:
            raise InputError(
                f"geometry: comes to {found:,} {what} with the capacity; at most {most:,} are accepted",
                where=where,
                hint="look at the units of capacity, sector_size and the rates",
            )


def _zones(file: DeviceFile, rated: RatedGeometry, sectors: int, where: str) -> tuple[Zone, ...]:
    """Zones from sustained rates, which count one head switch per turn."""
    turn_s = 60 / file.rpm
    track_s = turn_s + file.head_switch
    outer, inner = (round(rate * track_s / file.sector_size) for rate in (rated.outer_rate, rated.inner_rate))
    if not outer >= inner >= 1:
        raise InputError("geometry.outer_rate must be at least geometry.inner_rate", where=where)
    three = file.seek
    next_cylinder_s = (
        three.points_ms[0][1] / 1e3 if isinstance(three, MeasuredSeek) else three.single_cylinder
    )
    return mechanics.linear_zones(
        sectors,
        rated.surfaces,
        outer_spt=outer,
        inner_spt=inner,
        zone_count=rated.zone_count,
        track_skew_turns=file.head_switch / turn_s,
        cylinder_skew_turns=max(next_cylinder_s, file.head_switch) / turn_s,
    )


def _seek(file: DeviceFile, cylinders: int, where: str) -> SeekCurve:
    if isinstance(file.seek, MeasuredSeek):
        return tuple(
            (distance, float(Decimal(repr(milliseconds)).scaleb(-3)))
            for distance, milliseconds in file.seek.points_ms
        )
    three = file.seek
    try:
        return mechanics.three_point_curve(three.single_cylinder, three.average, three.full_stroke, cylinders)
    except ValueError as error:
        raise InputError(str(error), where=f"{where}: seek") from None


def _notes(file: DeviceFile) -> tuple[str, ...]:
    stand_in = [f"{file.name} is a stand-in: {file.stand_in}"] if file.stand_in else []
    return (*stand_in, *(f"{file.name}: {text}" for text in file.assumptions))
