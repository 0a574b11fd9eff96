"""What a calibration found: every point, what was chosen, and by which rules; as JSON and as a plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from iowatt.emerald.calibrate.outcome import Outcome
from iowatt.emerald.plan.model import Plan, Stage

CALIBRATION_SCHEMA: Final = "iowatt.emerald-calibration/1"

Method = Literal["limit", "throughput", "share"]
Kind = Literal["probe", "search", "check"]


@dataclass(frozen=True)
class Row:
    """One run."""

    number: int
    #: A probe says where to begin; a check repeats what was found, as the measurement will have it.
    kind: Kind
    rate_iops: float | None
    #: Requests outstanding: always of a closed loop, at most at a rate, where that is known.
    outstanding: int | None
    streams: int | None
    outcome: Outcome
    #: meets, over, saturated, or generator (the load generator was the limit); None where nothing was judged.
    verdict: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """A point of ``calibration.json``."""
        made = self.outcome
        return {
            "number": self.number,
            "kind": self.kind,
            "rate_iops": self.rate_iops,
            "outstanding": self.outstanding,
            "streams": self.streams,
            "achieved_iops": made.iops,
            "mib_per_s": made.mib_per_s,
            "response_ms": None if made.response_s is None else made.response_s * 1e3,
            "longest_minute_ms": None if made.longest_minute_s is None else made.longest_minute_s * 1e3,
            "response_half_width_ms": None if made.half_width_s is None else made.half_width_s * 1e3,
            "wall_w": made.wall_w,
            "seconds": made.seconds,
            "requests": made.requests,
            "verdict": self.verdict,
            "warnings": list(made.warnings),
        }


@dataclass(frozen=True)
class Phase:
    """What was found for a phase."""

    phase: str
    method: Method
    rows: Sequence[Row]
    #: The row that was chosen; None where nothing was.
    chosen: Row | None
    #: Whether the search narrowed as far as it was told to.
    settled: bool
    notes: Sequence[str] = ()
    #: How long a point was, in words.
    point: str = ""

    @property
    def rate_iops(self) -> float | None:
        """The rate to be asked for; None of a closed loop."""
        return None if self.chosen is None else self.chosen.rate_iops

    def as_dict(self) -> dict[str, Any]:
        """A phase of ``calibration.json``."""
        return {
            "phase": self.phase,
            "method": self.method,
            "point": self.point,
            "settled": self.settled,
            "chosen": None if self.chosen is None else self.chosen.as_dict(),
            "points": [row.as_dict() for row in self.rows],
            "notes": list(self.notes),
        }


@dataclass(frozen=True)
class Limit:
    """The mean response time that must be kept to."""

    ms: float
    #: The rule that says it; None where it was given by hand.
    rule: str | None
    verified: bool
    #: Share by which points must stay below it.
    margin: float = 0.0
    #: What no minute's mean may exceed; None where no rule says so, or one was given by hand.
    minute_ms: float | None = None

    @property
    def aim_s(self) -> float:
        """What the search goes by, in s."""
        return self.ms / 1e3 * (1 - self.margin)

    def judged_s(self, made: Outcome) -> float | None:
        """What is held against :attr:`aim_s`: the mean, or the longest minute in proportion to its limit."""
        if made.response_s is None or made.longest_minute_s is None or self.minute_ms is None:
            return made.response_s
        return max(made.response_s, made.longest_minute_s * self.ms / self.minute_ms)

    def as_dict(self) -> dict[str, Any]:
        """The limit of ``calibration.json``."""
        return {
            "response_mean_ms": self.ms,
            "rule": self.rule,
            "verified": self.verified,
            "margin": self.margin,
            "response_minute_ms": self.minute_ms,
        }


@dataclass(frozen=True)
class Calibration:
    """A whole calibration."""

    plan: Plan
    #: The plan with what was found in it.
    calibrated: Plan
    phases: Sequence[Phase]
    #: None where no phase has one.
    limit: Limit | None
    tolerance: float
    tool: str
    #: What must stand beside a judgement by unverified rules; None where all are verified.
    caveat: str | None
    notes: Sequence[str] = ()
    #: Paths and digests of the two plans.
    files: Mapping[str, Any] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether every phase has what it needs."""
        return all(phase.chosen is not None for phase in self.phases)

    def as_dict(self) -> dict[str, Any]:
        """``calibration.json``."""
        return {
            "schema": CALIBRATION_SCHEMA,
            "name": self.plan.name,
            **self.files,
            "source": self.plan.source,
            "tool": self.tool,
            "category": self.plan.category,
            "rules": self.calibrated.rules.model_dump(mode="json"),
            "limit": None if self.limit is None else self.limit.as_dict(),
            "tolerance": self.tolerance,
            "complete": self.complete,
            "caveat": self.caveat,
            "deviations": [one.model_dump() for one in self.calibrated.deviations],
            "phases": [phase.as_dict() for phase in self.phases],
            "notes": list(self.notes),
        }


def with_load(plan: Plan, phase: str, **load: Any) -> Plan:
    """The plan with another load of a phase's stages."""
    return _changed(plan, lambda stage: stage.phase == phase and stage.workload is not None, load)


def with_conditioning(plan: Plan, workload: str | None, **load: Any) -> Plan:
    """The plan with a rate, and what goes with it, for what conditions by that workload and has none yet."""
    return _changed(
        plan,
        lambda stage: (
            stage.role == "conditioning"
            and stage.workload == workload
            and not stage.closed
            and stage.rate_iops is None
        ),
        load,
    )


def _changed(plan: Plan, chosen: Any, load: Mapping[str, Any]) -> Plan:
    stages: list[Stage] = [
        stage.model_copy(update=dict(load)) if chosen(stage) else stage for stage in plan.stages
    ]
    return plan.model_copy(update={"stages": stages})
