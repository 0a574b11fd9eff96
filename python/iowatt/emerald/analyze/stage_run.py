"""What the judgement goes by: every stage of the plan with its Run, and what else is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from iowatt.emerald.judge.finding import Finding
from iowatt.emerald.measurement import Event
from iowatt.emerald.plan.model import Plan, Stage
from iowatt.run.bundle import Run
from iowatt.sources.meters.instrument import InstrumentLog


@dataclass(frozen=True)
class StageRun:
    """A stage of the plan and what is there of it."""

    stage: Stage
    #: None where the stage left nothing that can be read; ``findings`` say why.
    run: Run | None
    #: When it was begun and ended by the journal, Unix seconds; None without a journal.
    began: float | None = None
    ended: float | None = None
    attempt: int = 1
    #: What was found while reading it.
    findings: Sequence[Finding] = ()
    #: What was run before the figures that count: vdbench leaves out the first interval of a run.
    lead_in: Run | None = None

    @property
    def start(self) -> float | None:
        """Unix time of its first counted minute by the clock of what observed it; None without one."""
        return _start(self.run)

    @property
    def whole(self) -> tuple[float, float] | None:
        """From its first minute to the end of its last, those that do not count included; Unix seconds."""
        start, seconds = self.start, self.seconds
        if start is None or seconds is None:
            return None
        first = _start(self.lead_in)
        return (start if first is None else first), start + seconds

    @property
    def seconds(self) -> float | None:
        """How long its figures last."""
        return None if self.run is None else float(self.run.summary["window"]["duration_s"])


def _start(run: Run | None) -> float | None:
    text = None if run is None else (run.plan.get("measured") or {}).get("start")
    return datetime.fromisoformat(text).timestamp() if isinstance(text, str) else None


def rule_seconds(stage: Stage, plan: Plan) -> float | None:
    """What the rules ask of a stage, scaled like the plan's times: that they were scaled is said once."""
    return None if stage.rule_seconds is None else stage.rule_seconds * plan.time_scale


@dataclass(frozen=True)
class Measured:
    """A measurement as it was found."""

    plan: Plan
    #: In the order of the plan; stages of which nothing was left are among them.
    stages: Sequence[StageRun]
    #: The journal, oldest first; None without one.
    events: Sequence[Event] | None = None
    settings_before: Mapping[str, Any] | None = None
    settings_after: Mapping[str, Any] | None = None
    #: Where it was read: a folder, or the files given.
    place: str = ""
    findings: Sequence[Finding] = field(default_factory=tuple)
    #: Logs of power that were stamped by a clock of their own, not by the host that conducted.
    foreign: Sequence[InstrumentLog] = ()
