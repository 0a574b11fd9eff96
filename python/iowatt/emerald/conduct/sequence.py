"""Runs a plan stage by stage without a break, records the instruments, and keeps a journal.

Nothing is parsed or computed between two stages: output of the load generator is read when all have ended.
The journal has an event before and after every step, so that it shows how far the run came, however it ends.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from iowatt.base import input_file
from iowatt.base.errors import InputError
from iowatt.emerald import targets
from iowatt.emerald.conduct import settings
from iowatt.emerald.conduct.drivers import HostsDriver, ScriptDriver
from iowatt.emerald.conduct.folder import METERS, MeasurementFolder
from iowatt.emerald.conduct.gaps import gaps_between_stages
from iowatt.emerald.conduct.session import MeasurementProgress, Session, Watch
from iowatt.emerald.conduct.state import MeasurementState, decide, read_state
from iowatt.emerald.driver import DriverError, LoadDriver
from iowatt.emerald.measurement import JOURNAL, events
from iowatt.emerald.plan import Plan, PlanStage
from iowatt.emerald.rules import load
from iowatt.sources import process
from iowatt.sources.meters.recording import InstrumentRequest, Recorders

#: A longer break between two stages is a deviation. Our limit: that of the rules was not available. It does
#: not shrink with the time scale, because starting a program does not.
GAP_LIMIT_S: Final = 10.0
_LEAST_SHARE: Final = 0.98  #: A stage that ended sooner than this share of its time did not run to its end.

#: Time between samples in s; the rules allow 5 s for power and a minute for temperature.
_SAMPLING_S: Final = {"power": 1.0, "temperature": 10.0}
#: Sampled more often only in a rehearsal, where an interval of the figures would be without a sample: an
#: answer may be late by a fifth of the interval. Meters on a network follow down to about a second.
_INTERVAL_SHARE: Final = 0.8
_LEAST_SAMPLING_S: Final = 0.05

BEFORE, AFTER = "settings-before.json", "settings-after.json"


class Stopped(Exception):
    """The measurement was stopped from outside; it can be resumed."""


def conduct(
    plan: Plan,
    driver: LoadDriver,
    folder: MeasurementFolder,
    *,
    restart_active: bool = False,
    stop: threading.Event | None = None,
    progress: Callable[[MeasurementProgress], None] = lambda _: None,
    talk: Callable[[str], None] = lambda _: None,
    retries: int = 0,
    gap_limit_s: float = GAP_LIMIT_S,
) -> MeasurementState:
    """Run what a measurement has not run yet.

    ``plan``: with the target that is run; ``driver.check`` has been called.
    ``folder``: fresh, or of a measurement that was interrupted.
    ``restart_active``: repeat a broken active test from its conditioning on, instead of one phase.
    ``stop``: ends it in order once set.
    ``progress``: called about twice a second, by another thread.
    ``talk``: called with messages for the user.
    ``retries``: how often a failed stage is tried again at once, as when resumed.
    ``gap_limit_s``: longest break between stages that is no deviation.
    Returns ``MeasurementState``: finished.
    Raises ``DriverError``: a stage failed; the journal says so, and the measurement can be resumed.
    Raises ``Stopped``: ``stop`` was set; likewise.
    Raises ``InputError``: an instrument does not answer, the folder cannot be written, or the plan's rules
    are not known.
    """
    stop = stop or threading.Event()
    if isinstance(driver, HostsDriver):
        driver.note = folder.note
    first = _begin_or_resume(plan, driver, folder, restart_active, talk)
    if first is None:
        return read_state(folder.path, plan)
    nothing_to_measure = driver.kind == "simulation" or first == len(plan.stages)
    recorded = plan.model_copy(update={"instruments": []}) if nothing_to_measure else plan
    recorders = Recorders(
        [
            InstrumentRequest(one.name, one.source, sampling_s(recorded, one.role))
            for one in recorded.instruments
        ],
        folder.path / METERS,
        folder.note,
    )
    limits = gap_limit_s, load(plan.rules.profile).number("instruments.clock.apart_s", plan.category)
    session = Session(plan, driver, folder, recorders, stop, progress, *limits)
    recorders.start()
    complete = False
    try:
        with Watch(session) as watch:
            number = first
            while number < len(plan.stages):
                try:
                    _stage(session, watch, number)
                except DriverError as error:
                    if retries <= 0 or folder.full.is_set():
                        raise
                    retries -= 1
                    talk(str(error))
                    number = _resume(session.folder, read_state(folder.path, plan), restart_active, talk)
                    session.previous_ended_s = None
                else:
                    number += 1
        complete = True
    finally:
        for message in [*recorders.stop(), *(recorders.collect() if complete else [])]:
            talk(message)
        _settle(session)
    folder.note("finished", seams=gaps_between_stages(session))
    return read_state(folder.path, plan)


def sampling_s(plan: Plan, role: str) -> float:
    """Time between two samples in s: the rules', unless an interval of the figures is shorter."""
    shortest = min(stage.interval_s for stage in plan.stages)
    return max(_LEAST_SAMPLING_S, min(_SAMPLING_S[role], _INTERVAL_SHARE * shortest))


def _begin_or_resume(
    plan: Plan,
    driver: LoadDriver,
    folder: MeasurementFolder,
    restart_active: bool,
    talk: Callable[[str], None],
) -> int | None:
    """Write to the journal that the run begins or resumes.

    Returns the index of the first stage to run, ``None`` where all are finished.
    """
    now = _snapshot(plan, driver)
    state = None if folder.fresh else _state_or_none(folder, plan)
    if state is None:
        folder.write(BEFORE, settings.document(now))
        folder.note("begun", source=driver.kind, version=driver.version())
        return 0
    if state.finished:
        return None
    running = process.left_over(folder.id)
    if running:
        talk(f"{len(running)} processes of the interrupted run are still there and are ended")
        process.end(running)
    state = _verified(plan, driver, folder, state)
    if state.next == len(plan.stages):  # everything ran, only the last event is missing
        return state.next
    folder.write(f"settings-resumed-{state.resumed + 1}.json", settings.document(now))
    at = _resume(folder, state, restart_active, talk)
    _compare(folder, now["settings"])
    return at


def _verified(
    plan: Plan, driver: LoadDriver, folder: MeasurementFolder, state: MeasurementState
) -> MeasurementState:
    """The state after stages whose output cannot be read were marked as failed: a machine that went down may
    have lost what the load generator wrote last.
    """
    for one in state.stages:
        if one.counted is None or one.stage.workload is None:
            continue
        try:
            driver.observe(plan, one.stage, folder.path / one.counted.folder)
        except InputError as error:
            text = f"its results cannot be read any more: {error}"
            folder.note("stage-failed", stage=one.stage.id, attempt=one.counted.number, text=text)
    return read_state(folder.path, plan)


def _resume(
    folder: MeasurementFolder, state: MeasurementState, restart_active: bool, talk: Callable[[str], None]
) -> int:
    """Decide where to resume, and write it to the journal; the index of the stage."""
    decision = decide(state, restart_active=restart_active)
    stage = state.stages[decision.at].stage.id
    after = max(0.0, time.time() - (state.last or time.time()))
    folder.note("resumed", stage=stage, after=after, compliant=decision.compliant, why=decision.why)
    talk(f"resumed at {stage}: {decision.why}")
    return decision.at


def _state_or_none(folder: MeasurementFolder, plan: Plan) -> MeasurementState | None:
    """The state, ``None`` where the run ended before its journal began."""
    try:
        found = read_state(folder.path, plan)
    except InputError:
        if (folder.path / JOURNAL).exists():
            raise
        return None
    return found if found.begun is not None else None


def _stage(session: Session, watch: Watch, number: int) -> None:
    """One stage, with its events."""
    plan, folder, stage = session.plan, session.folder, session.plan.stages[number]
    if session.stop.is_set():
        _broken_off(session, None)
    attempt = watch.attempts.get(stage.id, 0) + 1
    watch.attempts[stage.id] = attempt
    place = folder.attempt(stage.id, attempt)
    started = time.monotonic()
    gap = None if session.previous_ended_s is None else started - session.previous_ended_s
    folder.note(
        "stage-started",
        stage=stage.id,
        attempt=attempt,
        folder=str(place.relative_to(folder.path)),
        rate_iops=stage.rate_iops,
        gap_s=gap,
    )
    watch.begin(number, started)
    clock_at_start, run_started = time.time(), time.monotonic()
    failure: DriverError | InputError | None = None
    try:
        if session.driver.kind != "simulation" and stage.workload is not None:
            targets.refuse_mounted(plan)
        session.driver.run(plan, stage, place, session.stop)
    except (DriverError, InputError) as error:
        failure = error
    except KeyboardInterrupt:  # the second one
        folder.note("interrupted", stage=stage.id)
        raise
    elapsed = time.monotonic() - run_started
    if session.stop.is_set():
        _broken_off(session, stage)
    # A script tells itself when its runs end, and its own times count.
    by_plan = session.driver.kind != "simulation" and not isinstance(session.driver, ScriptDriver)
    timed = by_plan and stage.seconds is not None
    if failure is None and timed and elapsed < _LEAST_SHARE * (stage.seconds or 0):
        failure = DriverError("tool-failed", None, f"ended after {elapsed:.1f} s of {stage.seconds:g} s")
    if failure is not None:
        folder.note("stage-failed", stage=stage.id, attempt=attempt, text=failure.message)
        text = failure.message
        hint = "what is measured is kept; the same command with `resume=True` continues"
        raise DriverError(failure.code, f"stage {stage.id} ({place})", text, hint=hint)
    session.previous_ended_s = time.monotonic()
    folder.note("stage-ended", stage=stage.id, attempt=attempt)
    watch.unsynced.put(place)
    filled = number > 0 and plan.stages[number - 1].role == "prefill"
    if gap is not None and gap > session.gap_limit_s and not filled:
        session.deviation(stage, f"{gap:.1f} s passed between {plan.stages[number - 1].id} and {stage.id}")
    step = (time.time() - clock_at_start) - (time.monotonic() - run_started)
    if abs(step) > session.clock_limit_s:
        session.deviation(stage, f"this host's clock was set by {step:+.1f} s during {stage.id}")


def _broken_off(session: Session, stage: PlanStage | None) -> None:
    """Stop, with the reason in the journal."""
    if session.folder.full.is_set():
        text = f"the file system of {session.folder.path} is full, or nearly so"
        if stage is not None:
            session.folder.note("stage-failed", stage=stage.id, attempt=0, text=text)
        message = "the file system is full, or nearly so"
        hint = "free some space; the same command with `resume=True` continues"
        raise DriverError("unwritable", str(session.folder.path), message, hint=hint)
    session.folder.note("interrupted", stage=None if stage is None else stage.id)
    raise Stopped


def _settle(session: Session) -> None:
    """Write the settings again, and their changes to the journal."""
    after = _snapshot(session.plan, session.driver)
    try:
        session.folder.write(AFTER, settings.document(after))
        _compare(session.folder, after["settings"])
    except InputError:  # where the disk is full, that is the error to report
        if not session.folder.full.is_set():
            raise


def _compare(folder: MeasurementFolder, now: dict[str, str]) -> None:
    """Name each change since the beginning, once."""
    try:
        before = input_file.json_object(folder.path / BEFORE)["settings"]
    except (InputError, ValueError, KeyError, TypeError):
        folder.note("settings-changed", what=f"{BEFORE} is gone, nothing can be compared")
        return
    named = {e.values["what"] for e in events(folder.path) if e.event == "settings-changed"}
    for change in settings.compare(before, now):
        if str(change) not in named:
            folder.note("settings-changed", what=str(change))


def _snapshot(plan: Plan, driver: LoadDriver) -> dict[str, dict[str, str]]:
    files = [Path(plan.target.scenario)] if plan.target.scenario else []
    program = shutil.which(driver.kind)
    if program is not None and not plan.hosts:
        files.append(Path(program))
    found = settings.snapshot(() if plan.hosts else targets.paths(plan), driver=driver.version(), files=files)
    if isinstance(driver, HostsDriver):
        found["settings"] |= driver.settings()
    return found
