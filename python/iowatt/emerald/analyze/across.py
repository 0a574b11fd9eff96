"""Findings on the measurement as a whole: its stages together, its journal, its settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import PurePath
from typing import Any, Final

from iowatt.emerald.analyze.checks import clocks, sequence, validity
from iowatt.emerald.analyze.checks.clocks import Boundary
from iowatt.emerald.analyze.checks.sequence import StageSpan
from iowatt.emerald.analyze.limits import PlanRules
from iowatt.emerald.analyze.phase import JudgedPhase
from iowatt.emerald.analyze.stages import MeasuredStages, StageRun, rule_seconds
from iowatt.emerald.conduct import state_of
from iowatt.emerald.finding import Finding, Weight

ACTIVE = ("warmup", "measurement", "idle")
#: Longest time between two stages that is not a break: a load generator needs some seconds to start, in a
#: rehearsal too. Our choice: the rules' own limit could not be read.
SEAM_LIMIT_S: Final = 60.0
_REACH_S = 180.0  #: Reach around a boundary between stages in which a step of the power is looked for.


def findings(measured: MeasuredStages, phases: Sequence[JudgedPhase], rules: PlanRules) -> Iterator[Finding]:
    """All findings on the measurement."""
    yield from measured.findings
    yield from _plan(measured, rules)
    yield from _times(measured, rules)
    yield from _settings(measured)
    drivers = [(stage, f"{driver['tool']} {driver['version']}") for stage, driver in _drivers(measured)]
    yield from sequence.one_driver(drivers)
    yield from _driver(measured, rules)
    yield from _intensity(phases, rules)
    for one in measured.stages:
        if one.stage.role in ("prefill", "conditioning"):
            yield from _preparation(one, measured)


def _plan(measured: MeasuredStages, rules: PlanRules) -> Iterator[Finding]:
    """The plan itself: its own deviations, and its order against the rules'."""
    plan = measured.plan
    for deviation in plan.deviations:
        yield Finding("plan-deviation", "non-compliant", deviation.text, {"code": deviation.code})
    if plan.time_scale < 1 and not _is_stated(measured, "dry-run", f"{plan.time_scale:g}"):
        text = f"all times were multiplied by {plan.time_scale:g}: this is a rehearsal, not a measurement"
        yield Finding("time-scaled", "non-compliant", text, {"time_scale": plan.time_scale})
    if plan.rules.sha256 != rules.rules.sha256:
        text = f"the plan was made by {plan.rules.profile}, and this judgement uses {rules.name}"
        if plan.rules.profile == rules.name:
            text = f"the rules {rules.name} have changed since the plan was made"
        digests = {"plan": plan.rules.sha256, "judged": rules.rules.sha256}
        yield Finding("rules-differ", "warning", text, digests)
    order = list(rules.names("phases.order"))
    planned = [stage.phase for stage in plan.stages if stage.role == "measurement"]
    missing = [phase for phase in order if phase not in planned]
    # A plan of these rules may leave a phase out; a plan of other rules measured something else.
    other = [phase for phase in planned if phase not in order]
    if missing:
        text = f"the rules require {', '.join(missing)}, which the plan leaves out"
        text += f"; it has {', '.join(other)} instead, of other rules" if other else ""
        yield Finding("phases-missing", "invalid" if other else "non-compliant", text)
    if [phase for phase in planned if phase in order] != [phase for phase in order if phase in planned]:
        text = f"the plan has the phases in the order {', '.join(planned)}; the rules' is {', '.join(order)}"
        yield Finding("out-of-order", "non-compliant", text)


def _is_stated(measured: MeasuredStages, code: str, word: str) -> bool:
    """Whether the plan's deviations have it; those of earlier versions have no codes, but a word."""
    return any(
        one.code == code or (one.code == "stated" and word in one.text.lower())
        for one in measured.plan.deviations
    )


def _times(measured: MeasuredStages, rules: PlanRules) -> Iterator[Finding]:
    """Order, breaks and clocks."""
    interval = max(stage.interval_s for stage in measured.plan.stages)
    apart = rules.number("instruments.clock.apart_s")
    by_log = [span for one in measured.stages if (span := _span(one)) is not None]
    yield from sequence.order(by_log, slack_s=apart)
    by_journal = [
        StageSpan(one.stage.id, one.began, one.ended, one.stage.role in ACTIVE)
        for one in measured.stages
        if one.began is not None and one.ended is not None
    ]
    if not by_log:
        yield from sequence.order(by_journal, slack_s=apart)
    yield from sequence.breaks(by_journal or by_log, most_s=SEAM_LIMIT_S)
    for one in measured.stages:
        span = _span(one)
        if span is not None and one.began is not None and one.ended is not None:
            yield from sequence.clocks(span, one.began, one.ended, apart)
    boundaries = [
        Boundary(after.start, min(_REACH_S, 0.45 * min(before.end - before.start, after.end - after.start)))
        for before, after in pairwise(_loads(measured))
    ]
    for log in measured.foreign:
        watts = log.quantities.get("watts")
        found = None if watts is None else clocks.lag(boundaries, log.time_s, watts, apart)
        yield from clocks.compared(log.instrument.name, found, apart, interval)


def _loads(measured: MeasuredStages) -> list[StageSpan]:
    """Times of one load: between a warm-up and its measurement the power has no reason to step."""
    found: list[StageSpan] = []
    for one in measured.stages:
        span = _span(one)
        if span is None:
            continue
        if found and found[-1].stage == one.stage.phase:
            found[-1] = replace(found[-1], end=span.end)
        else:
            found.append(replace(span, stage=one.stage.phase))
    return found


def _span(one: StageRun) -> StageSpan | None:
    if one.whole is None:
        return None
    return StageSpan(one.stage.id, *one.whole, one.stage.role in ACTIVE)


def _settings(measured: MeasuredStages) -> Iterator[Finding]:
    noted = False
    if measured.events is not None:
        state = state_of(measured.plan, measured.events)
        for found in state.deviations:
            if found.code != "settings-changed":
                yield Finding(found.code, "non-compliant", found.text, {"stage": found.stage})
        yield from sequence.journal([(event.event, event.values) for event in measured.events])
        noted = bool(state.changes)
    if not noted:
        yield from sequence.settings(measured.settings_before, measured.settings_after)
    if measured.settings_before is None and measured.plan.source != "simulation":
        text = "settings were not recorded before and after: whether the configuration changed is not known"
        yield Finding("settings-unknown", "non-compliant", text)
    elif measured.settings_after is None and measured.plan.source != "simulation":
        yield Finding("settings-unknown", "non-compliant", "settings were not recorded after the measurement")


def _driver(measured: MeasuredStages, rules: PlanRules) -> Iterator[Finding]:
    """Whether the rules accept the load generator."""
    source = measured.plan.source
    if source == "simulation":
        if not _is_stated(measured, "modelled", "modelled"):
            yield Finding("modelled", "non-compliant", "simulated, not measured: every figure is modelled")
        return
    tool = rules.known("driver.tool")
    if tool not in (None, "any", source):
        text = f"Emerald-like ({source}): these rules require {tool} and its official script"
        if source == "files":
            text = f"in the manner of {tool}, and not it: operations on files by iowatt are not comparable"
        yield Finding("driver-other", "non-compliant", text, {"driver": source, "asked": tool})
        return
    versions = rules.known("driver.versions")
    used = sorted({str(driver["version"]) for _, driver in _drivers(measured)})
    other = [version for version in used if versions and not any(known in version for known in versions)]
    if other:
        text = f"{', '.join(other)} made the requests; these rules require {tool} {' or '.join(versions)}"
        yield Finding("driver-version", "non-compliant", text)
    script = measured.plan.script
    if tool == source and script is not None and script.files:
        named = ", ".join(
            f"{PurePath(name).name} (SHA-256 {digest[:12]}...)"
            for name, digest in zip(script.files, script.sha256, strict=False)
        )
        text = f"the lab's own parameter files were run, {named}: compare them with the official script"
        yield Finding("driver-script", "warning", text, {"sha256": script.sha256})
    elif tool == source and rules.known("driver.script") is not None:
        text = "the parameter files are iowatt's, not the official script that these rules require"
        yield Finding("driver-script", "non-compliant", text)


def _drivers(measured: MeasuredStages) -> list[tuple[str, Mapping[str, Any]]]:
    """The load generator of each stage that has one."""
    runs = [(one.stage.id, one.run) for one in measured.stages if one.run is not None]
    return [(stage, driver) for stage, run in runs if (driver := run.summary.get("driver"))]


def _intensity(phases: Sequence[JudgedPhase], rules: PlanRules) -> Iterator[Finding]:
    """Phases whose rate is a share of another's."""
    by_name = {phase.result.phase: phase for phase in phases}
    for name, phase in by_name.items():
        of = rules.known(f"workloads.{name}.intensity_of")
        if of is None:
            continue
        other = by_name.get(str(of))
        if other is None:
            text = f"{name} is to run at a share of {of}'s rate, and there is no {of}"
            yield Finding("intensity-unknown", "non-compliant", text)
            continue
        yield from validity.intensity(
            validity.Rate(phase.result.iops, phase.result.asked_iops, phase.requests),
            validity.Rate(other.result.iops, other.result.asked_iops, other.requests),
            percent=rules.number(f"workloads.{name}.intensity_percent"),
            within_percent=100 - rules.number("rate.achieved_percent"),
            phase=name,
            of_phase=str(of),
        )


def _preparation(one: StageRun, measured: MeasuredStages) -> Iterator[Finding]:
    """Whether fill and conditioning were done for long enough."""
    stage = one.stage
    if one.run is None and one.ended is None:
        weight: Weight = "non-compliant" if measured.events is not None else "warning"
        text = f"there is no record that {stage.id} was done"
        yield Finding("preparation-missing", weight, text, {"stage": stage.id})
        return
    yield from validity.duration(stage.seconds, rule_seconds(stage, measured.plan), stage.id)
