"""What stands against the measurement as a whole: its stages together, its journal, its settings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from iowatt.emerald.analyze.limits import Asked
from iowatt.emerald.analyze.phase import Phase
from iowatt.emerald.analyze.stage_run import Measured, StageRun, rule_seconds
from iowatt.emerald.conduct.state import state_of
from iowatt.emerald.judge import clocks, sequence, validity
from iowatt.emerald.judge.clocks import Boundary
from iowatt.emerald.judge.finding import Finding
from iowatt.emerald.judge.sequence import Span

ACTIVE = ("warmup", "measurement", "idle")
#: Longest time between two stages that is no break: a load generator needs some seconds to start, in a
#: rehearsal too. Ours: the rules' own limit could not be read.
SEAM_LIMIT_S: Final = 60.0
#: How far from a boundary between stages a step of the power is looked for.
_REACH_S = 180.0


def findings(measured: Measured, phases: Sequence[Phase], asked: Asked) -> Iterator[Finding]:
    """All of them."""
    yield from measured.findings
    yield from _plan(measured, asked)
    yield from _times(measured, asked)
    yield from _settings(measured)
    yield from sequence.one_driver(
        [
            (one.stage.id, f"{driver['tool']} {driver['version']}")
            for one in measured.stages
            if one.run is not None and (driver := one.run.summary.get("driver"))
        ]
    )
    yield from _driver(measured, asked)
    yield from _intensity(phases, asked)
    for one in measured.stages:
        if one.stage.role in ("prefill", "conditioning"):
            yield from _preparation(one, measured)


def _plan(measured: Measured, asked: Asked) -> Iterator[Finding]:
    """The plan itself: what it says against its own results, and its order beside the rules'."""
    plan = measured.plan
    for deviation in plan.deviations:
        yield Finding("plan-deviation", "non-compliant", deviation.text, {"code": deviation.code})
    if plan.time_scale < 1 and not _said(measured, "dry-run", f"{plan.time_scale:g}"):
        yield Finding(
            "time-scaled",
            "non-compliant",
            f"all times were multiplied by {plan.time_scale:g}: this is a rehearsal, no measurement",
            {"time_scale": plan.time_scale},
        )
    if plan.rules.sha256 != asked.rules.sha256:
        yield Finding(
            "rules-differ",
            "warning",
            f"the plan was made by {plan.rules.profile}, and this judgement goes by {asked.rules.name}"
            if plan.rules.profile != asked.rules.name
            else f"the rules {plan.rules.profile} have changed since the plan was made",
            {"plan": plan.rules.sha256, "judged": asked.rules.sha256},
        )
    wanted = list(asked.names("phases.order"))
    there = [stage.phase for stage in plan.stages if stage.role == "measurement"]
    missing = [phase for phase in wanted if phase not in there]
    # A plan of these rules may leave a phase out; one of other rules measured something else.
    other = [phase for phase in there if phase not in wanted]
    if missing:
        yield Finding(
            "phases-missing",
            "invalid" if other else "non-compliant",
            f"the rules ask for {', '.join(missing)}, which the plan leaves out"
            + (f"; it has {', '.join(other)} instead, of other rules" if other else ""),
        )
    if [phase for phase in there if phase in wanted] != [phase for phase in wanted if phase in there]:
        yield Finding(
            "out-of-order",
            "non-compliant",
            f"the plan has the phases in the order {', '.join(there)}; the rules' is {', '.join(wanted)}",
        )


def _said(measured: Measured, code: str, word: str) -> bool:
    """Whether the plan's own deviations say so already; those of earlier versions by a word."""
    return any(
        one.code == code or (one.code == "stated" and word in one.text.lower())
        for one in measured.plan.deviations
    )


def _times(measured: Measured, asked: Asked) -> Iterator[Finding]:
    """Order, breaks and clocks."""
    interval = max(stage.interval_s for stage in measured.plan.stages)
    apart = asked.number("instruments.clock.apart_s")
    by_log = [span for one in measured.stages if (span := _span(one)) is not None]
    yield from sequence.order(by_log, slack_s=apart)
    by_journal = [
        Span(one.stage.id, one.began, one.ended, one.stage.role in ACTIVE)
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


def _loads(measured: Measured) -> list[Span]:
    """Times of one load: between a warm-up and its measurement the power has no reason to step."""
    found: list[Span] = []
    for one in measured.stages:
        span = _span(one)
        if span is None:
            continue
        if found and found[-1].stage == one.stage.phase:
            found[-1] = replace(found[-1], end=span.end)
        else:
            found.append(replace(span, stage=one.stage.phase))
    return found


def _span(one: StageRun) -> Span | None:
    if one.whole is None:
        return None
    return Span(one.stage.id, *one.whole, one.stage.role in ACTIVE)


def _settings(measured: Measured) -> Iterator[Finding]:
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
        yield Finding(
            "settings-unknown",
            "non-compliant",
            "settings were not recorded before and after: whether the configuration changed is not known",
        )
    elif measured.settings_after is None and measured.plan.source != "simulation":
        yield Finding("settings-unknown", "non-compliant", "settings were not recorded after the measurement")


def _driver(measured: Measured, asked: Asked) -> Iterator[Finding]:
    """What the rules let make the requests."""
    source = measured.plan.source
    if source == "simulation":
        if not _said(measured, "modelled", "modelled"):
            yield Finding("modelled", "non-compliant", "simulated, not measured: every figure is modelled")
        return
    tool = asked.known("driver.tool")
    if tool not in (None, "any", source):
        yield Finding(
            "driver-other",
            "non-compliant",
            f"Emerald-like ({source}): these rules ask for {tool} and its official script",
            {"driver": source, "asked": tool},
        )
        return
    versions = asked.known("driver.versions")
    used = {
        str(driver["version"])
        for one in measured.stages
        if one.run is not None and (driver := one.run.summary.get("driver"))
    }
    strange = [
        version for version in sorted(used) if versions and not any(known in version for known in versions)
    ]
    if strange:
        yield Finding(
            "driver-version",
            "non-compliant",
            f"{', '.join(strange)} made the requests; these rules ask for {tool} {' or '.join(versions)}",
        )
    if tool == source and asked.known("driver.script") is not None:
        yield Finding(
            "driver-script",
            "non-compliant",
            "the parameter files are iowatt's own reconstruction, not the official script that these rules "
            "ask for",
        )


def _intensity(phases: Sequence[Phase], asked: Asked) -> Iterator[Finding]:
    """Phases whose rate is a share of another's."""
    by_name = {phase.result.phase: phase for phase in phases}
    for name, phase in by_name.items():
        of = asked.known(f"workloads.{name}.intensity_of")
        if of is None:
            continue
        other = by_name.get(str(of))
        if other is None:
            yield Finding(
                "intensity-unknown",
                "non-compliant",
                f"{name} is to run at a share of {of}'s rate, and there is no {of}",
            )
            continue
        yield from validity.intensity(
            validity.Rate(phase.result.iops, phase.result.asked_iops, phase.requests),
            validity.Rate(other.result.iops, other.result.asked_iops, other.requests),
            percent=asked.number(f"workloads.{name}.intensity_percent"),
            within_percent=100 - asked.number("rate.achieved_percent"),
            phase=name,
            of_phase=str(of),
        )


def _preparation(one: StageRun, measured: Measured) -> Iterator[Finding]:
    """Fill and conditioning were done, and for long enough."""
    stage = one.stage
    done = one.run is not None or one.ended is not None
    if not done:
        word = "non-compliant" if measured.events is not None else "warning"
        yield Finding(
            "preparation-missing",
            word,  # type: ignore[arg-type]
            f"nothing shows that {stage.id} was done",
            {"stage": stage.id},
        )
        return
    yield from validity.duration(stage.seconds, rule_seconds(stage, measured.plan), stage.id)
