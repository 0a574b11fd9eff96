"""One measured phase: its figures, its stability and its findings.

PE (periodic efficiency) is operations per watt of one minute, EA the weighted average of PE over that minute
and those before it, EP the phase's metric: mean rate / mean power.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from iowatt.emerald import generator
from iowatt.emerald.analyze.checks import efficiency, instruments, minutes, stability, trend, validity
from iowatt.emerald.analyze.checks.minutes import Floats, Minutes
from iowatt.emerald.analyze.limits import PlanRules, StabilityLimits
from iowatt.emerald.analyze.result import (
    EfficiencyTrend,
    InstrumentUsed,
    Kind,
    Minute,
    PhaseResult,
    PhaseStability,
    QuantityRange,
    StabilityReading,
)
from iowatt.emerald.analyze.stages import StageRun, rule_seconds
from iowatt.emerald.finding import Finding, status
from iowatt.emerald.plan.load import outstanding
from iowatt.run.bundle import Run

_TREND = ("points", "drift", "drift_half_width", "p", "significant", "autocorrelation", "degrees")


@dataclass(frozen=True)
class JudgedPhase:
    """A phase as judged, with a figure for checks across phases."""

    result: PhaseResult
    requests: float = 0.0  #: Requests that the result's ``iops`` was counted from.


def judge(
    measured: StageRun, warmup: StageRun | None, rules: PlanRules, limits: StabilityLimits
) -> JudgedPhase:
    """Judge a measurement stage with the warm-up before it."""
    phase = measured.stage.phase
    unit = minutes.unit_of(phase)
    head: dict[str, Any] = {
        "phase": phase,
        "stage": measured.stage.id,
        "metric": rules.known(f"metrics.{phase}.name") or f"EP_{phase}",
        "unit": f"{unit}/W",
        "operations_unit": unit,
    }
    if phase not in rules.names("phases.order"):
        text = f"the rules {rules.name} have no phase {phase} and no metric of it"
        return JudgedPhase(
            PhaseResult(**head, ep=None, **status_fields([Finding("metric-unknown", "invalid", text)]))
        )
    run = measured.run
    if run is None:
        missing = Finding("stage-missing", "invalid", f"there are no figures of {phase}")
        return JudgedPhase(PhaseResult(**head, ep=None, **status_fields([*measured.findings, missing])))
    own = minutes_of(measured, run, unit)
    before = _history(warmup, measured, unit)
    means = efficiency.means(own)
    ep = efficiency.ep(means.metered_rate, means.power_w)
    stable, drift, averages = _stability(own, before, limits)
    requests, seconds = _totals(own)
    driver = run.summary.get("driver") or {}
    asked_iops = driver.get("asked_iops") or measured.stage.rate_iops
    findings = [
        *measured.findings,
        *_coverage_findings(measured, warmup, own, rules),
        *_response(own, means, phase, rules),
        *_requests(measured, run, own, rules),
        *_generator(measured, run, own, means.response_ms, rules),
        *instrument_findings(run, means.power_w, rules),
        *_stability_findings(averages[len(averages) - len(own) :], stable, drift, limits),
    ]
    result = PhaseResult(
        **head,
        kind=kind_of(run),
        start=measured.start,
        seconds=seconds,
        complete_seconds=means.seconds,
        operations_rate=means.operations_rate,
        iops=requests / seconds if seconds > 0 else None,
        mib_per_s=means.operations_rate if unit == "MiB/s" else _mib_per_s(run, own),
        response_mean_ms=means.response_ms,
        response_limit_ms=_limit_ms(phase, rules),
        response_largest_minute_ms=_largest(own.response_ms),
        power_w=means.power_w,
        ep=ep,
        ep_shown=published(ep, findings, rules),
        asked_iops=asked_iops,
        shares=driver.get("shares") or [],
        stability=stable,
        minutes=_rows(before, own, averages),
        instruments=described(run, means.power_w, rules),
        **status_fields(findings),
    )
    return JudgedPhase(result, requests)


def kind_of(run: Run) -> Kind:
    """Whether the figures of a Run are a simulation's."""
    return "modelled" if run.summary["source"] == "simulation" else "measured"


def status_fields(findings: Sequence[Finding]) -> dict[str, Any]:
    """The fields of a part that follow from its findings."""
    return {
        "status": status(findings),
        "compliant": not any(finding.weight != "warning" for finding in findings),
        "findings": list(findings),
    }


def minutes_of(one: StageRun, run: Run, unit: minutes.Unit) -> Minutes:
    """The planned minutes of a stage."""
    return minutes.of_table(run.table("intervals"), unit).planned(one.stage.seconds, one.stage.interval_s)


def published(ep: float | None, findings: list[Finding], rules: PlanRules) -> str | None:
    """The metric as it is published; None where it is not valid as a measurement."""
    if ep is None or status(findings) == "invalid":
        return None
    return efficiency.significant(ep, int(rules.number("metrics.significant_digits")))


def _stability(
    own: Minutes, before: Minutes | None, limits: StabilityLimits
) -> tuple[PhaseStability, trend.Trend | None, Floats]:
    """The readings and the verdict, the trend test, and EA of all minutes, history first."""
    history = np.array([]) if before is None else before.efficiency
    averages = stability.weighted(np.concatenate([history, own.efficiency]), limits.weights)
    mine = averages[len(history) :]
    mean = float(np.nanmean(own.efficiency)) if np.isfinite(own.efficiency).any() else float("nan")
    deviation = stability.deviations(mine, mean) if len(mine) else None
    readings = {
        name: StabilityReading(
            meaning=stability.MEANING[name],
            largest_deviation=None if deviation is None else _finite(float(deviation.of(name))),
            holds=deviation is not None and bool(deviation.holds(name, limits.tolerance)),
        )
        for name in stability.READINGS
    }
    found = trend.trend(own.efficiency)
    return (
        PhaseStability(
            weights=limits.weights_name,
            reading=limits.reading,
            tolerance=limits.tolerance,
            mean_efficiency=_finite(mean),
            readings=readings,
            trend=None
            if found is None
            else EfficiencyTrend.model_validate(
                {"level": trend.LEVEL, **{name: getattr(found, name) for name in _TREND}}
            ),
            verdict=trend.verdict(found, readings["a"].holds, limits.tolerance),
        ),
        found,
        averages,
    )


def _coverage_findings(
    measured: StageRun, warmup: StageRun | None, own: Minutes, rules: PlanRules
) -> Iterator[Finding]:
    """Whether minutes of the measurement or its warm-up are missing."""
    stage = measured.stage
    yield from validity.coverage(own, seconds=stage.seconds, interval_s=stage.interval_s)
    yield from validity.power_sign(own)
    yield from validity.duration(stage.seconds, rule_seconds(stage, rules.plan), "measurement interval")
    yield from _history_findings(warmup, rules)


def _stability_findings(
    averages: Floats, stable: PhaseStability, drift: trend.Trend | None, limits: StabilityLimits
) -> Iterator[Finding]:
    """Whether the metric was stable; ``averages`` are those of the measured minutes."""
    chosen = stable.readings[limits.reading]
    deviation = chosen.largest_deviation
    yield from validity.stable(
        averages,
        reading=limits.reading,
        deviation=float("nan") if deviation is None else deviation,
        tolerance=limits.tolerance,
        meaning=chosen.meaning,
    )
    if limits.reading != "a":
        yield from validity.wandering(stable.readings["a"].largest_deviation, limits.tolerance)
    yield from validity.drift(drift, limits.tolerance)


def _response(own: Minutes, means: efficiency.Means, phase: str, rules: PlanRules) -> Iterator[Finding]:
    if rules.access(phase) != "random":
        return
    for key in ("response.mean_ms.random", "response.minute_ms.random"):
        limit = rules.known(key)
        if limit is None:
            text = f"the rules have no value of {key} for this category: not judged"
            yield Finding("limit-unknown", "warning", text)
        elif key.startswith("response.mean"):
            yield from validity.response_mean(means.response_ms, float(limit))
        else:
            yield from validity.response_minutes(own, float(limit))


def _limit_ms(phase: str, rules: PlanRules) -> float | None:
    """The limit of the mean response time, where the phase has one that is known."""
    return rules.known("response.mean_ms.random") if rules.access(phase) == "random" else None


def _requests(measured: StageRun, run: Run, own: Minutes, rules: PlanRules) -> Iterator[Finding]:
    """Rate, shares, sizes and errors."""
    count, seconds = _totals(own)
    stage, driver = measured.stage, run.summary.get("driver") or {}
    yield from validity.asked_rate(stage.rate_iops, driver.get("asked_iops"))
    wanted = driver.get("asked_iops") or stage.rate_iops
    if not stage.closed and wanted is not None and seconds > 0:
        least = rules.number("rate.achieved_percent")
        yield from validity.achieved_rate(wanted, count / seconds, least, count)
    workload = stage.workload or stage.phase
    yield from validity.workload(
        _completed_work(run),
        phase=workload,
        read_percent=rules.known(f"workloads.{workload}.read_percent"),
        transfer_bytes=rules.known(f"workloads.{workload}.transfer_bytes"),
    )
    expected = rules.known(f"workloads.{workload}.shares_percent")
    if expected and run.summary["source"] != "simulation":
        streams = driver.get("shares") or []
        yield from validity.shares_known(streams, expected)
        yield from validity.shares(streams, rules.number("rate.skew_points"), count)
    yield from validity.errors(int(run.summary["requests"]["errors"]))
    for warning in driver.get("warnings") or []:
        yield Finding("driver-warning", "warning", f"the load generator warns: {warning}")


def _generator(
    measured: StageRun, run: Run, own: Minutes, response_ms: float | None, rules: PlanRules
) -> Iterator[Finding]:
    """Whether the load generator was the limit; a simulation has none."""
    count, seconds = _totals(own)
    if run.summary["source"] == "simulation" or seconds <= 0:
        return
    stage, recorded = measured.stage, run.plan.get("measured") or {}
    driver = run.summary.get("driver") or {}
    load = generator.GeneratorLoad(
        asked_iops=None if stage.closed else driver.get("asked_iops") or stage.rate_iops,
        achieved_iops=count / seconds,
        response_s=None if response_ms is None else response_ms / 1e3,
        seconds=seconds,
        outstanding=recorded.get("outstanding") or outstanding(stage),
        busy_percent=recorded.get("busy_percent"),
    )
    limit_ms = _limit_ms(stage.phase, rules)
    yield from generator.limited(
        load,
        None if limit_ms is None else limit_ms / 1e3,
        keeps_up=rules.number("rate.achieved_percent") / 100,
        scatter=3 * math.sqrt(count) / seconds,
    )


def _totals(own: Minutes) -> tuple[float, float]:
    """Requests, and seconds."""
    return float(np.nansum(own.requests)), float(own.seconds.sum())


def _completed_work(run: Run) -> validity.CompletedWork:
    """Completed requests of the stage's intervals, by direction and in bytes."""
    table = run.table("intervals")
    names = ("reads", "writes", "completions", "bytes_read", "bytes_written")
    reads, writes, done, *moved = (float(table[name].fill_null(0).to_numpy().sum()) for name in names)
    return validity.CompletedWork(reads, writes, done, sum(moved))


def instrument_findings(run: Run, power_w: float | None, rules: PlanRules) -> Iterator[Finding]:
    """Of measured stages; a simulation has its power from a model."""
    if run.summary["source"] == "simulation":
        return
    table = run.table("instruments") if run.has("instruments") else None
    quantities = set() if table is None else set(table["quantity"].unique())
    limits = rules.instruments(power_w, quantities)
    yield from instruments.check(run.summary.get("instruments") or [], table, limits)


def described(run: Run, power_w: float | None, rules: PlanRules) -> list[InstrumentUsed]:
    """The instruments of a stage."""
    found = []
    for one in run.summary.get("instruments") or []:
        row = {key: value for key, value in one.items() if key not in ("problems", "details")}
        if one["role"] == "power" and power_w is not None:
            row["resolution_asked_w"] = instruments.resolution(power_w, rules.resolution())
        row["channel"] = (one.get("details") or {}).get("channel")
        found.append(InstrumentUsed(**row, readings=_readings(run, one["name"])))
    return found


def _readings(run: Run, name: str) -> dict[str, QuantityRange]:
    """Smallest, mean and largest of each quantity over the stage."""
    if not run.has("instruments"):
        return {}
    import polars as pl

    own = run.table("instruments").filter(pl.col("instrument") == name)
    found: dict[str, QuantityRange] = {}
    for quantity in own["quantity"].unique(maintain_order=True):
        rows = own.filter((pl.col("quantity") == quantity) & pl.col("mean").is_not_null())
        if rows.height:
            width = (rows["end_s"] - rows["start_s"]).to_numpy()
            found[str(quantity)] = QuantityRange(
                minimum=float(rows["minimum"].to_numpy().min()),
                mean=_average(rows["mean"].to_numpy(), width),
                maximum=float(rows["maximum"].to_numpy().max()),
            )
    return found


def _average(values: Floats, width: Floats) -> float | None:
    with np.errstate(over="ignore"):
        return _finite(float((values * width).sum() / width.sum()))


def _history(warmup: StageRun | None, measured: StageRun, unit: minutes.Unit) -> Minutes | None:
    """The minutes of the warm-up, and those that ran before the counted ones of the measurement."""
    parts = []
    if warmup is not None and warmup.run is not None:
        parts.append(minutes_of(warmup, warmup.run, unit))
    if measured.lead_in is not None:
        parts.append(minutes.of_table(measured.lead_in.table("intervals"), unit))
    return minutes.joined(parts) if parts else None


def _history_findings(warmup: StageRun | None, rules: PlanRules) -> Iterator[Finding]:
    if warmup is None:
        text = "the phase has no warm-up, which gives the history of its averages"
        yield Finding("no-warmup", "invalid", text)
        return
    if warmup.run is None:
        yield Finding("warmup-missing", "invalid", f"there are no figures of {warmup.stage.id}")
        return
    yield from validity.duration(warmup.stage.seconds, rule_seconds(warmup.stage, rules.plan), "warm-up")
    rows = minutes_of(warmup, warmup.run, "IOPS")
    stage = warmup.stage
    coverage = validity.coverage(rows, seconds=stage.seconds, interval_s=stage.interval_s)
    for finding in (*coverage, *warmup.findings):
        yield replace(finding, text=f"{stage.id}: {finding.text}")


def _rows(before: Minutes | None, own: Minutes, averages: Floats) -> list[Minute]:
    """A row a minute; those of the history have numbers up to 0, the first measured one is 1."""
    parts = [own] if before is None else [before, own]
    offset = 0 if before is None else len(before)
    rows: list[Minute] = []
    for part in parts:
        pe = part.efficiency
        rows += [
            Minute(
                minute=number + 1 - offset,
                measured=part is own,
                start_s=float(part.start_s[at]),
                end_s=float(part.end_s[at]),
                operations_rate=_finite(part.operations_rate[at]),
                response_ms=_finite(part.response_ms[at]),
                power_w=_finite(part.power_w[at]),
                pe=_finite(pe[at]),
                ea=_finite(averages[number]),
            )
            for at, number in enumerate(range(len(rows), len(rows) + len(part)))
        ]
    return rows


def _mib_per_s(run: Run, own: Minutes) -> float | None:
    """Of the planned minutes; later ones are in no other figure either."""
    seconds = float(own.seconds.sum())
    if seconds <= 0:
        return None
    table = run.table("intervals").head(len(own))
    moved = sum(float(table[name].fill_null(0).to_numpy().sum()) for name in ("bytes_read", "bytes_written"))
    return moved / minutes.BYTES_PER_MIB / seconds


def _largest(values: Floats) -> float | None:
    return float(np.nanmax(values)) if np.isfinite(values).any() else None


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
