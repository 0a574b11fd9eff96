"""The simulator as a load generator: each stage becomes a Run.

A stage begins with the state that earlier stages left, as far as the array remembers it
(:mod:`iowatt.emerald.conduct.drivers.course`). A rest is simulated too, with the array's power policies.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Final

from iowatt.base.document import TomlDocument
from iowatt.emerald.conduct.drivers import course as courses
from iowatt.emerald.conduct.drivers.course import Course, SimulatedArray
from iowatt.emerald.plan import Plan, PlanStage
from iowatt.evaluate import evaluation
from iowatt.model.scenario import Scenario
from iowatt.run import provenance
from iowatt.run.bundle import Run

RUN: Final = "run"  #: The bundle in a stage's folder.


class SimulationDriver:
    """Simulates stages, one at a time (the contract is :class:`iowatt.emerald.driver.LoadDriver`).

    ``base``: the folder that the plan's scenario is relative to, where it is not absolute.
    """

    kind: str = "simulation"

    def __init__(self, base: Path = Path()) -> None:
        self._base = base
        self._array: tuple[str | None, SimulatedArray] | None = None
        self._filled: dict[str, float] = {}  #: Seconds that a fill takes, by the text of its scenario.

    def version(self) -> str:
        """This program: iowatt-0.1.0."""
        return f"iowatt-{version('iowatt')}"

    def array(self, plan: Plan) -> SimulatedArray:
        """The array of a plan, read once. Raises ``InputError`` with what is wrong with it."""
        if self._array is None or self._array[0] != plan.target.scenario:
            self._array = (plan.target.scenario, courses.array(plan, self._base))
        return self._array[1]

    def check(self, plan: Plan) -> None:
        """Compile every stage before the first is simulated.

        Raises ``InputError`` where the scenario, its volume or a stage cannot be simulated.
        """
        array = self.array(plan)
        for stage in plan.stages:
            if stage.role == "com":
                continue
            # The length of a fill matters to times only.
            self._prepared(plan, array, courses.course(plan, stage, array.memory, lambda _: 1.0))

    def run(self, plan: Plan, stage: PlanStage, folder: Path, stop: threading.Event) -> None:
        """Simulate one stage and leave its Run in ``folder``; none where ``stop`` is set before the end.

        Raises ``InputError`` where the stage cannot be simulated.
        """
        try:
            run = self.simulate(plan, stage, stop)
        except _Stopped:
            return
        if not stop.is_set():  # a short simulation does not check it
            run.save(folder / RUN, force=True)

    def observe(self, plan: Plan, stage: PlanStage, folder: Path) -> Run:
        """The Run of a stage that has ended. Raises ``InputError`` where there is none."""
        del plan, stage
        return Run.open(folder / RUN)

    def simulate(self, plan: Plan, stage: PlanStage, stop: threading.Event | None = None) -> Run:
        """The Run of a stage, in memory. Raises ``InputError`` where the stage cannot be simulated."""
        array = self.array(plan)
        course = self._course(plan, array, stage, stop)
        run = self._simulated(plan, array, course, stop)
        run.summary["notes"] = [*run.summary["notes"], *_notes(array, course)]
        return run

    def _course(
        self, plan: Plan, array: SimulatedArray, stage: PlanStage, stop: threading.Event | None
    ) -> Course:
        def fill_s(before: PlanStage) -> float:
            return self._fill_s(plan, array, before, stop)

        return courses.course(plan, stage, array.memory, fill_s)

    def _fill_s(
        self, plan: Plan, array: SimulatedArray, stage: PlanStage, stop: threading.Event | None
    ) -> float:
        """How long a stage takes that ends when the whole range is written, in s.

        It is simulated with the stages before it; the same memory, seed and load give the same length.
        """
        course = self._course(plan, array, stage, stop)
        text = courses.text(plan, array, course)
        if text not in self._filled:
            window = self._simulated(plan, array, course, stop).summary["window"]
            self._filled[text] = window["end_s"] - window["start_s"]
        return self._filled[text]

    def _simulated(
        self, plan: Plan, array: SimulatedArray, course: Course, stop: threading.Event | None
    ) -> Run:
        work = self._prepared(plan, array, course)
        digest = provenance.Digest(evaluation.files(work, array.base))
        digest.start()
        try:
            return evaluation.simulate(
                work,
                inputs=digest.inputs,
                started_at=provenance.now(),
                command=f"stage {course.stage.id} of the plan {plan.name}",
                progress=_watch(stop),
                other_cpu_s=lambda: digest.cpu_s,
            )
        except BaseException:
            digest.cancel()
            raise

    def _prepared(self, plan: Plan, array: SimulatedArray, course: Course) -> evaluation.Prepared:
        text = courses.text(plan, array, course)
        document = TomlDocument(text, f"stage {course.stage.id} on {array.path}")
        return evaluation.prepare(document.validate(Scenario), array.base, text)


class _Stopped(Exception):
    """The measurement was stopped."""


def _watch(stop: threading.Event | None) -> Callable[[float | None, int], None]:
    def progress(_fraction: float | None, _requests: int) -> None:
        if stop is not None and stop.is_set():
            raise _Stopped

    return progress


def _notes(array: SimulatedArray, course: Course) -> list[str]:
    """Notes on the state that the simulation began with."""
    name, before = course.stage.id, [one.id for one in course.before]
    found = [f"stage {name} begins with the array as its scenario describes it"]
    if before:
        what = ", ".join(array.remembers) or "what is under way"
        found = [
            f"stage {name} is the end of one simulation of {', '.join([*before, name])}: it finds {what} as "
            f"{'that' if len(before) == 1 else 'they'} left it"
        ]
    if not course.whole:
        found[0] += f"; nothing from before {(before or [name])[0]} is carried"
    if not array.has_wall:
        found.append("the scenario has no array.power: power at the wall is not known")
    return found
