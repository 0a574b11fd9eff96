"""What the schemes of virtual pools have in common: parts, and the contract that a scheme's table fulfils.

To add a scheme, write a module in this package with a subclass of :class:`Scheme` that has the tag
``scheme``, and name it in the union ``VirtualPool`` of this package.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import lcm
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from iowatt.base.problems import KeyPath, Reporter
from iowatt.base.quantity import Capacity
from iowatt.base.results import Note
from iowatt.base.strict import Name, ShortForm, Strict, key
from iowatt.base.units import format_bytes

#: The simulator numbers extents in 32 bits and reserves the highest numbers.
MOST_EXTENTS: Final = 2**31


class PoolRange(ShortForm):
    """A range of a pool that a virtual pool is made of. Parts on one pool lie one after another."""

    SHORT_KEY: ClassVar[str] = "pool"
    SHORT_MEANS: ClassVar[str] = "The name of a pool; the part is what is left of it."

    #: The short form, for one part and for several.
    SHORT: ClassVar[tuple[str, str]] = ("the name of a pool", "names of pools")

    pool: Name = key("The pool that the part lies on.", example="ssd")
    capacity: Capacity | None = key(
        "Its size, rounded down to whole sectors.", unset="the rest of the pool", example="300GB", gt=0
    )


@dataclass(frozen=True)
class PlacedRange:
    """A part in its place: ``label`` names it within the virtual pool, ``pool`` counts the scenario's."""

    label: str
    pool: int
    pool_name: str
    offset: int
    capacity: int
    sector_bytes: int
    #: Bytes of a zone of the pool, where its drives have zones that are written in order only.
    zone_bytes: int | None = None
    #: Whether its drives are SSDs.
    solid: bool = False


@dataclass(frozen=True)
class VolumeRange:
    """A volume's place in the virtual pool, in bytes."""

    name: str
    offset: int
    capacity: int


class Scheme(Strict, ABC):
    """The table of a virtual pool; ``scheme`` is its tag."""

    name: Name = key("Its name, for `[[array.volume]]` and in results.", example="hybrid")

    @abstractmethod
    def parts(self) -> list[tuple[KeyPath, str, PoolRange]]:
        """The parts in the order of the plan: key path within this table, label, part."""

    def check(self, parts: Sequence[PlacedRange], report: Reporter) -> None:
        """Report what is wrong between the keys and ``parts``."""

    def notes(self, parts: Sequence[PlacedRange]) -> Iterator[Note]:
        """What a reader of the results must know."""
        yield from ()

    @abstractmethod
    def capacity_bytes(self, parts: Sequence[PlacedRange]) -> int:
        """What the virtual pool offers to volumes. ``parts`` are without problems."""

    def space(self, parts: Sequence[PlacedRange]) -> dict[str, Any]:
        """``usable_bytes`` and ``capacity_factor`` where what is offered is not what there is."""
        return {}

    @abstractmethod
    def plan(self, parts: Sequence[PlacedRange], volumes: Sequence[VolumeRange] = ()) -> dict[str, Any]:
        """The scheme of the plan: ``kind`` and what it needs, in SI numbers, with ``volumes`` on it."""

    def check_volumes(self, volumes: Sequence[VolumeRange], report: Reporter) -> None:
        """Report what is wrong between the keys and the volumes on the virtual pool."""


class PartList(Scheme, ABC):
    """A scheme over a list of parts, each called by its pool."""

    if TYPE_CHECKING:  # a subclass has the key
        part: list[PoolRange]

    def parts(self) -> list[tuple[KeyPath, str, PoolRange]]:
        """The parts as they are listed."""
        return [(("part", number), part.pool, part) for number, part in enumerate(self.part)]


def sector_bytes(parts: Sequence[PlacedRange]) -> int:
    """The unit of the virtual pool's addresses: whole sectors of every part."""
    return lcm(*(part.sector_bytes for part in parts))


def check_extents(name: str, extent: int, parts: Sequence[PlacedRange], report: Reporter) -> bool:
    """Whether extents of so many bytes, by the key ``name``, fit ``parts``; reports what is wrong."""
    before = len(report.problems)
    sector = sector_bytes(parts)
    if extent % sector:
        message = f"{extent} bytes are not a multiple of the drives' sector, {sector} bytes"
        report("not-accepted", name, message, f"use a multiple of {sector}")
        return False
    for part in parts:
        if part.capacity < extent:
            size = format_bytes(part.capacity, binary=True)
            message = (
                f"part {part.label!r} ({size} of pool {part.pool_name!r}) is smaller than {extent} bytes"
            )
            report("out-of-range", name, message, "make the part larger or this smaller")
    total = sum(part.capacity // extent for part in parts)
    if total > MOST_EXTENTS:
        least = -(-sum(part.capacity for part in parts) // MOST_EXTENTS)
        message = f"{total} extents are more than the simulator can number"
        report("out-of-range", name, message, f"use {format_bytes(least, binary=True)} or more")
    return len(report.problems) == before


class Linear(PartList):
    """Parts one behind another; nothing ever moves."""

    scheme: Literal["linear"] = key(
        "How the parts make one address space. linear: one part behind another, nothing moves.",
        example="linear",
    )
    part: list[PoolRange] = key(
        "The parts, in the order of their addresses: tables, or names of pools.",
        min_length=1,
        example=["ssd", "hdd"],
    )

    def capacity_bytes(self, parts: Sequence[PlacedRange]) -> int:
        """The sum of the parts, each in whole sectors of all."""
        sector = sector_bytes(parts)
        return sum(part.capacity // sector * sector for part in parts)

    def plan(self, parts: Sequence[PlacedRange], volumes: Sequence[VolumeRange] = ()) -> dict[str, Any]:
        """``linear`` has no figures of its own."""
        return {"kind": "linear"}
