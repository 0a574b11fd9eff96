"""Measurements by hand: a plan of version 4.0.0 or 1.0.0 and its stages as measured Runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import polars as pl

from iowatt.emerald.analyze import MeasuredStages, StageRun
from iowatt.emerald.measurement import Event
from iowatt.emerald.plan.model import Plan, PlanStage
from iowatt.emerald.rules import load
from iowatt.run.bundle import Run
from iowatt.run.tables import INSTRUMENTS, INTERVALS

#: 2026-03-02 08:00:00 UTC.
BEGIN = 1772438400.0
MINUTE = 60.0
SHARES = {
    "write1": 5, "write2": 5, "write3": 5, "read1": 5, "read2": 5, "read3": 5, "read4": 5, "read5": 5,
    "uniform": 6, "hot1": 28, "hot2": 14, "hot3": 7, "hot4": 5,
}  # fmt: skip
READ_PERCENT = {"HB": 65.8, "MW1": 70, "MW2": 70, "RR": 100, "RW": 0, "SR": 100, "SW": 0}
SIZE = {"HB": 28672, "SR": 262144, "SW": 262144}


@dataclass(frozen=True)
class Made:
    """What one stage is made of; lists are by minute."""

    iops: Sequence[float]
    watts: Sequence[float | None]
    response_ms: Sequence[float]


@dataclass
class Knobs:
    """What is out of order; by default nothing is."""

    #: By phase, of its measurement stage.
    iops: dict[str, float] = field(default_factory=dict)
    response_ms: dict[str, float] = field(default_factory=dict)
    watts: dict[str, float] = field(default_factory=dict)
    #: Relative deviation of a minute's operations rate, standard deviation.
    noise: float = 0.002
    seed: int = 1
    summary: Any = None


METER: Mapping[str, Any] = {
    "name": "wt310", "kind": "ptdaemon", "role": "power", "grade": "emerald", "why": "on SPEC's list",
    "model": "WT310E", "serial": "C1", "calibrated": "2026-01-10", "sample_interval_s": 1.0,
    "uncertainty_percent": 0.4, "details": {}, "problems": [],
}  # fmt: skip
THERMOMETER: Mapping[str, Any] = {
    "name": "inlet", "kind": "csv", "role": "temperature", "grade": "emerald", "why": "0.1 degC",
    "model": None,
    "serial": None, "calibrated": None, "sample_interval_s": 10.0, "uncertainty_percent": None, "details": {},
    "problems": [],
}  # fmt: skip


def plan(version: str = "emerald-4.0.0", source: str = "vdbench", **more: Any) -> Plan:
    """A plan with all phases of the profile, at full length."""
    rules = load(version)
    order = rules.names("phases.order")
    stages: list[dict[str, Any]] = []
    for phase in order:
        closed = phase in ("SR", "SW")
        rate = None if closed else (1000.0 if phase != "MW2" else 250.0)
        common = {
            "phase": phase,
            "workload": phase,
            "interval_s": MINUTE,
            "rate_iops": rate,
            "closed": closed,
        }
        stages.append(
            {"id": f"{phase}-warmup", "role": "warmup", "seconds": 600, "rule_seconds": 600, **common}
        )
        stages.append({"id": phase, "role": "measurement", "seconds": 1800, "rule_seconds": 1800, **common})
    stages.append(
        {
            "id": "ready-idle",
            "phase": "RI",
            "role": "idle",
            "seconds": 7200,
            "rule_seconds": 7200,
            "interval_s": MINUTE,
        }
    )
    document = {
        "schema": "iowatt.emerald-plan/1",
        "name": "by hand",
        "category": "online",
        "class": 3,
        "rules": {"profile": rules.name, "sha256": rules.sha256, "version": rules.version},
        "source": source,
        "target": {"path": "/dev/sdx"},
        "raw_capacity_bytes": 7_300_000_000_000,
        "time_scale": 1.0,
        "stages": stages,
        **more,
    }
    return Plan.model_validate(document)


def made(stage: PlanStage, knobs: Knobs, random: np.random.Generator) -> Made:
    """The minutes of a stage."""
    count = round((stage.seconds or 600) / stage.interval_s)
    if stage.role == "idle":
        return Made([0.0] * count, [knobs.watts.get("RI", 592.692)] * count, [0.0] * count)
    default = {"MW2": 250.0, "SR": 2000.0, "SW": 1000.0}.get(stage.phase, 1000.0)
    level = knobs.iops.get(stage.phase, default)
    rates = level * (1 + knobs.noise * random.standard_normal(count))
    return Made(
        list(rates * level / rates.mean()),
        [knobs.watts.get(stage.phase, 800.0)] * count,
        [knobs.response_ms.get(stage.phase, 8.0)] * count,
    )


def run_of(
    stage: PlanStage,
    minutes: Made,
    start: float,
    *,
    source: str = "vdbench",
    instruments: Sequence[Mapping[str, Any]] = (METER, THERMOMETER),
    driver: Mapping[str, Any] | None = None,
    read_percent: float | None = None,
    size: int | None = None,
) -> Run:
    """A measured Run in memory, as ``iowatt.sources.measured`` makes it."""
    width = stage.interval_s
    count = len(minutes.iops)
    done = [round(rate * width) for rate in minutes.iops]
    share = (READ_PERCENT.get(stage.phase, 0) if read_percent is None else read_percent) / 100
    reads = [round(number * share) for number in done]
    bytes_each = SIZE.get(stage.phase, 8192) if size is None else size
    columns: dict[str, list[Any]] = {name: [None] * count for name in INTERVALS}
    columns |= {
        "start_s": [width * at for at in range(count)],
        "end_s": [width * (at + 1) for at in range(count)],
        "arrivals": done,
        "completions": done,
        "reads": reads,
        "writes": [a - b for a, b in zip(done, reads, strict=True)],
        "bytes_read": [number * bytes_each for number in reads],
        "bytes_written": [(a - b) * bytes_each for a, b in zip(done, reads, strict=True)],
        "response_mean_ms": [
            value if number else None for value, number in zip(minutes.response_ms, done, strict=True)
        ],
        "wall_w": list(minutes.watts),
    }
    intervals = pl.DataFrame({key: pl.Series(key, columns[key], dtype=INTERVALS[key]) for key in INTERVALS})
    tables = {"intervals": intervals}
    if instruments and source != "simulation":
        tables["instruments"] = instruments_table(instruments, intervals)
    summary: dict[str, Any] = {
        "schema": "iowatt.run/1",
        "name": stage.id,
        "source": source,
        "notes": [],
        "window": {"start_s": 0.0, "end_s": count * width, "duration_s": count * width, "warmup_s": 0.0},
        "requests": {
            "count": sum(done), "completed": sum(done), "reads": sum(reads), "writes": sum(done) - sum(reads),
            "bytes_read": sum(columns["bytes_read"]), "bytes_written": sum(columns["bytes_written"]),
            "errors": 0,
            "in_flight_at_end": 0,
        },
    }  # fmt: skip
    if source != "simulation":
        summary["instruments"] = [dict(one) for one in instruments]
        if stage.role != "idle":
            summary["driver"] = {
                "tool": source,
                "version": "vdbench 5.04.05" if source == "vdbench" else "fio-3.33",
                "asked_iops": stage.rate_iops,
                "achieved_iops": sum(done) / (max(count, 1) * width),
                "shares": [
                    {"stream": name, "asked": share, "observed": share + 0.02}
                    for name, share in SHARES.items()
                ]
                if stage.phase == "HB"
                else [],
                "warnings": [],
                **(driver or {}),
            }
    began = datetime.fromtimestamp(start, UTC).isoformat(timespec="milliseconds")
    plan_document = {"measured": {"start": began}} if source != "simulation" else {}
    return Run(summary=summary, plan=plan_document, scenario_text="", tables=tables)


def instruments_table(instruments: Sequence[Mapping[str, Any]], intervals: pl.DataFrame) -> pl.DataFrame:
    """The table of instruments that missed nothing."""
    rows = []
    for one in instruments:
        quantity = "watts" if one["role"] == "power" else "celsius"
        for row in intervals.iter_rows(named=True):
            expected = round((row["end_s"] - row["start_s"]) / one["sample_interval_s"])
            share = float(one["details"].get("share", 1.0))  # of a meter of one supply or phase
            mean = row["wall_w"] and row["wall_w"] * share if quantity == "watts" else 22.4
            rows.append(
                {
                    "instrument": one["name"],
                    "quantity": quantity,
                    "start_s": row["start_s"],
                    "end_s": row["end_s"],
                    "samples": expected,
                    "expected": expected,
                    "not_available": 0,
                    "out_of_range": 0,
                    "longest_gap_s": one["sample_interval_s"],
                    "mean": mean,
                    "minimum": mean,
                    "maximum": mean,
                }
            )
    return pl.DataFrame(rows, schema=INSTRUMENTS)


def measured(the_plan: Plan | None = None, knobs: Knobs | None = None, **run: Any) -> MeasuredStages:
    """A whole measurement, stage after stage, with its journal and settings."""
    the_plan, knobs = the_plan or plan(), knobs or Knobs()
    random = np.random.default_rng(knobs.seed)
    at, stages = BEGIN, []
    events = [Event(at, "begun", {"source": the_plan.source, "version": "1"})]
    for stage in the_plan.stages:
        seconds = float(stage.seconds or 0)
        single = run_of(stage, made(stage, knobs, random), at + 0.2, source=the_plan.source, **run)
        stages.append(StageRun(stage, single, began=at, ended=at + seconds + 0.5))
        events.append(
            Event(at, "stage-started", {"stage": stage.id, "attempt": 1, "folder": f"stages/{stage.id}"})
        )
        at += seconds + 0.5
        events.append(Event(at, "stage-ended", {"stage": stage.id, "attempt": 1}))
        at += 1.0
    events.append(Event(at, "finished", {}))
    settings = {"scheduler": "none", "kernel": "6.1"}
    return MeasuredStages(the_plan, stages, events, settings, dict(settings), place="by hand")


def with_stage(whole: MeasuredStages, stage: str, **changes: Any) -> MeasuredStages:
    """The measurement with one stage changed."""
    return replace(
        whole,
        stages=[replace(one, **changes) if one.stage.id == stage else one for one in whole.stages],
    )


def rerun(whole: MeasuredStages, stage: str, minutes: Made | None = None, **run: Any) -> MeasuredStages:
    """The measurement with the Run of one stage made anew."""
    one = next(one for one in whole.stages if one.stage.id == stage)
    assert one.began is not None
    knobs = Knobs()
    single = run_of(
        one.stage,
        minutes or made(one.stage, knobs, np.random.default_rng(5)),
        one.began + 0.2,
        source=whole.plan.source,
        **run,
    )
    return with_stage(whole, stage, run=single)
