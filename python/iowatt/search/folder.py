"""The directory of a sweep.

    sweep.json     what was asked, and digests of what it depends on
    scenario.toml  as given
    points.jsonl   finished points (the journal)
    table.parquet  table.csv  report.html       when all points are finished
    runs/          a bundle for each point, where asked for

A sweep may be resumed where its ``sweep.json`` says the same as the command does; values may be added.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from iowatt.errors import InputError
from iowatt.search.journal import Journal

SCHEMA: Final = "iowatt.sweep/1"
MANIFEST: Final = "sweep.json"
JOURNAL: Final = "points.jsonl"
RUNS: Final = "runs"


def refuse(target: Path, *, force: bool, resume: bool, what: str = "a sweep") -> None:
    """Raise ``InputError`` where a search cannot be written to ``target``; before any work is done."""
    if force and resume:
        raise InputError("--force begins anew and --resume goes on", hint="give one of them")
    if not os.path.lexists(target):
        return
    if target.is_dir() and not any(target.iterdir()):
        return
    if not is_sweep(target):
        raise InputError(
            f"exists and is not {what}",
            where=str(target),
            hint="choose another place with --output; --force replaces a search only",
        )
    if not (force or resume):
        done = " (finished)" if (target / "table.parquet").is_file() else " (not finished)"
        raise InputError(
            f"{what} exists already{done}, and results are never overwritten",
            where=str(target),
            hint="go on with it by --resume, replace it with --force, or choose another place with --output",
        )


def is_sweep(target: Path) -> bool:
    """Whether a directory holds a sweep of any version."""
    try:
        schema = json.loads((target / MANIFEST).read_bytes()).get("schema")
    except (OSError, ValueError, AttributeError):
        return False
    return str(schema).startswith("iowatt.sweep/")


class Folder:
    """A sweep's directory that is being written."""

    def __init__(
        self,
        target: Path,
        manifest: Mapping[str, Any],
        scenario_text: str,
        *,
        force: bool,
        resume: bool,
        results: Sequence[str] = ("table.parquet", "table.csv", "report.html"),
    ) -> None:
        refuse(target, force=force, resume=resume)
        self.target = target
        if resume and is_sweep(target):
            _refuse_changed(target, manifest)
        try:
            if force and is_sweep(target):
                _hold(target / JOURNAL).close()  # not from under another sweep
                shutil.rmtree(target)
            target.mkdir(parents=True, exist_ok=True)
            self.journal = Journal(target / JOURNAL)
            # Results of fewer points must not stand beside a journal that grows.
            for name in results:
                (target / name).unlink(missing_ok=True)
            self.write("scenario.toml", lambda file: file.write_text(scenario_text, encoding="utf-8"))
            text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
            self.write(MANIFEST, lambda file: file.write_text(text, encoding="utf-8"))
        except OSError as error:
            raise InputError(f"cannot be written: {error.strerror}", where=str(target)) from None

    def write(self, name: str, write: Callable[[Path], object]) -> Path:
        """Write a file of the sweep whole or not at all."""
        return write_whole(self.target / name, write)

    def close(self) -> None:
        """Let others write."""
        self.journal.close()


def write_whole(place: Path, write: Callable[[Path], object]) -> Path:
    """Write a file aside, then put it in its place; a power cut leaves the old one or the new one whole."""
    aside = place.with_name(f".iowatt-partial-{os.getpid()}-{place.name}")
    try:
        write(aside)
        synced(aside)
        aside.replace(place)
        synced(place.parent)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", where=str(place)) from None
    finally:
        aside.unlink(missing_ok=True)
    return place


def synced(path: Path) -> None:
    """Bring a file, or the names in a folder, to the disk. Raises ``OSError``."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno != errno.EINVAL:  # some file systems know no such thing for folders
            raise
    finally:
        os.close(handle)


def _hold(journal: Path) -> Journal:
    """The journal, for its lock; what is in it does not matter."""
    return Journal(journal)


def _refuse_changed(target: Path, manifest: Mapping[str, Any]) -> None:
    file = target / MANIFEST
    try:
        before = json.loads(file.read_bytes())
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read: {error}", where=str(file)) from None
    if before.get("schema") != SCHEMA:
        raise InputError(
            f"was written by another iowatt: schema {before.get('schema')!r}, this one writes {SCHEMA!r}",
            where=str(file),
        )
    changed = _changed(before, manifest)
    if changed is None:
        return
    raise InputError(
        f"{changed} since this sweep was begun, so that its points would not belong together",
        where=str(target),
        hint="begin anew with --force, or keep both and choose another place with --output",
    )


def _changed(before: Mapping[str, Any], now: Mapping[str, Any]) -> str | None:
    """What differs between two manifests so that their points cannot share a table."""
    then = {file["path"]: file["sha256"] for file in before.get("inputs", [])}
    for file in now["inputs"]:
        if then.get(file["path"], file["sha256"]) != file["sha256"]:
            return f"the file {file['path']} has changed"
    said = {
        "kind": "the command has changed from {} to {}",
        "version": "iowatt has changed from {} to {}",
        "set": "--set has changed from {} to {}",
        "scenario_sha256": "the scenario has changed",
        "own_seeds": "--own-seeds has changed",
        "within": "how its points are judged has changed",
    }
    changed = (key for key in said if before.get(key) != now.get(key))
    return next((said[key].format(before.get(key), now.get(key)) for key in changed), None)
