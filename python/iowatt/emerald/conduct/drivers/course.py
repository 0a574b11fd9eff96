"""Which stages of a measurement one simulation holds, and when.

Each stage becomes a Run, cut from one continuous simulation that begins with what the array remembers. So
the Run of a warm-up is the beginning of that of the measurement: same seed, same requests, same times. A
simulation begins:

- with the first stage of the plan, where the array's memory is lasting (flash translation, virtual pools
  with tiers or placement, failures and losses at set times);
- with the stage before the phase, where it is recent (cache of the controller, power policies of drives,
  cartridges in the drives of a library);
- with the phase, where only the buffers of drives remember anything.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from iowatt.base.errors import InputError
from iowatt.base.toml_writer import toml_document
from iowatt.emerald.phases import FILL
from iowatt.emerald.plan import Plan, PlanStage
from iowatt.emerald.plan.load import STREAM_BYTES, overrides, profile_name, rate_of
from iowatt.model.scenario import ResolvedSystem, Scenario, idle_system

Memory = Literal["none", "recent", "lasting"]
_LONGEST_NAME: Final = 100  #: Names of runs are names of scenarios.


@dataclass(frozen=True)
class SimulatedArray:
    """The scenario of a plan, with the volume that is measured."""

    path: Path
    raw: Mapping[str, Any]
    volume: str  #: Name and bytes of the volume that is measured: the first.
    capacity: int
    memory: Memory
    remembers: tuple[str, ...]  #: What has that memory, in words.
    has_wall: bool  #: Whether its power at the wall is modelled.

    @property
    def base(self) -> Path:
        """The folder that the scenario's paths are relative to."""
        return self.path.parent

    def span(self, plan: Plan) -> int:
        """The tested range in bytes: whole requests of 256 KiB.

        Raises ``InputError`` where the volume is smaller than the plan's range, or than one request.
        """
        planned = plan.target.size_bytes
        if planned is not None and planned > self.capacity:
            text = (
                f"the tested range of {planned} bytes is more than volume {self.volume!r} of "
                f"{self.capacity} bytes in {self.path}"
            )
            hint = "give a smaller range, or leave it out to test the whole volume"
            raise InputError("out-of-range", "plan: target.size_bytes", text, hint=hint)
        whole = (planned or self.capacity) // STREAM_BYTES * STREAM_BYTES
        if whole == 0:
            text = f"{planned or self.capacity} bytes are less than one request of 256KiB"
            raise InputError("out-of-range", "plan: target.size_bytes", text)
        return whole


def array(plan: Plan, base: Path) -> SimulatedArray:
    """The array of a plan; ``base`` is the folder that its scenario is relative to.

    Raises ``InputError``: the plan names no scenario, or what is wrong with it.
    """
    if plan.target.scenario is None:
        text = "the plan has no scenario to simulate"
        hint = "give `iowatt emerald plan` one: `scenario=SCENARIO.toml`"
        raise InputError("missing", "plan: target.scenario", text, hint=hint)
    path = base / plan.target.scenario
    scenario, system, document = idle_system(path)
    first = system.volumes[0]
    memory, remembers = _memory(scenario, system)
    has_wall = scenario.has_wall_power
    return SimulatedArray(path, document.raw, first.name, first.capacity, memory, remembers, has_wall)


def _memory(scenario: Scenario, system: ResolvedSystem) -> tuple[Memory, tuple[str, ...]]:
    from iowatt.model.library.ssd import Ssd

    controller = scenario.array.controller
    pools = [pool.pool for pool in system.pools]
    flash = any(isinstance(pool.drive, Ssd) and pool.drive.geometry is not None for pool in system.pools)
    lasting = {
        "flash translation": flash,
        "virtual pools": bool(system.virtual_pools),
        "failures": any(pool.failure for pool in pools)
        or any(cluster.keys.failure for cluster in system.clusters),
        "losses of the controller": controller is not None and bool(controller.loss),
    }
    recent = {
        "the controller's cache": controller is not None and controller.cache is not None,
        "power policies of drives": any(pool.power.policy != "never" for pool in pools),
        "cartridges in drives": bool(system.libraries),
    }
    remembers = tuple(name for name, present in {**lasting, **recent}.items() if present)
    if any(lasting.values()):
        return "lasting", remembers
    return "recent" if remembers else "none", remembers


@dataclass(frozen=True)
class CoursePart:
    """Stages served by one workload, or a rest, and its time in the simulation in s."""

    stages: tuple[PlanStage, ...]
    start: float
    end: float | None  #: None where it ends with its last request (fill); it is then the last part.


@dataclass(frozen=True)
class Course:
    """One simulation: the parts from its beginning to a stage, and the window of that stage in s."""

    stage: PlanStage
    parts: tuple[CoursePart, ...]
    start: float
    end: float | None
    whole: bool  #: Whether it begins with the first stage of the plan.

    @property
    def before(self) -> tuple[PlanStage, ...]:
        """Stages that are simulated before the one that is observed."""
        stages = [stage for part in self.parts for stage in part.stages]
        return tuple(stages[: [stage.id for stage in stages].index(self.stage.id)])


def course(plan: Plan, stage: PlanStage, memory: Memory, fill_s: Callable[[PlanStage], float]) -> Course:
    """The simulation whose window is ``stage``.

    ``fill_s``: length in s of a stage that ends when the whole range is written; called for stages before
    ``stage``.
    """
    stages = [one for one in plan.stages if one.role != "com"]
    index = next((number for number, one in enumerate(stages) if one.id == stage.id), None)
    if index is None:
        text = f"the plan has no stage {stage.id!r} that can be simulated"
        raise InputError("unknown-name", f"plan {plan.name}", text)
    stages[index] = stage
    groups = _groups(stages)
    own = next(number for number, group in enumerate(groups) if stage in group)
    first = {"none": own, "recent": max(0, own - 1), "lasting": 0}[memory]
    parts: list[CoursePart] = []
    now, start, end = 0.0, 0.0, None
    for group in groups[first : own + 1]:
        begun: float = now
        ends: float | None = now
        for one in group:
            seconds = fill_s(one) if one.seconds is None and one is not stage else one.seconds
            ends = None if seconds is None else now + seconds
            if one is stage:
                start, end = now, ends
            now = now if ends is None else ends
        parts.append(CoursePart(tuple(group), begun, ends))
    return Course(stage, tuple(parts), start, end, whole=first == 0)


def _groups(stages: Sequence[PlanStage]) -> list[list[PlanStage]]:
    """Consecutive stages of one workload at one load: a phase's warm-up and its measurement."""
    groups: list[list[PlanStage]] = []
    for stage in stages:
        last = groups[-1][-1] if groups else None
        if last is not None and last.seconds is not None and _load(last) == _load(stage):
            groups[-1].append(stage)
        else:
            groups.append([stage])
    return groups


def _load(stage: PlanStage) -> tuple[Any, ...]:
    load = (stage.outstanding, stage.streams) if stage.closed else (stage.rate_iops,)
    return (stage.phase, stage.workload, stage.closed, *load)


def text(plan: Plan, array: SimulatedArray, course: Course) -> str:
    """The scenario of a course; its paths are relative to the folder of the plan's scenario."""
    span = array.span(plan)
    requesting = [part for part in course.parts if part.stages[0].workload is not None]
    workload = [_workload(plan, part, array.volume, span) for part in requesting]
    observe: dict[str, Any] = {"interval": _time(course.stage.interval_s), "warmup": _time(course.start)}
    if course.end is not None:
        observe["duration"] = _time(course.end)
    body: dict[str, Any] = {
        "name": f"{array.raw['name']}-{course.stage.id}"[:_LONGEST_NAME],
        "seed": plan.seed,
        **({"workload": workload} if workload else {}),
        "array": copy.deepcopy(array.raw["array"]),
        "observe": observe,
    }
    return toml_document(
        body,
        (
            f"Stage {course.stage.id} of the plan {plan.name}: the array of {array.path.name}, with the work "
            "of the plan in place of its own.",
        ),
    )


def _workload(plan: Plan, part: CoursePart, volume: str, span: int) -> dict[str, Any]:
    stage = part.stages[0]
    profile: dict[str, Any] = {"name": profile_name(str(stage.workload)), "span": f"{span}B"}
    changes = overrides(plan, stage)
    if stage.workload == FILL:
        profile["requests"] = span // STREAM_BYTES
        if stage.streams > 1:
            changes.append(f'stream.sw.access={{pattern="sequential",streams={stage.streams}}}')
    if not stage.closed:
        profile["rate_iops"] = rate_of(stage)
    if changes:
        profile["set"] = changes
    ends = {} if part.end is None else {"end": _time(part.end)}
    return {"name": _name(stage), "volume": volume, "profile": profile, "start": _time(part.start), **ends}


def _name(stage: PlanStage) -> str:
    """A workload's name: that of the phase, with a letter first."""
    plain = "".join(c if c.isalnum() or c in "_-" else "-" for c in stage.phase)
    return plain if plain[:1].isalpha() else f"phase-{plain}"


def _time(seconds: float) -> str:
    return f"{seconds!r}s" if isinstance(seconds, float) else f"{seconds}s"
