"""The course of a simulated measurement: which stages one simulation holds, and when.

Each stage becomes a Run of its own, and each of these Runs is one continuous simulation that begins with what
the array remembers and is cut at the stage. So the warm-up's Run is the beginning of the measurement's: same
seed, same requests, same times. How far back a simulation begins:

- an array that remembers for good (flash translation, virtual pools with tiers or placement, failures and
  losses at their times) begins with the first stage of the plan;
- one that remembers what it saw lately (cache of the controller, power policies of drives) begins with the
  stage before the phase;
- one that remembers nothing but what is in its drives' buffers begins with the phase.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from iowatt.base.document import Document, read_text
from iowatt.base.errors import InputError
from iowatt.emerald.plan import workloads
from iowatt.emerald.plan.model import Plan, Stage
from iowatt.evaluate.tiers import build
from iowatt.model.scenario.model import Scenario
from iowatt.model.scenario.resolved import System
from iowatt.model.scenario.system import resolve

Memory = Literal["none", "recent", "lasting"]
#: Names of runs are names of scenarios.
_LONGEST_NAME: Final = 100


@dataclass(frozen=True)
class SimulatedArray:
    """The scenario of a plan: what is measured, and what of it is as the plan wants it."""

    path: Path
    raw: Mapping[str, Any]
    #: Name and bytes of the volume that is measured: the first.
    volume: str
    capacity: int
    memory: Memory
    #: What gives it that memory, in words.
    remembers: tuple[str, ...]
    #: Whether its power at the wall is modelled.
    has_wall: bool

    @property
    def base(self) -> Path:
        """What the scenario's paths are relative to."""
        return self.path.parent

    def span(self, plan: Plan) -> int:
        """The tested range in bytes: whole requests of 256 KiB.

        Raises ``InputError`` where the volume is smaller than what the plan asks for, or than one request.
        """
        asked = plan.target.size_bytes
        if asked is not None and asked > self.capacity:
            raise InputError(
                "out-of-range",
                "plan: target.size_bytes",
                f"the tested range of {asked} bytes is more than volume {self.volume!r} of "
                f"{self.capacity} bytes in {self.path}",
                hint="give a smaller range, or leave it out to test the whole volume",
            )
        whole = (asked or self.capacity) // workloads.STREAM_BYTES * workloads.STREAM_BYTES
        if whole == 0:
            raise InputError(
                "out-of-range",
                "plan: target.size_bytes",
                f"{asked or self.capacity} bytes are less than one request of 256KiB",
            )
        return whole


def array(plan: Plan, base: Path) -> SimulatedArray:
    """The array of a plan; ``base`` is the folder that its scenario is relative to.

    Raises
    ------
    InputError
        The plan names no scenario, or what is wrong with it.
    """
    if plan.target.scenario is None:
        raise InputError(
            "missing",
            "plan: target.scenario",
            "the plan names no scenario to simulate",
            hint="give `iowatt emerald plan` one: `scenario=SCENARIO.toml`",
        )
    path = base / plan.target.scenario
    document = Document(read_text(path), str(path))
    document.raw["workload"] = []
    document.raw["observe"] = {"duration": "1s"}
    scenario = document.validate(Scenario)
    system = resolve(scenario, path.parent)
    document.fail(system.problems)
    first = system.volumes[0]
    memory, remembers = _memory(scenario, system)
    return SimulatedArray(
        path, document.raw, first.name, first.capacity, memory, remembers, scenario.array.power is not None
    )


def _memory(scenario: Scenario, system: System) -> tuple[Memory, tuple[str, ...]]:
    from iowatt.model.library.ssd.drive import Ssd

    lasting, recent = [], []
    if any(isinstance(pool.drive, Ssd) and pool.drive.geometry is not None for pool in system.pools):
        lasting.append("flash translation")
    if system.virtual_pools:
        lasting.append("virtual pools")
    if any(pool.failure for pool in scenario.array.pool):
        lasting.append("failures")
    controller = scenario.array.controller
    if controller is not None:
        if controller.loss:
            lasting.append("losses of the controller")
        if controller.cache is not None:
            recent.append("the controller's cache")
    if any(pool.power.policy != "never" for pool in scenario.array.pool):
        recent.append("power policies of drives")
    if lasting:
        return "lasting", (*lasting, *recent)
    return ("recent" if recent else "none"), tuple(recent)


@dataclass(frozen=True)
class Part:
    """Stages that one workload serves, or a rest, and its time in the simulation in s."""

    stages: tuple[Stage, ...]
    start: float
    #: None where nothing but the last request ends it (fill), and it is the last part.
    end: float | None


@dataclass(frozen=True)
class Course:
    """One simulation: the parts from its beginning to a stage, and the window of that stage in s."""

    stage: Stage
    parts: tuple[Part, ...]
    start: float
    end: float | None
    #: Whether it begins with the first stage of the plan.
    whole: bool

    @property
    def before(self) -> tuple[Stage, ...]:
        """Stages that are simulated before the one that is observed."""
        listed = [stage for part in self.parts for stage in part.stages]
        return tuple(listed[: [stage.id for stage in listed].index(self.stage.id)])


def course(plan: Plan, stage: Stage, memory: Memory, filled: Callable[[Stage], float]) -> Course:
    """The simulation whose window is ``stage``.

    Parameters
    ----------
    filled:
        How long a stage takes that ends when the whole range is written, in s; asked only for stages before
        ``stage``.
    """
    stages = [one for one in plan.stages if one.role != "com"]
    names = [one.id for one in stages]
    if stage.id not in names:
        raise InputError(
            "unknown-name", f"plan {plan.name}", f"the plan has no stage {stage.id!r} that can be simulated"
        )
    at = names.index(stage.id)
    stages[at] = stage
    groups = _groups(stages)
    mine = next(number for number, group in enumerate(groups) if at in group)
    first = {"none": mine, "recent": max(0, mine - 1), "lasting": 0}[memory]
    parts: list[Part] = []
    now = 0.0
    window: tuple[float, float | None] = (0.0, None)
    for group in groups[first : mine + 1]:
        begin = now
        ends: float | None = begin
        for index in group:
            one = stages[index]
            seconds = one.seconds
            if seconds is None and one.id != stage.id:
                seconds = filled(one)
            ends = None if seconds is None else now + seconds
            if one.id == stage.id:
                window = (now, ends)
            if ends is not None:
                now = ends
        parts.append(Part(tuple(stages[index] for index in group), begin, ends))
    return Course(stage, tuple(parts), *window, whole=first == 0)


def _groups(stages: Sequence[Stage]) -> list[list[int]]:
    """Stages that are one stretch of one workload: a phase's warm-up and its measurement."""
    groups: list[list[int]] = []
    for index, stage in enumerate(stages):
        before = stages[index - 1] if index else None
        if before is not None and before.seconds is not None and _load(before) == _load(stage):
            groups[-1].append(index)
        else:
            groups.append([index])
    return groups


def _load(stage: Stage) -> tuple[Any, ...]:
    load = (stage.outstanding, stage.streams) if stage.closed else (stage.rate_iops,)
    return (stage.phase, stage.workload, stage.closed, *load)


def text(plan: Plan, array: SimulatedArray, course: Course) -> str:
    """The scenario of a course, with its paths relative to what those of the plan's scenario are."""
    raw = copy.deepcopy(dict(array.raw))
    raw.pop("workload", None)
    span = array.span(plan)
    named = [part for part in course.parts if part.stages[0].workload is not None]
    made = [_workload(plan, part, array.volume, span) for part in named]
    name = f"{raw['name']}-{course.stage.id}"
    raw["name"], raw["seed"] = name[:_LONGEST_NAME], plan.seed
    observe: dict[str, Any] = {"interval": _time(course.stage.interval_s), "warmup": _time(course.start)}
    if course.end is not None:
        observe["duration"] = _time(course.end)
    body: dict[str, Any] = {"name": raw["name"], "seed": raw["seed"]}
    if made:
        body["workload"] = made
    body |= {"array": raw["array"], "observe": observe}
    return build.toml_document(
        body,
        (
            f"Stage {course.stage.id} of the plan {plan.name}: the array of {array.path.name}, with the work "
            "of the plan in place of its own.",
        ),
    )


def _workload(plan: Plan, part: Part, volume: str, span: int) -> dict[str, Any]:
    stage = part.stages[0]
    profile: dict[str, Any] = {"name": workloads.profile_name(str(stage.workload)), "span": f"{span}B"}
    changes = workloads.overrides(plan, stage)
    if stage.workload == workloads.FILL:
        profile["requests"] = span // workloads.STREAM_BYTES
        if stage.streams > 1:
            changes.append(f'stream.sw.access={{pattern="sequential",streams={stage.streams}}}')
    if not stage.closed:
        profile["rate_iops"] = workloads.rate_of(stage)
    if changes:
        profile["set"] = changes
    ends = {} if part.end is None else {"end": _time(part.end)}
    return {"name": _named(stage), "volume": volume, "profile": profile, "start": _time(part.start), **ends}


def _named(stage: Stage) -> str:
    """A workload's name: that of the phase, with a letter first."""
    plain = "".join(c if c.isalnum() or c in "_-" else "-" for c in stage.phase)
    return plain if plain[:1].isalpha() else f"phase-{plain}"


def _time(seconds: float) -> str:
    return f"{seconds!r}s" if isinstance(seconds, float) else f"{seconds}s"
