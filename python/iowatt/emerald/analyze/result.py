"""The judgement of a measurement as a document, ``iowatt.emerald/1``; docs/reference/emerald-result.md.

Units are in the names, or in ``unit`` beside the figure. Times are Unix seconds (``start``), or seconds from
the start of the stage (``start_s``, ``end_s``). Unknown figures are None.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from pydantic import Field

from iowatt.base.results import Result, ResultDocument, is_none
from iowatt.emerald.analyze.checks.stability import Reading
from iowatt.emerald.analyze.checks.trend import Verdict
from iowatt.emerald.finding import Finding
from iowatt.emerald.rules import Rule
from iowatt.run.summary_parts import StreamShare

Status = Literal["valid", "invalid"]
Kind = Literal["measured", "modelled"]


class QuantityRange(Result):
    """A quantity of an instrument over a stage."""

    minimum: float | None
    mean: float | None
    maximum: float | None


class InstrumentUsed(Result):
    """An instrument as in ``run.json``, with what it read."""

    name: str
    kind: str
    role: Literal["power", "temperature"]
    grade: Literal["emerald", "indicative"]
    why: str
    model: str | None
    serial: str | None
    calibrated: str | None  #: Date, ISO 8601.
    sample_interval_s: float | None
    uncertainty_percent: float | None
    #: By the rules' table of watts: reported, not judged.
    resolution_asked_w: float | None = Field(default=None, exclude_if=is_none)
    #: What it records apart of an analyser of several inputs: an element, or their sum.
    channel: str | None = Field(default=None, exclude_if=is_none)
    readings: dict[str, QuantityRange]  #: By quantity: ``watts``, ``celsius`` ...


class Minute(Result):
    """A minute of a phase; 1 is the first one measured, 0 and below are its warm-up."""

    minute: int
    measured: bool
    start_s: float
    end_s: float
    operations_rate: float | None
    response_ms: float | None
    power_w: float | None
    pe: float | None  #: Power efficiency of this minute.
    ea: float | None  #: Its weighted average over ten minutes.


class IdleMinute(Result):
    """A minute of ready idle."""

    minute: int
    start_s: float
    end_s: float
    power_w: float | None


class StabilityReading(Result):
    """The stability rule under one of its readings."""

    meaning: str
    largest_deviation: float | None  #: A fraction.
    holds: bool


class EfficiencyTrend(Result):
    """The test for a linear trend of the power efficiency."""

    points: int
    drift: float  #: From the first minute to the last, a fraction of the mean.
    drift_half_width: float  #: Half of its 95 % interval.
    p: float
    level: float
    significant: bool
    autocorrelation: float
    degrees: int


class PhaseStability(Result):
    """Stability of a phase."""

    weights: str
    reading: Reading
    tolerance: float  #: A fraction.
    mean_efficiency: float | None
    readings: dict[Reading, StabilityReading]
    trend: EfficiencyTrend | None
    verdict: Verdict


class PowerRatio(Result):
    """Power of a phase over that of another, at a share of its rate."""

    to: str
    rates: float
    power: float


class PhaseResult(Result):
    """A phase; its figures are None where there are none."""

    phase: str
    stage: str
    metric: str
    unit: str  #: IOPS/W or MiB/s/W.
    operations_unit: str  #: IOPS or MiB/s.
    kind: Kind | None = None
    start: float | None = None
    seconds: float | None = None
    complete_seconds: float | None = None  #: For how long both rate and power are known.
    operations_rate: float | None = None  #: In ``operations_unit``.
    iops: float | None = None
    mib_per_s: float | None = None
    response_mean_ms: float | None = None
    response_limit_ms: float | None = None
    response_largest_minute_ms: float | None = None
    power_w: float | None = None
    ep: float | None  #: The metric in full.
    ep_shown: str | None = None  #: As it is published; None where the phase is invalid.
    asked_iops: float | None = None
    shares: list[StreamShare] = Field(default_factory=list)
    stability: PhaseStability | None = None
    minutes: list[Minute] = Field(default_factory=list)
    instruments: list[InstrumentUsed] = Field(default_factory=list)
    status: Status
    compliant: bool
    findings: list[Finding]
    power_ratio: PowerRatio | None = None


class ReadyIdle(Result):
    """Ready idle; GB are decimal."""

    phase: str
    stage: str
    metric: str
    unit: str  #: GB/W; TB/W of devices.
    raw_capacity_gb: float | None
    kind: Kind | None
    start: float | None
    seconds: float | None
    power_w: float | None
    ep: float | None
    ep_shown: str | None
    minutes: list[IdleMinute]
    instruments: list[InstrumentUsed]
    status: Status
    compliant: bool
    findings: list[Finding]


Part = PhaseResult | ReadyIdle


def name_of(part: Part) -> str:
    """The name of a part in tables and sentences."""
    return "Ready idle" if isinstance(part, ReadyIdle) else part.phase


class RulesUsed(Result):
    """The rules of the judgement."""

    profile: str
    title: str
    version: str
    sha256: str
    used: int
    unverified: list[Rule]


class StabilityRule(Result):
    """How stability was judged."""

    weights: str  #: Name of the set.
    values: list[float]  #: The weights, newest minute first.
    tolerance: float  #: A fraction.
    reading: Reading  #: The reading that decides.


class Analysis(ResultDocument):
    """A measurement with its verdict."""

    schema_id: Literal["iowatt.emerald/1"] = Field(default="iowatt.emerald/1", alias="schema")
    name: str
    place: str  #: The folder that it was read from.
    kind: Kind
    source: Literal["fio", "vdbench", "simulation", "files"]
    category: str
    class_: int | None = Field(alias="class")
    product: dict[str, Any]  #: Vendor, name and whatever else the plan says of the product.
    time_scale: float
    family: str | None  #: Metrics of different families are never ranked together.
    status: Status
    compliant: bool  #: Nothing invalid or non-compliant was found.
    judged: str
    rules: RulesUsed
    stability: StabilityRule
    findings: list[Finding]
    phases: list[PhaseResult]
    ready_idle: ReadyIdle | None

    @property
    def parts(self) -> list[Part]:
        """The phases, then ready idle."""
        return [*self.phases, *([self.ready_idle] if self.ready_idle else [])]

    @property
    def unverified_stability(self) -> bool:
        """Whether stability was judged by an unverified rule."""
        return any(rule.key.rpartition("stability.")[1] for rule in self.rules.unverified)

    def by_place(self) -> Iterator[tuple[str, list[Finding]]]:
        """Findings by the part that they are about.

        First the measurement, then findings that several phases share (an indicative meter), then each phase.
        """
        parts: dict[tuple[str, str], dict[str, Finding]] = {}
        for part in self.parts:
            for one in part.findings:
                parts.setdefault((one.weight, one.text), {}).setdefault(name_of(part), one)
        shared: dict[str, list[Finding]] = {}
        own: dict[str, list[Finding]] = {name_of(part): [] for part in self.parts}
        for part in self.parts:
            for one in part.findings:
                names = parts[one.weight, one.text]
                if len(names) == 1:
                    own[name_of(part)].append(one)
                elif one is next(iter(names.values())):
                    every = len(names) == len(self.parts)
                    shared.setdefault("Every phase" if every else ", ".join(names), []).append(one)
        if self.findings:
            yield "The measurement", self.findings
        yield from shared.items()
        yield from ((name, findings) for name, findings in own.items() if findings)

    @property
    def system_class(self) -> str:
        """Category and class: ``online-3``."""
        return self.category if self.class_ is None else f"{self.category}-{self.class_}"
