"""A family that has been read: its keys, their places, and the parts that its names stand for."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from iowatt.base.document import TomlDocument
from iowatt.emerald.family.file import Configuration, FamilyFile
from iowatt.emerald.family.hardware import ControllerClass, DriveOption, FormFactor, RaidOption, Shelf
from iowatt.model.library import DeviceFile, device_file

Named = TypeVar("Named", ControllerClass, Shelf, DriveOption, RaidOption, Configuration)


@dataclass(frozen=True)
class Family:
    """A product family whose keys hold together."""

    file: FamilyFile
    document: TomlDocument = field(repr=False)
    base: Path  #: The folder that its device and part files are relative to.
    text: str = field(repr=False)
    sets: tuple[str, ...] = ()
    _devices: dict[str, DeviceFile] = field(default_factory=dict, repr=False, compare=False)

    @property
    def name(self) -> str:
        """Its name."""
        return self.file.name

    @cached_property
    def sha256(self) -> str:
        """Of its text and what was set over it."""
        return hashlib.sha256("\n".join([self.text, *self.sets]).encode("utf-8", "replace")).hexdigest()

    def controller(self, name: str) -> ControllerClass:
        """A controller class by name; ``KeyError`` where there is none."""
        return _named(self.file.controller, name)

    def shelf(self, name: str) -> Shelf:
        """A kind of shelf by name."""
        return _named(self.file.shelf, name)

    def drive(self, name: str) -> DriveOption:
        """A drive option by name."""
        return _named(self.file.drive, name)

    def raid(self, name: str) -> RaidOption:
        """A level by name."""
        return _named(self.file.raid, name)

    def configuration(self, name: str) -> Configuration:
        """A configuration by name."""
        return _named(self.file.configuration, name)

    def written(self, kind: str, name: str) -> dict[str, Any]:
        """The table of that name as it was written: ``written("controller", "lower")``."""
        return dict(next(table for table in self.document.raw[kind] if table["name"] == name))

    def device(self, drive: DriveOption) -> DeviceFile:
        """The device file of a drive option, read once.

        Raises ``InputError`` where there is none, or it is wrong.
        """
        if drive.name not in self._devices:
            self._devices[drive.name] = device_file(drive.device.name, self.base, drive.device.drive)
        return self._devices[drive.name]

    def capacity(self, drive: DriveOption) -> int | None:
        """Bytes of one drive; None where its file does not say."""
        return drive.device.capacity or self.device(drive).capacity

    def group_of(self, drive: str) -> str:
        """The group of options that a drive option is characterised with."""
        option = self.drive(drive)
        return option.group or self.device(option).kind

    def form_factor(self, drive: DriveOption) -> FormFactor | None:
        """Width of a drive; None where neither the family nor its file has it."""
        said = drive.form_factor or self.device(drive).form_factor
        return "2.5" if said == "2.5" else "3.5" if said == "3.5" else None

    def shelf_of(self, drive: DriveOption) -> Shelf | None:
        """The shelf that a drive goes into; None where none takes it."""
        if drive.shelf is not None:
            return self.shelf(drive.shelf)
        width = self.form_factor(drive)
        return next(
            (one for wanted in (width, "3.5" if width == "2.5" else None)
             for one in self.file.shelf if wanted is not None and one.form_factor == wanted),
            None,
        )  # fmt: skip

    def levels_of(self, drive: DriveOption) -> tuple[RaidOption, ...]:
        """The levels that a drive is offered with."""
        return tuple(one for one in self.file.raid if drive.raid is None or one.name in drive.raid)


def _named(listed: Sequence[Named], name: str) -> Named:
    return {one.name: one for one in listed}[name]
