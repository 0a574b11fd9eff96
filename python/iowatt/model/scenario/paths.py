"""Files that ``--set`` names: meant from where the command is given, kept relative to the scenario.

A trace or device file in an override is looked for in the current directory, then beside the scenario. The
scenario, and so the plan, holds it relative to the scenario's directory like every other path.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from iowatt.base.document import Document
    from iowatt.base.problems import KeyPath


def place_overridden(document: Document, base_dir: Path) -> None:
    """Rewrite the file names that overrides of ``document`` gave, in place."""
    for path, table, key in file_keys(document.raw):
        name = table[key]
        if not document.is_overridden(path):
            continue
        if isinstance(name, str):
            table[key] = _from(base_dir, name)
        elif isinstance(name, list):
            table[key] = [_from(base_dir, part) if isinstance(part, str) else part for part in name]


def _from(base_dir: Path, name: str) -> str:
    """``name`` relative to ``base_dir``; where it is in neither place, as if in the current directory."""
    here = Path(name)
    if name in ("", "-") or here.is_absolute() or (not here.is_file() and (base_dir / here).is_file()):
        return name
    # Directories are resolved, because ".." behind a symbolic link means another place.
    return os.path.relpath(here.parent.resolve() / here.name, base_dir.resolve())


def file_keys(raw: Any) -> list[tuple[KeyPath, dict[str, Any], str]]:
    """Every key that may name a file: its path, the table that it is in, its name there."""
    found: list[tuple[KeyPath, dict[str, Any], str]] = []
    for index, workload in enumerate(_tables(raw, "workload")):
        trace = workload.get("trace")
        for name in ("path", "more"):
            if isinstance(trace, dict) and name in trace:
                found.append((("workload", index, "trace", name), trace, name))
        profile = workload.get("profile")
        if isinstance(profile, dict) and _is_file(profile.get("name")):
            found.append((("workload", index, "profile", "name"), profile, "name"))
    array = raw.get("array")
    for index, pool in enumerate(_tables(array, "pool") if isinstance(array, dict) else []):
        at: KeyPath = ("array", "pool", index, "device")
        device = pool.get("device")
        if isinstance(device, dict) and _is_file(device.get("name")):
            found.append(((*at, "name"), device, "name"))
        elif _is_file(device):
            found.append((at, pool, "device"))
    power = array.get("power") if isinstance(array, dict) else None
    for index, enclosure in enumerate(_tables(power, "enclosure") if isinstance(power, dict) else []):
        for number, part in enumerate(_tables(enclosure, "part")):
            if _is_file(part.get("model")):
                place: KeyPath = ("array", "power", "enclosure", index, "part", number, "model")
                found.append((place, part, "model"))
    return found


def _is_file(device: Any) -> bool:
    return isinstance(device, str) and device.endswith(".toml")


def _tables(raw: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """The tables of a list, with something in the place of what is none: indices must stay."""
    listed = raw.get(key)
    return [part if isinstance(part, dict) else {} for part in listed] if isinstance(listed, list) else []


def as_named(base_dir: Path, name: str) -> str:
    """A path of the scenario as the user would write it from the current directory; ``-`` stays."""
    if name == "-":
        return name
    plain = base_dir / name
    neat = Path(os.path.normpath(plain) if plain.is_absolute() else os.path.relpath(plain))
    # "a/../b" is "b" only where a is no symbolic link.
    same = neat.exists() and plain.exists() and neat.samefile(plain)
    return str(neat if same or not plain.exists() else plain)
