"""A device file: the published, measured or declared figures of one drive, each with its source.

The file has units and names; ``drive`` turns it into numbers.
"""

from __future__ import annotations

import itertools
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag, model_validator

from iowatt.scenario.quantity import BlockSize, Capacity, Duration, Power, Rate, SignedDuration, Speed
from iowatt.scenario.strict import Strict, key

# Far beyond any drive; the simulator keeps a seek time for every distance.
MOST_CYLINDERS: Final = 10_000_000
MOST_SECTORS_PER_TRACK: Final = 1_000_000

Quality = Literal["measured", "stated", "derived", "assumed"]


class HddPower(Strict):
    """Electrical figures of a disk, all optional: what is not published is left out, never guessed."""

    active: Power | None = key(
        "Media transfer, and command or bus time that holds the disk.",
        default=None,
        unset="not known",
        unit="W",
    )
    positioning: Power | None = key(
        "Seek, settle, head switch and rotational wait.", default=None, unset="not known", unit="W"
    )
    idle: Power | None = key("Spinning without work.", default=None, unset="not known", unit="W")
    standby: Power | None = key("Stopped.", default=None, unset="not known", unit="W")
    spin_up: Power | None = key("While spinning up.", default=None, unset="not known", unit="W")
    spin_down: Power | None = key("While spinning down.", default=None, unset="not known", unit="W")
    spin_up_time: Duration | None = key("From standby to ready.", default=None, unset="not known", unit="s")
    spin_down_time: Duration | None = key(
        "From spinning to stopped.", default=None, unset="not known", unit="s"
    )


class Zone(Strict):
    """Cylinders with the same number of sectors per track."""

    cylinders: int = key("Number of cylinders.", ge=1, le=MOST_CYLINDERS)
    sectors_per_track: int = key("Sectors on each of its tracks.", ge=1, le=MOST_SECTORS_PER_TRACK)
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

    surfaces: int = key("Recording surfaces (= heads).", ge=1, le=256)
    outer_rate: Rate = key("Sustained transfer rate of the outermost tracks.", unit="bytes/s", gt=0)
    inner_rate: Rate = key("Sustained transfer rate of the innermost tracks.", unit="bytes/s", gt=0)
    zone_count: int = key("Zones to divide the cylinders into.", default=16, ge=1, le=1000)


def _geometry_kind(value: Any) -> str:
    zoned = isinstance(value, ZonedGeometry) or (isinstance(value, dict) and "zones" in value)
    return "zoned" if zoned else "rated"


def _seek_kind(value: Any) -> str:
    points = isinstance(value, MeasuredSeek) or (isinstance(value, dict) and "points_ms" in value)
    return "points" if points else "three"


def _point(value: Any) -> Any:
    if isinstance(value, list) and len(value) == 2 and not isinstance(value[0], bool):
        return tuple(value)
    raise ValueError("expected [cylinders, milliseconds]")


SeekPoint = Annotated[
    tuple[Annotated[int, Field(ge=1, le=MOST_CYLINDERS)], Annotated[float, Field(ge=0, le=10_000)]],
    BeforeValidator(_point),
]


class MeasuredSeek(Strict):
    """A seek curve by points."""

    points_ms: list[SeekPoint] = key(
        "[cylinders moved, milliseconds] at increasing distances from 1; interpolated linearly, beyond the "
        "last point its time holds.",
        min_length=1,
    )

    @model_validator(mode="after")
    def _increasing(self) -> MeasuredSeek:
        distances = [distance for distance, _ in self.points_ms]
        if distances[0] != 1 or any(a >= b for a, b in itertools.pairwise(distances)):
            raise ValueError("distances must start at 1 cylinder and increase")
        return self


class ThreePointSeek(Strict):
    """A seek curve from the three figures of data sheets."""

    single_cylinder: Duration = key("To the next cylinder.", unit="s", gt=0)
    average: Duration = key("Mean over random pairs of cylinders.", unit="s", gt=0)
    full_stroke: Duration = key("From the outermost to the innermost cylinder.", unit="s", gt=0)


class Source(Strict):
    """Where figures come from."""

    figures: list[str] = key(
        "Key paths of the figures, such as `power.idle`; a table stands for all in it.", min_length=1
    )
    quality: Quality = key(
        "measured: extracted from a real drive; stated: published for it; derived: computed from such "
        "figures; assumed."
    )
    grade: Literal["A", "B", "C", "D"] | None = key(
        "Of power figures: A idle, read and write watts; B idle and one active figure; C one figure.",
        default=None,
    )
    text: str = key("The publication, file or method.", min_length=1)


class DeviceFile(Strict):
    """One drive."""

    name: str = key(
        "Lower-case vendor-model with dashes.", pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64
    )
    kind: Literal["hdd"] = key("The technology.")
    title: str = key("Vendor and model as people write them.", min_length=1)
    based_on: str | None = key("A drive whose figures hold where this file gives none.", default=None)
    stand_in: str | None = key(
        "What it stands in for and how it was made, where it is no real drive.", default=None
    )
    assumptions: list[str] = key("Statements that a reader of its results must see.", default=[])
    capacity: Capacity = key("What the drive offers.", unit="bytes", gt=0)
    sector_size: BlockSize = key("Bytes of a sector.", unit="bytes", gt=0, le=65536)
    rpm: Speed = key("Speed of rotation.", unit="rpm", ge=1)
    geometry: Annotated[
        Annotated[ZonedGeometry, Tag("zoned")] | Annotated[RatedGeometry, Tag("rated")],
        Discriminator(_geometry_kind),
    ] = key("Tracks: zones, or the rates to derive them from.")
    seek: Annotated[
        Annotated[MeasuredSeek, Tag("points")] | Annotated[ThreePointSeek, Tag("three")],
        Discriminator(_seek_kind),
    ] = key("Arm movement: points, or the three figures of data sheets.")
    head_switch: Duration = key("Change of head within a cylinder.", unit="s")
    write_settle: SignedDuration = key("Added to any positioning of a write; may be negative.", unit="s")
    read_overhead: Duration = key("Command processing before the mechanics start, reads.", unit="s")
    write_overhead: Duration = key("The same for writes.", unit="s")
    power: HddPower = key("Electrical figures.", default=HddPower())
    source: list[Source] = key("Where the figures come from.", default=[])

    def source_of(self, figure: str) -> Source | None:
        """The source of a figure by its key path; the most specific one, the first among equals."""
        found: tuple[int, Source] | None = None
        for source in self.source:
            for path in source.figures:
                if (figure == path or figure.startswith(f"{path}.")) and (
                    found is None or len(path) > found[0]
                ):
                    found = len(path), source
        return found[1] if found else None

    def figures(self) -> list[str]:
        """Key paths of all figures given."""
        scalars = [
            "capacity",
            "sector_size",
            "rpm",
            "head_switch",
            "write_settle",
            "read_overhead",
            "write_overhead",
        ]
        geometry = [f"geometry.{name}" for name in type(self.geometry).model_fields]
        seek = [f"seek.{name}" for name in type(self.seek).model_fields]
        power = [f"power.{name}" for name in HddPower.model_fields if getattr(self.power, name) is not None]
        return scalars + geometry + seek + power
