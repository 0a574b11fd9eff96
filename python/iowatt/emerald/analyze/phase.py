"""One measured phase: its figures, its stability and what stands against it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from iowatt.emerald.analyze.limits import Asked, Stability
from iowatt.emerald.analyze.result import (
    InstrumentUsed,
    Kind,
    Minute,
    PhaseResult,
    Range,
    ReadingFound,
    StabilityFound,
    TrendFound,
)
from iowatt.emerald.analyze.stage_run import StageRun, rule_seconds
from iowatt.emerald.judge import efficiency, generator, instruments, minutes, stability, trend, validity
from iowatt.emerald.judge.finding import Finding, status
from iowatt.emerald.judge.minutes import Floats, Minutes
from iowatt.emerald.plan.workloads import outstanding
from iowatt.run.bundle import Run


@dataclass(frozen=True)
class Phase:
    """A phase as judged, and what later checks across phases need."""

    result: PhaseResult
    #: Requests that the result's ``iops`` was counted from.
    requests: float = 0.0


def judge(measured: StageRun, warmup: StageRun | None, asked: Asked, rule: Stability) -> Phase:
    """Judge a measurement stage with the warm-up before it."""
    phase = measured.stage.phase
    unit = minutes.unit_of(phase)
    head: dict[str, Any] = {
        "phase": phase,
        "stage": measured.stage.id,
        "metric": asked.known(f"metrics.{phase}.name") or f"EP_{phase}",
        "unit": f"{unit}/W",
        "operations_unit": unit,
    }
    if phase not in asked.names("phases.order"):
        text = f"the rules {asked.rules.name} have no phase {phase} and no metric of it"
        return Phase(
            PhaseResult(**head, **_without_figures(), **judged([Finding("metric-unknown", "invalid", text)]))
        )
    if measured.run is None:
        missing = Finding("stage-missing", "invalid", f"there are no figures of {phase}")
        return Phase(PhaseResult(**head, **_without_figures(), **judged([*measured.findings, missing])))
    run = measured.run
    own = minutes_of(measured, run, unit)
    before = _history(warmup, measured, unit)
    found = efficiency.means(own)
    ep = efficiency.ep(found.metered_rate, found.power_w)
    settled, drifted, averages = _stability(own, before, rule)
    findings = [
        *measured.findings,
        *_coverage(measured, warmup, own, asked),
        *_response(own, found, phase, asked),
        *_requests(measured, own, asked),
        *_generator(measured, own, found.response_ms, asked),
        *instrument_findings(run, found.power_w, asked),
        *_settled(averages[len(averages) - len(own) :], settled, drifted, rule),
    ]
    requests, seconds = float(np.nansum(own.requests)), float(own.seconds.sum())
    driver = run.summary.get("driver") or {}
    result = PhaseResult(
        **head,
        kind=kind_of(run),
        start=measured.start,
        seconds=seconds,
        complete_seconds=found.seconds,
        operations_rate=found.operations_rate,
        iops=requests / seconds if seconds > 0 else None,
        mib_per_s=found.operations_rate if unit == "MiB/s" else _mib_per_s(run, own),
        response_mean_ms=found.response_ms,
        response_limit_ms=_limit_ms(phase, asked),
        response_largest_minute_ms=_largest(own.response_ms),
        power_w=found.power_w,
        ep=ep,
        ep_shown=shown(ep, findings, asked),
        asked_iops=driver.get("asked_iops") or measured.stage.rate_iops,
        shares=driver.get("shares") or [],
        stability=settled,
        minutes=_rows(before, own, averages),
        instruments=described(run, found.power_w, asked),
        **judged(findings),
    )
    return Phase(result, requests)


def _without_figures() -> dict[str, Any]:
    """Of a phase that has none."""
    names = (
        "kind", "start", "seconds", "complete_seconds", "operations_rate", "iops", "mib_per_s",
        "response_mean_ms", "response_limit_ms", "response_largest_minute_ms", "power_w", "ep", "ep_shown",
        "asked_iops", "stability",
    )  # fmt: skip
    return dict.fromkeys(names) | {"shares": [], "minutes": [], "instruments": []}


def kind_of(run: Run) -> Kind:
    """Whether the figures of a Run are a simulation's."""
    return "modelled" if run.summary["source"] == "simulation" else "measured"


def judged(findings: Sequence[Finding]) -> dict[str, Any]:
    """The fields of a part that follow from its findings."""
    return {
        "status": status(findings),
        "compliant": not any(finding.weight != "warning" for finding in findings),
        "findings": list(findings),
    }


def minutes_of(one: StageRun, run: Run, unit: minutes.Unit) -> Minutes:
    """The minutes of a stage that the plan asked for."""
    return minutes.of_table(run.table("intervals"), unit).planned(one.stage.seconds, one.stage.interval_s)


def shown(ep: float | None, findings: list[Finding], asked: Asked) -> str | None:
    """The metric as it is published; None where it is no measurement."""
    if ep is None or status(findings) == "invalid":
        return None
    return efficiency.significant(ep, int(asked.number("metrics.significant_digits")))


def _stability(
    own: Minutes, before: Minutes | None, rule: Stability
) -> tuple[StabilityFound, trend.Trend | None, Floats]:
    """The readings and the verdict, the trend test, and EA of all minutes, history first."""
    history = np.array([]) if before is None else before.efficiency
    averages = stability.weighted(np.concatenate([history, own.efficiency]), rule.weights)
    mine = averages[len(history) :]
    mean = float(np.nanmean(own.efficiency)) if np.isfinite(own.efficiency).any() else float("nan")
    deviation = stability.deviations(mine, mean) if len(mine) else None
    readings = {
        name: ReadingFound(
            meaning=stability.MEANING[name],
            largest_deviation=None if deviation is None else _finite(float(deviation.of(name))),
            holds=deviation is not None and bool(deviation.holds(name, rule.tolerance)),
        )
        for name in stability.READINGS
    }
    found = trend.trend(own.efficiency)
    return (
        StabilityFound(
            weights=rule.weights_name,
            reading=rule.reading,
            tolerance=rule.tolerance,
            mean_efficiency=_finite(mean),
            readings=readings,
            trend=None
            if found is None
            else TrendFound(
                points=found.points,
                drift=found.drift,
                drift_half_width=found.drift_half_width,
                p=found.p,
                level=trend.LEVEL,
                significant=found.significant,
                autocorrelation=found.autocorrelation,
                degrees=found.degrees,
            ),
            verdict=trend.verdict(found, readings["a"].holds, rule.tolerance),
        ),
        found,
        averages,
    )


def _coverage(measured: StageRun, warmup: StageRun | None, own: Minutes, asked: Asked) -> Iterator[Finding]:
    """Whether all minutes are there, and those of the warm-up."""
    stage = measured.stage
    yield from validity.coverage(own, seconds=stage.seconds, interval_s=stage.interval_s)
    yield from validity.power_sign(own)
    yield from validity.duration(stage.seconds, rule_seconds(stage, asked.plan), "measurement interval")
    yield from _history_findings(warmup, asked)


def _settled(
    averages: Floats, settled: StabilityFound, drifted: trend.Trend | None, rule: Stability
) -> Iterator[Finding]:
    """Whether the metric was stable; ``averages`` are those of the measured minutes."""
    chosen = settled.readings[rule.reading]
    deviation = chosen.largest_deviation
    yield from validity.stable(
        averages,
        reading=rule.reading,
        deviation=float("nan") if deviation is None else deviation,
        tolerance=rule.tolerance,
        meaning=chosen.meaning,
    )
    if rule.reading != "a":
        yield from validity.wandering(settled.readings["a"].largest_deviation, rule.tolerance)
    yield from validity.drift(drifted, rule.tolerance)


def _response(own: Minutes, found: efficiency.Means, phase: str, asked: Asked) -> Iterator[Finding]:
    if asked.access(phase) != "random":
        return
    mean, minute = "response.mean_ms.random", "response.minute_ms.random"
    for key in (mean, minute):
        limit = asked.known(key)
        if limit is None:
            yield Finding(
                "limit-unknown", "warning", f"the rules hold no value of {key} for this category: not judged"
            )
        elif key == mean:
            yield from validity.response_mean(found.response_ms, float(limit))
        else:
            yield from validity.response_minutes(own, float(limit))


def _limit_ms(phase: str, asked: Asked) -> float | None:
    """The limit of the mean response time, where the phase has one that is known."""
    return asked.known("response.mean_ms.random") if asked.access(phase) == "random" else None


def _requests(measured: StageRun, own: Minutes, asked: Asked) -> Iterator[Finding]:
    """Rate, shares, sizes and errors."""
    stage, run = measured.stage, measured.run
    assert run is not None
    summary = run.summary
    driver = summary.get("driver") or {}
    count, seconds = float(np.nansum(own.requests)), float(own.seconds.sum())
    yield from validity.asked_rate(stage.rate_iops, driver.get("asked_iops"))
    wanted = driver.get("asked_iops") or stage.rate_iops
    if not stage.closed and wanted is not None and seconds > 0:
        least = asked.number("rate.achieved_percent")
        yield from validity.achieved_rate(wanted, count / seconds, least, count)
    workload = stage.workload or stage.phase
    yield from validity.workload(
        _asked_for(run),
        phase=workload,
        read_percent=asked.known(f"workloads.{workload}.read_percent"),
        transfer_bytes=asked.known(f"workloads.{workload}.transfer_bytes"),
    )
    expected = asked.known(f"workloads.{workload}.shares_percent")
    if expected and summary["source"] != "simulation":
        streams = driver.get("shares") or []
        yield from validity.shares_known(streams, expected)
        yield from validity.shares(streams, asked.number("rate.skew_points"), count)
    yield from validity.errors(int(summary["requests"]["errors"]))
    for warning in driver.get("warnings") or []:
        yield Finding("driver-warning", "warning", f"the load generator warns: {warning}")


def _generator(
    measured: StageRun, own: Minutes, response_ms: float | None, asked: Asked
) -> Iterator[Finding]:
    """Whether the load generator was the limit; a simulation has none."""
    stage, run = measured.stage, measured.run
    seconds = float(own.seconds.sum())
    if run is None or run.summary["source"] == "simulation" or seconds <= 0:
        return
    said = run.plan.get("measured") or {}
    count = float(np.nansum(own.requests))
    driver = run.summary.get("driver") or {}
    load = generator.Load(
        asked_iops=None if stage.closed else driver.get("asked_iops") or stage.rate_iops,
        achieved_iops=count / seconds,
        response_s=None if response_ms is None else response_ms / 1e3,
        seconds=seconds,
        outstanding=said.get("outstanding") or outstanding(stage),
        busy_percent=said.get("busy_percent"),
    )
    limit_ms = _limit_ms(stage.phase, asked)
    yield from generator.limited(
        load,
        None if limit_ms is None else limit_ms / 1e3,
        keeps_up=asked.number("rate.achieved_percent") / 100,
        scatter=3 * math.sqrt(count) / seconds,
    )


def _asked_for(run: Run) -> validity.Work:
    """What the stage's intervals hold, by direction and in bytes of what completed."""
    table = run.table("intervals")
    names = ("reads", "writes", "completions", "bytes_read", "bytes_written")
    reads, writes, done, *moved = (float(table[name].fill_null(0).to_numpy().sum()) for name in names)
    return validity.Work(reads, writes, done, sum(moved))


def instrument_findings(run: Run, power_w: float | None, asked: Asked) -> Iterator[Finding]:
    """Of measured stages; a simulation has its power from a model."""
    if run.summary["source"] == "simulation":
        return
    table = run.table("instruments") if run.has("instruments") else None
    said = set() if table is None else set(table["quantity"].unique())
    limits = asked.instruments(power_w, said)
    yield from instruments.check(run.summary.get("instruments") or [], table, limits)


def described(run: Run, power_w: float | None, asked: Asked) -> list[InstrumentUsed]:
    """The instruments of a stage."""
    found = []
    for one in run.summary.get("instruments") or []:
        row = {key: value for key, value in one.items() if key not in ("problems", "details")}
        if one["role"] == "power" and power_w is not None:
            row["resolution_asked_w"] = instruments.resolution(power_w, asked.resolution())
        found.append(InstrumentUsed(**row, readings=_readings(run, one["name"])))
    return found


def _readings(run: Run, name: str) -> dict[str, Range]:
    """Smallest, mean and largest of each quantity over the stage."""
    if not run.has("instruments"):
        return {}
    import polars as pl

    own = run.table("instruments").filter(pl.col("instrument") == name)
    found: dict[str, Range] = {}
    for quantity in own["quantity"].unique(maintain_order=True):
        rows = own.filter((pl.col("quantity") == quantity) & pl.col("mean").is_not_null())
        if rows.height:
            width = (rows["end_s"] - rows["start_s"]).to_numpy()
            found[str(quantity)] = Range(
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


def _history_findings(warmup: StageRun | None, asked: Asked) -> Iterator[Finding]:
    if warmup is None:
        yield Finding(
            "no-warmup", "invalid", "the phase has no warm-up, which gives the history of its averages"
        )
        return
    if warmup.run is None:
        yield Finding("warmup-missing", "invalid", f"there are no figures of {warmup.stage.id}")
        return
    yield from validity.duration(warmup.stage.seconds, rule_seconds(warmup.stage, asked.plan), "warm-up")
    rows = minutes_of(warmup, warmup.run, "IOPS")
    for finding in validity.coverage(rows, seconds=warmup.stage.seconds, interval_s=warmup.stage.interval_s):
        yield Finding(finding.code, finding.weight, f"{warmup.stage.id}: {finding.text}", finding.values)
    for finding in warmup.findings:
        yield Finding(finding.code, finding.weight, f"{warmup.stage.id}: {finding.text}", finding.values)


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
    """Of the minutes that the plan asked for; what ran beyond them is in no other figure either."""
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
