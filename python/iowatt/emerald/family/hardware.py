"""The parts of a product family: controller classes, shelves, drive options, RAID levels."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from iowatt.base.quantity import BlockSize
from iowatt.base.strict import Name, Strict, key
from iowatt.model.library import Scheduler
from iowatt.model.power import PartKeys, SupplyKeys
from iowatt.model.raid import DEFAULT_CHUNKLET
from iowatt.model.scenario.keys import Chunklet, ControllerKeys, DeviceChoice, ParityLayout, RaidLevel

FormFactor = Literal["2.5", "3.5"]
MOST_DRIVES = 100_000
Count = Annotated[int, Field(ge=1, le=MOST_DRIVES)]


class ControllerClass(Strict):
    """A class of controllers; in a scale-out family, one node of it."""

    name: Name = key("Its name in results.", example="lower")
    title: str | None = key(
        "Its title in pages and messages.", default=None, unset="its name", min_length=1, max_length=200
    )
    drives: dict[FormFactor, Count] = key(
        "Most drives by form factor, in inches; each limit holds separately.",
        min_length=1,
        accepts='{ "2.5" = 250, "3.5" = 120 }',
        example={"2.5": 250, "3.5": 120},
    )
    most_drives: int | None = key(
        "Most drives in all.", default=None, unset="no such limit", ge=1, le=MOST_DRIVES, example=370
    )
    shelves: int | None = key(
        "Most shelves in all.", default=None, unset="as its drives need", ge=1, le=10_000, example=20
    )
    part: list[PartKeys] = key(
        "The parts of its enclosure, with watts: the keys of array.power.enclosure.part in a scenario. At "
        "least one part is of kind controller.",
        min_length=1,
    )
    supply: SupplyKeys | None = key(
        "Its power supplies: the keys of array.power.enclosure.supply in a scenario.",
        default=None,
        unset="none: its watts are taken as if at the wall",
        example={"rating": "750W", "efficiency": 0.85},
    )
    work: ControllerKeys | None = key(
        "How it processes requests: the keys of array.controller in a scenario, passed on as written.",
        default=None,
        unset="requests reach their drives at once",
    )


class Shelf(Strict):
    """A kind of drive enclosure."""

    name: Name = key("Its name in results.", example="sff")
    slots: int = key("Drives that one holds.", ge=1, le=10_000, example=25)
    form_factor: FormFactor = key(
        "Form factor of its slots, in inches. A drive of 2.5 inches fits a slot of 3.5 in a carrier, not the "
        "other way round.",
        example="2.5",
    )
    part: list[PartKeys] = key("Its parts other than drives, as those of a controller.", default=[])
    supply: SupplyKeys | None = key(
        "Its power supplies, as those of a controller.",
        default=None,
        unset="none: its watts are taken as if at the wall",
        example={"rating": "600W", "efficiency": 0.85},
    )
    most: int | None = key(
        "Most behind one controller.", default=None, unset="as its drives need", ge=1, le=10_000, example=10
    )


class DriveOption(Strict):
    """A drive that the family is offered with, and how its controllers use it."""

    name: Name = key("Its name in results.", example="sff-15k-146gb")
    title: str | None = key(
        "Its title in pages and messages.", default=None, unset="its name", min_length=1, max_length=200
    )
    device: DeviceChoice = key(
        "The drive: a library name, a device file beside this one, or a table as array.pool.device in "
        "a scenario.",
        accepts="a library name, a device file (.toml), or a table with the keys name, rpm, capacity, power",
        example="seagate-savvio-15k2-146gb",
    )
    form_factor: FormFactor | None = key(
        "Its width in inches, if not in its file.", default=None, unset="the device's", example="2.5"
    )
    group: Name | None = key(
        "The options that it is characterised with: each group has peaks of its own, apart from the others.",
        default=None,
        unset="ssd or hdd, by its device",
        example="ssd",
    )
    shelf: Name | None = key(
        "The shelf that it goes into.",
        default=None,
        unset="the first one of its form factor, else the first that takes it",
        example="sff",
    )
    scheduler: Scheduler | None = key(
        "Order in which the controller hands it requests, as array.pool.scheduler in a scenario.",
        default=None,
        unset="the scenario's default",
        example="look",
    )
    drive_scheduler: Scheduler | None = key(
        "Order in which it serves the commands that it holds, as array.pool.drive_scheduler in a scenario.",
        default=None,
        unset="the drive's own",
        example="sptf",
    )
    queue_depth: int | None = key(
        "Most commands that it holds, as array.pool.queue_depth in a scenario.",
        default=None,
        unset="the scenario's default",
        ge=1,
        le=2**20,
        example=16,
    )
    write_cache: bool | None = key(
        "Whether writes complete in its buffer, as array.pool.write_cache in a scenario.",
        default=None,
        unset="as in its file",
        example=False,
    )
    raid: list[Name] | None = key(
        "Levels that it is offered with.", default=None, unset="all of the family", min_length=1
    )
    least: int = key("Fewest drives of it in a configuration.", default=1, ge=1, le=MOST_DRIVES, example=4)
    step: int = key("Smallest increment of drives.", default=1, ge=1, le=10_000, example=1)


class RaidOption(Strict):
    """A level of redundancy that the family offers."""

    name: Name = key("Its name in results.", example="raid-5")
    level: RaidLevel = key("The level, as array.pool.raid.level in a scenario.", example=5)
    stripe_unit: BlockSize = key(
        "Consecutive addresses on one drive, as array.pool.raid.stripe_unit in a scenario.",
        default=64 * 1024,
        unit="bytes",
        example="64KiB",
        gt=0,
        le=2**40,
    )
    width: int | None = key(
        "Drives of one set, parity and copies included: sets of chunklets are laid over all drives.",
        default=None,
        unset="one set over all drives of a group",
        ge=1,
        le=1000,
        example=5,
    )
    chunklet: Chunklet = key(
        "Piece size of sets; only with width.", default=DEFAULT_CHUNKLET, unit="bytes", example="256MiB"
    )
    layout: ParityLayout | None = key(
        "Rotation of parity, as array.pool.raid.layout in a scenario.",
        default=None,
        unset="the scenario's default",
        example="left-symmetric",
    )
    small_write: Literal["auto", "read-modify-write", "reconstruct"] | None = key(
        "How small writes update parity, as array.pool.raid.small_write in a scenario.",
        default=None,
        unset="the scenario's default",
        example="read-modify-write",
    )
    least: int | None = key(
        "Fewest drives.", default=None, unset="the level's, or the width", ge=1, le=MOST_DRIVES, example=5
    )
