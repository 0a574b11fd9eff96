"""The folder of a plan: it is made aside and moved into place when it is complete.

plan.json       the plan, which the later verbs read
planned.json    calendar, check-list, rules used, checks of files
plan.txt        plan.html   the same to read
fio/            a job file for each stage
vdbench/        rate-finding.parm, test-sequence.parm
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from iowatt.base import atomic_path, input_file
from iowatt.base.errors import InputError
from iowatt.emerald.measurement import JOURNAL, MANIFEST, STAGES
from iowatt.emerald.plan import page
from iowatt.emerald.plan.model import Plan
from iowatt.emerald.plan.result import Planned
from iowatt.render import terminal
from iowatt.render import write as render_file

PLAN: Final = "plan.json"


def check_target(target: Path, *, force: bool) -> None:
    """Raise ``InputError`` where a plan cannot be written to ``target``; before any work is done."""
    if not os.path.lexists(target) or (
        target.is_dir() and not target.is_symlink() and not any(target.iterdir())
    ):
        return
    if target.is_symlink() or not _is_plan(target):
        hint = "choose another directory with `output=`; `force=True` replaces plans only"
        raise InputError("unsafe-target", str(target), "exists and is not a plan", hint=hint)
    if _holds_measurement(target):
        text, hint = "the directory holds a measurement", "choose another directory with `output=`"
        raise InputError("unsafe-target", str(target / STAGES), text, hint=hint)
    if not force:
        hint = "choose another directory with `output=`, or replace it with `force=True`"
        raise InputError("exists", str(target), "a plan already exists", hint=hint)


def write(
    target: Path, plan: Plan, planned: Planned, texts: Mapping[str, str], *, force: bool = False
) -> None:
    """Write the folder, whole or not at all; ``texts`` are the load generators' files by path."""
    with atomic_path.folder(target, lambda: check_target(target, force=force)) as new:
        (new / PLAN).write_text(
            json.dumps(plan.model_dump(by_alias=True), indent=2, ensure_ascii=False, allow_nan=False) + "\n",
            "utf-8",
        )
        (new / "planned.json").write_text(planned.json_text(), "utf-8")
        document = page.document(planned)
        (new / "plan.txt").write_text(terminal.text(document), "utf-8")
        (new / "plan.html").write_text(render_file.page([document]), "utf-8")
        for name, text in texts.items():
            path = new / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")


def plan_file(path: Path) -> Path:
    """The ``plan.json`` of a path, which is that file or its folder."""
    return path / PLAN if path.is_dir() else path


def read(path: Path) -> Plan:
    """A plan from its file or its folder.

    Raises ``InputError``: it does not exist, or is not a plan of this version; with the first wrong key.
    """
    from pydantic import ValidationError

    file = plan_file(path)
    hint = "create one with `iowatt emerald plan`"
    raw = input_file.whole(file, "a plan", hint=hint)
    try:
        return Plan.model_validate_json(raw)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        where = f"{file}: {place}" if place else str(file)
        text = f"is not a plan of this version: {first['msg']}"
        raise InputError("wrong-format", where, text, hint=hint) from None


def _holds_measurement(target: Path) -> bool:
    """Whether a measurement lies in the folder, or in a folder below it."""
    kept = (MANIFEST, JOURNAL)
    return os.path.lexists(target / STAGES) or any(
        name in kept for _, _, files in os.walk(target) for name in files
    )


def _is_plan(target: Path) -> bool:
    return input_file.schema_of(target / PLAN).startswith("iowatt.emerald-plan/")
