"""Where a measurement stands: its journal as attempts at stages, and what stands against its results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from iowatt.emerald.measurement import Event, events
from iowatt.emerald.plan.model import Plan, Stage

STATE_SCHEMA: Final = "iowatt.emerald-run/1"

#: "broken": the journal ends in its middle, so iowatt or the machine went down.
Outcome = Literal["finished", "failed", "interrupted", "broken"]


@dataclass
class Attempt:
    """One attempt at a stage."""

    number: int
    #: Below the measurement's folder.
    folder: str
    started: float
    gap_s: float | None
    ended: float | None = None
    outcome: Outcome = "broken"
    #: What went wrong.
    text: str | None = None
    #: Whether a later attempt, or one that repeats the stages before it, stands in its place.
    set_aside: bool = False

    def as_dict(self) -> dict[str, Any]:
        """As ``--json`` has it."""
        return {
            "attempt": self.number,
            "folder": self.folder,
            "started": self.started,
            "ended": self.ended,
            "outcome": self.outcome,
            "gap_s": self.gap_s,
            "set_aside": self.set_aside,
            "text": self.text,
        }


@dataclass
class StageState:
    """A stage and its attempts, oldest first."""

    stage: Stage
    attempts: list[Attempt] = field(default_factory=list)

    @property
    def counted(self) -> Attempt | None:
        """The attempt whose figures count; ``None`` while there is none."""
        return next((a for a in reversed(self.attempts) if a.outcome == "finished" and not a.set_aside), None)

    @property
    def status(self) -> str:
        """finished, waiting (set aside or never begun), failed, interrupted or broken."""
        if self.counted is not None:
            return "finished"
        if not self.attempts or self.attempts[-1].set_aside:
            return "waiting"
        return self.attempts[-1].outcome


@dataclass(frozen=True)
class Deviation:
    """Something that stands against the results; of a stage, or of all (None)."""

    stage: str | None
    #: Stable name for programs.
    code: Literal["deviation", "settings-changed", "interrupted"]
    text: str

    def as_dict(self) -> dict[str, Any]:
        """As ``--json`` has it."""
        return {"stage": self.stage, "code": self.code, "text": self.text}


@dataclass
class State:
    """A measurement as its journal has it."""

    plan: Plan
    stages: list[StageState]
    finished: bool = False
    #: Unix time of the first and the last event; None where there is none.
    begun: float | None = None
    last: float | None = None
    deviations: list[Deviation] = field(default_factory=list)
    meters: list[dict[str, Any]] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)
    resumed: int = 0
    #: Seconds without a request between stages, as the load generator's own logs show them.
    seams: list[dict[str, Any]] = field(default_factory=list)

    @property
    def next(self) -> int:
        """Index of the first stage that has not finished; the number of stages where all have."""
        return next((i for i, s in enumerate(self.stages) if s.counted is None), len(self.stages))

    def index(self, stage: str | None) -> int:
        """Place of a stage in the plan; before all of them where it is none."""
        return next((i for i, s in enumerate(self.stages) if s.stage.id == stage), -1)

    def as_dict(self) -> dict[str, Any]:
        """As ``--json`` has it: iowatt.emerald-run/1."""
        return {
            "schema": STATE_SCHEMA,
            "name": self.plan.name,
            "source": self.plan.source,
            "rules": self.plan.rules.profile,
            "finished": self.finished,
            "compliant": not (self.plan.deviations or self.deviations),
            "deviations": [
                *({"stage": None, **one.model_dump()} for one in self.plan.deviations),
                *(found.as_dict() for found in self.deviations),
            ],
            "begun": self.begun,
            "last": self.last,
            "resumed": self.resumed,
            "settings_changed": self.changes,
            "meter_failures": self.meters,
            "seams": self.seams,
            "stages": [
                {
                    "stage": found.stage.id,
                    "phase": found.stage.phase,
                    "role": found.stage.role,
                    "status": found.status,
                    "counted": None if found.counted is None else found.counted.number,
                    "attempts": [attempt.as_dict() for attempt in found.attempts],
                }
                for found in self.stages
            ],
        }


def read_state(folder: Path, plan: Plan) -> State:
    """The state of the measurement in ``folder``. Raises ``InputError`` where its journal cannot be read."""
    return state_of(plan, list(events(folder)))


def state_of(plan: Plan, journal: Sequence[Event]) -> State:
    """The state that a journal's events lead to."""
    state = State(plan, [StageState(stage) for stage in plan.stages])
    for event in journal:
        state.begun = event.at if state.begun is None else state.begun
        state.last = event.at
        _take(state, event)
    return state


def _take(state: State, event: Event) -> None:
    values = event.values
    at = state.index(values.get("stage"))
    attempts = state.stages[at].attempts if at >= 0 else []
    match event.event:
        case "resumed":
            _resume(state, at, values)
        case "stage-started":
            for earlier in attempts:
                earlier.set_aside = True
            attempts.append(Attempt(values["attempt"], values["folder"], event.at, values.get("gap_s")))
        case "stage-ended" if attempts:
            attempts[-1].ended, attempts[-1].outcome = event.at, "finished"
        case "stage-failed" if attempts:
            attempts[-1].ended, attempts[-1].outcome = event.at, "failed"
            attempts[-1].text = values["text"]
        case "interrupted" if attempts and attempts[-1].ended is None:
            attempts[-1].ended, attempts[-1].outcome = event.at, "interrupted"
        case "deviation":
            state.deviations.append(Deviation(values["stage"], "deviation", values["text"]))
        case "settings-changed":
            state.changes.append(values["what"])
            text = f"a setting was changed: {values['what']}"
            state.deviations.append(Deviation(values.get("stage"), "settings-changed", text))
        case "meter-failed" | "meter-back":
            state.meters.append({"at": event.at, "event": event.event, **values})
        case "finished":
            state.finished = True
            state.seams = list(values.get("seams", []))


def _resume(state: State, at: int, values: dict[str, Any]) -> None:
    """What is repeated from a stage on counts no more, and neither does what stood against it."""
    state.resumed += 1
    state.deviations = [
        found for found in state.deviations if found.stage is None or state.index(found.stage) < at
    ]
    for found in state.stages[max(at, 0) :]:
        for attempt in found.attempts:
            attempt.set_aside = True
    if not values["compliant"]:
        state.deviations.append(Deviation(values["stage"], "interrupted", values["why"]))
