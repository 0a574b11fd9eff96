"""Drives by name or file. A device file may build on another one (``based_on``) and change some figures."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final

from iowatt.base import units
from iowatt.base.document import TomlDocument, read_text
from iowatt.base.errors import InputError
from iowatt.model.library import folders
from iowatt.model.library.device import DeviceFile
from iowatt.model.library.drive import Drive, resolve
from iowatt.model.library.layout import read_layout
from iowatt.model.library.ssd.drive import Ssd

# Tables that a based_on file changes key by key; other keys it replaces.
_MERGED: Final = (
    "geometry", "seek", "controller", "buffer", "command_queue", "flash", "power", "performance", "endurance",
)  # fmt: skip

_ANGLES: Final = ("first_sector_offset", "track_skew", "cylinder_skew")

DISKSIM: Final = (".diskspecs", ".parv")
"""How names of DiskSim's files end."""


def device_names() -> tuple[str, ...]:
    """Names of the library's devices, sorted."""
    return folders.names("devices")


def device_file(name: str, base_dir: Path | None = None, drive: str | None = None) -> DeviceFile:
    """The device file of a library name, or of a path that ends in ``.toml`` (relative to ``base_dir``).

    A path that ends in ``.diskspecs`` or ``.parv`` is DiskSim's; ``drive`` chooses among several in it.

    Raises ``InputError`` where there is no such drive (with the nearest names), or its file is wrong (with
    file and line).
    """
    if name.endswith(DISKSIM):
        from iowatt.model.library.disksim.convert import import_drive

        return import_drive((base_dir or Path()) / name, drive).file()
    _no_choice(name, drive)
    return _read(name, base_dir or Path(), ())[0]


def find_drive(name: str, base_dir: Path | None = None, drive: str | None = None) -> Drive:
    """The disk of a library name, a device file or a DiskSim file, in numbers."""
    if name.endswith(DISKSIM):
        from iowatt.model.library.disksim.convert import import_drive

        return import_drive((base_dir or Path()) / name, drive).drive()
    _no_choice(name, drive)
    if name in device_names():
        return _library_drive(name)
    return _resolved(name, base_dir or Path())


def find_device(name: str, base_dir: Path | None = None, drive: str | None = None) -> Drive | Ssd:
    """The disk or SSD of a library name, a device file or a DiskSim file, in numbers."""
    if name.endswith(DISKSIM):
        return find_drive(name, base_dir, drive)
    _no_choice(name, drive)
    file, where, _ = _read(name, base_dir or Path(), ())
    if file.kind == "hdd":
        return find_drive(name, base_dir, drive)
    from iowatt.model.library.ssd.derive import resolve as resolve_ssd

    return resolve_ssd(file, where)


@cache
def _library_drive(name: str) -> Drive:
    """A drive of the library: its files stay as they are as long as the process, a sweep asks many times."""
    return _resolved(name, Path())


def _resolved(name: str, base_dir: Path) -> Drive:
    file, where, folder = _read(name, base_dir, ())
    return resolve(file, where, lambda layout: read_layout(folder / layout))


def own_files(name: str, base_dir: Path) -> list[Path]:
    """The device files behind ``name`` that are not the library's: the file and what it is based on.

    ``name`` has been found before, with :func:`find_drive`.
    """
    files: list[Path] = []
    while name.endswith((".toml", *DISKSIM)):
        path = base_dir / name
        files.append(path)
        if name.endswith(DISKSIM):
            break
        name, base_dir = TomlDocument(read_text(path), str(path)).raw.get("based_on", ""), path.parent
    return files


def _no_choice(name: str, drive: str | None) -> None:
    if drive is not None:
        raise InputError(
            "not-applicable",
            None,
            f"{name!r} is a single drive; `drive={drive}` chooses one of several",
            hint=f"leave drive out; it is for files that end in {' or '.join(DISKSIM)}",
        )


def near_names(name: str) -> str:
    """``did you mean ...?`` with up to three names, or where to look for them."""
    listed = f"`iowatt devices list` prints the {len(device_names())} devices of the library"
    return folders.near_names("devices", name, listed)


def _read(name: str, base_dir: Path, users: tuple[str, ...]) -> tuple[DeviceFile, str, Path]:
    if name in device_names():
        return _library_file(name)
    document, folder = _document(name, base_dir, users)
    return document.validate(DeviceFile), document.source, folder


@cache
def _library_file(name: str) -> tuple[DeviceFile, str, Path]:
    """As :func:`_read`; files of the library are read once."""
    document, folder = _document(name, Path(), ())
    return document.validate(DeviceFile), document.source, folder


def _document(name: str, base_dir: Path, users: tuple[str, ...]) -> tuple[TomlDocument, Path]:
    """The document, and the folder that its layout file is relative to."""
    if name.endswith(".toml"):
        path = base_dir / name
        document, below = TomlDocument(read_text(path), str(path)), path.parent
        folder = below
    elif name in device_names():
        document, below = folders.document("devices", name), base_dir
        folder = folders.path("devices", name).parent
    else:
        raise InputError(
            "unknown-name",
            None,
            f"there is no device {name!r}; expected a name of the library or a file ending in .toml, "
            f"{' or '.join(DISKSIM)}",
            hint=near_names(name),
        )
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
    """Whether ``changes`` makes it a drive that nobody has seen the price of."""
    if "capacity" not in changes:
        return False
    try:
        return units.parse_capacity(changes["capacity"]) != units.parse_capacity(base.get("capacity"))
    except ValueError:  # not known of the one, or wrong in the other, which its check will say
        return True


def _mergeable(table: Any) -> bool:
    """Measured points and fitted forms are no figures to mix with others of a seek curve."""
    return isinstance(table, dict) and "points_ms" not in table and "hpl_ms" not in table


def _without(source: dict[str, Any], sourced: set[str]) -> dict[str, Any] | None:
    figures = [f for f in source["figures"] if not any(f == s or f.startswith(f"{s}.") for s in sourced)]
    return {**source, "figures": figures} if figures else None


def _respun(zone: dict[str, Any], ratio: float) -> dict[str, Any]:
    skews: dict[str, Any] = {key: round(zone[key] * ratio, 3) for key in _ANGLES if key in zone}
    return {**zone, **skews}
