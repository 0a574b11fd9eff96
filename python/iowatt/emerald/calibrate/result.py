"""The result of a calibration, ``iowatt.emerald-calibration/1``: the limit, every run and the choice."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, PrivateAttr

from iowatt.base.results import Note, Result, ResultDocument
from iowatt.emerald.calibrate.outcome import PointOutcome
from iowatt.emerald.plan import PlanDeviation, PlannedRules

Method = Literal["limit", "throughput", "share"]
Kind = Literal["probe", "search", "check"]
Verdict = Literal["meets", "over", "saturated", "generator"]


class ResponseLimit(Result):
    """The mean response time that random phases must keep."""

    response_mean_ms: float
    rule: str | None  #: The rule that sets it; None where the user gave it.
    verified: bool
    margin: float = 0.0  #: Share by which points must stay below it.
    #: The most that the mean of any minute may be; None where no rule limits it, or the user gave the limit.
    response_minute_ms: float | None = None

    @property
    def aim_s(self) -> float:
        """The limit of the search, in s."""
        return self.response_mean_ms / 1e3 * (1 - self.margin)

    def response_s(self, outcome: PointOutcome) -> float | None:
        """The time to compare with :attr:`aim_s`: the mean, or the longest minute scaled by its limit."""
        mean, longest = outcome.response_s, outcome.longest_minute_s
        if mean is None or longest is None or self.response_minute_ms is None:
            return mean
        return max(mean, longest * self.response_mean_ms / self.response_minute_ms)


class Point(Result):
    """One run."""

    number: int
    #: A probe finds where to begin; a check repeats the chosen rate as the measurement will have it.
    kind: Kind
    rate_iops: float | None
    #: Requests outstanding: always in a closed loop, at most at a rate, where that is known.
    outstanding: int | None
    streams: int | None
    achieved_iops: float
    mib_per_s: float
    response_ms: float | None
    longest_minute_ms: float | None
    response_half_width_ms: float | None  #: Half of the 95 % confidence interval of the mean.
    wall_w: float | None
    seconds: float
    requests: int
    #: ``generator``: the load generator was the limit. None where nothing was judged.
    verdict: Verdict | None
    warnings: list[str]
    _outcome: PointOutcome = PrivateAttr()

    @classmethod
    def of(
        cls,
        outcome: PointOutcome,
        number: int,
        kind: Kind,
        *,
        rate_iops: float | None = None,
        outstanding: int | None = None,
        streams: int | None = None,
        verdict: Verdict | None = None,
    ) -> Point:
        """The point of an outcome."""

        def ms(seconds: float | None) -> float | None:
            return None if seconds is None else seconds * 1e3

        point = cls(
            number=number,
            kind=kind,
            rate_iops=rate_iops,
            outstanding=outstanding,
            streams=streams,
            achieved_iops=outcome.iops,
            mib_per_s=outcome.mib_per_s,
            response_ms=ms(outcome.response_s),
            longest_minute_ms=ms(outcome.longest_minute_s),
            response_half_width_ms=ms(outcome.half_width_s),
            wall_w=outcome.wall_w,
            seconds=outcome.seconds,
            requests=outcome.requests,
            verdict=verdict,
            warnings=list(outcome.warnings),
        )
        point._outcome = outcome
        return point

    @property
    def outcome(self) -> PointOutcome:
        """The outcome as the search uses it; not in the JSON."""
        return self._outcome


class PhaseCalibration(Result):
    """What was found for a phase."""

    phase: str
    method: Method
    point: str = ""  #: Length of a point, in words.
    settled: bool  #: Whether the search reached its tolerance.
    chosen: Point | None  #: The point that was chosen; None where none was.
    points: list[Point]
    notes: tuple[Note, ...] = ()

    @property
    def rate_iops(self) -> float | None:
        """The rate of the phase; None in a closed loop."""
        return None if self.chosen is None else self.chosen.rate_iops


class PlanFile(Result):
    """A plan that was read or written."""

    path: str
    sha256: str | None = Field(default=None, exclude_if=lambda value: value is None)


class Calibration(ResultDocument):
    """A whole calibration."""

    schema_id: Literal["iowatt.emerald-calibration/1"] = Field(
        default="iowatt.emerald-calibration/1", alias="schema"
    )
    name: str
    plan: PlanFile | None = None
    calibrated: PlanFile | None = None
    source: str
    tool: str
    category: str
    rules: PlannedRules
    limit: ResponseLimit | None  #: None where no phase has one.
    tolerance: float
    complete: bool  #: Whether every phase has what it needs.
    #: The unverified rules that were used, in words; None where all are verified.
    caveat: str | None
    deviations: list[PlanDeviation]
    phases: list[PhaseCalibration]
    notes: tuple[Note, ...] = ()
