"""A result in a directory: the figures, the page, and the stages as Runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from iowatt.base import atomic_path
from iowatt.base.errors import InputError
from iowatt.emerald.analyze import page
from iowatt.emerald.analyze.result import Analysis
from iowatt.emerald.analyze.stage_run import Measured
from iowatt.render import write as render_file

RESULT: Final = "analysis.json"
PAGE: Final = "analysis.html"
RUNS: Final = "runs"


def check_target(folder: Path, force: bool) -> None:
    """Raise ``InputError`` where the result cannot be written; before any work is done."""
    if folder.exists() and not folder.is_dir():
        raise InputError("wrong-kind", str(folder), "is not a directory")
    there = [name for name in (RESULT, PAGE) if (folder / name).exists()]
    there += [f"{RUNS}/{name}" for name in _stages_of(folder)][:1]
    if there and not force:
        raise InputError(
            "exists",
            str(folder / there[0]),
            f"{' and '.join(there)} exist already",
            hint="choose another directory with `output=`, or replace them with `force=True`",
        )


def _stages_of(folder: Path) -> list[str]:
    """What lies where the stages go."""
    try:
        return sorted(path.name for path in (folder / RUNS).iterdir())
    except FileNotFoundError:
        return []
    except OSError as error:
        raise InputError("unreadable", str(folder / RUNS), f"cannot be read: {error.strerror}") from None


def write(found: Analysis, measured: Measured, folder: Path, *, force: bool = False) -> list[Path]:
    """Write the result; each file whole or not at all. Returns what was written."""
    check_target(folder, force)
    try:
        (folder / RUNS).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError("unwritable", str(folder), f"cannot be written: {error.strerror}") from None
    for one in measured.stages:
        if one.run is not None:
            one.run.save(folder / RUNS / one.stage.id, force=True)
    text = json.dumps(found.as_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    with atomic_path.file(folder / RESULT) as made:
        made.write_text(text, encoding="utf-8", newline="\n")
    render_file.write(page.document(found), folder / PAGE, force=True)
    return [folder / RESULT, folder / PAGE]
