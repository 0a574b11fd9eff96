"""Tracks and arm movement in a device file: as extracted from a drive, or as a data sheet has them."""

from __future__ import annotations

import itertools
from typing import Annotated, Any

from pydantic import BeforeValidator, Discriminator, Field, Tag, model_validator

from iowatt.library.electrical import seconds
from iowatt.scenario.quantity import Duration, Rate
from iowatt.scenario.strict import Strict, key


class Zone(Strict):
    """Cylinders with the same number of sectors per track."""

    cylinders: int = key("Number of cylinders.", ge=1, le=2**31)
    sectors_per_track: int = key("Sectors on each of its tracks.", ge=1, le=2**24)
    track_skew: float = key(
        "Offset of sector 0 to the next track of the cylinder, sectors.", default=0.0, ge=0
    )
    cylinder_skew: float = key(
        "Offset of sector 0 to the next cylinder's first track, sectors.", default=0.0, ge=0
    )


class ZonedGeometry(Strict):
    """Geometry as extracted from a drive."""

    surfaces: int = key("Recording surfaces (= heads).", ge=1, le=256)
    zones: list[Zone] = key(
        "Zones from the outer edge inwards, which is also the order of addresses.", min_length=1
    )


class RatedGeometry(Strict):
    """Geometry derived from a data sheet: sectors per track fall linearly from the outer zone inwards."""

    surfaces: int | None = key(
        "Recording surfaces (= heads).", default=None, unset="assumed, and said so", ge=1, le=256
    )
    outer_rate: Rate | None = key(
        "Sustained transfer rate of the outermost tracks.",
        default=None,
        unset="performance.sequential_read",
        unit="bytes/s",
        gt=0,
    )
    inner_rate: Rate | None = key(
        "Sustained transfer rate of the innermost tracks.",
        default=None,
        unset="assumed, and said so",
        unit="bytes/s",
        gt=0,
    )
    zone_count: int | None = key(
        "Zones to divide the cylinders into.", default=None, unset="assumed, and said so", ge=1, le=1000
    )


def _point(value: Any) -> Any:
    if isinstance(value, list) and len(value) == 2 and not isinstance(value[0], bool):
        return tuple(value)
    raise ValueError("expected [cylinders, milliseconds]")


SeekPoint = Annotated[
    tuple[Annotated[int, Field(ge=1, le=2**31)], Annotated[float, Field(ge=0, le=10_000)]],
    BeforeValidator(_point),
]


class MeasuredSeek(Strict):
    """A seek curve by points."""

    points_ms: list[SeekPoint] = key(
        "[cylinders moved, milliseconds] at increasing distances from 1; interpolated linearly.", min_length=1
    )

    @model_validator(mode="after")
    def _increasing(self) -> MeasuredSeek:
        distances = [distance for distance, _ in self.points_ms]
        if distances[0] != 1 or any(a >= b for a, b in itertools.pairwise(distances)):
            raise ValueError("distances must start at 1 cylinder and increase")
        return self


class ThreePointSeek(Strict):
    """A seek curve from the figures of data sheets."""

    single_cylinder: Duration | None = seconds("To the next cylinder.", gt=0)
    average: Duration | None = seconds("Mean over random pairs of cylinders, reads.", gt=0)
    average_write: Duration | None = seconds("The same for writes, their longer settling included.", gt=0)
    full_stroke: Duration | None = seconds("From the outermost to the innermost cylinder.", gt=0)


def _geometry_kind(value: Any) -> str:
    zoned = isinstance(value, ZonedGeometry) or (isinstance(value, dict) and "zones" in value)
    return "zoned" if zoned else "rated"


def _seek_kind(value: Any) -> str:
    points = isinstance(value, MeasuredSeek) or (isinstance(value, dict) and "points_ms" in value)
    return "points" if points else "three"


Geometry = Annotated[
    Annotated[ZonedGeometry, Tag("zoned")] | Annotated[RatedGeometry, Tag("rated")],
    Discriminator(_geometry_kind),
]
Seek = Annotated[
    Annotated[MeasuredSeek, Tag("points")] | Annotated[ThreePointSeek, Tag("three")],
    Discriminator(_seek_kind),
]
