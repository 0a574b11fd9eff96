"""What lies below a directory: Runs, sweeps, optimizations, studies, measurements. Reads only their heads."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import Field

from iowatt.base import input_file
from iowatt.base.errors import InputError
from iowatt.base.results import Note, Result, ResultDocument

HEADS: Final[dict[str, tuple[str, str]]] = {
    "run.json": ("iowatt.run/", "run"),
    "sweep.json": ("iowatt.sweep/", "sweep"),
    "optimize.json": ("iowatt.optimize/", "optimization"),
    "choose.json": ("iowatt.choose/", "answer"),
    "fleet.json": ("iowatt.fleet/", "fleet"),
    "tier.json": ("iowatt.tier/", "tiering"),
    "study.json": ("iowatt.study/", "study"),
    "measurement.json": ("iowatt.measurement/", "measurement"),
}
"""The file that says what a folder is, with the beginning of its schema and the kind."""

MOST_FOLDERS: Final = 20_000
"""Folders that are looked into."""
MOST_LEVELS: Final = 12


class WorkspaceEntry(Result):
    """One folder of results. Figures are those of a Run, None where it lacks them."""

    path: str  # relative to the directory that was listed
    kind: str
    name: str
    source: str | None = None  # simulation, fio, vdbench, trace, ...; of a sweep, sweep or curve
    system: str | None = None  # drives by model
    iops: float | None = None
    response_p95_ms: float | None = None
    power_mean_w: float | None = None  # at the wall, where it is known; else of the drives
    at: str  # UTC, ISO 8601: when a Run started, and of all others when the head was last written


class Workspace(ResultDocument):
    """What lies below a directory, newest first."""

    schema_id: Literal["iowatt.workspace/1"] = Field(default="iowatt.workspace/1", alias="schema")
    directory: str
    entries: list[WorkspaceEntry]
    notes: list[Note]


def listed(directory: str | os.PathLike[str] = ".") -> Workspace:
    """List the results below ``directory``.

    A folder of results is not looked into: a sweep is one entry with all its points. Links are not followed.

    Raises
    ------
    InputError
        Where there is no such directory.
    """
    root = Path(directory)
    if not root.is_dir():
        raise InputError("not-found", str(root), "no such directory")
    found: list[WorkspaceEntry] = []
    notes: list[Note] = []
    left = MOST_FOLDERS
    for folder, names in result_folders(root):
        left -= 1
        if left < 0:
            text = f"only the first {MOST_FOLDERS:,} folders were looked into"
            notes.append(Note(code="not-all-folders", text=text, decides=True))
            break
        for name in names:
            try:
                entry = entry_of(root, folder, name, input_file.json_object(folder / name))
            except InputError as error:
                notes.append(Note(code="unreadable", text=str(error), decides=True))
                continue
            if entry is not None:
                found.append(entry)
    found.sort(key=lambda one: one.path)
    found.sort(key=lambda one: one.at, reverse=True)
    return Workspace(directory=str(root), entries=found, notes=notes)


def result_folders(root: Path) -> Iterator[tuple[Path, list[str]]]:
    """Folders with the names of the heads that they hold, not those below a folder that holds one."""
    for place, below, files in os.walk(root):
        folder = Path(place)
        heads = [name for name in files if name in HEADS]
        deep = len(folder.relative_to(root).parts) >= MOST_LEVELS
        below[:] = [] if deep or heads else sorted(name for name in below if not name.startswith("."))
        yield folder, heads


def entry_of(root: Path, folder: Path, name: str, head: Mapping[str, Any]) -> WorkspaceEntry | None:
    """The entry of a folder whose file ``name`` has ``head`` in it; None where that is something else."""
    schema, kind = HEADS[name]
    if not str(head.get("schema", "")).startswith(schema):
        return None
    shown = {
        "path": os.path.relpath(folder, root),
        "kind": kind,
        "name": str(head.get("name") or folder.resolve().name),
    }
    if kind == "run":
        wall_w = _number(head, "power_w", "wall_mean")
        return WorkspaceEntry(
            **shown,
            source=_text(head, "source"),
            system=_system(head),
            iops=_number(head, "throughput", "iops"),
            response_p95_ms=_number(head, "response_time_ms", "all", "p95"),
            power_mean_w=_number(head, "power_w", "mean") if wall_w is None else wall_w,
            at=_text(head, "provenance", "started_at") or _written(folder / name),
        )
    return WorkspaceEntry(**shown, source=_text(head, "kind"), at=_written(folder / name))


def _at(head: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    value: Any = head
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _text(head: Mapping[str, Any], *keys: str) -> str | None:
    value = _at(head, keys)
    return value if isinstance(value, str) else None


def _number(head: Mapping[str, Any], *keys: str) -> float | None:
    value = _at(head, keys)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _system(head: Mapping[str, Any]) -> str | None:
    """``7 x toshiba-mg04sca500e``."""
    devices = head.get("devices")
    models: Counter[str] = Counter()
    for one in devices if isinstance(devices, list) else ():
        if isinstance(one, dict) and isinstance(one.get("model"), str):
            drives = one.get("drives", 1)
            models[one["model"]] += drives if isinstance(drives, int) else 1
    return ", ".join(f"{count} x {model}" for model, count in models.items()) or None


def _written(file: Path) -> str:
    return datetime.fromtimestamp(file.stat().st_mtime, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
