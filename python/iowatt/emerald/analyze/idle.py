"""Ready idle: capacity over the power of a system that could answer and is not asked."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from iowatt.emerald.analyze.limits import Asked
from iowatt.emerald.analyze.phase import described, instrument_findings, minutes_of, shown
from iowatt.emerald.analyze.stage_run import StageRun, rule_seconds
from iowatt.emerald.judge import efficiency, validity
from iowatt.emerald.judge.finding import Finding, status


def judge(rest: StageRun, raw_capacity_bytes: int | None, asked: Asked) -> dict[str, Any]:
    """The ready-idle part of the result."""
    head: dict[str, Any] = {
        "phase": rest.stage.phase,
        "stage": rest.stage.id,
        "metric": asked.known("metrics.RI.name") or "EP_RI",
        "unit": "GB/W",
        "raw_capacity_gb": None
        if raw_capacity_bytes is None
        else raw_capacity_bytes / efficiency.BYTES_PER_GB,
    }
    findings = list(_findings(rest, raw_capacity_bytes, asked))
    power, ep, rows = None, None, []
    if rest.run is not None:
        own = minutes_of(rest, rest.run, "IOPS")
        power = efficiency.mean_power_w(own)
        ep = efficiency.ready_idle_gb_per_w(raw_capacity_bytes, power)
        rows = [
            {
                "minute": at + 1,
                "start_s": float(start),
                "end_s": float(end),
                "power_w": watts if math.isfinite(watts) else None,
            }
            for at, (start, end, watts) in enumerate(
                zip(own.start_s.tolist(), own.end_s.tolist(), own.power_w.tolist(), strict=True)
            )
        ]
    return head | {
        "kind": None
        if rest.run is None
        else "modelled"
        if rest.run.summary["source"] == "simulation"
        else "measured",
        "start": rest.start,
        "seconds": rest.seconds,
        "power_w": power,
        "ep": ep,
        "ep_shown": shown(ep, findings, asked),
        "minutes": rows,
        "instruments": [] if rest.run is None else described(rest.run, power, asked),
        "status": status(findings),
        "compliant": not any(finding.weight != "warning" for finding in findings),
        "findings": [finding.as_dict() for finding in findings],
    }


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
            "the plan does not say the raw capacity, which the metric is made of",
        )
