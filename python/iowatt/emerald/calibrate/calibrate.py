"""Finds what a plan leaves open: the rates of random phases, the outstanding requests of sequential ones.

- A random phase of full intensity runs at the highest rate that keeps its mean response time within the
  limit of the rules.
- A phase whose intensity is a share of another's (MW2 of MW1) runs at that share of the rate found.
- A sequential phase runs as fast as it can, with the number of outstanding requests that gives the most.

Phases are taken in the order of the plan; the rates found already stand in it when the next one is run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from iowatt.base.errors import Argument, InputError
from iowatt.base.results import Note
from iowatt.emerald.calibrate import notes
from iowatt.emerald.calibrate.bench import UNKNOWN_OUTSTANDING, Bench, SimulationBench
from iowatt.emerald.calibrate.outcome import PointOutcome
from iowatt.emerald.calibrate.result import (
    Calibration,
    Kind,
    Method,
    PhaseCalibration,
    Point,
    ResponseLimit,
    Verdict,
)
from iowatt.emerald.generator import Cause, cause
from iowatt.emerald.phases import SEQUENTIAL
from iowatt.emerald.plan import Plan, PlanDeviation, PlanStage, outstanding_at
from iowatt.emerald.plan.load import outstanding
from iowatt.emerald.rules import Rules, UnknownRuleError
from iowatt.evaluate.search.highest import (
    KEEPS_UP,
    RateBracket,
    RateMeasurement,
    highest_rate,
    highest_throughput,
    verdict_of,
)
from iowatt.sources.export import LEAST_OUTSTANDING, MOST_OUTSTANDING

RESPONSE_RULE: Final = "response.mean_ms.random"
MINUTE_RULE: Final = "response.minute_ms.random"
ACHIEVED_RULE: Final = "rate.achieved_percent"
FIRST_RATE: Final = 100.0  #: The first rate where nothing suggests a better one, requests per second.
#: Times that a rate is lowered because the whole phase exceeds the limit that its points kept.
_MOST_CHECKS: Final = 5
_GAIN: Final = 0.05  #: Share of a throughput that counts as gained.
#: Share of the limit kept free on real storage: a measurement at the very limit would fail every other time.
MARGIN: Final = 0.05


@dataclass(frozen=True)
class SearchSettings:
    """How rates are searched."""

    limit_ms: float | None = None  #: Mean response time of random phases in ms; None: the rules'.
    #: Share of the limit to stay below it; None: :data:`MARGIN` where repeated runs differ, else 0.
    margin: float | None = None
    tolerance: float = 0.02
    start: float | None = None  #: The first rate of every random phase; None: found by a probe.
    streams: Sequence[int] = ()  #: Numbers of streams to try; empty: the plan's.
    most_outstanding: int = 1024
    most_runs: int = 24  #: Runs of the search of one phase.
    phases: Sequence[str] = ()  #: Phases to calibrate; empty: all.


#: Runs a point, by the plan, the stage and the point's number.
RunPoint = Callable[[Plan, PlanStage, int], PointOutcome]
Progress = Callable[[str, Point], None]  #: Called with the phase after every point.


class Calibrated(NamedTuple):
    """The plan with the rates found, and the result."""

    plan: Plan
    result: Calibration


def calibrate(
    plan: Plan,
    rules: Rules,
    bench: Bench,
    settings: SearchSettings,
    *,
    run_point: RunPoint | None = None,
    tool: str,
    progress: Progress = lambda _phase, _point: None,
) -> Calibrated:
    """Find all rates of a plan.

    ``rules``: those of the plan, with an empty record.
    ``run_point``: runs points on the ``bench``, or recalls them; None: ``bench.run``.
    ``tool``: the load generator and its version.
    Raises ``InputError``: a phase is unknown, the rules do not set the limit, or a point cannot be run.
    Raises ``DriverError``: the load generator failed.
    """
    run_point = run_point or bench.run
    return _Calibrator(plan, rules, bench, settings, run_point=run_point, progress=progress).run(tool)


def limit_of(plan: Plan, rules: Rules, settings: SearchSettings, *, exact: bool) -> ResponseLimit:
    """The limit of random phases; ``exact`` where repeated runs do not differ.

    Raises ``InputError`` where neither the rules nor the user sets it.
    """
    margin = (0.0 if exact else MARGIN) if settings.margin is None else settings.margin
    if settings.limit_ms is not None:
        return ResponseLimit(response_mean_ms=settings.limit_ms, rule=None, verified=False, margin=margin)
    try:
        value = rules.number(RESPONSE_RULE, plan.category)
    except UnknownRuleError as error:
        text = f"the limit of the mean response time is not known: {error.message}"
        raise InputError("missing-figure", rules.name, text, hint="add `within=20ms`") from None
    rule = rules.rule(RESPONSE_RULE, plan.category)
    # Points on real storage are shorter than a minute.
    minute = rules.known(MINUTE_RULE, plan.category) if exact else None
    return ResponseLimit(
        response_mean_ms=value,
        rule=rule.key,
        verified=rule.verified,
        margin=margin,
        response_minute_ms=minute,
    )


class _Calibrator:
    def __init__(
        self,
        plan: Plan,
        rules: Rules,
        bench: Bench,
        settings: SearchSettings,
        *,
        run_point: RunPoint,
        progress: Progress,
    ) -> None:
        self._plan, self._rules, self._bench, self._settings = plan, rules, bench, settings
        self._run_point, self._progress = run_point, progress
        self._simulated = bench.kind == "simulation"
        self._limit: ResponseLimit | None = None
        self._keeps_up = KEEPS_UP
        self._numbers = 0
        self._rates: dict[str, float] = {}  #: Rates by phase.
        # Of the current phase: its points, the outstanding requests that the plan gives it, and the factor by
        # which its rate needed more.
        self._points: list[Point] = []
        self._least, self._more = LEAST_OUTSTANDING, 1.0

    def run(self, tool: str) -> Calibrated:
        measured = [stage for stage in self._plan.stages if stage.role == "measurement"]
        self._check(measured)
        phases = []
        for stage in measured:
            if self._settings.phases and stage.phase not in self._settings.phases:
                continue
            self._points = []
            base = self._rules.known(f"workloads.{stage.phase}.intensity_of", self._plan.category)
            if stage.workload in SEQUENTIAL:
                phase = self._by_throughput(stage)
            elif base is None:
                phase = self._by_limit(stage)
            else:
                phase = self._by_share(stage, str(base))
            phases.append(phase)
            if phase.rate_iops is not None:
                self._rates[stage.phase] = phase.rate_iops
        return self._result(phases, tool)

    def _check(self, measured: Sequence[PlanStage]) -> None:
        known = [stage.phase for stage in measured]
        unknown = next((name for name in self._settings.phases if name not in known), None)
        if unknown is not None:
            text = f"the plan has no phase {unknown!r}; expected {', '.join(known)}"
            raise InputError("unknown-name", Argument("phase"), text)
        if not measured:
            raise InputError("empty", f"plan {self._plan.name}", "the plan has no stage that is measured")

    def _result(self, phases: list[PhaseCalibration], tool: str) -> Calibrated:
        plan, deviations = self._plan, list(self._plan.deviations)
        if self._limit is not None and self._limit.rule is None:
            text = f"Rates found by a response-time limit of the user: {self._limit.response_mean_ms:g} ms"
            deviations.append(PlanDeviation(code="limit-by-hand", text=text))
        unverified = dict.fromkeys([*plan.rules.unverified, *(r.key for r in self._rules.unverified_used)])
        rules = plan.rules.model_copy(update={"unverified": list(unverified)})
        plan = plan.model_copy(update={"deviations": deviations, "rules": rules})
        return Calibrated(
            plan,
            Calibration(
                name=plan.name,
                source=plan.source,
                tool=tool,
                category=plan.category,
                rules=rules,
                limit=self._limit,
                tolerance=self._settings.tolerance,
                complete=all(phase.chosen is not None for phase in phases),
                caveat=self._rules.caveat(),
                deviations=deviations,
                phases=phases,
            ),
        )

    # Points

    def _run(self, plan: Plan, stage: PlanStage, kind: Kind) -> Point:
        self._numbers += 1
        outcome = self._run_point(plan, stage, self._numbers)
        point = Point.of(
            outcome,
            self._numbers,
            kind,
            rate_iops=None if stage.closed else stage.rate_iops,
            outstanding=stage.outstanding if stage.closed else outcome.outstanding,
            streams=stage.streams if stage.closed and stage.workload in SEQUENTIAL else None,
        )
        self._points.append(point)
        return point

    def _judged(self, point: Point, verdict: Verdict | None, phase: str) -> Point:
        point = self._points[-1] = point.model_copy(update={"verdict": verdict})
        self._progress(phase, point)
        return point

    def _loaded(self, stage: PlanStage, **load: object) -> tuple[Plan, PlanStage]:
        """The plan with that load of the stage's phase, and the stage in it."""
        plan = _with_load(self._plan, stage.phase, **load)
        return plan, next(one for one in plan.stages if one.id == stage.id)

    def _shortened(self, stage: PlanStage, rate: float | None, **load: object) -> tuple[Plan, PlanStage]:
        """The same for a point of a search, which may be shorter."""
        plan, trial = self._loaded(stage, rate_iops=rate, **load)
        if isinstance(self._bench, SimulationBench):
            return self._bench.shortened(plan, trial, rate)
        return plan, trial

    # Random phases

    def _by_limit(self, stage: PlanStage) -> PhaseCalibration:
        self._more, self._least = 1.0, outstanding(stage)
        achieved = self._rules.known(ACHIEVED_RULE, self._plan.category)
        self._keeps_up = KEEPS_UP if achieved is None else float(achieved) / 100
        exact = self._bench.exact
        limit = self._limit = self._limit or limit_of(self._plan, self._rules, self._settings, exact=exact)

        def measure(rate: float) -> RateMeasurement:
            point = self._at_rate(stage, rate, limit)
            outcome = point.outcome
            if point.verdict == "generator":  # the storage's own limit is not known
                return RateMeasurement(rate, outcome.iops, None)
            half = 0.0 if exact else outcome.half_width_s or 0.0
            achieved, scatter = outcome.achieved_rate(rate)
            return RateMeasurement(rate, achieved, limit.response_s(outcome), half, scatter)

        highest = highest_rate(
            measure,
            limit.aim_s,
            start=self._rounded(self._settings.start or self._start(stage, limit.aim_s)),
            tolerance=self._settings.tolerance,
            most_runs=self._settings.most_runs,
            rounded=self._rounded,
            keeps_up=self._keeps_up,
        )
        chosen = self._chosen(stage, highest, limit)
        limiting = notes.limiting_point(self._points, chosen, limit)
        why = None if limiting is None else self._cause(limiting, limit)
        if limiting is not None:
            chosen = None
        if chosen is not None and chosen.rate_iops is not None:
            load = {"rate_iops": chosen.rate_iops, **self._allowed(chosen.rate_iops, limit)}
            self._plan = _with_load(self._plan, stage.phase, closed=False, **load)
            self._plan = _with_conditioning(self._plan, stage.workload, **load)
        phase_notes = [
            *([] if limiting is None or why is None else [notes.generator_limited(limiting, why)]),
            *highest.notes,
            *notes.minute_decided(self._points, limit),
            *notes.passed_over(self._points, chosen, self._keeps_up),
            *notes.warnings(chosen),
        ]
        settled = highest.settled and chosen is not None
        return self._phase(stage, "limit", chosen, settled=settled, notes=phase_notes)

    def _phase(
        self, stage: PlanStage, method: Method, chosen: Point | None, *, settled: bool, notes: list[Note]
    ) -> PhaseCalibration:
        return PhaseCalibration(
            phase=stage.phase,
            method=method,
            point=self._bench.describe(stage) if self._points else "",
            settled=settled,
            chosen=chosen,
            points=self._points,
            notes=tuple(notes),
        )

    def _rounded(self, rate: float) -> float:
        """A rate that can be offered: load generators take whole numbers, reports show four digits."""
        if not self._simulated:
            return float(max(1, round(rate)))
        return 0.0 if rate <= 0 or not math.isfinite(rate) else float(f"{rate:.4g}")

    def _allowed(self, rate: float, limit: ResponseLimit | None) -> dict[str, int]:
        """Outstanding requests to allow a load generator at a rate; a simulation has no bound."""
        if self._simulated:
            return {}
        needed = outstanding_at(rate, None if limit is None else limit.response_mean_ms)
        wanted = self._more * max(needed, self._least)
        return {"outstanding": max(self._least, min(MOST_OUTSTANDING, math.ceil(wanted)))}

    def _at_rate(self, stage: PlanStage, rate: float, limit: ResponseLimit) -> Point:
        """A run at a rate; where the load generator was the limit, again with twice as many outstanding
        requests, as long as that gains throughput.
        """
        most = 0.0
        while True:
            allowed = self._allowed(rate, limit)
            point = self._run(*self._shortened(stage, rate, closed=False, **allowed), "search")
            point = self._judged(point, self._verdict(point, rate, limit), stage.phase)
            gained = point.achieved_iops > most * (1 + _GAIN)
            if self._cause(point, limit) in (None, "processor") or not gained:
                return point
            if 2 * allowed["outstanding"] > MOST_OUTSTANDING:
                return point
            most = point.achieved_iops
            self._more *= 2

    def _cause(self, point: Point, limit: ResponseLimit | None) -> Cause | None:
        """Why the load generator was the limit of a run, if it was."""
        if self._simulated:
            return None
        rate = point.rate_iops
        return cause(
            point.outcome.load(rate),
            None if limit is None else limit.aim_s,
            keeps_up=self._keeps_up,
            scatter=0.0 if rate is None else point.outcome.achieved_rate(rate)[1],
        )

    def _verdict(self, point: Point, rate: float, limit: ResponseLimit) -> Verdict:
        if self._cause(point, limit) is not None:
            return "generator"
        achieved, scatter = point.outcome.achieved_rate(rate)
        response_s = limit.response_s(point.outcome)
        return verdict_of(rate, achieved, response_s, limit.aim_s, scatter=scatter, keeps_up=self._keeps_up)

    def _start(self, stage: PlanStage, aim_s: float) -> float:
        """The first rate: what a closed loop reaches, or what the phase before reached."""
        if self._bench.kind == "fio" and stage.workload == "HB":  # a closed loop would not keep the shares
            return self._rates[next(reversed(self._rates))] if self._rates else FIRST_RATE
        outcome = self._probed(stage, aim_s)
        if not outcome.iops:
            return FIRST_RATE
        # An open queue waits longer than a closed one of the same rate.
        fast = outcome.response_s is not None and outcome.response_s < aim_s / 2
        return outcome.iops * (0.9 if fast else 0.7)

    def _probed(self, stage: PlanStage, aim_s: float) -> PointOutcome:
        """A closed loop. On real storage its requests are doubled until throughput stops rising or they wait
        longer than the limit; the last outcome before that.
        """
        outstanding, best = UNKNOWN_OUTSTANDING, None
        while True:
            probe = self._shortened(stage, None, closed=True, outstanding=outstanding)
            outcome = self._judged(self._run(*probe, "probe"), None, stage.phase).outcome
            slow = outcome.response_s is None or outcome.response_s > aim_s
            if best is not None and (slow or outcome.iops < best.iops * (1 + _GAIN)):
                return best
            outstanding *= 2
            if slow or self._simulated or outstanding > MOST_OUTSTANDING:
                return outcome
            best = outcome

    def _chosen(self, stage: PlanStage, highest: RateBracket, limit: ResponseLimit) -> Point | None:
        """The point of the rate found; in simulation checked as the measurement will have it."""
        if highest.best is None:
            return None
        rate = highest.best.rate
        if not self._bench.exact:
            return next(point for point in reversed(self._points) if point.rate_iops == rate)
        for _ in range(_MOST_CHECKS):
            plan, trial = self._loaded(stage, rate_iops=rate, closed=False)
            plan = _with_conditioning(plan, stage.workload, rate_iops=rate)
            point = self._run(plan, trial, "check")
            point = self._judged(point, self._verdict(point, rate, limit), stage.phase)
            if point.verdict == "meets":
                return point
            rate = self._rounded(rate * (1 - self._settings.tolerance))
        return None

    def _by_share(self, stage: PlanStage, base: str) -> PhaseCalibration:
        percent = self._rules.number(f"workloads.{stage.phase}.intensity_percent", self._plan.category)
        self._more, self._least = 1.0, LEAST_OUTSTANDING
        rate = self._rates.get(base) or next(
            (s.rate_iops for s in self._plan.stages if s.phase == base and s.rate_iops is not None), None
        )
        if rate is None:
            note = Note(code="no-base-rate", text=f"{base} has no rate", decides=True)
            return self._phase(stage, "share", None, settled=False, notes=[note])
        own = rate * percent / 100
        plan, trial = self._loaded(stage, rate_iops=own, closed=False, **self._allowed(own, self._limit))
        point = self._run(plan, trial, "check")
        why = self._cause(point, self._limit)
        point = self._judged(point, None if why is None else "generator", stage.phase)
        if why is None:
            self._plan = plan
        text = f"{percent:g} % of {rate:g} requests per second, the rate of {base}"
        phase_notes = [
            *([] if why is None else [notes.generator_limited(point, why)]),
            Note(code="share-of-rate", text=text),
            *notes.warnings(point),
        ]
        return self._phase(stage, "share", None if why else point, settled=why is None, notes=phase_notes)

    # Sequential phases

    def _by_throughput(self, stage: PlanStage) -> PhaseCalibration:
        def measure(streams: int, outstanding: int) -> tuple[float, Point]:
            loop = self._shortened(stage, None, closed=True, streams=streams, outstanding=outstanding)
            point = self._run(*loop, "search")
            verdict: Verdict | None = None if self._cause(point, None) is None else "generator"
            return point.mib_per_s, self._judged(point, verdict, stage.phase)

        settings = self._settings
        most = highest_throughput(
            measure,
            streams=settings.streams or [stage.streams],
            most_outstanding=max(settings.most_outstanding, stage.streams),
            tolerance=settings.tolerance,
        )
        best = most.best
        # Where throughput stopped rising because the load generator did, the storage may give more.
        enough = best.throughput * (1 - settings.tolerance)
        for tried in most.points:
            why = self._cause(tried.made, None)
            if why is not None and tried.throughput >= enough:
                phase_notes = [notes.generator_limited(tried.made, why)]
                return self._phase(stage, "throughput", None, settled=False, notes=phase_notes)
        load = {"streams": best.streams, "outstanding": best.outstanding}
        self._plan = _with_load(self._plan, stage.phase, closed=True, rate_iops=None, **load)
        text = f"throughput still grew at {settings.most_outstanding} outstanding requests"
        phase_notes = [
            *([] if most.settled else [Note(code="still-growing", text=text, decides=True)]),
            *notes.within_tolerance(self._points, best.made, settings.tolerance),
            *notes.warnings(best.made),
        ]
        return self._phase(stage, "throughput", best.made, settled=most.settled, notes=phase_notes)


def _with_load(plan: Plan, phase: str, **load: object) -> Plan:
    """The plan with another load of a phase's stages."""
    return plan.with_stages(lambda stage: stage.phase == phase and stage.workload is not None, **load)


def _with_conditioning(plan: Plan, workload: str | None, **load: object) -> Plan:
    """The plan with a load for conditioning by that workload, where its rate is still unknown."""
    return plan.with_stages(
        lambda stage: stage.role == "conditioning" and stage.workload == workload and stage.rate_unknown,
        **load,
    )
