"""The state of a measurement as a document, ``iowatt.emerald-run/1``; times are Unix seconds."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from iowatt.base.results import Result, ResultDocument

#: "broken": the journal ends within the stage, so iowatt or the machine went down.
AttemptOutcome = Literal["finished", "failed", "interrupted", "broken"]


class Attempt(Result):
    """One attempt at a stage; times are Unix seconds."""

    number: int = Field(alias="attempt")
    folder: str  #: Below the measurement's folder.
    started: float
    ended: float | None = None
    outcome: AttemptOutcome = "broken"
    gap_s: float | None
    #: Whether a later attempt, or one that repeats the stages before it, replaces it.
    set_aside: bool = False
    text: str | None = None  #: What went wrong.


class Deviation(Result):
    """Something that makes the results non-compliant; of a stage, or of all (None)."""

    stage: str | None
    #: Stable name for programs: deviation, settings-changed, interrupted, or that of the plan's deviation.
    code: str
    text: str


class StageResult(Result):
    """A stage and its attempts, oldest first."""

    stage: str
    phase: str
    role: str
    status: str  #: finished, waiting (set aside or never begun), failed, interrupted or broken.
    counted: int | None  #: Number of the attempt whose figures count.
    attempts: list[Attempt]


class MeasurementResult(ResultDocument):
    """A measurement, finished or not."""

    schema_id: Literal["iowatt.emerald-run/1"] = Field(default="iowatt.emerald-run/1", alias="schema")
    path: str
    name: str
    source: str
    rules: str
    finished: bool
    compliant: bool
    deviations: list[Deviation]
    begun: float | None  #: Unix time of the first and the last event.
    last: float | None
    resumed: int
    settings_changed: list[str]
    meter_failures: list[dict[str, Any]]  #: Events of the journal: at, event, meter, and text or seconds.
    #: Events of the journal: at, event, host, and stage and text, or seconds.
    host_failures: list[dict[str, Any]] = Field(default_factory=list)
    #: Seconds without a request between stages, as the load generator's own logs have them.
    seams: list[dict[str, Any]]
    stages: list[StageResult]
