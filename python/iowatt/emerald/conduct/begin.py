"""Opens a measurement for running: plan, load generator, target, folder."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iowatt.base import input_file
from iowatt.base.errors import Argument, InputError
from iowatt.emerald.conduct import drivers
from iowatt.emerald.conduct.folder import MeasurementFolder, is_measurement, refuse
from iowatt.emerald.driver import LoadDriver
from iowatt.emerald.plan import Plan, PlannedHost, PlannedScript, plan_file, read
from iowatt.emerald.script import content as script_content
from iowatt.sources import meters
from iowatt.sources.target import target_name

ALLOWED: Final = "target.json"
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


@dataclass(frozen=True)
class Ready:
    """A measurement that can be run."""

    plan: Plan
    driver: LoadDriver
    folder: MeasurementFolder


@contextlib.contextmanager
def opened(
    plan_path: Path,
    output: Path | None,
    *,
    target: str | None = None,
    hosts: Sequence[PlannedHost] = (),
    script: PlannedScript | None = None,
    erase: str | None = None,
    resume: bool = False,
    force: bool = False,
    tell: Callable[[str], None] = lambda _text: None,
) -> Iterator[Ready]:
    """A measurement, ready to run; its folder and targets are released at the end.

    Everything is checked before the folder is made. Raises ``InputError`` where plan, target, load
    generator or folder is wrong.
    """
    plan = read_plan(plan_path, target=target, hosts=hosts, script=script)
    path = output or Path("measurements") / _folder_name(plan.name)
    resumed = resume and is_measurement(path)
    if plan.source == "simulation" and erase is not None:
        text = "a simulated array has nothing to erase"
        raise InputError("not-applicable", Argument("erase"), text, hint="leave it out")
    driver = drivers.driver_of(plan)
    refuse(path, plan, resume=resume, force=force)
    for instrument in plan.instruments if plan.source != "simulation" else ():
        if meters.is_live(instrument.source):
            meters.meter(instrument.source)
    with contextlib.ExitStack() as held:
        held.enter_context(drivers.ready(driver))
        driver.check(plan)
        claim = None
        if plan.source != "simulation":
            claim = held.enter_context(
                drivers.claimed(driver, plan, erase, ours=_ours(path) if resumed else (), tell=tell)
            )
        folder = MeasurementFolder(path, plan, resume=resume, force=force)
        held.callback(folder.close)
        if hasattr(driver, "mark"):
            driver.mark = folder.id
        if claim is not None:
            folder.write(ALLOWED, {"files": drivers.identities(driver, plan)})
            claim.keep()
        yield Ready(plan, driver, folder)


def read_plan(
    path: Path,
    *,
    target: str | None = None,
    hosts: Sequence[PlannedHost] = (),
    script: PlannedScript | None = None,
) -> Plan:
    """The plan in ``path``, a file or a folder with ``plan.json``.

    ``target``, ``hosts``, ``script``: replace the plan's own; a script names its targets.
    Raises ``InputError``: it cannot be read, is not a plan, or contradicts itself.
    """
    path = plan_file(path)
    plan = read(path)
    if hosts:
        plan = plan.model_copy(update={"hosts": list(hosts)})
    if script is not None:
        target = _scripted(plan, script, target)
        plan = plan.model_copy(update={"script": script})
    _refuse_doubles(plan, path)
    return _placed(plan, path, target)


def _scripted(plan: Plan, script: PlannedScript, target: str | None) -> str | None:
    """The targets of a script. Raises ``InputError`` where it cannot be run by this plan."""
    if plan.source != "vdbench":
        text = f"a script is vdbench's, and the plan is for {plan.source}"
        raise InputError("not-applicable", Argument("script"), text, hint="plan with `driver=vdbench`")
    if plan.hosts:
        text = "a script names its own hosts (hd=)"
        raise InputError("conflict", Argument("host"), text, hint="leave the hosts of the plan out")
    luns = script_content(script).luns
    if target is not None and luns and [name.strip() for name in target.split(",")] != luns:
        text = f"it names {target}, and the script {','.join(luns)}"
        raise InputError("conflict", Argument("target"), text, hint="leave it out")
    return ",".join(luns) if luns else target


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
            text = f"{stage.id!r} cannot name a directory; expected letters, digits, - and _"
            raise InputError("bad-syntax", f"{path}: stages", text)
        if stage.workload is None and stage.seconds is None:
            text = "a stage without requests needs a length"
            raise InputError("missing", f"{path}: stage {stage.id}: seconds", text)


def _placed(plan: Plan, path: Path, target: str | None) -> Plan:
    found = plan.target
    if target is not None:
        if plan.source == "simulation":
            text = "a simulated array has no target"
            raise InputError("not-applicable", Argument("target"), text, hint="leave it out")
        found = found.model_copy(update={"path": target})
    if found.path is not None:  # it may be resumed from another folder
        where = f"{path}: target.path" if target is None else Argument("target")
        names = [target_name(name.strip(), where) for name in found.path.split(",") if name.strip()]
        elsewhere = any(host.address.startswith("ssh:") for host in plan.hosts)
        relative = next((name for name in names if elsewhere and not Path(name).is_absolute()), None)
        if relative is not None:
            text = f"{relative!r} is relative; load hosts need a target by its full path"
            raise InputError("bad-syntax", where, text)
        placed = ",".join(str(Path(name).absolute()) for name in names)
        found = found.model_copy(update={"path": placed})
    if found.scenario is not None:
        found = found.model_copy(update={"scenario": str((path.parent / found.scenario).resolve())})
    return plan.model_copy(update={"target": found})


def _folder_name(name: str) -> str:
    """A plan's name, which may be any text, as the name of a folder."""
    return re.sub(r"[^\w.-]+", "-", name, flags=re.ASCII).strip("-.") or "measurement"


def _ours(path: Path) -> list[str]:
    """The files that the measurement in ``path`` was allowed to write."""
    try:
        found = input_file.json_object(path / ALLOWED)["files"]
    except (InputError, ValueError, KeyError, TypeError):
        return []
    return [str(each) for each in found if each]
