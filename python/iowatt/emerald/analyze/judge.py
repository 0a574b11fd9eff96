"""The result of a measurement: figures, validity, and by which rules it was judged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from iowatt.base.errors import InputError
from iowatt.emerald.analyze import across, idle, phase
from iowatt.emerald.analyze.limits import Asked
from iowatt.emerald.analyze.phase import Phase
from iowatt.emerald.analyze.stage_run import Measured, StageRun
from iowatt.emerald.judge import efficiency
from iowatt.emerald.judge.finding import status
from iowatt.emerald.rules import Rules

RESULT_SCHEMA: Final = "iowatt.emerald/1"


def judge(
    measured: Measured, rules: Rules, *, weights: str | None = None, reading: str | None = None
) -> dict[str, Any]:
    """The result as plain data, ``iowatt.emerald/1``; see docs/reference/emerald-result.md.

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
    for one in phases:
        one.document["power_ratio"] = _power_ratio(one, phases, asked)
    findings = list(across.findings(measured, phases, asked))
    parts = [*(one.document for one in phases), *rests]
    valid = status(findings) == "valid" and all(part["status"] == "valid" for part in parts)
    against = [one for one in findings if one.weight != "warning"]
    family = asked.known("metrics.family")
    unverified = asked.rules.unverified_used
    return {
        "schema": RESULT_SCHEMA,
        "name": plan.name,
        "place": measured.place,
        "kind": "modelled" if plan.source == "simulation" else "measured",
        "source": plan.source,
        "category": plan.category,
        "class": plan.class_,
        "product": plan.product,
        "time_scale": plan.time_scale,
        "family": family,
        "status": "valid" if valid else "invalid",
        "compliant": valid and not against and all(part["compliant"] for part in parts),
        "judged": judged(len(unverified)),
        "rules": {
            "profile": asked.rules.name,
            "title": asked.rules.title,
            "version": asked.rules.version,
            "sha256": asked.rules.sha256,
            "used": len(asked.rules.used),
            "unverified": [one.as_dict() for one in unverified],
        },
        "stability": {
            "weights": rule.weights_name,
            "values": list(rule.weights),
            "tolerance": rule.tolerance,
            "reading": rule.reading,
        },
        "findings": [finding.as_dict() for finding in findings],
        "phases": [one.document for one in phases],
        "ready_idle": rests[0] if rests else None,
    }


def _power_ratio(one: Phase, phases: Sequence[Phase], asked: Asked) -> dict[str, Any] | None:
    """Of a phase at a share of another's rate (MW2 of MW1): the share, and its power over the other's.

    None of other phases, and where either metric is refused.
    """
    to = asked.known(f"workloads.{one.name}.intensity_of")
    other = next((each.document for each in phases if each.name == to), None)
    own = one.document
    if other is None or own["ep_shown"] is None or other["ep_shown"] is None:
        return None
    if not (own["ep"] > 0 and other["operations_rate"] > 0):
        return None
    rates = own["operations_rate"] / other["operations_rate"]
    power = efficiency.power_ratio(own["ep"], other["ep"], rates)
    return {"to": to, "rates": rates, "power": power}


def judged(unverified: int) -> str:
    """What must stand beside every judgement."""
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
