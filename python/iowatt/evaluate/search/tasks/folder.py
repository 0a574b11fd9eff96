"""The directory of a sweep.

    sweep.json     the request, and digests of its inputs
    scenario.toml  as given
    points.jsonl   finished points (the journal)
    table.parquet  table.csv  report.html       when all points are finished
    runs/          a bundle for each point, where asked for

A sweep may be resumed if the command matches its ``sweep.json``; values may be added. Other searches have a
:class:`FolderKind` of their own.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from iowatt.base import atomic_path, input_file
from iowatt.base.errors import Argument, InputError
from iowatt.evaluate.search.tasks import journal
from iowatt.evaluate.search.tasks.journal import SearchJournal

SCHEMA: Final = "iowatt.sweep/1"
MANIFEST: Final = "sweep.json"
JOURNAL: Final = "points.jsonl"
RUNS: Final = "runs"


@dataclass(frozen=True)
class FolderKind:
    """The contents of the directory of a kind of search."""

    #: Its name in messages.
    what: str
    #: The file with the request, and the beginning of its schema.
    manifest: str
    schema: str
    #: The text that the search is of, as given.
    text: str
    #: Files of a finished search; the first one marks it as finished.
    results: tuple[str, ...]
    #: Whether only the same request may resume it; else its points do not depend on the request.
    held: bool = True


SWEEP: Final = FolderKind(
    "a sweep", MANIFEST, "iowatt.sweep/", "scenario.toml", ("table.parquet", "table.csv", "report.html")
)


def refuse_target(target: Path, *, force: bool, resume: bool, shape: FolderKind = SWEEP) -> None:
    """Raise ``InputError`` where a search cannot be written to ``target``; before any work is done."""
    if force and resume:
        raise both_force_and_resume()
    if not os.path.lexists(target):
        return
    if target.is_dir() and _is_unbegun(target):
        return
    if not is_search(target, shape):
        message = f"exists and is not {shape.what}"
        hint = "choose another `output=`; `force=True` replaces only what a search of this kind wrote"
        raise InputError("exists", str(target), message, hint=hint)
    if not (force or resume):
        done = " (finished)" if (target / shape.results[0]).is_file() else " (not finished)"
        message = f"{shape.what} already exists{done}; results are never overwritten"
        hint = "continue it with `resume=True`, replace it with `force=True`, or choose another `output=`"
        raise InputError("exists", str(target), message, hint=hint)


def both_force_and_resume() -> InputError:
    """The error for ``force`` and ``resume`` together."""
    message = "`force=True` starts again, and `resume=True` continues what is there: give one of them"
    return InputError("conflict", Argument("force"), message)


def is_search(target: Path, shape: FolderKind = SWEEP) -> bool:
    """Whether a directory holds a search of that kind, of any version."""
    return input_file.schema_of(target / shape.manifest).startswith(shape.schema)


def _is_unbegun(target: Path) -> bool:
    """Whether there is nothing to lose: it is empty, or a search was killed before it wrote its manifest."""
    return atomic_path.holds_only(target, JOURNAL) and not journal.has_records(target / JOURNAL)


def count_records(target: Path) -> int:
    """Finished points of the search in a directory; 0 where there is none."""
    return len(journal.read_journal(target / JOURNAL))


class SearchFolder:
    """A search's directory that is being written."""

    def __init__(
        self,
        target: Path,
        manifest: Mapping[str, Any],
        text: str,
        *,
        force: bool,
        resume: bool,
        shape: FolderKind = SWEEP,
    ) -> None:
        refuse_target(target, force=force, resume=resume, shape=shape)
        self.target = target
        if resume and shape.held and is_search(target, shape):
            _refuse_changed(target, manifest)
        try:
            target.mkdir(parents=True, exist_ok=True)
            self.journal = SearchJournal(target / JOURNAL)  # first, for its lock
            # From here on the directory has its manifest at every moment, or nothing of value.
            if force:
                self.journal.clear()
                _clear(target, but=(JOURNAL, shape.manifest))
            # A growing journal must not have results of fewer points next to it.
            for name in shape.results:
                (target / name).unlink(missing_ok=True)
            self.write_json(shape.manifest, manifest)
            self.write(shape.text, lambda file: file.write_text(text, encoding="utf-8"))
        except OSError as error:
            raise InputError("unwritable", str(target), f"cannot be written: {error.strerror}") from None

    def write_json(self, name: str, value: Any) -> Path:
        """Write a document whole or not at all."""
        text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        return self.write(name, lambda file: file.write_text(text, encoding="utf-8"))

    def write(self, name: str, write: Callable[[Path], object]) -> Path:
        """Write a file whole or not at all."""
        return atomic_path.write_whole(self.target / name, write)

    def close(self) -> None:
        """Let others write."""
        self.journal.close()


def _clear(target: Path, *, but: Sequence[str]) -> None:
    for entry in list(target.iterdir()):
        if entry.name not in but and not entry.name.startswith("."):
            atomic_path.remove(entry)


def _refuse_changed(target: Path, manifest: Mapping[str, Any]) -> None:
    file = target / MANIFEST
    before = input_file.json_object(file)
    if before.get("schema") != SCHEMA:
        message = (
            f"another version of iowatt wrote this: schema {before.get('schema')!r}, expected {SCHEMA!r}"
        )
        raise InputError("wrong-format", str(file), message)
    changed = _changed(before, manifest)
    if changed is None:
        return
    message = f"{changed} since this sweep was begun: its points would not belong together"
    hint = "start again with `force=True`, or keep both and choose another `output=`"
    raise InputError("changed", str(target), message, hint=hint)


def _changed(before: Mapping[str, Any], now: Mapping[str, Any]) -> str | None:
    """The difference between two manifests that keeps their points from sharing a table."""
    then = {file["path"]: file["sha256"] for file in before.get("inputs", [])}
    for file in now["inputs"]:
        if then.get(file["path"], file["sha256"]) != file["sha256"]:
            return f"the file {file['path']} has changed"
    messages = {
        "kind": "the command has changed from {} to {}",
        "version": "iowatt has changed from {} to {}",
        "set": "the overrides have changed from {} to {}",
        "scenario_sha256": "the scenario has changed",
        "own_seeds": "own_seeds has changed from {} to {}",
        "within": "how its points are judged has changed",
    }
    changed = (key for key in messages if before.get(key) != now.get(key))
    return next((messages[key].format(before.get(key), now.get(key)) for key in changed), None)
