"""Ready idle: capacity over the power of a system that is ready and has no requests."""

from __future__ import annotations

import math
from collections.abc import Iterator

from iowatt.emerald.analyze.limits import Asked
from iowatt.emerald.analyze.phase import described, instrument_findings, judged, kind_of, minutes_of, shown
from iowatt.emerald.analyze.result import ReadyIdle, RestMinute
from iowatt.emerald.analyze.stage_run import StageRun, rule_seconds
from iowatt.emerald.judge import efficiency, validity
from iowatt.emerald.judge.finding import Finding


def judge(rest: StageRun, raw_capacity_bytes: int | None, asked: Asked) -> ReadyIdle:
    """Judge the stage of ready idle."""
    findings = list(_findings(rest, raw_capacity_bytes, asked))
    run = rest.run
    power: float | None = None
    ep: float | None = None
    rows: list[RestMinute] = []
    if run is not None:
        own = minutes_of(rest, run, "IOPS")
        power = efficiency.mean_power_w(own)
        ep = efficiency.ready_idle_gb_per_w(raw_capacity_bytes, power)
        columns = (own.start_s.tolist(), own.end_s.tolist(), own.power_w.tolist())
        rows = [
            RestMinute(
                minute=number, start_s=start, end_s=end, power_w=watts if math.isfinite(watts) else None
            )
            for number, (start, end, watts) in enumerate(zip(*columns, strict=True), 1)
        ]
    return ReadyIdle(
        phase=rest.stage.phase,
        stage=rest.stage.id,
        metric=asked.known("metrics.RI.name") or "EP_RI",
        unit="GB/W",
        raw_capacity_gb=None if raw_capacity_bytes is None else raw_capacity_bytes / efficiency.BYTES_PER_GB,
        kind=None if run is None else kind_of(run),
        start=rest.start,
        seconds=rest.seconds,
        power_w=power,
        ep=ep,
        ep_shown=shown(ep, findings, asked),
        minutes=rows,
        instruments=[] if run is None else described(run, power, asked),
        **judged(findings),
    )


def _findings(rest: StageRun, raw_capacity_bytes: int | None, asked: Asked) -> Iterator[Finding]:
    yield from rest.findings
    if rest.run is None:
        yield Finding("stage-missing", "invalid", "there are no figures of ready idle")
        return
    own = minutes_of(rest, rest.run, "IOPS")
    stage = rest.stage
    yield from validity.coverage(own, seconds=stage.seconds, interval_s=stage.interval_s, requests=False)
    yield from validity.power_sign(own)
    yield from validity.duration(stage.seconds, rule_seconds(stage, asked.plan), "ready idle")
    yield from validity.resting(own)
    yield from instrument_findings(rest.run, efficiency.mean_power_w(own), asked)
    if raw_capacity_bytes is None:
        yield Finding(
            "capacity-unknown",
            "invalid",
            "the plan does not say the raw capacity, from which the metric is computed",
        )
