"""Drives by name or file. A device file may build on another one (``based_on``) and change some figures."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from iowatt.base import units
from iowatt.base.document import TomlDocument, read_text
from iowatt.base.errors import InputError
from iowatt.model.library.device import DeviceFile
from iowatt.model.library.drive import Disk, resolve
from iowatt.model.library.folders import LibraryFolder
from iowatt.model.library.layout import read_layout
from iowatt.model.library.ssd.drive import Ssd

if TYPE_CHECKING:
    from iowatt.model.library.disksim.convert import Imported

DEVICES: Final = LibraryFolder("devices", "device", "`iowatt devices list`")

# Tables that a based_on file changes key by key; other keys it replaces.
_MERGED: Final = (
    "geometry", "seek", "controller", "buffer", "command_queue", "flash", "power", "performance", "endurance",
)  # fmt: skip

_ANGLES: Final = ("first_sector_offset", "track_skew", "cylinder_skew")

DISKSIM: Final = (".diskspecs", ".parv")
"""Endings of DiskSim's files."""


def device_names() -> tuple[str, ...]:
    """Names of the library's devices, sorted."""
    return DEVICES.names()


def device_file(name: str, base_dir: Path | None = None, drive: str | None = None) -> DeviceFile:
    """The device file of a library name, or of a path that ends in ``.toml`` (relative to ``base_dir``).

    A path that ends in ``.diskspecs`` or ``.parv`` is DiskSim's; ``drive`` chooses among several in it.

    Raises ``InputError`` where there is no such drive (with the nearest names), or its file is wrong (with
    file and line).
    """
    imported = _imported(name, base_dir, drive)
    return _read(name, base_dir or Path())[0] if imported is None else imported.file()


def find_drive(name: str, base_dir: Path | None = None, drive: str | None = None) -> Disk:
    """The disk of a library name, a device file or a DiskSim file, in numbers."""
    imported = _imported(name, base_dir, drive)
    if imported is not None:
        return imported.drive()
    return _library_disk(name) if name in device_names() else _disk(name, base_dir or Path())


def find_device(name: str, base_dir: Path | None = None, drive: str | None = None) -> Disk | Ssd:
    """The disk or SSD of a name or file, as :func:`find_drive`."""
    if not name.endswith(DISKSIM):
        _imported(name, base_dir, drive)
        file, where, _ = _read(name, base_dir or Path())
        if file.kind == "ssd":
            from iowatt.model.library.ssd.derive import resolve as resolve_ssd

            return resolve_ssd(file, where)
    return find_drive(name, base_dir, drive)


def _imported(name: str, base_dir: Path | None, drive: str | None) -> Imported | None:
    """The drive of a DiskSim file; None for other files, in which ``drive`` has nothing to choose."""
    if name.endswith(DISKSIM):
        from iowatt.model.library.disksim.convert import import_drive

        return import_drive((base_dir or Path()) / name, drive)
    if drive is not None:
        raise InputError(
            "not-applicable",
            None,
            f"{name!r} is a single drive; `drive={drive}` chooses one of several",
            hint=f"leave drive out; it is for files that end in {' or '.join(DISKSIM)}",
        )
    return None


def _disk(name: str, base_dir: Path) -> Disk:
    file, where, folder = _read(name, base_dir)
    return resolve(file, where, lambda layout: read_layout(folder / layout))


@cache
def _library_disk(name: str) -> Disk:
    """A disk of the library. Its files do not change while the process runs, and a sweep asks many times."""
    return _disk(name, Path())


_NO_FILE: Final = (
    "a device of the library goes by its name (`iowatt devices list`), a file of your own by its path"
)


def own_files(name: str, base_dir: Path) -> list[Path]:
    """The device files behind ``name`` that are not the library's: the file and those it is based on.

    ``name`` must exist, as :func:`find_device` checks.
    """
    files: list[Path] = []
    while name.endswith((".toml", *DISKSIM)):
        path = base_dir / name
        files.append(path)
        if name.endswith(DISKSIM):
            break
        name, base_dir = TomlDocument(read_text(path), str(path)).raw.get("based_on", ""), path.parent
    return files


def _read(name: str, base_dir: Path) -> tuple[DeviceFile, str, Path]:
    """The device file, what to call it in errors, and the folder that its layout file is relative to."""
    if name in device_names():
        return _library_file(name)
    document, folder = _document(name, base_dir, ())
    return document.validate(DeviceFile), document.source, folder


@cache
def _library_file(name: str) -> tuple[DeviceFile, str, Path]:
    document, folder = _document(name, Path(), ())
    return document.validate(DeviceFile), document.source, folder


def _document(name: str, base_dir: Path, users: tuple[str, ...]) -> tuple[TomlDocument, Path]:
    """The document, and the folder that its layout file is relative to."""
    if name.endswith(".toml"):
        path = base_dir / name
        document, below = TomlDocument(read_text(path, _NO_FILE), str(path)), path.parent
        folder = below
    elif name in device_names():
        document, below = DEVICES.document(name), base_dir
        folder = DEVICES.path(name).parent
    else:
        files = f"a file ending in .toml, {' or '.join(DISKSIM)}"
        raise DEVICES.unknown(name, f"a library name or {files}")
    base = document.raw.get("based_on")
    if isinstance(base, str):
        if base in users or base == name:
            raise InputError("conflict", f"{document.source}: based_on", f"{base!r} leads back to itself")
        base_document, base_folder = _document(base, below, (*users, name))
        geometry = document.raw.get("geometry")
        if not (isinstance(geometry, dict) and "layout" in geometry):
            folder = base_folder
        merged = merge(base_document.raw, document.raw)
        document.raw.clear()
        document.raw.update(merged)
    return document, folder


def merge(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """The raw tables of ``base`` with ``changes`` on top.

    Names are never inherited. Assumptions add up. A source of ``base`` no longer stands for figures that
    ``changes`` has a source for. Another ``rpm`` over inherited zones keeps the time of their skews. A
    price is inherited whole (dollars, date and source), and not by a drive of another capacity.
    """
    result = {
        key: value
        for key, value in base.items()
        if key not in ("name", "title", "vendor", "stand_in", "based_on")
    }
    for key, value in changes.items():
        below = result.get(key)
        if key in _MERGED and _mergeable(value) and _mergeable(below):
            result[key] = {**result[key], **value}
        else:
            result[key] = value
    for key in ("assumptions", "notes", "source"):
        result[key] = [*changes.get(key, []), *base.get(key, [])]
    sourced = {f for source in changes.get("source", []) for f in source.get("figures", [])}
    if "price" in changes or _other_capacity(base, changes):
        sourced.add("price")
        if "price" not in changes:
            result.pop("price", None)
    result["source"] = [
        *changes.get("source", []),
        *(kept for source in base.get("source", []) if (kept := _without(source, sourced))),
    ]
    if (
        "rpm" in changes
        and "zones" in result.get("geometry", {})
        and "zones" not in changes.get("geometry", {})
    ):
        ratio = units.parse_speed(changes["rpm"]) / units.parse_speed(base["rpm"])
        result["geometry"]["zones"] = [_respun(zone, ratio) for zone in result["geometry"]["zones"]]
    return result


def _other_capacity(base: dict[str, Any], changes: dict[str, Any]) -> bool:
    """Whether ``changes`` makes it a drive of another capacity, whose price is not known."""
    if "capacity" not in changes:
        return False
    try:
        return units.parse_capacity(changes["capacity"]) != units.parse_capacity(base.get("capacity"))
    except ValueError:  # not given in the one, or wrong in the other, which its own check reports
        return True


def _mergeable(table: Any) -> bool:
    """False for measured points and fitted forms: a seek curve cannot mix them with other figures."""
    return isinstance(table, dict) and "points_ms" not in table and "hpl_ms" not in table


def _without(source: dict[str, Any], sourced: set[str]) -> dict[str, Any] | None:
    figures = [f for f in source["figures"] if not any(f == s or f.startswith(f"{s}.") for s in sourced)]
    return {**source, "figures": figures} if figures else None


def _respun(zone: dict[str, Any], ratio: float) -> dict[str, Any]:
    skews: dict[str, Any] = {key: round(zone[key] * ratio, 3) for key in _ANGLES if key in zone}
    return {**zone, **skews}
