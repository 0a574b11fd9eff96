"""A Run made by hand for the report's tests: plausible, and consistent where the arithmetic is exact.

Every disk is busy for the same share of the window, split between transfer and positioning; an interval's
share of that work is its share of the completions, and the rest of its time is idle. So joules add up over
intervals, over disks and over states, as they do in a simulated run.
"""

from __future__ import annotations

from dataclasses import dataclass
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
)
from iowatt.run.summary_schema import HostMachine, Input, Provenance
from iowatt.run.tables import CAUSES, STATES, frame

WATTS = {"active": 14.0, "positioning": 16.5, "idle": 12.0, "standby": 0.0, "spin_up": 0.0, "spin_down": 0.0}
REQUEST_BYTES = 8192
DISK_BYTES = 33_600_000_000


@dataclass(frozen=True)
class Recipe:
    """What the run is made from."""

    name: str = "tpcc-raid5"
    disks: int = 8
    intervals: int = 60
    interval_s: float = 60.0
    rate: float = 5.0
    busy: float = 0.2
    pool: str = "disks"
    workloads: tuple[str, ...] = ("oltp",)
    overload: bool = False
    batches: int = 32
    notes: tuple[str, ...] = ("arrays2002-disk is a stand-in: its seek curve is modelled, not measured.",)
    scenario: str = 'name = "tpcc-raid5"\nseed = 1\n'
    slowdown: float = 1.0


def build(recipe: Recipe | None = None) -> Run:
    """The run, in memory; ``.save(path)`` makes the bundle."""
    made = recipe or Recipe()
    draw = np.random.default_rng(7)
    count = draw.poisson(made.rate * made.interval_s, made.intervals)
    total = int(count.sum())
    interval = np.repeat(np.arange(made.intervals), count)
    op = (draw.random(total) < 0.35).astype(int)
    owner = draw.integers(0, len(made.workloads), total)
    milliseconds = made.slowdown * np.where(
        op == 0, draw.lognormal(2.1, 0.5, total), draw.lognormal(2.9, 0.6, total)
    )
    if made.overload:
        milliseconds *= 1 + interval
    ns = np.round(milliseconds * 1e6).astype(np.int64)
    seconds = ns / 1e9
    window = made.intervals * made.interval_s

    flows = [_flow(seconds[owner == w], op[owner == w], window, made) for w in range(len(made.workloads))]
    names = [f"vol-{name}" for name in made.workloads]
    devices = _devices(made, window, total)
    run_record = Record(
        name=made.name,
        source="simulation",
        seed=1,
        window=RunWindow(0.0, window, 0.0, last_arrival_s=window),
        total=_flow(seconds, op, window, made),
        workloads=[WorkloadFlow(n, v, f) for n, v, f in zip(made.workloads, names, flows, strict=True)],
        volumes=[VolumeFlow(v, made.pool, 10**11, f) for v, f in zip(names, flows, strict=True)],
        tables=Tables(
            intervals=frame("intervals", _intervals(made, count, op, ns, interval)),
            latency=frame("latency", _latency(made, names, ns, op, owner)),
            energy=frame("energy", _energy(made, window)),
            devices=frame("devices", devices),
        ),
        idle_w=dict.fromkeys(devices["name"], WATTS["idle"]),
        capacity=StorageBytes(
            made.disks * 33_600_000_000, (made.disks - 1) * 33_600_000_000, (made.disks - 1) * 33_600_000_000
        ),
        notes=made.notes,
        plan=_plan(made, names),
        scenario_text=made.scenario,
        simulation=SimulationCost(1.5, 1.4, total, 180.0),
    )
    origin = Provenance(
        version="0.1.0",
        seed=1,
        inputs=[Input(path="pg_tpcc_paced.parquet", size=4_200_000, sha256="ab" * 32)],
        scenario_sha256="cd" * 32,
        host=HostMachine(name="here", system="Linux 6.1", machine="x86_64", cpus=2),
        started_at="2026-11-21T06:00:00Z",
        python="3.11.0",
        command="iowatt run tpcc-raid5.toml",
    )
    summary = summarise(run_record, origin).as_dict()
    return Run(
        summary=summary,
        plan=dict(run_record.plan),
        scenario_text=made.scenario,
        tables={
            name: getattr(run_record.tables, name) for name in ("intervals", "latency", "energy", "devices")
        },
    )


def _moments(seconds: Any, batches: int) -> ResponseMoments:
    if seconds.size == 0:
        return ResponseMoments(0, 0.0, 0.0, 0.0)
    size = seconds.size // batches if batches else 0
    means = [float(seconds[i * size : (i + 1) * size].mean()) for i in range(batches)] if size >= 2 else []
    return ResponseMoments(
        seconds.size, float(seconds.mean()), float(seconds.std()), float(seconds.max()), means
    )


def _flow(seconds: Any, op: Any, window: float, made: Recipe) -> RequestFlow:
    left = seconds.size // 20 if made.overload else 0
    reads, writes = int((op == 0).sum()), int((op == 1).sum())
    return RequestFlow(
        arrived=reads + writes + left,
        completed=reads + writes,
        in_flight_at_end=left,
        reads=reads + left,
        writes=writes,
        bytes_read=reads * REQUEST_BYTES,
        bytes_written=writes * REQUEST_BYTES,
        completions=Completions(reads + writes, reads * REQUEST_BYTES, writes * REQUEST_BYTES),
        in_flight_mean=float(seconds.sum() / window),
        response={
            "all": _moments(seconds, made.batches),
            "read": _moments(seconds[op == 0], made.batches),
            "write": _moments(seconds[op == 1], made.batches),
        },
    )


def _intervals(made: Recipe, count: Any, op: Any, ns: Any, interval: Any) -> dict[str, Any]:
    edges = np.arange(made.intervals + 1) * made.interval_s
    parts = [(ns[interval == i] / 1e6, op[interval == i]) for i in range(made.intervals)]

    def rank(q: float) -> list[float | None]:
        return [float(np.quantile(ms, q)) if ms.size else None for ms, _ in parts]

    even = np.full(made.intervals, 1 / made.intervals)
    share = even if made.busy > 0.5 else count / max(1, count.sum())
    disk_seconds = made.disks * made.intervals * made.interval_s
    active, positioning = 0.3 * made.busy * disk_seconds * share, 0.7 * made.busy * disk_seconds * share
    idle = made.disks * made.interval_s - active - positioning
    joules = {"active": active * WATTS["active"], "positioning": positioning * WATTS["positioning"]}
    joules["idle"] = idle * WATTS["idle"]
    zero = np.zeros(made.intervals)
    in_flight = np.array([ms.sum() / 1e3 for ms, _ in parts]) / made.interval_s
    if made.overload:
        in_flight = in_flight + 5.0 * np.arange(made.intervals)
    reads = np.array([(ops == 0).sum() for _, ops in parts])
    return {
        "start_s": edges[:-1],
        "end_s": edges[1:],
        "arrivals": count,
        "completions": count,
        "reads": reads,
        "writes": count - reads,
        "bytes_read": reads * REQUEST_BYTES,
        "bytes_written": (count - reads) * REQUEST_BYTES,
        "response_mean_ms": [float(ms.mean()) if ms.size else None for ms, _ in parts],
        "response_p50_ms": rank(0.5),
        "response_p95_ms": rank(0.95),
        "response_p99_ms": rank(0.99),
        "response_max_ms": rank(1.0),
        "in_flight_mean": in_flight,
        "queue_length_mean": 1.6 * in_flight,
        "power_w": sum(joules.values()) / made.interval_s,
        **{f"{state}_j": joules.get(state, zero) for state in STATES},
    }


def _latency(made: Recipe, volumes: list[str], ns: Any, op: Any, owner: Any) -> dict[str, Any]:
    rows: list[tuple[Any, ...]] = []
    for at, workload in enumerate(made.workloads):
        for code, title in enumerate(("read", "write")):
            mine = ns[(owner == at) & (op == code)]
            width = 10 ** np.maximum(0, np.floor(np.log10(np.maximum(mine, 1))).astype(np.int64) - 2)
            low = mine // width * width
            bins = Histogram.of(low, low + width - 1, np.ones(mine.size, dtype=int))
            rows += [
                (workload, volumes[at], title, *b)
                for b in zip(bins.low_ns.tolist(), bins.high_ns.tolist(), bins.count.tolist(), strict=True)
            ]
    keys = ("workload", "volume", "op", "low_ns", "high_ns", "count")
    return {key: [row[i] for row in rows] for i, key in enumerate(keys)}


def _times(made: Recipe, window: float) -> dict[str, float]:
    return {
        "active": 0.3 * made.busy * window,
        "positioning": 0.7 * made.busy * window,
        "idle": (1 - made.busy) * window,
    }


def _names(made: Recipe) -> list[str]:
    return [f"{made.pool}.{i}" for i in range(made.disks)]


def _energy(made: Recipe, window: float) -> dict[str, Any]:
    times = _times(made, window)
    rows = [
        (name, "hdd", s, times.get(s, 0.0), WATTS[s], times.get(s, 0.0) * WATTS[s])
        for name in _names(made)
        for s in STATES
    ]
    keys = ("component", "kind", "state", "time_s", "power_w", "energy_j")
    return {key: [row[i] for row in rows] for i, key in enumerate(keys)}


def _devices(made: Recipe, window: float, total: int) -> dict[str, Any]:
    n, times = made.disks, _times(made, window)
    accesses = [total * 2 // n + i for i in range(n)]
    return {
        "name": _names(made),
        "model": ["arrays2002-disk"] * n,
        "pool": [made.pool] * n,
        "utilisation": [made.busy] * n,
        "queue_length_mean": [made.busy * (1 + i / n) for i in range(n)],
        "queue_length_seen": [1 + made.busy * (1 + i / n) for i in range(n)],
        "queue_length_mean_host": [None] * n,
        "queue_length_mean_drive": [None] * n,
        "accesses": accesses,
        "reads": [a // 2 for a in accesses],
        "writes": [a - a // 2 for a in accesses],
        "background_accesses": [0] * n,
        "buffer_hits": [0] * n,
        "seeks": [int(0.9 * a) for a in accesses],
        "seek_distance_mean_cylinders": [1234.5 + i for i in range(n)],
        "seek_s": [0.4 * made.busy * window] * n,
        "rotation_s": [0.3 * made.busy * window] * n,
        "transfer_s": [0.3 * made.busy * window] * n,
        "service_time_mean_ms": [1e3 * made.busy * window / max(1, a) for a in accesses],
        "response_time_mean_ms": [1.3e3 * made.busy * window / max(1, a) for a in accesses],
        "spin_ups": [0] * n,
        "spin_downs": [0] * n,
        "level_changes": [0] * n,
        "delayed_accesses": [0] * n,
        "delay_s": [0.0] * n,
        "batch_delay_s": [0.0] * n,
        "bytes_read": [a * REQUEST_BYTES for a in accesses],
        "bytes_written": [a * REQUEST_BYTES for a in accesses],
        "wear_fraction": [None] * n,
        **{f"time_{s}_s": [times.get(s, 0.0)] * n for s in STATES},
        **{f"energy_{s}_j": [times.get(s, 0.0) * WATTS[s]] * n for s in STATES},
        "energy_total_j": [sum(times[s] * WATTS[s] for s in times)] * n,
        **{f"cause_{cause}_j": [0.0] * n for cause in CAUSES if cause not in ("host_read", "idle")},
        "cause_host_read_j": [sum(times[s] * WATTS[s] for s in times if s != "idle")] * n,
        "cause_idle_j": [times["idle"] * WATTS["idle"]] * n,
    }


def _plan(made: Recipe, volumes: list[str]) -> dict[str, Any]:
    drive = {
        "model": "arrays2002-disk",
        "pool": made.pool,
        "kind": "hdd",
        "raw_bytes": DISK_BYTES,
        "idle_w": 12.0,
        "ratings": {},
    }
    raid = {
        "level": "5",
        "stripe_unit_bytes": 16384,
        "layout": "left-symmetric",
        "small_write": "auto",
        "parity_check_on_read": False,
    }
    pool = {
        "count": made.disks,
        "device": {"kind": "hdd", "rpm": 10_000.0, "sectors": DISK_BYTES // 512, "sector_bytes": 512},
        "raid": raid,
        "scheduler": "look",
        "power_policy": {"policy": "never"},
        "bus_of_drive": [0] * made.disks,
    }
    numbered = range(len(volumes))
    return {
        "schema": "iowatt.plan/1",
        "name": made.name,
        "names": {
            "workloads": list(made.workloads),
            "volumes": volumes,
            "pools": [made.pool],
            "devices": [{"name": name, **drive} for name in _names(made)],
            "buses": ["scsi0"],
        },
        "notes": [{"code": "drive", "text": note, "decides": False} for note in made.notes],
        "sources": [{"path": "pg_tpcc_paced.parquet"} for _ in made.workloads],
        "warmup": None,
        "simulation": {
            "workloads": [{"volume": i, "replay": {"mode": "open", "speed": 0.4}} for i in numbered],
            "volumes": [{"pool": 0, "offset_bytes": i * 10**11, "capacity_bytes": 10**11} for i in numbered],
            "pools": [pool],
            "buses": [{"bandwidth_bytes_per_s": 160e6, "arbitration_s": 0.0}],
            "observe": {"warmup_s": 0.0, "interval_s": made.interval_s, "end_s": None},
        },
    }
