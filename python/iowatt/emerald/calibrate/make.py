"""`iowatt emerald calibrate` without its printing: reads the plan, runs the points, writes the new plan.

While it runs, its points lie beside the folder that it will make, in ``NAME.calibrating``: a journal of
their outcomes and, on real storage, what the load generator left of each. An interrupted calibration goes on
there. The new plan's folder has, besides all that a plan has:

    calibration.json   calibration.txt   calibration.html
    points.jsonl       points/           what was run
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from iowatt.base.errors import Argument, InputError
from iowatt.emerald.calibrate import page, text
from iowatt.emerald.calibrate.bench import Bench, DriverBench, SimulationBench
from iowatt.emerald.calibrate.calibrate import Asked, calibrate
from iowatt.emerald.calibrate.checkpoint import KeptPoints
from iowatt.emerald.calibrate.result import Calibration, Row
from iowatt.emerald.conduct import begin
from iowatt.emerald.conduct import target as targets
from iowatt.emerald.conduct.folder import LOCK, clear, hold
from iowatt.emerald.conduct.read_plan import read_plan
from iowatt.emerald.conduct.simulation_driver import SimulationDriver
from iowatt.emerald.driver import Driver
from iowatt.emerald.plan import folder
from iowatt.emerald.plan.files import NOMINAL_IOPS
from iowatt.emerald.plan.make import rewrite
from iowatt.emerald.plan.model import Plan
from iowatt.emerald.rules import Rules, load

_POINTS, _JOURNAL, _FILLED = "points", "points.jsonl", "filled"
_HIDDEN: Final = ".calibrating"


@dataclass(frozen=True)
class Where:
    """What is calibrated, where, and where it is written."""

    plan: Path
    output: Path
    target: str | None = None
    #: The target once more, where it exists.
    erase: str | None = None
    #: Whether a plan's pre-fill is run first on real storage.
    fill: bool = True
    #: Counted s of a point, and s before that; None: by default.
    point_s: float | None = None
    settle_s: float | None = None
    resume: bool = False
    force: bool = False


def make(where: Where, asked: Asked, *, told: Callable[[str], None]) -> dict[str, Any]:
    """``calibration.json`` of a calibration, written to the folder of the new plan.

    Parameters
    ----------
    told:
        Called with a line of text as points are finished.

    Raises
    ------
    InputError
        What is wrong with the plan, its target, what is asked, or the folder.
    DriverError
        The load generator failed; what is finished is kept.
    """
    file = where.plan / folder.PLAN if where.plan.is_dir() else where.plan
    plan = read_plan(file, target=where.target)
    _refuse(where)
    rules, notes = _rules(plan)
    driver = begin.driver_of(plan)
    staging = _aside(where)
    _check(plan, driver, where)
    with contextlib.ExitStack() as held:
        claim = targets.Claim()
        if not isinstance(driver, SimulationDriver):
            ours = () if _anew(where) else _ours(staging)
            claim = held.enter_context(targets.claimed(plan, where.erase, ours=ours, tell=told))
        held.enter_context(_opened(staging, anew=_anew(where)))
        try:
            bench = _bench(plan, driver, staging / _POINTS, where)
            with KeptPoints(bench, staging / _JOURNAL, _how(bench, driver)) as kept:
                if isinstance(bench, DriverBench) and where.fill:
                    notes += _fill(plan, bench, staging / _FILLED, told)
                found = calibrate(
                    plan, rules, bench, asked, keeper=kept, tool=driver.version(), told=_teller(told)
                )
                if kept.known:
                    told(f"{kept.known} points were known from before")
        except BaseException:
            if _nothing_run(staging):
                shutil.rmtree(staging)
            else:
                claim.keep()
            raise
        claim.keep()
        return _write(replace(found, notes=(*found.notes, *notes)), file, where, staging)


def _teller(told: Callable[[str], None]) -> Callable[[str, Row], None]:
    return lambda phase, row: told(text.progress(phase, row))


def _refuse(where: Where) -> None:
    """What must not be written over."""
    folder.refuse(where.output, force=where.force)
    staging = _aside(where)
    if staging.exists() and not (where.resume or where.force):
        if (staging / LOCK).exists():
            hold(staging).close()  # says so where one is running
        raise InputError(
            "exists",
            str(staging),
            "the directory holds the points of an interrupted calibration",
            hint="`resume=True` continues it, `force=True` starts again",
        )


def _aside(where: Where) -> Path:
    return where.output.with_name(where.output.name + _HIDDEN)


def _anew(where: Where) -> bool:
    """Whether the points of an interrupted calibration are thrown away."""
    return where.force and not where.resume and (_aside(where) / _JOURNAL).is_file()


@contextlib.contextmanager
def _opened(staging: Path, *, anew: bool) -> Iterator[None]:
    """The folder of the points, locked until the end."""
    try:
        staging.mkdir(parents=True, exist_ok=True)
        lock = hold(staging)
    except OSError as error:
        raise InputError("unwritable", str(staging), f"cannot be made: {error.strerror}") from None
    with lock:
        try:
            if anew:
                clear(staging, but=(LOCK,))
            (staging / _POINTS).mkdir(exist_ok=True)
        except OSError as error:
            raise InputError("unwritable", str(staging), f"cannot be made: {error.strerror}") from None
        yield


def _nothing_run(staging: Path) -> bool:
    journal = staging / _JOURNAL
    return not (journal.exists() and journal.stat().st_size) and not any((staging / _POINTS).iterdir())


def _rules(plan: Plan) -> tuple[Rules, list[str]]:
    rules = load(plan.rules.profile).fresh()
    if rules.sha256 == plan.rules.sha256:
        return rules, []
    return rules, [f"the rules {rules.name} are not, to the byte, those that the plan was made by"]


def _check(plan: Plan, driver: Driver, where: Where) -> None:
    """What is wrong before the first request."""
    if isinstance(driver, SimulationDriver):
        for argument, given in (("erase", where.erase), ("settle_seconds", where.settle_s)):
            if given is not None:
                raise InputError(
                    "not-applicable",
                    Argument(argument),
                    "this is for real storage, and the plan is for a simulation",
                    hint="leave it out",
                )
    driver.check(_nominal(plan))


def _ours(staging: Path) -> list[str]:
    """Files that the interrupted calibration was allowed to write to."""
    try:
        return (staging / "targets").read_text("utf-8").splitlines()
    except OSError:
        return []


def _nominal(plan: Plan) -> Plan:
    """The plan with some rate where none is known, to be checked."""
    return plan.model_copy(
        update={
            "stages": [
                one.model_copy(update={"rate_iops": NOMINAL_IOPS})
                if one.workload is not None and not one.closed and one.rate_iops is None
                else one
                for one in plan.stages
            ]
        }
    )


def _bench(plan: Plan, driver: Driver, points: Path, where: Where) -> Bench:
    if isinstance(driver, SimulationDriver):
        return SimulationBench(driver, where.point_s)
    if hasattr(driver, "mark"):
        driver.mark = f"calibration-{os.getpid()}-{where.output.name}"
    (points.parent / "targets").write_text(
        "\n".join(filter(None, map(targets.identity, targets.paths(plan)))), "utf-8"
    )
    return DriverBench(
        driver, points, time_scale=plan.time_scale, point_s=where.point_s, settle_s=where.settle_s
    )


def _how(bench: Bench, driver: Driver) -> str:
    """What besides plan and stage makes a point what it is."""
    own = f"{bench.point_s} {bench.settle_s}" if isinstance(bench, DriverBench) else "as the scenario is now"
    return f"{driver.version()} {own}"


def _fill(plan: Plan, bench: DriverBench, done: Path, told: Callable[[str], None]) -> list[str]:
    """Write the tested range once, as the plan says; what reads it would else read what was never written."""
    stage = next((one for one in plan.stages if one.role == "prefill"), None)
    if stage is None:
        return ["the plan has no pre-fill: what was never written may be read faster"]
    if not done.exists():
        told("pre-fill: the whole tested range is written once")
        bench.stage(plan, stage)
        done.touch()
    return ["conditioning was not run: response times may change once the storage is conditioned"]


def _write(found: Calibration, file: Path, where: Where, staging: Path) -> dict[str, Any]:
    output = where.output
    plan = found.calibrated
    if plan.target.scenario is not None:
        relative = os.path.relpath(plan.target.scenario, output.absolute())
        plan = plan.model_copy(update={"target": plan.target.model_copy(update={"scenario": relative})})
    files = {
        "plan": {"path": str(file), "sha256": hashlib.sha256(file.read_bytes()).hexdigest()},
        "calibrated": {"path": str(output / folder.PLAN)},
    }
    made = replace(found, calibrated=plan, files=files).as_dict()
    rewrite(plan, output, force=where.force)
    try:
        (output / "calibration.json").write_text(folder.json_text(made), "utf-8")
        (output / "calibration.txt").write_text("\n".join(text.lines(made)) + "\n", "utf-8")
        (output / "calibration.html").write_text(page.render(made), "utf-8")
        (staging / _JOURNAL).replace(output / _JOURNAL)
        if any((staging / _POINTS).iterdir()):
            (staging / _POINTS).replace(output / _POINTS)
        shutil.rmtree(staging)
    except OSError as error:
        raise InputError("unwritable", str(output), f"cannot be written: {error.strerror}") from None
    return made
