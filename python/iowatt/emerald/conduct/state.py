"""The state of a measurement from its journal: attempts, deviations, and where to resume."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from iowatt.emerald.conduct.result import Attempt, AttemptOutcome, Deviation, MeasurementResult, StageResult
from iowatt.emerald.measurement import Event, events
from iowatt.emerald.plan import Plan, PlanStage


@dataclass
class StageState:
    """A stage and its attempts, oldest first."""

    stage: PlanStage
    attempts: list[Attempt] = field(default_factory=list)

    @property
    def counted(self) -> Attempt | None:
        """The attempt whose figures count; ``None`` before one has finished."""
        return next((a for a in reversed(self.attempts) if a.outcome == "finished" and not a.set_aside), None)

    @property
    def status(self) -> str:
        """finished, waiting (set aside or never begun), failed, interrupted or broken."""
        if self.counted is not None:
            return "finished"
        if not self.attempts or self.attempts[-1].set_aside:
            return "waiting"
        return self.attempts[-1].outcome

    def set_aside(self) -> None:
        """Count no attempt so far."""
        self.attempts = [one.model_copy(update={"set_aside": True}) for one in self.attempts]

    def end(self, seconds: float, outcome: AttemptOutcome, text: str | None = None) -> None:
        """End the last attempt."""
        update = {"ended": seconds, "outcome": outcome, "text": text}
        self.attempts[-1] = self.attempts[-1].model_copy(update=update)


@dataclass
class MeasurementState:
    """The state of a measurement that its journal leads to."""

    plan: Plan
    stages: list[StageState]
    finished: bool = False
    begun: float | None = None  #: Unix time of the first and the last event; None where there is none.
    last: float | None = None
    deviations: list[Deviation] = field(default_factory=list)
    meters: list[dict[str, Any]] = field(default_factory=list)
    hosts: list[dict[str, Any]] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)
    resumed: int = 0
    seams: list[dict[str, Any]] = field(default_factory=list)

    @property
    def next(self) -> int:
        """Index of the first stage that has not finished; the number of stages where all have."""
        return next((i for i, s in enumerate(self.stages) if s.counted is None), len(self.stages))

    def index(self, stage: str | None) -> int:
        """Index of a stage in the plan; -1 where it is none."""
        return next((i for i, s in enumerate(self.stages) if s.stage.id == stage), -1)

    def result(self, path: Path) -> MeasurementResult:
        """The state as a document; ``path`` is its folder."""
        planned = [Deviation(stage=None, code=one.code, text=one.text) for one in self.plan.deviations]
        return MeasurementResult(
            path=str(path),
            name=self.plan.name,
            source=self.plan.source,
            rules=self.plan.rules.profile,
            finished=self.finished,
            compliant=not (planned or self.deviations),
            deviations=[*planned, *self.deviations],
            begun=self.begun,
            last=self.last,
            resumed=self.resumed,
            settings_changed=self.changes,
            meter_failures=self.meters,
            host_failures=self.hosts,
            seams=self.seams,
            stages=[
                StageResult(
                    stage=one.stage.id,
                    phase=one.stage.phase,
                    role=one.stage.role,
                    status=one.status,
                    counted=None if one.counted is None else one.counted.number,
                    attempts=one.attempts,
                )
                for one in self.stages
            ],
        )


def read_state(folder: Path, plan: Plan) -> MeasurementState:
    """The state of the measurement in ``folder``. Raises ``InputError`` where its journal cannot be read."""
    return state_of(plan, list(events(folder)))


def state_of(plan: Plan, journal: Sequence[Event]) -> MeasurementState:
    """The state that a journal's events lead to."""
    state = MeasurementState(plan, [StageState(stage) for stage in plan.stages])
    for event in journal:
        state.begun = event.at if state.begun is None else state.begun
        state.last = event.at
        _apply(state, event)
    return state


def _apply(state: MeasurementState, event: Event) -> None:
    values = event.values
    at = state.index(values.get("stage"))
    stage = state.stages[at] if at >= 0 else StageState(state.plan.stages[0])
    match event.event:
        case "resumed":
            _apply_resumed(state, at, values)
        case "stage-started":
            stage.set_aside()
            number, folder = values["attempt"], values["folder"]
            attempt = Attempt(number=number, folder=folder, started=event.at, gap_s=values.get("gap_s"))
            stage.attempts.append(attempt)
        case "stage-ended" if stage.attempts:
            stage.end(event.at, "finished")
        case "stage-failed" if stage.attempts:
            stage.end(event.at, "failed", values["text"])
        case "interrupted" if stage.attempts and stage.attempts[-1].ended is None:
            stage.end(event.at, "interrupted")
        case "deviation":
            state.deviations.append(Deviation(stage=values["stage"], code="deviation", text=values["text"]))
        case "settings-changed":
            state.changes.append(values["what"])
            text = f"a setting was changed: {values['what']}"
            deviation = Deviation(stage=values.get("stage"), code="settings-changed", text=text)
            state.deviations.append(deviation)
        case "host-lost" | "host-back":
            state.hosts.append({"at": event.at, "event": event.event, **values})
        case "meter-failed" | "meter-back":
            state.meters.append({"at": event.at, "event": event.event, **values})
        case "finished":
            state.finished = True
            state.seams = list(values.get("seams", []))


def _apply_resumed(state: MeasurementState, at: int, values: dict[str, Any]) -> None:
    """Discard attempts and deviations from the resumed stage on, which is repeated."""
    state.resumed += 1
    state.deviations = [one for one in state.deviations if one.stage is None or state.index(one.stage) < at]
    for stage in state.stages[max(at, 0) :]:
        stage.set_aside()
    if not values["compliant"]:
        deviation = Deviation(stage=values["stage"], code="interrupted", text=values["why"])
        state.deviations.append(deviation)


_ACTIVE = ("warmup", "measurement")


@dataclass(frozen=True)
class Decision:
    """The stage where a measurement is resumed, and whether its result can still comply."""

    at: int  #: Index of the stage.
    compliant: bool
    why: str


def decide(state: MeasurementState, *, restart_active: bool) -> Decision:
    """Where a measurement with stages left is resumed, and whether its result can still comply.

    The active test is to be uninterrupted and ready idle follows it directly (training on version
    1.0 of the specification); conditioning gives it its history. So what is broken before the active test is
    repeated from the conditioning on, and nothing is lost. What is broken within it cannot be mended by
    resuming: figures of single phases are kept, and the result states the break, unless all of the test is
    repeated. The breaks that later versions allow were not available.

    ``restart_active``: repeat the conditioning and the whole active test where it was broken, instead of one
    phase.
    """
    stages = [one.stage for one in state.stages]
    at = state.next
    stage = stages[at]
    if state.plan.source == "simulation":
        return Decision(at, True, f"{stage.id} is simulated; a simulated array notices no break")
    if stage.role == "prefill":
        return Decision(at, True, f"{stage.id} starts again; nothing that counts was lost")
    if stage.role == "com":
        return Decision(at, True, f"{stage.id} starts again; it does not depend on earlier stages")
    first = _first_of_run(stages, at, ("conditioning", *_ACTIVE, "idle"))
    if restart_active or at == first or stage.role == "conditioning":
        return Decision(first, True, f"the whole sequence from {stages[first].id} on is repeated")
    if stage.role == "idle":
        return Decision(at, False, f"{stage.id} did not follow the active test directly: it was broken off")
    begin = _first_of_run(stages, at, _ACTIVE, phase=stage.phase)
    if all(one.role not in _ACTIVE for one in stages[:begin]):
        why = "the active test did not follow the conditioning directly: it was broken off"
    else:
        why = (
            f"the active test was broken off; phase {stage.phase} was repeated with its warm-up, "
            "and not the whole test"
        )
    return Decision(begin, False, why)


def _first_of_run(stages: list[PlanStage], at: int, roles: tuple[str, ...], phase: str | None = None) -> int:
    """The first of the consecutive stages of these roles that end at ``at``."""
    while at > 0 and stages[at - 1].role in roles and phase in (None, stages[at - 1].phase):
        at -= 1
    return at
