"""Judges a measurement by rules: its figures, and whether they are valid."""

from __future__ import annotations

from collections.abc import Sequence

from iowatt.base.errors import InputError
from iowatt.emerald.analyze import across, idle, phase
from iowatt.emerald.analyze.limits import Asked
from iowatt.emerald.analyze.phase import Phase
from iowatt.emerald.analyze.result import Analysis, Part, PhaseResult, PowerRatio, RulesUsed, StabilityRule
from iowatt.emerald.analyze.stage_run import Measured, StageRun
from iowatt.emerald.judge import efficiency
from iowatt.emerald.judge.finding import status
from iowatt.emerald.rules import Rules


def judge(
    measured: Measured, rules: Rules, *, weights: str | None = None, reading: str | None = None
) -> Analysis:
    """Judge a measurement by rules.

    Parameters
    ----------
    weights, reading:
        Set of weights (A, B) and reading (a, b, c) of the stability rule, in place of the rules' own.

    Raises
    ------
    iowatt.base.errors.InputError
        There is no such set or reading, or the rules lack a value that every profile has.
    """
    plan = measured.plan
    if rules.find("stability.points", plan.category) is None:
        raise InputError(
            "not-applicable",
            rules.name,
            "these rules have no test procedure to judge a measurement by",
            hint="emerald-1.0.0 to emerald-4.0.0 have one, and so have those of ENERGY STAR",
        )
    asked = Asked(rules, plan)
    rule = asked.stability(weights, reading)
    phases = [
        phase.judge(one, _warmup(measured.stages, at), asked, rule)
        for at, one in enumerate(measured.stages)
        if one.stage.role == "measurement"
    ]
    rests = [
        idle.judge(one, plan.raw_capacity_bytes, asked) for one in measured.stages if one.stage.role == "idle"
    ]
    found = [_with_ratio(one.result, phases, asked) for one in phases]
    findings = list(across.findings(measured, phases, asked))
    parts: list[Part] = [*found, *rests]
    valid = status(findings) == "valid" and all(part.status == "valid" for part in parts)
    against = [one for one in findings if one.weight != "warning"]
    family = asked.known("metrics.family")
    unverified = asked.rules.unverified_used
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
            profile=asked.rules.name,
            title=asked.rules.title,
            version=asked.rules.version,
            sha256=asked.rules.sha256,
            used=len(asked.rules.used),
            unverified=list(unverified),
        ),
        stability=StabilityRule(
            weights=rule.weights_name,
            values=list(rule.weights),
            tolerance=rule.tolerance,
            reading=rule.reading,
        ),
        findings=findings,
        phases=found,
        ready_idle=rests[0] if rests else None,
    )


def _with_ratio(own: PhaseResult, phases: Sequence[Phase], asked: Asked) -> PhaseResult:
    """The phase with its power beside that of the phase whose rate it runs a share of (MW2 of MW1).

    There is none for other phases, nor where either metric is refused.
    """
    to = asked.known(f"workloads.{own.phase}.intensity_of")
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
    """What every statement of a verdict must say with it."""
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
