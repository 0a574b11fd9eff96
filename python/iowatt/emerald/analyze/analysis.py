"""Judges a measurement by rules: its figures, and whether they are valid and compliant."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from iowatt.base.errors import InputError
from iowatt.emerald.analyze import across, phase
from iowatt.emerald.analyze.checks import efficiency, validity
from iowatt.emerald.analyze.limits import PlanRules
from iowatt.emerald.analyze.phase import JudgedPhase
from iowatt.emerald.analyze.result import (
    Analysis,
    IdleMinute,
    Part,
    PhaseResult,
    PowerRatio,
    ReadyIdle,
    RulesUsed,
    StabilityRule,
)
from iowatt.emerald.analyze.stages import MeasuredStages, StageRun, rule_seconds
from iowatt.emerald.finding import Finding, status
from iowatt.emerald.rules import Rules


def judge(
    measured: MeasuredStages, rules: Rules, *, weights: str | None = None, reading: str | None = None
) -> Analysis:
    """Judge a measurement by rules.

    ``weights``, ``reading``: set of weights (A, B) and reading (a, b, c) of the stability rule, in place of
    the rules' own.
    Raises ``InputError``: there is no such set or reading, or the rules lack a value that every profile has.
    """
    plan = measured.plan
    if rules.find("stability.points", plan.category) is None:
        text = "these rules have no test procedure to judge a measurement by"
        hint = "the profiles of SNIA Emerald and of ENERGY STAR have one"
        raise InputError("not-applicable", rules.name, text, hint=hint)
    used = PlanRules(rules, plan)
    rule = used.stability(weights, reading)
    phases = [
        phase.judge(one, _warmup(measured.stages, at), used, rule)
        for at, one in enumerate(measured.stages)
        if one.stage.role == "measurement"
    ]
    capacity = plan.raw_capacity_bytes
    idle = [_ready_idle(one, capacity, used) for one in measured.stages if one.stage.role == "idle"]
    results = [_with_ratio(one.result, phases, used) for one in phases]
    findings = list(across.findings(measured, phases, used))
    parts: list[Part] = [*results, *idle]
    valid = status(findings) == "valid" and all(part.status == "valid" for part in parts)
    family = used.known("metrics.family")
    unverified = used.rules.unverified_used
    against = [one for one in findings if one.weight != "warning"]
    return Analysis(
        name=plan.name,
        place=measured.place,
        kind="modelled" if plan.source == "simulation" else "measured",
        source=plan.source,
        category=plan.category,
        class_=plan.class_,
        product=plan.product,
        time_scale=plan.time_scale,
        family=family,
        status="valid" if valid else "invalid",
        compliant=valid and not against and all(part.compliant for part in parts),
        judged=judged(len(unverified)),
        rules=RulesUsed(
            profile=rules.name,
            title=rules.title,
            version=rules.version,
            sha256=rules.sha256,
            used=len(used.rules.used),
            unverified=list(unverified),
        ),
        stability=StabilityRule(
            weights=rule.weights_name,
            values=list(rule.weights),
            tolerance=rule.tolerance,
            reading=rule.reading,
        ),
        findings=findings,
        phases=results,
        ready_idle=idle[0] if idle else None,
    )


def _with_ratio(own: PhaseResult, phases: Sequence[JudgedPhase], rules: PlanRules) -> PhaseResult:
    """The phase with its power over that of the phase whose rate it runs a share of (MW2 of MW1).

    Other phases have none, nor has a phase where either metric is refused.
    """
    to = rules.known(f"workloads.{own.phase}.intensity_of")
    other = next((each.result for each in phases if each.result.phase == to), None)
    if other is None or own.ep_shown is None or other.ep_shown is None:
        return own
    if own.ep is None or own.ep <= 0 or other.ep is None:
        return own
    if own.operations_rate is None or not other.operations_rate:
        return own
    rates = own.operations_rate / other.operations_rate
    power = efficiency.power_ratio(own.ep, other.ep, rates)
    return own.model_copy(update={"power_ratio": PowerRatio(to=to, rates=rates, power=power)})


def judged(unverified: int) -> str:
    """The basis of a verdict, stated with it."""
    if not unverified:
        return "judged with verified rule values only"
    return f"judged with {unverified} unverified rule value{'' if unverified == 1 else 's'}"


def _warmup(stages: Sequence[StageRun], at: int) -> StageRun | None:
    """The warm-up just before a measurement stage, of the same phase."""
    if at == 0:
        return None
    before = stages[at - 1]
    same = before.stage.role == "warmup" and before.stage.phase == stages[at].stage.phase
    return before if same else None


def _ready_idle(idle: StageRun, raw_capacity_bytes: int | None, rules: PlanRules) -> ReadyIdle:
    """Judge ready idle: capacity over the power of a system that is ready and has no requests."""
    findings = list(_idle_findings(idle, raw_capacity_bytes, rules))
    run = idle.run
    unit = str(rules.known("metrics.RI.unit") or "GB/W")
    power: float | None = None
    ep: float | None = None
    rows: list[IdleMinute] = []
    if run is not None:
        own = phase.minutes_of(idle, run, "IOPS")
        power = efficiency.mean_power_w(own)
        ep = efficiency.ready_idle(raw_capacity_bytes, power, unit)
        columns = (own.start_s.tolist(), own.end_s.tolist(), own.power_w.tolist())
        rows = [
            IdleMinute(
                minute=number, start_s=start, end_s=end, power_w=watts if math.isfinite(watts) else None
            )
            for number, (start, end, watts) in enumerate(zip(*columns, strict=True), 1)
        ]
    return ReadyIdle(
        phase=idle.stage.phase,
        stage=idle.stage.id,
        metric=rules.known("metrics.RI.name") or "EP_RI",
        unit=unit,
        raw_capacity_gb=None if raw_capacity_bytes is None else raw_capacity_bytes / efficiency.BYTES_PER_GB,
        kind=None if run is None else phase.kind_of(run),
        start=idle.start,
        seconds=idle.seconds,
        power_w=power,
        ep=ep,
        ep_shown=phase.published(ep, findings, rules),
        minutes=rows,
        instruments=[] if run is None else phase.described(run, power, rules),
        **phase.status_fields(findings),
    )


def _idle_findings(idle: StageRun, raw_capacity_bytes: int | None, rules: PlanRules) -> Iterator[Finding]:
    yield from idle.findings
    if idle.run is None:
        yield Finding("stage-missing", "invalid", "there are no figures of ready idle")
        return
    own, stage = phase.minutes_of(idle, idle.run, "IOPS"), idle.stage
    yield from validity.coverage(own, seconds=stage.seconds, interval_s=stage.interval_s, requests=False)
    yield from validity.power_sign(own)
    yield from validity.duration(stage.seconds, rule_seconds(stage, rules.plan), "ready idle")
    yield from validity.resting(own)
    yield from phase.instrument_findings(idle.run, efficiency.mean_power_w(own), rules)
    if raw_capacity_bytes is None:
        text = "the plan does not have the raw capacity, from which the metric is computed"
        yield Finding("capacity-unknown", "invalid", text)
