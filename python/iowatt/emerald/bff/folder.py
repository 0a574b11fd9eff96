"""The directory of a search.

    bff.json       the result (iowatt.bff/1)            when all is finished
    table.parquet  table.csv  report.html               likewise
    points.jsonl   simulated points (the journal)
    family.toml    the family file as given
    asked.json     what was asked

A point is known by its scenario, the content of its files and what was asked of it. So a search may be
resumed with another metric, another tolerance or a changed family: what is the same is not run again.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from iowatt.errors import InputError
from iowatt.search.folder import write_whole
from iowatt.search.journal import Journal

ASKED_SCHEMA: Final = "iowatt.bff-asked/1"
ASKED: Final = "asked.json"
JOURNAL: Final = "points.jsonl"
RESULTS: Final = ("bff.json", "table.parquet", "table.csv", "report.html")


def refuse(target: Path, *, force: bool, resume: bool) -> None:
    """Raise ``InputError`` where a search cannot be written to ``target``; before any work is done."""
    if force and resume:
        raise InputError("--force begins anew and --resume goes on", hint="give one of them")
    if not os.path.lexists(target):
        return
    if target.is_dir() and not any(target.iterdir()):
        return
    if not is_search(target):
        raise InputError(
            "exists and holds no search for a best foot forward",
            where=str(target),
            hint="choose another place with --output; --force replaces such searches only",
        )
    if not (force or resume):
        done = " (finished)" if (target / "bff.json").is_file() else " (not finished)"
        raise InputError(
            f"a search exists already{done}, and results are never overwritten",
            where=str(target),
            hint="go on with it by --resume, replace it with --force, or choose another place with --output",
        )


def is_search(target: Path) -> bool:
    """Whether a directory holds a search of any version."""
    try:
        schema = json.loads((target / ASKED).read_bytes()).get("schema")
    except (OSError, ValueError, AttributeError):
        return False
    return str(schema).startswith("iowatt.bff-asked/")


class Folder:
    """A search's directory that is being written."""

    def __init__(
        self, target: Path, asked: Mapping[str, Any], family_text: str, *, force: bool, resume: bool
    ) -> None:
        refuse(target, force=force, resume=resume)
        self.target = target
        try:
            if force and is_search(target):
                Journal(target / JOURNAL).close()  # not from under another search
                shutil.rmtree(target)
            target.mkdir(parents=True, exist_ok=True)
            self.journal = Journal(target / JOURNAL)
            for name in RESULTS:  # results of fewer points must not stand beside a journal that grows
                (target / name).unlink(missing_ok=True)
            self.write("family.toml", lambda file: file.write_text(family_text, encoding="utf-8"))
            self.write_json(ASKED, {"schema": ASKED_SCHEMA, **asked})
        except OSError as error:
            raise InputError(f"cannot be written: {error.strerror}", where=str(target)) from None

    def write(self, name: str, write: Callable[[Path], object]) -> Path:
        """Write a file whole or not at all."""
        return write_whole(self.target / name, write)

    def write_json(self, name: str, value: Any) -> Path:
        """Write a document."""
        text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        return self.write(name, lambda file: file.write_text(text, encoding="utf-8"))

    def close(self) -> None:
        """Let others write."""
        self.journal.close()
