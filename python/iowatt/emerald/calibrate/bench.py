"""Where the points of a calibration are run: the simulated array, or real storage by a load generator.

A point of a simulated array is the phase itself: its warm-up and its measurement, behind what the array
remembers, so that what calibration found is what the measurement will show. On real storage a point is a
short run of its own, of which the beginning is not counted.
"""

from __future__ import annotations

import math
import tempfile
import threading
from dataclasses import replace
from pathlib import Path
from typing import Final, Protocol

from iowatt.base.errors import InputError
from iowatt.emerald.calibrate.outcome import Outcome, of_observation, of_run
from iowatt.emerald.conduct import target as targets
from iowatt.emerald.conduct.simulation_driver import SimulationDriver
from iowatt.emerald.driver import Driver
from iowatt.emerald.plan.model import Plan, Stage
from iowatt.emerald.plan.workloads import outstanding
from iowatt.evaluate.search.rate.measurement import MOST_REQUESTS
from iowatt.run.bundle import Run

#: Requests outstanding where a stage runs as fast as it can because its rate is not known yet.
UNKNOWN_OUTSTANDING: Final = 32
# Of real storage: s of a point that are counted, and before that, at time scale 1 and at least.
_POINT_S, _LEAST_POINT_S = 180.0, 1.5
_SETTLE_S, _LEAST_SETTLE_S = 60.0, 0.5
_INTERVALS: Final = 20
_LEAST_INTERVALS: Final = 4


class Bench(Protocol):
    """Runs points."""

    #: "simulation", "fio" or "vdbench".
    kind: str
    #: Whether points do exactly what the measurement will do, and so have no noise of their own.
    exact: bool

    def run(self, plan: Plan, stage: Stage, number: int) -> Outcome:
        """One point: the load of a measurement ``stage``, as it stands in ``plan``.

        ``number`` counts the points of a calibration. Raises ``InputError`` or ``DriverError``.
        """

    def describe(self, stage: Stage) -> str:
        """How long a point of a stage is, in words."""


class SimulationBench:
    """Points on the plan's scenario."""

    kind: str = "simulation"
    exact: bool = True

    def __init__(self, driver: SimulationDriver, point_s: float | None = None) -> None:
        self._driver = driver
        self._point_s = point_s

    def run(self, plan: Plan, stage: Stage, number: int) -> Outcome:
        """The phase as it will be, or its beginning where a point is to be shorter."""
        del number
        return of_run(self._driver.simulate(runnable(plan), stage))

    def shortened(self, plan: Plan, stage: Stage, rate: float | None) -> tuple[Plan, Stage]:
        """The plan as a point of the search has it: a shorter phase where one is asked for, less before it.

        An array that remembers for good would be simulated from the first stage on for every point; a search
        makes do with the stage before the phase, and what it finds is checked behind all of them.
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

    def _recent(self, plan: Plan, stage: Stage) -> Plan:
        array = self._driver.array(plan)
        if array.memory != "lasting" or {"failures", "losses of the controller"} & set(array.remembers):
            return plan
        first = next(at for at, one in enumerate(plan.stages) if one.phase == stage.phase)
        if first and plan.stages[first - 1].seconds is not None:
            first -= 1
        return plan.model_copy(update={"stages": plan.stages[first:]})

    def describe(self, stage: Stage) -> str:
        """The phase itself, or how much of it."""
        if self._point_s is None or self._point_s >= (stage.seconds or 0.0):
            return f"the whole phase ({stage.seconds:g} s), simulated"
        return f"{self._point_s:g} s of the phase, simulated"


def runnable(plan: Plan) -> Plan:
    """The plan with stages whose rate nobody knows yet as closed loops: what precedes a point must run."""
    return plan.model_copy(
        update={
            "stages": [
                one.model_copy(update={"closed": True, "outstanding": UNKNOWN_OUTSTANDING})
                if one.workload is not None and not one.closed and one.rate_iops is None
                else one
                for one in plan.stages
            ]
        }
    )


def _by_totals(folder: Path, error: InputError) -> Outcome:
    """A point by fio's totals alone, where its logs do not add up to them: overloaded jobs lose windows.

    Raises ``InputError`` where the totals cannot be read either.
    """
    from iowatt.emerald.conduct.fio_driver import OUTPUT
    from iowatt.sources.fio import read

    with tempfile.TemporaryDirectory() as nowhere:
        seen = read(folder / OUTPUT, logs_in=Path(nowhere))
    made = of_observation(seen, 0.0)
    return replace(
        made,
        warnings=(
            *made.warnings,
            f"the logs were left out, so that the point's beginning counts too: {error.message}",
        ),
    )


class DriverBench:
    """Points by a load generator, each in a folder of its own below ``folder``."""

    exact: bool = False

    def __init__(
        self,
        driver: Driver,
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
            self.point_s, self.settle_s = (
                float(math.ceil(max(least, asked)))
                for least, asked in ((_LEAST_INTERVALS, self.point_s), (1, self.settle_s))
            )
            self._interval_s = float(max(1, self.point_s // _INTERVALS))

    def run(self, plan: Plan, stage: Stage, number: int) -> Outcome:
        """A short run of the stage's load."""
        point = stage.model_copy(
            update={
                "id": f"{number:03d}-{stage.id}",
                "seconds": self.settle_s + self.point_s,
                "rule_seconds": None,
                "interval_s": self._interval_s,
            }
        )
        folder = self.stage(plan, point)
        try:
            seen = self._driver.observe(plan, point, folder)
        except InputError as error:
            if self.kind != "fio":
                raise
            return _by_totals(folder, error)
        if isinstance(seen, Run):
            return of_run(seen)
        until_s = self.settle_s + self.point_s
        if self.kind == "fio":  # whose jobs end one by one, while the last requests complete
            until_s -= self._interval_s
        return of_observation(seen, self.settle_s, until_s=until_s, outstanding=outstanding(point))

    def stage(self, plan: Plan, stage: Stage) -> Path:
        """Run a stage as it is; the folder in which its driver left what it observed."""
        folder = self._folder / stage.id
        if folder.exists():
            folder = next(
                place
                for place in (self._folder / f"{stage.id}-again-{n}" for n in range(2, 10_000))
                if not place.exists()
            )
        try:
            folder.mkdir(parents=True)
        except OSError as error:
            raise InputError("unwritable", str(folder), f"cannot be made: {error.strerror}") from None
        targets.refuse_mounted(plan)
        self._driver.run(plan, stage, folder, self._stop)
        if self._stop.is_set():
            raise KeyboardInterrupt
        return folder

    def describe(self, stage: Stage) -> str:
        """Its seconds."""
        del stage
        return (
            f"{self.point_s:g} s behind {self.settle_s:g} s that are not counted, by {self._driver.version()}"
        )
