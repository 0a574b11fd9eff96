"""A drive of DiskSim's files as a device file with its layout file, and a list of what was left out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from iowatt.base import atomic_path
from iowatt.base.errors import InputError
from iowatt.base.pydantic_problems import problems
from iowatt.model.library.device import DeviceFile
from iowatt.model.library.disksim import drives, plan, rules
from iowatt.model.library.disksim.device_toml import device_toml
from iowatt.model.library.disksim.layout import G4Layout
from iowatt.model.library.disksim.system import DiskSimSystem, read_system
from iowatt.model.library.drive import Disk, resolve
from iowatt.model.library.layout import layout_bytes


@dataclass(frozen=True)
class Imported:
    """An imported drive.

    tables: The raw tables of its device file, sources included.
    indexed: ``IndexedPlan`` for the layout file that ``geometry.layout`` names; None for a drive with zones.
    ignored: A sentence with its place for each parameter that iowatt does not use.
    notes: Where iowatt reads the file differently from DiskSim.
    """

    path: Path
    tables: dict[str, Any]
    indexed: dict[str, Any] | None
    ignored: tuple[str, ...]
    notes: tuple[str, ...]

    def file(self) -> DeviceFile:
        """The device file; ``InputError`` with the key of a figure that is out of range."""
        try:
            return DeviceFile.model_validate(self.tables)
        except ValidationError as error:
            first = problems(error, self.tables, DeviceFile)[0]
            key = ".".join(map(str, first.path))
            raise InputError(
                first.code,
                f"{self.path}: {key}",
                f"this drive cannot be simulated: {first.message}",
                hint=first.hint,
            ) from None

    def text(self, comments: Sequence[str] = ()) -> str:
        """The device file as TOML; ``comments`` at its head replace the line on its origin."""
        origin = (
            f"Imported from {self.path.name} by `iowatt devices import`. "
            "What iowatt reads differently from DiskSim, or does not use, is under notes."
        )
        return device_toml(self.tables, comments or [origin])

    def write(self, target: Path, *, force: bool = False, comments: Sequence[str] = ()) -> list[Path]:
        """Write the device file, and its layout file into the same folder; the files that were written.

        Raises ``InputError`` where a file exists and ``force`` is not set, or cannot be written.
        """
        files = {target: self.text(comments).encode()}
        if self.indexed is not None:
            files[target.parent / self.tables["geometry"]["layout"]] = layout_bytes(self.indexed)
        for path in files:
            if path.exists() and not force:
                raise InputError(
                    "exists", str(path), "the file already exists", hint="use `force=True` to overwrite it"
                )
        for path, content in files.items():
            with atomic_path.file(path) as partial:
                partial.write_bytes(content)
        return list(files)

    def drive(self) -> Disk:
        """The drive in numbers; its notes name what was ignored."""
        disk = resolve(self.file(), str(self.path), lambda _: self.indexed or {})
        notes = (f"{disk.name}: {text}" for text in (*self.notes, *self.ignored))
        return replace(disk, notes=(*disk.notes, *notes))


def import_drive(path: Path, drive: str | None = None, name: str | None = None) -> Imported:
    """The drive that a ``.diskspecs`` or a ``.parv`` describes.

    ``drive`` chooses one of several, by the name of a component or a specification; ``name`` is the drive's
    new name, else made from the specification's.

    Raises ``InputError`` where the files cannot be read or are not of this form, or there is no such drive.
    """
    if path.suffix == ".parv":
        system = read_system(path)
        component = _component(system, drive)
        source, sector_s = system.drives[component], _sector_s(system, component)
        notes, host = [], rules.host_side(system, component)
    else:
        source, host = drives.read_drive(path, drive), None
        sector_s, note = _bus_of_parv(path, source)
        notes = [note] if note and source.interface.sector_s <= 0 else []
    tables = plan.tables(source, sector_s, name or slug(source.name))
    layout = source.model.layout
    notes += [_short(text) for text in (*source.notes, *rules.remarks(source))]
    ignored = (*map(_short, source.ignored), *rules.unused(source))
    tables["notes"] = [*notes, *ignored]
    tables["source"] = _sources(path, source.name, "command_queue" in tables)
    if host is not None:  # about the system, and not part of the drive's own file
        notes.append(f"{path.name}: {host}")
    indexed = plan.indexed(layout) if isinstance(layout, G4Layout) else None
    return Imported(path, tables, indexed, tuple(ignored), tuple(notes))


def slug(name: str) -> str:
    """A library name from a specification's: lower case, dashes, without ``_validate``."""
    words = re.sub(r"_validate$", "", name).lower()
    return re.sub(r"[^a-z0-9]+", "-", words).strip("-")[:64] or "drive"


def _short(text: str) -> str:
    """A sentence whose place is a file name and a line, not a path of this machine."""
    place, colon, rest = text.partition(": ")
    return f"{Path(place).name}{colon}{rest}" if colon else text


def _sources(path: Path, specification: str, queued: bool) -> list[Mapping[str, Any]]:
    return [
        {
            "figures": [
                "capacity", "sector_size", "rpm", "geometry", "seek", "head_switch", "write_settle",
                "controller", "buffer", *(["command_queue"] if queued else []),
            ],
            "quality": "measured",
            "text": f"{specification} of {path.name} (DiskSim parameter files), imported",
        }
    ]  # fmt: skip


def _component(system: DiskSimSystem, wanted: str | None) -> str:
    specifications = {name: drive.name for name, drive in system.drives.items()}
    named = [name for name, specified in specifications.items() if wanted in (None, name, specified)]
    if not named:
        known = ", ".join(dict.fromkeys([*specifications, *specifications.values()])) or "none"
        missing = "there is no drive here" if wanted is None else f"there is no drive {wanted!r}"
        raise InputError("unknown-name", str(system.path), f"{missing}; the file has {known}")
    if len({specifications[name] for name in named}) > 1:
        choices = ", ".join(f"{name} ({specifications[name]})" for name in named)
        raise InputError(
            "ambiguous",
            str(system.path),
            f"the file has drives of several kinds: {choices}",
            hint="name one of them",
        )
    return named[0]


def _bus_of_parv(path: Path, source: drives.DiskSimDrive) -> tuple[tuple[float, float], str | None]:
    """Times of a sector on the bus, from the ``.parv`` of the same name, and a note on them."""
    parv = path.with_suffix(".parv")
    if parv.is_file():
        system = read_system(parv)
        for component, drive in system.drives.items():
            if (drive.name, drive.path.resolve()) == (source.name, path.resolve()):
                return _sector_s(system, component), f"the time of a sector on the bus is from {parv.name}"
    note = f"{path.name} alone does not describe the bus, so transfers take no time; a .parv would"
    return (0.0, 0.0), note


def _sector_s(system: DiskSimSystem, component: str) -> tuple[float, float]:
    """Time of one sector, read and write, on the slowest link between the drive and the host."""
    place = system.places.get(component)
    buses = [system.buses[name] for name in place.buses] if place else []
    controllers = [system.controllers[name].sector_s for name in place.controllers] if place else []
    read = max([bus.read_sector_s for bus in buses] + controllers, default=0.0)
    write = max([bus.write_sector_s for bus in buses] + controllers, default=0.0)
    return read, write
