"""The judgement of a measurement as a document, ``iowatt.emerald/1``; docs/reference/emerald-result.md.

Units are in the names, or in ``unit`` beside the figure. Times are Unix seconds (``start``), or seconds from
the start of the stage (``start_s``, ``end_s``). What is not known is None.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from pydantic import Field

from iowatt.base.results import Result, ResultDocument
from iowatt.emerald.judge.finding import Finding
from iowatt.emerald.judge.stability import Reading
from iowatt.emerald.judge.trend import Verdict
from iowatt.emerald.rules.rule import Rule
from iowatt.run.summary_parts import StreamShare

Status = Literal["valid", "invalid"]
Kind = Literal["measured", "modelled"]


class Range(Result):
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
    #: Date, ISO 8601.
    calibrated: str | None
    sample_interval_s: float | None
    uncertainty_percent: float | None
    #: By the rules' table of watts: reported, not judged.
    resolution_asked_w: float | None = Field(default=None, exclude_if=lambda value: value is None)
    #: By quantity: ``watts``, ``celsius`` ...
    readings: dict[str, Range]


class Minute(Result):
    """A minute of a phase; 1 is the first one measured, 0 and below are its warm-up."""

    minute: int
    measured: bool
    start_s: float
    end_s: float
    operations_rate: float | None
    response_ms: float | None
    power_w: float | None
    #: Power efficiency of this minute.
    pe: float | None
    #: Its weighted average over ten minutes.
    ea: float | None


class RestMinute(Result):
    """A minute of ready idle."""

    minute: int
    start_s: float
    end_s: float
    power_w: float | None


class ReadingFound(Result):
    """The stability rule under one of its readings."""

    meaning: str
    #: A fraction.
    largest_deviation: float | None
    holds: bool


class TrendFound(Result):
    """The test for a linear trend of the power efficiency."""

    points: int
    #: From the first minute to the last, a fraction of the mean, and half of its 95 % interval.
    drift: float
    drift_half_width: float
    p: float
    level: float
    significant: bool
    autocorrelation: float
    degrees: int


class StabilityFound(Result):
    """Stability of a phase."""

    weights: str
    reading: Reading
    #: A fraction.
    tolerance: float
    mean_efficiency: float | None
    readings: dict[Reading, ReadingFound]
    trend: TrendFound | None
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
    #: IOPS/W or MiB/s/W.
    unit: str
    #: IOPS or MiB/s.
    operations_unit: str
    kind: Kind | None
    start: float | None
    seconds: float | None
    #: For how long both rate and power are known.
    complete_seconds: float | None
    #: In ``operations_unit``.
    operations_rate: float | None
    iops: float | None
    mib_per_s: float | None
    response_mean_ms: float | None
    response_limit_ms: float | None
    response_largest_minute_ms: float | None
    power_w: float | None
    #: The metric in full, and as it is published: None where the phase is invalid.
    ep: float | None
    ep_shown: str | None
    asked_iops: float | None
    shares: list[StreamShare]
    stability: StabilityFound | None
    minutes: list[Minute]
    instruments: list[InstrumentUsed]
    status: Status
    compliant: bool
    findings: list[Finding]
    power_ratio: PowerRatio | None = None


class ReadyIdle(Result):
    """Ready idle; GB are decimal."""

    phase: str
    stage: str
    metric: str
    #: GB/W.
    unit: str
    raw_capacity_gb: float | None
    kind: Kind | None
    start: float | None
    seconds: float | None
    power_w: float | None
    ep: float | None
    ep_shown: str | None
    minutes: list[RestMinute]
    instruments: list[InstrumentUsed]
    status: Status
    compliant: bool
    findings: list[Finding]


Part = PhaseResult | ReadyIdle


def name_of(part: Part) -> str:
    """A part as a person calls it."""
    return "Ready idle" if isinstance(part, ReadyIdle) else part.phase


class RulesUsed(Result):
    """The rules that it was judged by."""

    profile: str
    title: str
    version: str
    sha256: str
    used: int
    unverified: list[Rule]


class StabilityRule(Result):
    """How stability was judged."""

    #: Name and values of the weights, newest minute first.
    weights: str
    values: list[float]
    #: A fraction.
    tolerance: float
    #: The reading that decides.
    reading: Reading


class Analysis(ResultDocument):
    """A measurement with its verdict."""

    schema_id: Literal["iowatt.emerald/1"] = Field(default="iowatt.emerald/1", alias="schema")
    name: str
    #: Where it was read.
    place: str
    kind: Kind
    source: Literal["fio", "vdbench", "simulation"]
    category: str
    class_: int | None = Field(alias="class")
    #: Vendor, name and whatever else the plan says of the product.
    product: dict[str, Any]
    time_scale: float
    #: Metrics of different families are never ranked together.
    family: str | None
    status: Status
    #: Nothing invalid or non-compliant was found.
    compliant: bool
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
        """Findings by what they are about, where there are any.

        First the measurement, then what several phases share (an indicative meter), then phase by phase.
        """
        places = [(name_of(part), part.findings) for part in self.parts]
        names: dict[tuple[str, str], list[str]] = {}
        for title, findings in places:
            for key in dict.fromkeys((one.weight, one.text) for one in findings):
                names.setdefault(key, []).append(title)
        shared: dict[str, list[Finding]] = {}
        own: dict[str, list[Finding]] = {}
        seen: set[tuple[str, str]] = set()
        for title, findings in places:
            for one in findings:
                key = (one.weight, one.text)
                titles = names[key]
                if len(titles) == 1:
                    own.setdefault(title, []).append(one)
                elif key not in seen:
                    seen.add(key)
                    every = len(titles) == len(places)
                    shared.setdefault("Every phase" if every else ", ".join(titles), []).append(one)
        if self.findings:
            yield "The measurement", self.findings
        yield from shared.items()
        yield from own.items()

    @property
    def system_class(self) -> str:
        """Category and class: ``online-3``."""
        return self.category if self.class_ is None else f"{self.category}-{self.class_}"
