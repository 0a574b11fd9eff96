"""Part files: published, derived or assumed watts of one part of an array, each with its source."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

from iowatt.base.document import TomlDocument, read_text
from iowatt.base.quantity import Capacity, Power, Rate
from iowatt.base.strict import Strict, key
from iowatt.model.library import LIBRARY, FigureSource, LibraryFolder, source_of

PARTS: Final = LibraryFolder("parts", "part", "docs/reference/parts.md")
Kind = Literal[
    "controller", "processor-blade", "front-end", "back-end", "switch", "cache", "chassis", "enclosure",
    "fan", "adapter", "io-module", "battery", "other",
]  # fmt: skip
#: Parts that make an array of shelves: without one of them there is no controller.
CONTROLLERS: Final[tuple[Kind, ...]] = ("controller", "processor-blade")
Basis = Literal["dc", "wall"]
Law = Literal["constant", "utilisation", "throughput", "transfer", "speed-cubed", "charging"]


def optional(description: str, unit: str | None = None, unset: str = "as in its file", **more: Any) -> Any:
    """A key that may be left out."""
    return key(description, default=None, unset=unset, unit=unit, **more)


class PartFigures(Strict):
    """Figures of a part; a key may be left out where the part's file has it."""

    kind: Kind | None = optional(
        "What it is. controller: a whole one. Of a frame array, processor-blade: its processors; front-end "
        "and back-end: directors (adapters) towards hosts and drives; switch: what joins the boards; "
        "cache: a board or module of cache; chassis: fans, midplane and what else is left of a frame.",
        example="controller",
    )
    idle: Power | None = optional("Watts of one, ready and without work.", example="86W")
    active: Power | None = optional(
        "Watts of one at full work; of a fan, at full speed; of a battery, while charging.",
        unset="as in its file, or as idle",
        example="99W",
    )
    law: Law | None = optional(
        "How it goes from idle to active. constant: it stays idle. utilisation: with the busy share of the "
        "controller's processors. throughput: with requests and bytes a second over full_iops and full_rate. "
        "transfer: with the busy share of the bus or link that `of` names. "
        "speed-cubed: a fan, by speed. charging: idle but for the calculator's active array.",
        unset="as in its file, or constant",
        example="utilisation",
    )
    full_iops: float | None = optional(
        "Requests a second at which it draws its active watts.", "1/s", gt=0, example=40000
    )
    full_rate: Rate | None = optional(
        "Bytes a second at which it draws its active watts; adds to full_iops.", gt=0, example="3GB/s"
    )
    speed: float | None = optional("Speed of a fan, a share of full speed.", gt=0, le=1, example=0.6)
    failover_speed: float | None = optional(
        "Speed of a fan in failover, when the others make up for what is lost.",
        unset="full speed",
        gt=0,
        le=1,
        example=1.0,
    )
    basis: Basis | None = optional(
        "Where its watts are taken. dc: what it draws from the supplies. wall: as a meter before them "
        "would show, so that no supply is added.",
        unset="as in its file, or dc",
        example="wall",
    )
    max_sff: int | None = optional(
        "Drives of 2.5 inches that a controller takes.", unset="no limit", gt=0, example=450
    )
    most: int | None = optional(
        "How many of them one enclosure takes at most.", unset="as in its file, or no limit", gt=0, example=8
    )
    capacity: Capacity | None = optional(
        "Cache that one board holds; all boards together must hold `array.controller.cache.size`.",
        unset="not checked",
        gt=0,
        example="32GiB",
    )
    max_lff: int | None = optional(
        "Drives of 3.5 inches that a controller takes.", unset="no limit", gt=0, example=240
    )


class PartFile(PartFigures):
    """One part."""

    name: str = key("Lower-case name with dashes.", pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64)
    title: str = key("What it is, as people write it.", min_length=1)
    stand_in: str | None = key(
        "What it stands in for and how it was made, where it is no real part.", unset="a real part"
    )
    assumptions: list[str] = key("Statements that a reader of its results must see.", default=[])
    notes: list[str] = key("Remarks on the figures, for whoever looks at them.", default=[])
    source: list[FigureSource] = key("Where the figures come from.", default=[])

    def source_of(self, figure: str) -> FigureSource | None:
        """The source of a figure; the most specific one, the first among equals."""
        return source_of(self.source, figure)


def part_names() -> tuple[str, ...]:
    """Names of the library's parts, sorted."""
    return PARTS.names()


def find_part(name: str, base_dir: Path) -> PartFile:
    """The part of a library name, or of a file ending in ``.toml`` (relative to ``base_dir``).

    Raises ``InputError`` where there is none (with the nearest name), or its file is wrong (with file and
    line).
    """
    if name.endswith(".toml"):
        path = base_dir / name
        return TomlDocument(read_text(path), str(path)).validate(PartFile)
    if name not in part_names():
        raise PARTS.unknown(name)
    return _library_part(name)


@cache
def _library_part(name: str) -> PartFile:
    """A part of the library, read once."""
    return PARTS.document(name).validate(PartFile)


INPUTS: Final = ("115V", "230V", "230V-eu")


@dataclass(frozen=True)
class Certificate:
    """Lowest efficiencies by a certificate: (load, efficiency) as shares, by input."""

    name: str
    title: str
    source: str
    quality: str
    tables: dict[str, tuple[tuple[float, float], ...]]


@cache
def certificates() -> dict[str, Certificate]:
    """The library's certificates by name."""
    text = (LIBRARY / "efficiency.toml").read_text("utf-8")
    return {
        name: Certificate(
            name,
            table["title"],
            table["source"],
            table["quality"],
            {
                place: tuple((float(load), float(eta)) for load, eta in table[place])
                for place in INPUTS
                if place in table
            },
        )
        for name, table in tomllib.loads(text).items()
    }
