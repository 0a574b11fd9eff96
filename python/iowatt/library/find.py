"""Drives by name or file. A device file may build on another one (``based_on``) and change some figures."""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Final

from iowatt.errors import InputError
from iowatt.library.device import DeviceFile
from iowatt.library.drive import Drive, resolve
from iowatt.scenario import units
from iowatt.scenario.document import Document, read_text
from iowatt.scenario.problems import suggestion

# Tables that a based_on file changes key by key; other keys it replaces.
_MERGED: Final = ("geometry", "power")


@cache
def device_names() -> tuple[str, ...]:
    """Names of the library's drives, sorted."""
    entries = resources.files("iowatt.library").joinpath("devices").iterdir()
    return tuple(sorted(e.name.removesuffix(".toml") for e in entries if e.name.endswith(".toml")))


def device_file(name: str, base_dir: Path | None = None) -> DeviceFile:
    """The device file of a library name, or of a path that ends in ``.toml`` (relative to ``base_dir``).

    Raises
    ------
    InputError
        Where there is no such drive (with the nearest names), or its file is wrong (with file and line).
    """
    return _read(name, base_dir or Path(), ())[0]


def find_drive(name: str, base_dir: Path | None = None) -> Drive:
    """The drive of a library name or a device file, in numbers."""
    file, where = _read(name, base_dir or Path(), ())
    return resolve(file, where)


def own_files(name: str, base_dir: Path) -> list[Path]:
    """The device files behind ``name`` that are not the library's: the file and what it is based on.

    ``name`` has been found before, with :func:`find_drive`.
    """
    files: list[Path] = []
    while name.endswith(".toml"):
        path = base_dir / name
        files.append(path)
        name, base_dir = Document(read_text(path), str(path)).raw.get("based_on", ""), path.parent
    return files


def _read(name: str, base_dir: Path, users: tuple[str, ...]) -> tuple[DeviceFile, str]:
    document = _document(name, base_dir, users)
    return document.validate(DeviceFile), document.source


def _document(name: str, base_dir: Path, users: tuple[str, ...]) -> Document:
    if name.endswith(".toml"):
        path = base_dir / name
        document, below = Document(read_text(path), str(path)), path.parent
    elif name in device_names():
        resource = resources.files("iowatt.library").joinpath("devices", f"{name}.toml")
        document, below = Document(resource.read_text("utf-8"), f"{name}.toml (library)"), base_dir
    else:
        raise InputError(
            f"unknown device {name!r}; expected a name of the library or a file ending in .toml",
            hint=suggestion(name, device_names(), "the library has"),
        )
    base = document.raw.get("based_on")
    if isinstance(base, str):
        if base in users or base == name:
            raise InputError(f"based_on = {base!r} leads back to itself", where=document.source)
        merged = merge(_document(base, below, (*users, name)).raw, document.raw)
        document.raw.clear()
        document.raw.update(merged)
    return document


def merge(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """The raw tables of ``base`` with ``changes`` on top.

    Names are never inherited. Assumptions add up. A source of ``base`` no longer stands for figures that
    ``changes`` has a source for. Another ``rpm`` over inherited zones keeps the time of their skews.
    """
    result = {
        key: value for key, value in base.items() if key not in ("name", "title", "stand_in", "based_on")
    }
    for key, value in changes.items():
        below = result.get(key)
        if key in _MERGED and isinstance(value, dict) and isinstance(below, dict):
            result[key] = {**below, **value}
        else:
            result[key] = value
    for key in ("assumptions", "source"):
        result[key] = [*changes.get(key, []), *base.get(key, [])]
    sourced = {f for source in changes.get("source", []) for f in source.get("figures", [])}
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


def _without(source: dict[str, Any], sourced: set[str]) -> dict[str, Any] | None:
    figures = [f for f in source["figures"] if not any(f == s or f.startswith(f"{s}.") for s in sourced)]
    return {**source, "figures": figures} if figures else None


def _respun(zone: dict[str, Any], ratio: float) -> dict[str, Any]:
    skews: dict[str, Any] = {
        key: round(zone[key] * ratio, 3) for key in ("track_skew", "cylinder_skew") if key in zone
    }
    return {**zone, **skews}
