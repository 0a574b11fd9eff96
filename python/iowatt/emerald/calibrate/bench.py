"""Runs the points of a calibration: on the simulated array, or on real storage by a load generator.

A point on a simulated array is the phase itself, its warm-up and its measurement, after the stages that the
array remembers; so the measurement will give exactly what the point gave. On real storage a point is a short
run whose beginning is not counted.
"""

from __future__ import annotations

import hashlib
import math
import tempfile
import threading
from collections import Counter
from pathlib import Path
from typing import Final, Protocol

from iowatt.base.errors import InputError
from iowatt.emerald import targets
from iowatt.emerald.calibrate.outcome import PointOutcome, of_observation, of_run
from iowatt.emerald.conduct.drivers import SimulationDriver
from iowatt.emerald.driver import LoadDriver
from iowatt.emerald.plan import Plan, PlanStage
from iowatt.emerald.plan.load import outstanding
from iowatt.evaluate.search.highest import MOST_REQUESTS
from iowatt.evaluate.search.tasks import SearchJournal
from iowatt.run.bundle import Run

UNKNOWN_OUTSTANDING: Final = 32  #: Requests outstanding of a stage whose rate is not known yet.
# On real storage: counted seconds of a point, and seconds before them, at time scale 1 and at least.
_POINT_S, _LEAST_POINT_S = 180.0, 1.5
_SETTLE_S, _LEAST_SETTLE_S = 60.0, 0.5
_INTERVALS: Final = 20
_LEAST_INTERVALS: Final = 4


class Bench(Protocol):
    """Runs points."""

    kind: str  #: "simulation", "fio" or "vdbench".
    #: Whether points do exactly what the measurement will do, so that repeated runs do not differ.
    exact: bool

    def run(self, plan: Plan, stage: PlanStage, number: int) -> PointOutcome:
        """Run one point: the load of a measurement ``stage``, as ``plan`` has it.

        ``number`` counts the points of a calibration. Raises ``InputError`` or ``DriverError``.
        """

    def describe(self, stage: PlanStage) -> str:
        """The length of a point of a stage, in words."""


class SimulationBench:
    """Points on the plan's scenario."""

    kind: str = "simulation"
    exact: bool = True

    def __init__(self, driver: SimulationDriver, point_s: float | None = None) -> None:
        self._driver = driver
        self._point_s = point_s

    def run(self, plan: Plan, stage: PlanStage, number: int) -> PointOutcome:
        """The phase as it will be, or its beginning where points are shorter."""
        del number
        # Stages before the point whose rate is not known yet must run too: as closed loops.
        looped = plan.with_stages(lambda one: one.rate_unknown, closed=True, outstanding=UNKNOWN_OUTSTANDING)
        return of_run(self._driver.simulate(looped, stage))

    def shortened(self, plan: Plan, stage: PlanStage, rate: float | None) -> tuple[Plan, PlanStage]:
        """The plan as a point of the search has it: shortened if requested, with fewer stages before it.

        An array with lasting memory would be simulated from the first stage on for every point; a search
        takes the stage before the phase only, and what it finds is checked behind all of them.
        """
        plan = self._recent(plan, stage)
        whole = stage.seconds or 0.0
        seconds = min(whole, self._point_s or whole)
        if rate is not None:
            seconds = min(seconds, MOST_REQUESTS / rate)
        if seconds >= whole:
            return plan, stage
        share = seconds / whole
        stages = [
            one.model_copy(update={"seconds": one.seconds * share})
            if one.phase == stage.phase and one.seconds is not None
            else one
            for one in plan.stages
        ]
        changed = plan.model_copy(update={"stages": stages})
        return changed, next(one for one in stages if one.id == stage.id)

    def _recent(self, plan: Plan, stage: PlanStage) -> Plan:
        array = self._driver.array(plan)
        if array.memory != "lasting" or {"failures", "losses of the controller"} & set(array.remembers):
            return plan
        first = next(at for at, one in enumerate(plan.stages) if one.phase == stage.phase)
        if first and plan.stages[first - 1].seconds is not None:
            first -= 1
        return plan.model_copy(update={"stages": plan.stages[first:]})

    def describe(self, stage: PlanStage) -> str:
        """The phase itself, or how much of it."""
        if self._point_s is None or self._point_s >= (stage.seconds or 0.0):
            return f"the whole phase ({stage.seconds:g} s), simulated"
        return f"{self._point_s:g} s of the phase, simulated"


class DriverBench:
    """Points by a load generator, each in its own folder below ``folder``."""

    exact: bool = False

    def __init__(
        self,
        driver: LoadDriver,
        folder: Path,
        *,
        time_scale: float,
        point_s: float | None = None,
        settle_s: float | None = None,
        stop: threading.Event | None = None,
    ) -> None:
        self.kind = driver.kind
        self._driver, self._folder = driver, folder
        self.point_s = point_s or max(_LEAST_POINT_S, _POINT_S * time_scale)
        self.settle_s = max(_LEAST_SETTLE_S, _SETTLE_S * time_scale) if settle_s is None else settle_s
        self._stop = stop or threading.Event()
        self._interval_s = self.point_s / _INTERVALS
        if self.kind == "vdbench":  # counts in whole seconds, and leaves out the first interval
            self.point_s = float(math.ceil(max(_LEAST_INTERVALS, self.point_s)))
            self.settle_s = float(math.ceil(max(1, self.settle_s)))
            self._interval_s = float(max(1, self.point_s // _INTERVALS))

    def run(self, plan: Plan, stage: PlanStage, number: int) -> PointOutcome:
        """A short run of the stage's load."""
        until_s = self.settle_s + self.point_s
        update = {"seconds": until_s, "rule_seconds": None, "interval_s": self._interval_s}
        point = stage.model_copy(update={"id": f"{number:03d}-{stage.id}", **update})
        folder = self.stage(plan, point)
        try:
            observed = self._driver.observe(plan, point, folder)
        except InputError as error:
            if self.kind != "fio" or plan.hosts:
                raise
            return _by_totals(folder, error)
        if isinstance(observed, Run):
            return of_run(observed)
        if self.kind == "fio":  # its jobs end one by one, while the last requests complete
            until_s -= self._interval_s
        return of_observation(observed, self.settle_s, until_s=until_s, outstanding=outstanding(point))

    def stage(self, plan: Plan, stage: PlanStage) -> Path:
        """Run a stage as it is; the folder with what its driver left."""
        folder, number = self._folder / stage.id, 2
        while folder.exists():
            folder, number = self._folder / f"{stage.id}-again-{number}", number + 1
        try:
            folder.mkdir(parents=True)
        except OSError as error:
            raise InputError("unwritable", str(folder), f"cannot be made: {error.strerror}") from None
        targets.refuse_mounted(plan)
        self._driver.run(plan, stage, folder, self._stop)
        if self._stop.is_set():
            raise KeyboardInterrupt
        return folder

    def describe(self, stage: PlanStage) -> str:
        """Its seconds."""
        del stage
        settled = f"after {self.settle_s:g} s that are not counted"
        return f"{self.point_s:g} s {settled}, by {self._driver.version()}"


def _by_totals(folder: Path, error: InputError) -> PointOutcome:
    """A point by fio's totals alone, where its logs do not add up to them: overloaded jobs lose windows.

    Raises ``InputError`` where the totals cannot be read either.
    """
    from iowatt.emerald.conduct.drivers import FIO_OUTPUT
    from iowatt.sources.fio import read

    with tempfile.TemporaryDirectory() as empty:
        outcome = of_observation(read(folder / FIO_OUTPUT, logs_in=Path(empty)), 0.0)
    warning = f"the logs were left out, so that the point's beginning counts too: {error.message}"
    return outcome.model_copy(update={"warnings": (*outcome.warnings, warning)})


class KeptPoints:
    """Runs points on a bench and keeps their outcomes in a journal (a context manager).

    A point is identified by its plan, its stage and the number of its repetition: with another plan or
    another load it is run again. ``how`` is what else makes a point what it is.
    """

    def __init__(self, bench: Bench, file: Path, how: str) -> None:
        self._bench, self._how = bench, how
        self._journal = SearchJournal(file)
        self._repetitions: Counter[str] = Counter()
        self._own: set[str] = set()
        self.known = 0  #: Points that an earlier run had finished.

    def __enter__(self) -> KeptPoints:
        return self

    def __exit__(self, *_: object) -> None:
        self._journal.close()

    def __call__(self, plan: Plan, stage: PlanStage, number: int) -> PointOutcome:
        """The outcome of a point."""
        content = "\n".join((self._how, plan.model_dump_json(by_alias=True), stage.model_dump_json()))
        same = hashlib.sha256(content.encode()).hexdigest()
        if not self._bench.exact:  # the same again is another sample
            self._repetitions[same] += 1
        key = f"{same}/{self._repetitions[same]}"
        record = self._journal.records.get(key)
        if record is not None:
            self.known += key not in self._own
        else:
            self._own.add(key)
            outcome = self._bench.run(plan, stage, number).as_dict()
            record = self._journal.append(
                {"key": key, "phase": stage.phase, "number": number, "outcome": outcome}
            )
        return PointOutcome.model_validate(record["outcome"])
