"""Runs that went by a path, made request by request through queues in a row, so that the truth is known.

Poisson arrivals go through stations one after another, first come first served (Lindley's recursion): HBA,
link and switch out, controller processors, drive, switch and link in. Reads and writes differ in what the
processors take. What each request waited and was served at each station is what the table `hops` adds up.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from iowatt.run.bundle import Run
from report.fixture import build

#: Slots in the order in which the core lists them: name, place, way, mean service in microseconds.
SLOTS = (
    ("host queue", "host", "", 0.0),
    ("hba", "host", "", 5.0),
    ("link", "fabric", "out", 10.0),
    ("link", "fabric", "in", 4.0),
    ("switch", "fabric", "out", 1.0),
    ("switch", "fabric", "in", 1.0),
    ("target port", "port", "", 2.0),
    ("controller processors", "controller", "", 100.0),
    ("drive", "drive", "", 80.0),
)
#: In the order in which requests pass them.
WAY = (0, 1, 2, 4, 6, 7, 8, 5, 3)
PROCESSORS, DRIVE = 7, 8
WRITES = {"controller processors": 1.5}


@dataclass(frozen=True)
class Passed:
    """What requests took: arrays of [slot, request] in ns; ``write`` of each request."""

    waiting: Any
    service: Any
    write: Any
    #: From the first arrival to the last completion, s.
    span_s: float

    @property
    def response(self) -> Any:
        """Response time of each request in ns."""
        return self.waiting.sum(axis=0) + self.service.sum(axis=0)


def passed(rate: float, requests: int = 20_000, seed: int = 3) -> Passed:
    """Requests at a rate per second, by the same random numbers whatever the rate."""
    draw = np.random.default_rng(seed)
    arrivals = np.cumsum(draw.exponential(1e9 / rate, requests)).astype(np.int64)
    write = draw.random(requests) < 0.5
    waiting, service = (np.zeros((len(SLOTS), requests), dtype=np.int64) for _ in range(2))
    at = arrivals.copy()
    for slot in WAY:
        name, _, _, mean = SLOTS[slot]
        takes = draw.exponential(1e3 * mean, requests) if mean else np.zeros(requests)
        takes = np.where(write, WRITES.get(name, 1.0), 1.0) * takes
        service[slot] = takes.astype(np.int64)
        free = 0
        if mean:
            for number in range(requests):
                start = max(int(at[number]), free)
                waiting[slot, number] = start - at[number]
                free = start + int(service[slot, number])
            at = at + waiting[slot] + service[slot]
    return Passed(waiting, service, write, float(at[-1] - arrivals[0]) / 1e9)


def bins(ns: Any) -> tuple[Any, Any]:
    """Eight bins an octave, as the core's: the lower and the upper end of each value's."""
    octave = np.maximum(0, np.floor(np.log2(np.maximum(ns, 1))).astype(np.int64) - 3)
    width = np.left_shift(1, octave)
    low = ns // width * width
    return low, low + width - 1


def hops(found: Passed, workload: str = "oltp", path: str = "san") -> pl.DataFrame:
    """The table `hops`."""
    low, high = bins(found.response)
    rows = []
    for op, chosen in (("read", ~found.write), ("write", found.write)):
        for start in np.unique(low[chosen]):
            inside = chosen & (low == start)
            for slot, (name, place, way, _) in enumerate(SLOTS):
                sums = int(found.waiting[slot, inside].sum()), int(found.service[slot, inside].sum())
                key = (path, workload, op, int(start), int(high[inside][0]), name, place, way)
                rows.append((*key, int(inside.sum()), *sums))
    names = ("path", "workload", "op", "low_ns", "high_ns", "hop", "place", "way")
    columns = (*names, "requests", "wait_ns", "service_ns")
    whole = ("low_ns", "high_ns", "requests", "wait_ns", "service_ns")
    types = {name: pl.UInt64 if name in whole else pl.String for name in columns}
    return pl.DataFrame(rows, schema=types, orient="row")


def made(
    rate: float, requests: int = 20_000, mode: str = "open", processing: dict[str, Any] | None = None
) -> tuple[Run, Passed]:
    """A Run at a rate, and what its requests took; ``processing`` is what its plan says of the processors."""
    found = passed(rate, requests)
    base = build(replace_recipe())
    response = found.response
    summary = {
        **base.summary,
        "name": "san",
        "window": {**base.summary["window"], "duration_s": found.span_s},
        "paths": [_path(found)],
        "workloads": [{**base.summary["workloads"][0], **_workload(found, response)}],
        "controller": {
            "processors": {
                "requests": requests,
                "utilisation": _busy(found, PROCESSORS),
                "wait_mean_ms": None,
            },
            "host_link": None,
            "mirror_link": None,
        },
        "devices": [{**one, "utilisation": _busy(found, DRIVE)} for one in base.summary["devices"]],
    }
    plan = {
        **base.plan,
        "names": {**base.plan["names"], "workloads": ["oltp"]},
        "simulation": {
            **base.plan["simulation"],
            "workloads": [{"volume": 0, "replay": {"mode": mode, "speed": 1.0, "outstanding": 8}}],
            **({} if processing is None else {"controller": {"processing": processing}}),
        },
    }
    tables = {name: base.table(name) for name in ("intervals", "energy", "devices")}
    tables |= {"latency": _latency(found), "hops": hops(found)}
    return Run(summary=summary, plan=plan, scenario_text=base.scenario_text, tables=tables), found


def replace_recipe() -> Any:
    """A recipe of a Run with few intervals; what is not about the path is as it makes it."""
    from report.fixture import Recipe

    return replace(Recipe(), name="san", intervals=8, disks=2)


def _busy(found: Passed, slot: int) -> float:
    return float(found.service[slot].sum()) / 1e9 / found.span_s


def _path(found: Passed) -> dict[str, Any]:
    count = found.write.size
    return {
        "name": "san",
        "protocol": "fcp",
        "workloads": ["oltp"],
        "lanes": 1,
        "queue": {"depth": 32, "held": 0, "wait_mean_ms": 0.0},
        "hops": [
            {
                "hop": name,
                "place": place,
                "way": way,
                "visits": count,
                "utilisation": _busy(found, slot),
                "wait_mean_ms": float(found.waiting[slot].mean()) / 1e6,
                "service_mean_ms": float(found.service[slot].mean()) / 1e6,
            }
            for slot, (name, place, way, _) in enumerate(SLOTS)
            if place in ("host", "fabric", "port") and name != "host queue"
        ],
        "express": [],
        "not_express": 0,
    }


def _workload(found: Passed, response: Any) -> dict[str, Any]:
    def told(chosen: Any) -> dict[str, Any]:
        mine = response[chosen]
        rough = {
            f"p{q}": float(np.quantile(mine, float(f"0.{q}"))) / 1e6 for q in (50, 90, 95, 99, 999, 9999)
        }
        exact = {"count": int(mine.size), "mean": float(mine.mean()) / 1e6, "max": float(mine.max()) / 1e6}
        return {**exact, **rough, "std": float(mine.std()) / 1e6, "mean_ci95": None}

    every = np.ones(response.size, dtype=bool)
    times = {"all": told(every), "read": told(~found.write), "write": told(found.write)}
    return {"name": "oltp", "volume": "vol-oltp", "response_time_ms": times}


def _latency(found: Passed) -> pl.DataFrame:
    """A bin for every value: percentiles are exact."""
    table = pl.DataFrame(
        {"op": np.where(found.write, "write", "read").tolist(), "ns": found.response.astype(np.uint64)}
    )
    return (
        table.group_by("op", "ns")
        .len()
        .sort("op", "ns")
        .select(
            pl.lit("oltp").alias("workload"),
            pl.lit("vol-oltp").alias("volume"),
            "op",
            pl.col("ns").alias("low_ns"),
            pl.col("ns").alias("high_ns"),
            pl.col("len").cast(pl.UInt64).alias("count"),
        )
    )
