"""Runs made by hand from single requests, for the tests of the comparison: every table follows from them.

A run has no drives; its joules are a constant power over its intervals.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from iowatt.lenses.summary import summarise
from iowatt.run.bundle import Run
from iowatt.run.histogram import Histogram
from iowatt.run.record import (
    Completions,
    Record,
    RequestFlow,
    ResponseMoments,
    RunWindow,
    SimulationCost,
    StorageBytes,
    Tables,
    VolumeFlow,
    WorkloadFlow,
)  # fmt: skip
from iowatt.run.summary_parts import LoadGenerator
from iowatt.run.summary_schema import HostMachine, Provenance
from iowatt.run.tables import STATES, frame

OPEN = {"mode": "open", "speed": 1.0}
BYTES = 8192
MS = 1_000_000


def closed(outstanding: int, think_s: float = 0.0) -> dict[str, Any]:
    """A closed loop, as plans have it."""
    replay: dict[str, Any] = {"mode": "closed", "outstanding": outstanding, "per": "workload"}
    return replay | ({"think": {"mean_s": think_s, "exponential": False}} if think_s else {})


def load_generator(asked_iops: float | None, achieved_iops: float) -> LoadGenerator:
    return LoadGenerator(
        tool="fio", version="fio-3.33", asked_iops=asked_iops, achieved_iops=achieved_iops, shares=[],
        histogram=None, warnings=[],
    )  # fmt: skip


def build(
    ms: Any,
    at_s: Any = None,
    *,
    writes: Any = None,
    seconds: float = 100.0,
    width_s: float = 1.0,
    interval_s: float = 1.0,
    name: str = "oltp",
    seed: int = 1,
    replay: dict[str, Any] | None = None,
    watts: float = 100.0,
    series: bool = True,
    raid: str = "5",
    source: Any = "simulation",
    driver: LoadGenerator | None = None,
    plan: dict[str, Any] | None = None,
    points: Sequence[str] = ("host",),
) -> Run:
    """A run of requests that complete at ``at_s`` (evenly spread where None) after ``ms`` each.

    ``writes`` says which are writes (none where None). Points other than the host see half of each response.
    """
    ns = np.round(np.asarray(ms, dtype=np.float64) * MS).astype(np.int64)
    at = (
        (np.arange(ns.size) + 0.5) * seconds / ns.size if at_s is None else np.asarray(at_s, dtype=np.float64)
    )
    op = np.zeros(ns.size, dtype=int) if writes is None else np.asarray(writes, dtype=int)
    flow = _flow(ns, op, seconds)
    tables = Tables(
        intervals=frame("intervals", _intervals(ns, op, _cut(at, seconds, interval_s), watts)),
        latency=frame("latency", _latency(ns, op)),
        energy=frame(
            "energy",
            {
                "component": ["array"], "kind": ["hdd"], "state": ["idle"], "time_s": [seconds],
                "power_w": [watts], "energy_j": [watts * seconds],
            },
        ),
        devices=frame("devices", {key: [] for key in _device_columns()}),
        series=frame("series", _series(ns, op, _cut(at, seconds, width_s), points)) if series else None,
    )  # fmt: skip
    planned = {
        "names": {"workloads": ["oltp"], "volumes": ["db"], "pools": ["disks"], "devices": []},
        "sources": [{"path": "oltp.csv"}],
        "simulation": {
            "seed": seed,
            "workloads": [{"volume": 0, "replay": replay or OPEN}],
            "volumes": [{"pool": 0, "capacity_bytes": 10**9}],
            "pools": [
                {
                    "count": 1,
                    "device": {"kind": "hdd"},
                    "raid": {"level": raid, "stripe_unit_bytes": 65_536},
                    "scheduler": "fcfs",
                    "power_policy": {"policy": "never"},
                }
            ],
        },
    }
    record = Record(
        name=name,
        source=source,
        seed=seed,
        window=RunWindow(0.0, seconds, 0.0, last_arrival_s=seconds),
        total=flow,
        workloads=[WorkloadFlow("oltp", "db", flow)],
        volumes=[VolumeFlow("db", "disks", 10**9, flow)],
        tables=tables,
        idle_w={"array": watts},
        capacity=StorageBytes(10**9, 10**9, 10**9),
        plan=planned if plan is None else plan,
        scenario_text=f'name = "{name}"\n',
        simulation=SimulationCost(1.0, 1.0, ns.size, 100.0) if source == "simulation" else None,
        driver=driver,
    )
    origin = Provenance(
        version="0.0.0",
        seed=seed,
        inputs=[],
        scenario_sha256="cd" * 32,
        host=HostMachine(name="here", system="Test 1", machine="x", cpus=2),
        started_at="2026-01-02T03:04:05Z",
        python="3.11.0",
        command="iowatt run scenario.toml",
    )
    return Run.of(record, json.loads(json.dumps(summarise(record, origin).as_dict())))


def _moments(ns: Any) -> ResponseMoments:
    if not ns.size:
        return ResponseMoments(0, 0.0, 0.0, 0.0)
    seconds = ns / 1e9
    return ResponseMoments(ns.size, float(seconds.mean()), float(seconds.std()), float(seconds.max()))


def _flow(ns: Any, op: Any, seconds: float) -> RequestFlow:
    reads, writes = int((op == 0).sum()), int((op == 1).sum())
    return RequestFlow(
        arrived=ns.size,
        completed=ns.size,
        in_flight_at_end=0,
        reads=reads,
        writes=writes,
        bytes_read=reads * BYTES,
        bytes_written=writes * BYTES,
        completions=Completions(ns.size, reads * BYTES, writes * BYTES),
        in_flight_mean=float(ns.sum() / 1e9 / seconds),
        response={"all": _moments(ns), "read": _moments(ns[op == 0]), "write": _moments(ns[op == 1])},
    )


def _cut(at: Any, seconds: float, width: float) -> tuple[Any, Any, Any]:
    number = int(np.ceil(seconds / width - 1e-9))
    edges = np.minimum(np.arange(number + 1) * width, seconds)
    return edges[:-1], edges[1:], np.minimum((at / width).astype(int), number - 1)


def _intervals(ns: Any, op: Any, cut: tuple[Any, Any, Any], watts: float) -> dict[str, Any]:
    start, end, place = cut
    parts = [(ns[place == k] / MS, op[place == k]) for k in range(start.size)]

    def of(what: Any) -> list[float | None]:
        return [float(what(ms)) if ms.size else None for ms, _ in parts]

    count = [ms.size for ms, _ in parts]
    reads = [int((ops == 0).sum()) for _, ops in parts]
    writes = [int((ops == 1).sum()) for _, ops in parts]
    flight = np.array([float(ms.sum()) / 1e3 for ms, _ in parts]) / (end - start)
    return {
        "start_s": start, "end_s": end, "arrivals": count, "completions": count,
        "reads": reads, "writes": writes,
        "bytes_read": [BYTES * n for n in reads], "bytes_written": [BYTES * n for n in writes],
        "response_mean_ms": of(np.mean), "response_p50_ms": of(np.median), "response_p95_ms": of(np.median),
        "response_p99_ms": of(np.median), "response_max_ms": of(np.max),
        "in_flight_mean": flight, "queue_length_mean": flight, "power_w": np.full(start.size, watts),
        **{f"{state}_j": np.zeros(start.size) for state in STATES},
    }  # fmt: skip


def _bins(ns: Any) -> Histogram:
    """As the simulator's series: 256 bins an octave, single nanoseconds below 512."""
    shift = np.maximum(0, np.floor(np.log2(np.maximum(ns, 1))).astype(np.int64) - 8)
    low = ns >> shift << shift
    return Histogram.of(low, low + (1 << shift) - 1, np.ones(ns.size, dtype=int))


def _latency(ns: Any, op: Any) -> dict[str, Any]:
    rows: list[tuple[Any, ...]] = []
    for code, title in enumerate(("read", "write")):
        mine = ns[op == code]
        shift = np.maximum(0, np.floor(np.log2(np.maximum(mine, 1))).astype(np.int64) - 10)
        low = mine >> shift << shift
        bins = Histogram.of(low, low + (1 << shift) - 1, np.ones(mine.size, dtype=int))
        columns = (bins.low_ns.tolist(), bins.high_ns.tolist(), bins.count.tolist())
        rows += [("oltp", "db", title, *row) for row in zip(*columns, strict=True)]
    keys = ("workload", "volume", "op", "low_ns", "high_ns", "count")
    return {key: [row[i] for row in rows] for i, key in enumerate(keys)}


def _series(ns: Any, op: Any, cut: tuple[Any, Any, Any], points: Sequence[str]) -> dict[str, list[Any]]:
    start, end, place = cut
    rows: list[tuple[Any, ...]] = []
    for point in points:
        seen = ns if point == "host" else ns // 2
        for code, title in enumerate(("read", "write")):
            if not (op == code).any():
                continue
            for k in range(start.size):
                mine = seen[(op == code) & (place == k)]
                bins = _bins(mine)
                rows.append(
                    (
                        point, "oltp", title, start[k], end[k], mine.size, int(mine.sum()),
                        int(mine.max()) if mine.size else 0,
                        bins.low_ns.tolist(), bins.high_ns.tolist(), bins.count.tolist(),
                    )
                )  # fmt: skip
    keys = (
        "point", "workload", "op", "start_s", "end_s", "count", "sum_ns", "max_ns",
        "low_ns", "high_ns", "bin_count",
    )  # fmt: skip
    return {key: [row[i] for row in rows] for i, key in enumerate(keys)}


def _device_columns() -> list[str]:
    from iowatt.run.tables import DEVICES, NULLABLE

    return [key for key in DEVICES if key not in NULLABLE]
