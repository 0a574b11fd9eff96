"""The files that a scenario names, and from where their names count.

A scenario, and so its plan, holds names relative to the scenario's directory. A trace or device file in an
override (``--set``) is searched for in the current directory first, then beside the scenario.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iowatt.model.library import own_files
from iowatt.model.recorded_trace import recorded

if TYPE_CHECKING:
    from iowatt.base.document import TomlDocument
    from iowatt.base.problems import KeyPath
    from iowatt.model.scenario.keys.scenario import Scenario


def place_overridden(document: TomlDocument, base_dir: Path) -> None:
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
    found += _devices_of_clusters(raw)
    power = array.get("power") if isinstance(array, dict) else None
    for index, enclosure in enumerate(_tables(power, "enclosure") if isinstance(power, dict) else []):
        for number, part in enumerate(_tables(enclosure, "part")):
            if _is_file(part.get("model")):
                place: KeyPath = ("array", "power", "enclosure", index, "part", number, "model")
                found.append((place, part, "model"))
    return found


def _devices_of_clusters(raw: Any) -> list[tuple[KeyPath, dict[str, Any], str]]:
    found: list[tuple[KeyPath, dict[str, Any], str]] = []
    for index, cluster in enumerate(_tables(raw, "cluster")):
        for number, pool in enumerate(_tables(cluster, "pool")):
            place: KeyPath = ("cluster", index, "pool", number, "device")
            device = pool.get("device")
            if isinstance(device, dict) and _is_file(device.get("name")):
                found.append(((*place, "name"), device, "name"))
            elif _is_file(device):
                found.append((place, pool, "device"))
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


def traces_of(source: Mapping[str, Any]) -> list[str]:
    """Paths of the recorded traces that a source of a plan reads; a profile may take its stamps from one."""
    if "synthetic" not in source:
        return [source["path"], *source.get("more", ())]
    laws = [process["law"] for process in source["synthetic"]["processes"]]
    return [path for law in laws if "trace" in law for path in traces_of(law["trace"])]


def input_files(scenario: Scenario, sources: Sequence[Mapping[str, Any]], base_dir: Path) -> list[str]:
    """Files beside the scenario that a run reads, as named from the current directory.

    Standard input is ``-``. ``sources`` are those of the scenario's plan.
    """
    names: list[str] = []
    for workload, source in zip(scenario.workload, sources, strict=True):
        for name in (as_named(base_dir, path) for path in traces_of(source)):
            names += [name] if name == "-" else [str(file) for file in recorded(Path(name))]
        if workload.profile is not None and workload.profile.name.endswith(".toml"):
            names.append(as_named(base_dir, workload.profile.name))
    power = scenario.array.power
    models = [part.model for enclosure in power.enclosure for part in enclosure.part] if power else []
    names += [as_named(base_dir, model) for model in models if model is not None and model.endswith(".toml")]
    clustered = [pool.device.name for cluster in scenario.cluster for pool in cluster.pool]
    for name in (*(pool.device.name for pool in scenario.array.pool), *clustered):
        names += [as_named(Path(), str(file)) for file in own_files(name, base_dir)]
    return names
