"""Runs a plan: one stage after the other without a break, instruments beside them, everything on record.

Nothing is parsed or computed between two stages: what the load generator leaves is read when all have ended.
The journal has an event before and after every step, so that whatever ends this process leaves a record of
how far it came.
"""

from __future__ import annotations

import contextlib
import math
import os
import queue
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iowatt.base import input_file
from iowatt.base.errors import InputError
from iowatt.emerald.conduct import idle_stage, settings, target
from iowatt.emerald.conduct.folder import METERS, Folder
from iowatt.emerald.conduct.recorders import of
from iowatt.emerald.conduct.resume import decide
from iowatt.emerald.conduct.state import State, read_state
from iowatt.emerald.driver import Driver, DriverError
from iowatt.emerald.judge import generator
from iowatt.emerald.judge.finding import Finding
from iowatt.emerald.measurement import JOURNAL, events
from iowatt.emerald.plan.build import limit_ms
from iowatt.emerald.plan.model import Plan, Stage
from iowatt.emerald.plan.workloads import RANDOM, outstanding
from iowatt.emerald.rules import load
from iowatt.run.bundle import Run
from iowatt.sources.meters.recorders import Recorders
from iowatt.sources.observation import Observation
from iowatt.sources.process import child

#: A longer break between two stages is a deviation. Ours: the rules' own limit could not be read. It does not
#: shrink with the time scale, because starting a program does not.
GAP_LIMIT_S: Final = 10.0
#: With less space left the run is stopped while it can still be written how far it came.
LEAST_FREE_BYTES: Final = 16 * 1024 * 1024
#: A stage that ended sooner than this share of its time did not run to its end.
_LEAST_SHARE: Final = 0.98
_LOOK_S: Final = 0.5

BEFORE, AFTER = "settings-before.json", "settings-after.json"


@dataclass(frozen=True)
class Progress:
    """How far a measurement is."""

    stage: Stage
    #: Counted from 1.
    number: int
    of: int
    elapsed_s: float
    #: Of all stages from here on that have a length; what is simulated takes none of it.
    left_s: float
    #: Stages from here on that run as long as it takes.
    open_ended: int
    simulated: bool
    #: What the power meters say; ``None`` where they say nothing.
    watts: float | None


class Stopped(Exception):
    """The measurement was stopped from outside; it can be resumed."""


@dataclass
class _Session:
    """What a run of the sequence has at hand."""

    plan: Plan
    driver: Driver
    folder: Folder
    recorders: Recorders
    stop: threading.Event
    progress: Callable[[Progress], None]
    gap_limit_s: float
    #: A clock that was set by more than this is a deviation; the rules', the same that `analyze` judges by.
    clock_limit_s: float
    #: Monotonic time at which the stage before ended; None where none has in this session.
    ended: float | None = None


def conduct(
    plan: Plan,
    driver: Driver,
    folder: Folder,
    *,
    restart_active: bool = False,
    stop: threading.Event | None = None,
    progress: Callable[[Progress], None] = lambda _: None,
    talk: Callable[[str], None] = lambda _: None,
    retries: int = 0,
    gap_limit_s: float = GAP_LIMIT_S,
) -> State:
    """Run what a measurement has not run yet.

    Parameters
    ----------
    plan:
        With the target that is run; ``driver.check`` has been called.
    folder:
        Fresh, or of a measurement that was interrupted.
    restart_active:
        Repeat a broken active test from its conditioning on, instead of one phase.
    stop:
        Ends it in order once set.
    progress:
        Called about twice a second, by another thread.
    talk:
        Told what a person at the terminal should know.
    retries:
        How often a stage that failed is tried again at once, by the rules of a resumption.
    gap_limit_s:
        Longest break between stages that is no deviation.

    Returns
    -------
    State
        Finished.

    Raises
    ------
    DriverError
        A stage failed; the journal says so, and the measurement can be resumed.
    Stopped
        ``stop`` was set; likewise.
    InputError
        An instrument does not answer, the folder cannot be written, or the plan's rules are not known.
    """
    stop = stop or threading.Event()
    begin = _begin(plan, driver, folder, restart_active, talk)
    if begin is None:
        return read_state(folder.path, plan)
    without = driver.kind == "simulation" or begin == len(plan.stages)
    live = plan.model_copy(update={"instruments": []}) if without else plan
    recorders = of(live, folder.path / METERS, folder.note)
    limits = gap_limit_s, load(plan.rules.profile).number("instruments.clock.apart_s", plan.category)
    session = _Session(plan, driver, folder, recorders, stop, progress, *limits)
    recorders.start()
    whole = False
    try:
        with _Watch(session) as watch:
            number = begin
            while number < len(plan.stages):
                try:
                    _stage(session, watch, number)
                except DriverError as error:
                    if retries <= 0 or folder.full.is_set():
                        raise
                    retries -= 1
                    talk(str(error))
                    number = _resume(session.folder, read_state(folder.path, plan), restart_active, talk)
                    session.ended = None
                else:
                    number += 1
        whole = True
    finally:
        for told in [*recorders.stop(), *(recorders.collect() if whole else [])]:
            talk(told)
        _settle(session)
    folder.note("finished", seams=_seams(session))
    return read_state(folder.path, plan)


def _begin(
    plan: Plan, driver: Driver, folder: Folder, restart_active: bool, talk: Callable[[str], None]
) -> int | None:
    """Write how it begins or goes on; the index of the first stage, ``None`` where it has finished."""
    now = _snapshot(plan, driver)
    begun = None if folder.fresh else _state_or_none(folder, plan)
    if begun is None:
        folder.write(BEFORE, settings.document(now))
        folder.note("begun", source=driver.kind, version=driver.version())
        return 0
    if begun.finished:
        return None
    running = child.left_over(folder.id)
    if running:
        talk(f"{len(running)} processes of the interrupted run are still there and are ended")
        child.end(running)
    begun = _verified(plan, driver, folder, begun)
    if begun.next == len(plan.stages):  # everything ran, and only the end was not written
        return begun.next
    folder.write(f"settings-resumed-{begun.resumed + 1}.json", settings.document(now))
    at = _resume(folder, begun, restart_active, talk)
    _compare(folder, now["settings"])
    return at


def _verified(plan: Plan, driver: Driver, folder: Folder, begun: State) -> State:
    """The state, once stages of which nothing can be read are said to have failed: a machine that went down
    may have lost what the load generator had written last.
    """
    for each in begun.stages:
        if each.counted is None or each.stage.workload is None:
            continue
        try:
            driver.observe(plan, each.stage, folder.path / each.counted.folder)
        except InputError as error:
            text = f"its results cannot be read any more: {error}"
            folder.note("stage-failed", stage=each.stage.id, attempt=each.counted.number, text=text)
    return read_state(folder.path, plan)


def _resume(folder: Folder, begun: State, restart_active: bool, talk: Callable[[str], None]) -> int:
    """Decide where it goes on, and write it down; the index of the stage."""
    decision = decide(begun, restart_active=restart_active)
    stage = begun.stages[decision.at].stage.id
    after = max(0.0, time.time() - (begun.last or time.time()))
    folder.note("resumed", stage=stage, after=after, compliant=decision.compliant, why=decision.why)
    talk(f"resumed at {stage}: {decision.why}")
    return decision.at


def _state_or_none(folder: Folder, plan: Plan) -> State | None:
    """The state, ``None`` where it was ended before its journal began."""
    try:
        found = read_state(folder.path, plan)
    except InputError:
        if (folder.path / JOURNAL).exists():
            raise
        return None
    return found if found.begun is not None else None


def _stage(session: _Session, watch: _Watch, number: int) -> None:
    """One stage, with its events."""
    plan, folder, stage = session.plan, session.folder, session.plan.stages[number]
    if session.stop.is_set():
        _broken_off(session, None)
    attempt = watch.attempts.get(stage.id, 0) + 1
    watch.attempts[stage.id] = attempt
    place = folder.attempt(stage.id, attempt)
    started = time.monotonic()
    gap = None if session.ended is None else started - session.ended
    folder.note(
        "stage-started",
        stage=stage.id,
        attempt=attempt,
        folder=str(place.relative_to(folder.path)),
        rate_iops=stage.rate_iops,
        gap_s=gap,
    )
    watch.begin(number, started)
    wall, begun = time.time(), time.monotonic()
    failure: DriverError | InputError | None = None
    try:
        if session.driver.kind != "simulation" and stage.workload is not None:
            target.refuse_mounted(plan)
        session.driver.run(plan, stage, place, session.stop)
    except (DriverError, InputError) as error:
        failure = error
    except KeyboardInterrupt:  # the second one
        folder.note("interrupted", stage=stage.id)
        raise
    elapsed = time.monotonic() - begun
    if session.stop.is_set():
        _broken_off(session, stage)
    timed = session.driver.kind != "simulation" and stage.seconds is not None
    if failure is None and timed and elapsed < _LEAST_SHARE * (stage.seconds or 0):
        failure = DriverError("tool-failed", None, f"ended after {elapsed:.1f} s of {stage.seconds:g} s")
    if failure is not None:
        folder.note("stage-failed", stage=stage.id, attempt=attempt, text=failure.message)
        raise DriverError(
            failure.code,
            f"stage {stage.id} ({place})",
            failure.message,
            hint="what is measured is kept; the same command with `resume=True` continues",
        )
    session.ended = time.monotonic()
    folder.note("stage-ended", stage=stage.id, attempt=attempt)
    watch.ended.put(place)
    filled = number > 0 and plan.stages[number - 1].role == "prefill"
    if gap is not None and gap > session.gap_limit_s and not filled:
        _deviation(session, stage, f"{gap:.1f} s passed between {plan.stages[number - 1].id} and {stage.id}")
    step = (time.time() - wall) - (time.monotonic() - begun)
    if abs(step) > session.clock_limit_s:
        _deviation(session, stage, f"this host's clock was set by {step:+.1f} s during {stage.id}")


def _broken_off(session: _Session, stage: Stage | None) -> None:
    """Leave, saying why."""
    if session.folder.full.is_set():
        text = f"the file system of {session.folder.path} is full, or nearly so"
        if stage is not None:
            session.folder.note("stage-failed", stage=stage.id, attempt=0, text=text)
        raise DriverError(
            "unwritable",
            str(session.folder.path),
            "the file system is full, or nearly so",
            hint="free some space; the same command with `resume=True` continues",
        )
    session.folder.note("interrupted", stage=None if stage is None else stage.id)
    raise Stopped


def _deviation(session: _Session, stage: Stage, text: str) -> None:
    session.folder.note("deviation", stage=stage.id, text=text)


def _settle(session: _Session) -> None:
    """The settings once more, and what of them is not as it was."""
    after = _snapshot(session.plan, session.driver)
    try:
        session.folder.write(AFTER, settings.document(after))
        _compare(session.folder, after["settings"])
    except InputError:  # a full disk: what led here is the news
        if not session.folder.full.is_set():
            raise


def _compare(folder: Folder, now: dict[str, str]) -> None:
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


def _snapshot(plan: Plan, driver: Driver) -> dict[str, dict[str, str]]:
    files = [Path(plan.target.scenario)] if plan.target.scenario else []
    program = shutil.which(driver.kind)
    if program is not None:
        files.append(Path(program))
    return settings.snapshot(target.paths(plan), driver=driver.version(), files=files)


def _seams(session: _Session) -> list[dict[str, object]]:
    """Breaks between requests of two stages, as the load generator's own logs have them.

    What cannot be read, or has no request, is a deviation: a stage that ended should have left it.
    """
    if session.driver.kind == "simulation":
        return []
    found: list[dict[str, object]] = []
    before: float | None = None
    filled = False  # what follows the pre-fill may begin when it will
    state = read_state(session.folder.path, session.plan)
    for each in state.stages:
        stage, attempt = each.stage, each.counted
        if stage.workload is None or attempt is None:
            if attempt is not None:
                disturbed = idle_stage.disturbed(
                    session.folder.path / attempt.folder, target.paths(session.plan)
                )
                if disturbed:
                    _deviation(session, stage, disturbed)
            before = None
            continue
        try:
            seen = session.driver.observe(session.plan, stage, session.folder.path / attempt.folder)
        except InputError as error:
            _deviation(session, stage, f"its results cannot be read: {error}")
            before = None
            continue
        if isinstance(seen, Run):
            continue
        if not any(i.read.requests or i.write.requests for i in seen.intervals):
            _deviation(session, stage, f"not one request completed in {stage.id}")
        elif stage.role == "measurement":
            for limited in _limited(session.plan, stage, seen):
                _deviation(session, stage, limited.text)
        # Where no stage ended before it in its session, the resume has judged what it broke.
        if before is not None and attempt.gap_s is not None:
            gap = seen.start - before
            found.append({"stage": stage.id, "seconds": round(gap, 3)})
            known = attempt.gap_s > session.gap_limit_s  # the stage itself has said so
            if gap > session.gap_limit_s and not known and not filled:
                _deviation(session, stage, f"no request was made for {gap:.1f} s before {stage.id}")
        before, filled = seen.end, stage.role == "prefill"
    return found


def _limited(plan: Plan, stage: Stage, seen: Observation) -> Iterator[Finding]:
    """That the load generator was the limit of a measured stage."""
    rules = load(plan.rules.profile)
    limit = limit_ms(rules, plan.category) if stage.workload in RANDOM else None
    parts = [part for i in seen.intervals if i.counted for part in (i.read, i.write)]
    counted = [i for i in seen.intervals if i.counted] or seen.intervals
    seconds = counted[-1].end - counted[0].start
    requests = sum(part.requests for part in parts)
    timed = sum(part.known for part in parts if part.response_mean_s is not None)
    waited = math.fsum(
        part.known * part.response_mean_s for part in parts if part.response_mean_s is not None
    )
    made = generator.Load(
        asked_iops=None if stage.closed else seen.asked_iops or stage.rate_iops,
        achieved_iops=requests / seconds,
        response_s=waited / timed if timed else None,
        seconds=seconds,
        outstanding=seen.outstanding or outstanding(stage),
        busy_percent=seen.busy_percent,
    )
    yield from generator.limited(
        made,
        None if limit is None else limit / 1e3,
        keeps_up=rules.number("rate.achieved_percent", plan.category) / 100,
        scatter=3 * math.sqrt(requests) / seconds,
    )


class _Watch:
    """A thread beside the stages: reports progress, and sees to it that the disk does not fill."""

    def __init__(self, session: _Session) -> None:
        self._session = session
        self._done = threading.Event()
        self._at: tuple[int, float] | None = None
        #: Folders of stages that have ended: what is in them is brought to the disk beside the next stage.
        self.ended: queue.SimpleQueue[Path] = queue.SimpleQueue()
        state = read_state(session.folder.path, session.plan)
        self.attempts = {s.stage.id: len(s.attempts) for s in state.stages}
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)

    def __enter__(self) -> _Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()
        self._keep()

    def begin(self, number: int, started: float) -> None:
        """A stage has begun."""
        self._at = (number, started)
        self._report()

    def _run(self) -> None:
        while not self._done.wait(_LOOK_S):
            self._keep()
            try:
                free = shutil.disk_usage(self._session.folder.path).free
            except OSError:
                continue
            if free < LEAST_FREE_BYTES:
                self._session.folder.full.set()
            if self._session.folder.full.is_set():
                self._session.stop.set()
            self._report()

    def _keep(self) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                place = self.ended.get_nowait()
                for file in [*(path for path in place.rglob("*") if path.is_file()), place, place.parent]:
                    with contextlib.suppress(OSError):
                        opened = os.open(file, os.O_RDONLY)
                        try:
                            os.fsync(opened)
                        finally:
                            os.close(opened)

    def _report(self) -> None:
        if self._at is None:
            return
        number, started = self._at
        stages = self._session.plan.stages
        elapsed = time.monotonic() - started
        timed = [stage.seconds for stage in stages[number:] if stage.seconds is not None]
        self._session.progress(
            Progress(
                stages[number],
                number + 1,
                len(stages),
                elapsed,
                max(0.0, sum(timed) - min(elapsed, stages[number].seconds or 0.0)),
                len(stages) - number - len(timed),
                self._session.driver.kind == "simulation",
                self._session.recorders.watts,
            )
        )
