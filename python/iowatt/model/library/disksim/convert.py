"""A drive of DiskSim's files as one of ours: its device file, the layout beside it, and what was left out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from iowatt.base import atomic_path
from iowatt.base.errors import InputError
from iowatt.base.translate import problems
from iowatt.model.library.device import DeviceFile
from iowatt.model.library.disksim import drives, plan, rules
from iowatt.model.library.disksim.device_toml import device_toml
from iowatt.model.library.disksim.layout import G4Layout
from iowatt.model.library.disksim.system import DiskSimSystem, read_system
from iowatt.model.library.drive import Disk, resolve
from iowatt.model.library.layout import layout_bytes


@dataclass(frozen=True)
class Imported:
    """A drive that was imported.

    tables: The raw tables of its device file, sources included.
    indexed: ``IndexedPlan`` for the layout file that ``geometry.layout`` names; None where it has zones.
    ignored: One sentence with its place for each parameter that iowatt does not use.
    notes: Where iowatt reads the file otherwise than DiskSim.
    """

    path: Path
    tables: dict[str, Any]
    indexed: dict[str, Any] | None
    ignored: tuple[str, ...]
    notes: tuple[str, ...]

    def file(self) -> DeviceFile:
        """The device file; ``InputError`` with its key where a figure is beyond what one may have."""
        try:
            return DeviceFile.model_validate(self.tables)
        except ValidationError as error:
            first = problems(error, self.tables, DeviceFile)[0]
            key = ".".join(map(str, first.path))
            raise InputError(
                first.code,
                f"{self.path}: {key}",
                f"this is not a drive that can be simulated: {first.message}",
                hint=first.hint,
            ) from None

    def text(self, comments: Sequence[str] = ()) -> str:
        """The device file as TOML; ``comments`` at its head replace the line on its origin."""
        origin = (
            f"Imported from {self.path.name} by `iowatt devices import`. "
            "What was read otherwise than DiskSim does, or not used, is under notes."
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
                    "exists", str(path), "the file exists already", hint="`force=True` replaces it"
                )
        for path, content in files.items():
            with atomic_path.file(path) as partial:
                partial.write_bytes(content)
        return list(files)

    def drive(self) -> Disk:
        """The drive in numbers; its notes name what was ignored."""
        made = resolve(self.file(), str(self.path), lambda _: self.indexed or {})
        said = (*self.notes, *self.ignored)
        return replace(made, notes=(*made.notes, *(f"{made.name}: {text}" for text in said)))


def import_drive(path: Path, drive: str | None = None, name: str | None = None) -> Imported:
    """The drive that a ``.diskspecs`` or a ``.parv`` describes.

    Parameters
    ----------
    drive:
        Which one, where there are several: a component's name or a specification's.
    name:
        What it is called; made from the specification's name where left out.

    Raises ``InputError`` where the files cannot be read or are not of this form, or there is no such drive.
    """
    if path.suffix == ".parv":
        system = read_system(path)
        component = _component(system, drive)
        found, sector_s = system.drives[component], _sector_s(system, component)
        notes, host = [], rules.host_side(system, component)
    else:
        found, host = drives.read_drive(path, drive), None
        sector_s, note = _beside(path, found)
        notes = [note] if note and found.interface.sector_s <= 0 else []
    made = plan.tables(found, sector_s, name or slug(found.name))
    layout = found.model.layout
    notes += [_short(text) for text in (*found.notes, *rules.remarks(found))]
    ignored = (*map(_short, found.ignored), *rules.unused(found))
    made["notes"] = [*notes, *ignored]
    made["source"] = _sources(path, found.name, "command_queue" in made)
    if host is not None:  # said of the system, and no part of the drive's own file
        notes.append(f"{path.name}: {host}")
    return Imported(
        path,
        made,
        plan.indexed(layout) if isinstance(layout, G4Layout) else None,
        tuple(ignored),
        tuple(notes),
    )


def slug(name: str) -> str:
    """A library name out of a specification's: lower case, dashes, without ``_validate``."""
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
    found = {name: drive.name for name, drive in system.drives.items()}
    named = [name for name, made_of in found.items() if wanted in (None, name, made_of)]
    if not named:
        known = ", ".join(dict.fromkeys([*found, *found.values()])) or "none"
        missing = "there is no drive here" if wanted is None else f"there is no drive {wanted!r}"
        raise InputError("unknown-name", str(system.path), f"{missing}; the file has {known}")
    if len({found[name] for name in named}) > 1:
        choices = ", ".join(f"{name} ({found[name]})" for name in named)
        raise InputError(
            "ambiguous",
            str(system.path),
            f"the file has drives of several kinds: {choices}",
            hint="name one of them",
        )
    return named[0]


def _beside(path: Path, found: drives.DiskSimDrive) -> tuple[tuple[float, float], str | None]:
    """The bus of a ``.diskspecs``, which is in the ``.parv`` of the same name, and what to say about it."""
    parv = path.with_suffix(".parv")
    if parv.is_file():
        system = read_system(parv)
        for component, made_of in system.drives.items():
            if (made_of.name, made_of.path.resolve()) == (found.name, path.resolve()):
                return _sector_s(system, component), f"the time of a sector on the bus is from {parv.name}"
    said = f"{path.name} alone says nothing of the bus: transfers cost no time; a .parv would say it"
    return (0.0, 0.0), said


def _sector_s(system: DiskSimSystem, component: str) -> tuple[float, float]:
    """Time of one sector, read and write, on the slowest link between the drive and the host."""
    place = system.places.get(component)
    buses = [system.buses[name] for name in place.buses] if place else []
    own = [system.controllers[name].sector_s for name in place.controllers] if place else []
    read = max([bus.read_sector_s for bus in buses] + own, default=0.0)
    write = max([bus.write_sector_s for bus in buses] + own, default=0.0)
    return read, write
