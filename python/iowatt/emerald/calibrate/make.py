"""`iowatt emerald calibrate` without its printing: reads the plan, runs the points, writes the new plan.

While it runs, its points are kept in ``NAME.calibrating``, next to the folder that it will make: a journal of
their outcomes and, on real storage, the load generator's files of each. ``--resume`` continues there. The
new plan's folder has the files of every plan, and:

    calibration.json   calibration.txt   calibration.html
    points.jsonl       points/           what was run
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iowatt.base.errors import Argument, InputError
from iowatt.base.results import Note
from iowatt.emerald import targets
from iowatt.emerald.calibrate import page
from iowatt.emerald.calibrate.bench import Bench, DriverBench, KeptPoints, SimulationBench
from iowatt.emerald.calibrate.calibrate import Calibrated, SearchSettings, calibrate
from iowatt.emerald.calibrate.result import Calibration, PlanFile
from iowatt.emerald.conduct import LOCK, clear, drivers, hold, read_plan
from iowatt.emerald.conduct.drivers import SimulationDriver, driver_of
from iowatt.emerald.driver import LoadDriver
from iowatt.emerald.plan import Plan, PlannedHost, check_target, plan_file, rewrite
from iowatt.emerald.plan.load import NOMINAL_IOPS
from iowatt.emerald.rules import Rules, load
from iowatt.render import terminal, write

_POINTS, _JOURNAL, _FILLED = "points", "points.jsonl", "filled"
_HIDDEN: Final = ".calibrating"


@dataclass(frozen=True)
class CalibrationRequest:
    """Which plan is calibrated, on what, and where the new plan is written."""

    plan: Path
    output: Path
    target: str | None = None
    hosts: Sequence[PlannedHost] = ()  #: In place of the plan's.
    erase: str | None = None  #: The target again, where it exists.
    fill: bool = True  #: Whether the plan's pre-fill is run first on real storage.
    point_s: float | None = None  #: Counted seconds of a point, and seconds before that; None: by default.
    settle_s: float | None = None
    resume: bool = False
    force: bool = False

    @property
    def staging(self) -> Path:
        """The folder of the points."""
        return self.output.with_name(self.output.name + _HIDDEN)

    @property
    def anew(self) -> bool:
        """Whether the points of an interrupted calibration are thrown away."""
        return self.force and not self.resume and (self.staging / _JOURNAL).is_file()


def calibrate_plan(
    request: CalibrationRequest, settings: SearchSettings, *, talk: Callable[[str], None]
) -> Calibration:
    """Calibrate a plan, and write the new one.

    ``talk``: called with a line of text as points are finished.
    Raises ``InputError``: what is wrong with the plan, its target, the settings or the folder.
    Raises ``DriverError``: the load generator failed; what is finished is kept.
    """
    file = plan_file(request.plan)
    plan = read_plan(file, target=request.target, hosts=request.hosts)
    _refuse(request)
    rules, notes = _rules(plan)
    driver = driver_of(plan)
    staging = request.staging
    with contextlib.ExitStack() as held:
        held.enter_context(drivers.ready(driver))
        _check(plan, driver, request)
        claim = targets.Claim()
        if not isinstance(driver, SimulationDriver):
            ours = () if request.anew else _ours(staging)
            claim = held.enter_context(drivers.claimed(driver, plan, request.erase, ours=ours, tell=talk))
        held.enter_context(_opened(staging, anew=request.anew))
        try:
            bench = _bench(plan, driver, staging / _POINTS, request)
            with KeptPoints(bench, staging / _JOURNAL, _how(bench, driver)) as kept:
                if isinstance(bench, DriverBench) and request.fill:
                    notes += _fill(plan, bench, staging / _FILLED, talk)
                found = calibrate(
                    plan,
                    rules,
                    bench,
                    settings,
                    run_point=kept,
                    tool=driver.version(),
                    progress=lambda phase, point: talk(page.progress(phase, point)),
                )
                if kept.known:
                    talk(f"{kept.known} points were known from before")
        except BaseException:
            if _nothing_run(staging):
                shutil.rmtree(staging)
            else:
                claim.keep()
            raise
        claim.keep()
        return _write(found, notes, file, request)


def _refuse(request: CalibrationRequest) -> None:
    """Raise where something would be overwritten."""
    check_target(request.output, force=request.force)
    staging = request.staging
    if staging.exists() and not (request.resume or request.force):
        if (staging / LOCK).exists():
            hold(staging).close()  # raises where another process is running
        text = "the directory holds the points of an interrupted calibration"
        hint = "`resume=True` continues it, `force=True` starts again"
        raise InputError("exists", str(staging), text, hint=hint)


@contextlib.contextmanager
def _opened(staging: Path, *, anew: bool) -> Iterator[None]:
    """The folder of the points, locked until the end."""
    with contextlib.ExitStack() as held:
        try:
            staging.mkdir(parents=True, exist_ok=True)
            held.enter_context(hold(staging))
            if anew:
                clear(staging, but=(LOCK,))
            (staging / _POINTS).mkdir(exist_ok=True)
        except OSError as error:
            raise InputError("unwritable", str(staging), f"cannot be made: {error.strerror}") from None
        yield


def _nothing_run(staging: Path) -> bool:
    journal = staging / _JOURNAL
    return not (journal.exists() and journal.stat().st_size) and not any((staging / _POINTS).iterdir())


def _rules(plan: Plan) -> tuple[Rules, list[Note]]:
    rules = load(plan.rules.profile).fresh()
    if rules.sha256 == plan.rules.sha256:
        return rules, []
    text = f"the rules {rules.name} have changed since the plan was made"
    return rules, [Note(code="rules-changed", text=text, decides=True)]


def _check(plan: Plan, driver: LoadDriver, request: CalibrationRequest) -> None:
    """Find what is wrong before the first request."""
    if isinstance(driver, SimulationDriver):
        for argument, value in (("erase", request.erase), ("settle_seconds", request.settle_s)):
            if value is not None:
                text = "this is for real storage, and the plan is for a simulation"
                raise InputError("not-applicable", Argument(argument), text, hint="leave it out")
    if driver.kind == "files":
        text = "rates of file access are not searched for: they are given, as load points"
        hint = "give them to `iowatt emerald plan`: `phase_rate=FSB=500`"
        raise InputError("unsupported", f"plan {plan.name}", text, hint=hint)
    driver.check(plan.with_stages(lambda stage: stage.rate_unknown, rate_iops=NOMINAL_IOPS))


def _ours(staging: Path) -> list[str]:
    """Files that the interrupted calibration was allowed to write to."""
    try:
        return (staging / "targets").read_text("utf-8").splitlines()
    except OSError:
        return []


def _bench(plan: Plan, driver: LoadDriver, points: Path, request: CalibrationRequest) -> Bench:
    if isinstance(driver, SimulationDriver):
        return SimulationBench(driver, request.point_s)
    if hasattr(driver, "mark"):
        driver.mark = f"calibration-{os.getpid()}-{request.output.name}"
    identities = filter(None, drivers.identities(driver, plan))
    (points.parent / "targets").write_text("\n".join(identities), "utf-8")
    return DriverBench(
        driver, points, time_scale=plan.time_scale, point_s=request.point_s, settle_s=request.settle_s
    )


def _how(bench: Bench, driver: LoadDriver) -> str:
    """The rest of a point's identity: the driver's version and the lengths."""
    own = f"{bench.point_s} {bench.settle_s}" if isinstance(bench, DriverBench) else "as the scenario is now"
    return f"{driver.version()} {own}"


def _fill(plan: Plan, bench: DriverBench, done: Path, talk: Callable[[str], None]) -> list[Note]:
    """Write the tested range once, as the plan has it; so that reads find written data."""
    stage = next((one for one in plan.stages if one.role == "prefill"), None)
    if stage is None:
        text = "the plan has no pre-fill: what was never written may be read faster"
        return [Note(code="no-prefill", text=text, decides=True)]
    if not done.exists():
        talk("pre-fill: the whole tested range is written once")
        bench.stage(plan, stage)
        done.touch()
    text = "conditioning was not run: response times may change once the storage is conditioned"
    return [Note(code="not-conditioned", text=text)]


def _write(found: Calibrated, notes: list[Note], file: Path, request: CalibrationRequest) -> Calibration:
    output, staging, plan = request.output, request.staging, found.plan
    if plan.target.scenario is not None:
        relative = os.path.relpath(plan.target.scenario, output.absolute())
        plan = plan.model_copy(update={"target": plan.target.model_copy(update={"scenario": relative})})
    result = found.result.model_copy(
        update={
            "plan": PlanFile(path=str(file), sha256=hashlib.sha256(file.read_bytes()).hexdigest()),
            "calibrated": PlanFile(path=str(output / "plan.json")),
            "notes": tuple(notes),
        }
    )
    document = page.document(result)
    texts = {
        "calibration.json": result.json_text(),
        "calibration.txt": terminal.text(document),
        "calibration.html": write.page([document]),
    }
    rewrite(plan, output, texts, force=request.force)
    try:
        (staging / _JOURNAL).replace(output / _JOURNAL)
        if any((staging / _POINTS).iterdir()):
            (staging / _POINTS).replace(output / _POINTS)
        shutil.rmtree(staging)
    except OSError as error:
        raise InputError("unwritable", str(output), f"cannot be written: {error.strerror}") from None
    return result
