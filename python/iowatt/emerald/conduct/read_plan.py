"""A plan from its file, as it is run here: with the target that is named on the command line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from iowatt.base.errors import Argument, InputError
from iowatt.emerald.plan import folder
from iowatt.emerald.plan.model import Plan
from iowatt.sources.target import target_name

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


def read_plan(path: Path, *, target: str | None = None) -> Plan:
    """The plan in ``path``, a file or a folder with ``plan.json``.

    Parameters
    ----------
    target:
        Stands in place of the plan's own target.

    Raises
    ------
    InputError
        It cannot be read, is no plan, or what is said of it does not go together.
    """
    path = path / folder.PLAN if path.is_dir() else path
    plan = folder.read(path)
    _refuse_doubles(plan, path)
    return _placed(plan, path, target)


def _refuse_doubles(plan: Plan, path: Path) -> None:
    for what, names in (
        ("stage", [stage.id for stage in plan.stages]),
        ("instrument", [instrument.name for instrument in plan.instruments]),
    ):
        double = next((name for name in names if names.count(name) > 1), None)
        if double is not None:
            raise InputError("duplicate", f"{path}: {what}s", f"two {what}s have the name {double!r}")
    for stage in plan.stages:
        if not _NAME.fullmatch(stage.id):
            raise InputError(
                "bad-syntax",
                f"{path}: stages",
                f"{stage.id!r} cannot name a directory; expected letters, digits, - and _",
            )
        if stage.workload is None and stage.seconds is None:
            raise InputError(
                "missing", f"{path}: stage {stage.id}: seconds", "a stage without requests needs a length"
            )


def _placed(plan: Plan, path: Path, target: str | None) -> Plan:
    found = plan.target
    if target is not None:
        if plan.source == "simulation":
            raise InputError(
                "not-applicable", Argument("target"), "a simulated array has no target", hint="leave it out"
            )
        found = found.model_copy(update={"path": target})
    if found.path is not None:  # whoever goes on with it may be in another folder
        where = f"{path}: target.path" if target is None else Argument("target")
        names = [target_name(name.strip(), where) for name in found.path.split(",") if name.strip()]
        placed = ",".join(str(Path(name).absolute()) for name in names)
        found = found.model_copy(update={"path": placed})
    if found.scenario is not None:
        found = found.model_copy(update={"scenario": str((path.parent / found.scenario).resolve())})
    return plan.model_copy(update={"target": found})
