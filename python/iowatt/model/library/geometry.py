"""Tracks and arm movement in a device file: as extracted from a drive, or as a data sheet has them."""

from __future__ import annotations

import itertools
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag, model_validator

from iowatt.base.errors import BadValueError
from iowatt.base.quantity import Duration, Rate
from iowatt.base.strict import Strict, key
from iowatt.model.library.electrical.figures import seconds


def _pair(value: Any) -> Any:
    if isinstance(value, list | tuple) and len(value) == 2:
        return tuple(value)
    raise BadValueError("wrong-type", None, "expected [original, replacement]")


Remap = Annotated[
    tuple[Annotated[int, Field(ge=0, le=2**62)], Annotated[int, Field(ge=0, le=2**62)]],
    BeforeValidator(_pair),
]
Slip = Annotated[int, Field(ge=0, le=2**62)]
Mapping = Literal["normal", "serpentine-by-zone", "serpentine-by-disk"]
Sparing = Literal[
    "none",
    "tracks",
    "per-track",
    "per-cylinder",
    "per-cylinder-to-end",
    "per-cylinder-front",
    "per-cylinder-front-to-end",
    "per-range",
    "per-zone",
    "at-end",
]


# Far beyond any drive; the simulator keeps a seek time for every distance.
MOST_CYLINDERS: Final = 10_000_000
#: Milliseconds of a seek.
MOST_SEEK_MS: Final = 10_000
MOST_SECTORS_PER_TRACK: Final = 1_000_000


class Zone(Strict):
    """Cylinders with the same number of sectors per track."""

    cylinders: int = key("Number of cylinders.", within=(1, MOST_CYLINDERS))
    sectors_per_track: int = key("Sectors on each of its tracks.", within=(1, MOST_SECTORS_PER_TRACK))
    track_skew: float = key("Offset of sector 0 to the next track of the cylinder, sectors.", default=0.0)
    cylinder_skew: float = key("Offset of sector 0 to the next cylinder's first track, sectors.", default=0.0)
    first_cylinder: int | None = key(
        "First cylinder.", unset="the one after the zone before", within=(0, 2**31)
    )
    first_sector_offset: float = key(
        "Rotation of the zone's first sector from the index, sectors.", default=0.0
    )
    reserved_sectors: int = key("Sectors at its front that hold no data.", default=0, within=(0, 2**62))
    spares: int = key(
        "Spare sectors (or tracks) per unit of the sparing scheme.", default=0, within=(0, 2**62)
    )
    slips: list[Slip] = key("Sectors (or tracks) of the zone that are passed over.", default=[])
    remaps: list[Remap] = key(
        "Sectors (or tracks) of the zone that lie elsewhere in it.",
        default=[],
        accepts="a list of [sector, replacement]",
    )


class ZonedGeometry(Strict):
    """Geometry as extracted from a drive."""

    surfaces: int = key("Recording surfaces (= heads).", within=(1, 1000))
    cylinders: int | None = key("All cylinders.", unset="those of the zones", within=(1, MOST_CYLINDERS))
    mapping: Mapping = key(
        "Order of surfaces within cylinders. normal: always from surface 0; serpentine: every other cylinder "
        "of the zone, or of the disk, runs backwards.",
        default="normal",
    )
    sparing: Sparing = key(
        "Where spare sectors are: whole tracks at the end of each zone (slips and remaps then count tracks), "
        "or sectors at the end of each track, cylinder, range of cylinders, zone or disk. front: before the "
        "data; to-end: slips shift the rest of the zone, not of the cylinder only.",
        default="none",
    )
    range_cylinders: int | None = key(
        "Cylinders that share spares, with sparing per-range.", unset="none", within=(1, 2**31)
    )
    zones: list[Zone] = key(
        "Zones from the outer edge inwards, which is also the order of addresses.", min_length=1
    )

    @model_validator(mode="after")
    def _range(self) -> ZonedGeometry:
        if (self.sparing == "per-range") != (self.range_cylinders is not None):
            raise BadValueError("conflict", None, 'range_cylinders goes only with sparing = "per-range"')
        return self

    @model_validator(mode="after")
    def _apart(self) -> ZonedGeometry:
        free = 0
        for number, zone in enumerate(self.zones):
            first = free if zone.first_cylinder is None else zone.first_cylinder
            if first < free:
                raise BadValueError(
                    "out-of-order",
                    None,
                    f"zone {number} starts at cylinder {first}, within the zone before it",
                )
            free = first + zone.cylinders
        if self.cylinders is not None and self.cylinders < free:
            raise BadValueError(
                "conflict", None, f"cylinders is {self.cylinders}, but the zones reach to {free}"
            )
        return self


class IndexedGeometry(Strict):
    """Irregular tracks, as a tree of runs of like tracks in a file of its own."""

    surfaces: int = key("Recording surfaces (= heads).", within=(1, 1000))
    cylinders: int = key("All cylinders.", within=(1, MOST_CYLINDERS))
    layout: str = key(
        "A layout file (.json or .json.gz) as `iowatt devices import` writes it, relative to this file.",
        min_length=1,
    )


class RatedGeometry(Strict):
    """Geometry derived from a data sheet: sectors per track fall linearly from the outer zone inwards."""

    surfaces: int | None = key("Recording surfaces (= heads).", unset="assumed, and said so", within=(1, 256))
    outer_rate: Rate | None = key(
        "Sustained transfer rate of the outermost tracks.", unset="performance.sequential_read", gt=0
    )
    inner_rate: Rate | None = key(
        "Sustained transfer rate of the innermost tracks.", unset="assumed, and said so", gt=0
    )
    zone_count: int | None = key(
        "Zones to divide the cylinders into.", unset="assumed, and said so", within=(1, 1000)
    )


def _point(value: Any) -> Any:
    if isinstance(value, list | tuple) and len(value) in (2, 3) and not isinstance(value[0], bool):
        return tuple(value)
    raise BadValueError("wrong-type", None, "expected [cylinders, milliseconds]")


_Distance = Annotated[int, Field(ge=1, le=MOST_CYLINDERS)]
_Milliseconds = Annotated[float, Field(ge=0, le=MOST_SEEK_MS)]
SeekPoint = Annotated[
    tuple[_Distance, _Milliseconds] | tuple[_Distance, _Milliseconds, _Milliseconds],
    BeforeValidator(_point),
]


class MeasuredSeek(Strict):
    """A seek curve by points."""

    points_ms: list[SeekPoint] = key(
        "[cylinders moved, milliseconds] at increasing distances from 1; interpolated linearly, the last "
        "time holds beyond the last point. Where writes differ, a third number: milliseconds of writes.",
        min_length=1,
    )

    @model_validator(mode="after")
    def _increasing(self) -> MeasuredSeek:
        distances = [point[0] for point in self.points_ms]
        if distances[0] != 1 or any(a >= b for a, b in itertools.pairwise(distances)):
            raise BadValueError("out-of-order", None, "distances must start at 1 cylinder and increase")
        return self


class ThreePointSeek(Strict):
    """A seek curve from the figures of data sheets."""

    single_cylinder: Duration | None = seconds("To the next cylinder.", gt=0)
    average: Duration | None = seconds("Mean over random pairs of cylinders, reads.", gt=0)
    average_write: Duration | None = seconds("The same for writes, their longer settling included.", gt=0)
    full_stroke: Duration | None = seconds("From the outermost to the innermost cylinder.", gt=0)


class HplSeek(Strict):
    """A seek curve by Ruemmler and Wilkes: a root, then a line, perhaps the first ten times one by one."""

    hpl_ms: list[float] = key(
        "V1 to V6. Up to V1 cylinders V2 + V3 sqrt(d), from there V4 + V5 d, milliseconds; V6 is the time of "
        "one cylinder, or negative where the root gives it.",
        min_length=6,
        max_length=6,
    )
    first_ms: list[_Milliseconds] = key(
        "Times of 1 to 10 cylinders, milliseconds; they take the place of the curve.",
        default=[],
        max_length=10,
    )


def _geometry_kind(value: Any) -> str:
    if isinstance(value, ZonedGeometry) or (isinstance(value, dict) and "zones" in value):
        return "zoned"
    indexed = isinstance(value, IndexedGeometry) or (isinstance(value, dict) and "layout" in value)
    return "indexed" if indexed else "rated"


def _seek_kind(value: Any) -> str:
    if isinstance(value, MeasuredSeek) or (isinstance(value, dict) and "points_ms" in value):
        return "points"
    return "hpl" if isinstance(value, HplSeek) or (isinstance(value, dict) and "hpl_ms" in value) else "three"


Geometry = Annotated[
    Annotated[ZonedGeometry, Tag("zoned")]
    | Annotated[IndexedGeometry, Tag("indexed")]
    | Annotated[RatedGeometry, Tag("rated")],
    Discriminator(_geometry_kind),
]
Seek = Annotated[
    Annotated[MeasuredSeek, Tag("points")]
    | Annotated[HplSeek, Tag("hpl")]
    | Annotated[ThreePointSeek, Tag("three")],
    Discriminator(_seek_kind),
]
