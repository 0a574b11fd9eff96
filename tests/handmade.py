"""A run worked out by hand, as the simulator would return it, and the plan that it belongs to.

100 s, one workload ``oltp`` on volume ``db`` of pool ``disks``: two drives of 1 GB, RAID-0.

    disk 0   10 s active at 30 W, 20 s positioning at 25 W, 70 s idle at 20 W   300 + 500 + 1400 = 2200 J
    disk 1   100 s idle at 20 W                                                              2000 J
    both     4200 J, 42 W mean; doing nothing 4000 J, 40 W

    8 requests arrived, 5 reads of 4096 bytes and 3 writes of 8192; one write is still in flight.
    Reads took 1, 2, 3, 4, 5 ms (mean 3, deviation sqrt(2)), writes 10 and 20 ms (mean 15, deviation 5).
    All seven: 45 ms in sum, mean 45/7 ms.

    First half: the reads, 2150 J; second half: the writes, 2050 J.
"""

from __future__ import annotations

import copy
import json
import math
from typing import Any

import numpy as np

S = 1_000_000_000
MS = 1_000_000
STATES = ("active", "positioning", "idle", "standby", "spin_up", "spin_down")
CAUSES = (
    "host_read", "host_write", "redundancy", "rebuild", "background", "migration", "power_management", "idle",
    "low_power",
)  # fmt: skip


def moments(*ms: float) -> dict[str, Any]:
    mean = sum(ms) / len(ms) if ms else 0.0
    return {
        "count": len(ms),
        "mean_s": mean / 1e3,
        "std_s": math.sqrt(sum((x - mean) ** 2 for x in ms) / len(ms)) / 1e3 if ms else 0.0,
        "max_s": max(ms, default=0.0) / 1e3,
        "batch_means_s": [x / 1e3 for x in ms],
    }


def flow() -> dict[str, Any]:
    return {
        "arrived": 8,
        "completed": 7,
        "in_flight_at_end": 1,
        "reads": 5,
        "writes": 3,
        "bytes_read": 5 * 4096,
        "bytes_written": 2 * 8192,
        "completions": {"requests": 7, "bytes_read": 5 * 4096, "bytes_written": 2 * 8192},
        "in_flight_mean": 0.001,
        "response": {
            "all": moments(1, 2, 3, 4, 5, 10, 20),
            "read": moments(1, 2, 3, 4, 5),
            "write": moments(10, 20),
        },
    }


def device(states_s: dict[str, int], watts: dict[str, float], **counts: Any) -> dict[str, Any]:
    zero = dict.fromkeys(
        (
            "arrivals", "accesses", "reads", "writes", "bytes_read", "bytes_written",
            "seeks", "seek_cylinders", "seek_ns",
            "rotation_ns", "transfer_ns", "overhead_ns", "service_ns", "response_ns",
            "queue_seen_sum", "spin_ups", "spin_downs", "background_accesses", "buffer_hits", "descents",
            "delayed", "delay_ns", "batch_delay_ns",
        ),
        0,
    )  # fmt: skip
    return {
        **zero,
        "queue_length_mean": 0.0,
        "commands_mean": None,
        **counts,
        "state_ns": {state: states_s.get(state, 0) * S for state in STATES},
        "energy_j": (joules := {state: states_s.get(state, 0) * watts.get(state, 0.0) for state in STATES}),
        "level_ns": [],
        "level_j": [],
        "cause_j": {
            **dict.fromkeys(CAUSES, 0.0),
            "host_read": joules["active"] + joules["positioning"],
            "idle": joules["idle"],
        },
    }


WATTS = {"active": 30.0, "positioning": 25.0, "idle": 20.0}

SUMMARY: dict[str, Any] = {
    "window": {"start_ns": 0, "end_ns": 100 * S, "last_arrival_ns": 99 * S},
    "total": flow(),
    "workloads": [flow()],
    "volumes": [flow()],
    "devices": [
        device(
            {"active": 10, "positioning": 20, "idle": 70},
            WATTS,
            arrivals=8, accesses=8, reads=5, writes=3, bytes_read=20480, bytes_written=24576,
            seeks=4, seek_cylinders=1000, seek_ns=12 * S, rotation_ns=8 * S, transfer_ns=10 * S,
            service_ns=8 * 4 * MS, response_ns=8 * 6 * MS, queue_length_mean=0.35, queue_seen_sum=12,
        ),
        device({"idle": 100}, WATTS),
    ],
    "rebuilds": [],
    "buses": [{"transfers": 8, "busy_ns": 2 * S, "wait_ns": 4 * MS}],
    "sources": [
        {
            "format": "csv", "detected": True, "requests": 9, "reads": 5, "writes": 3, "partial_sectors": 0,
            "skipped_bad": 1,
            "first_bad": ["line 4: too few columns"], "reordered": 0,
            "equal_stamps": 0, "trims": 1, "flushes": 0, "origin": None, "untimed": False, "notes": [],
            "warnings": [], "long_gap": None,
        }
    ],
    "requests_simulated": 8,
    "threads": 1,
    "serial": "one-thread",
    "events": 40,
    "wall_s": 0.1,
    "cpu_s": 0.1,
}  # fmt: skip


def _u64(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.uint64)


def _f64(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float64)


def intervals() -> dict[str, np.ndarray]:
    return {
        "start_ns": _u64(0, 50 * S),
        "end_ns": _u64(50 * S, 100 * S),
        "arrivals": _u64(5, 3),
        "completions": _u64(5, 2),
        "reads": _u64(5, 0),
        "writes": _u64(0, 2),
        "bytes_read": _u64(20480, 0),
        "bytes_written": _u64(0, 16384),
        "response_sum_ns": _f64(15 * MS, 30 * MS),
        "response_max_ns": _u64(5 * MS, 20 * MS),
        "response_p50_ns": _u64(3 * MS, 10 * MS),
        "response_p95_ns": _u64(5 * MS, 20 * MS),
        "response_p99_ns": _u64(5 * MS, 20 * MS),
        "in_flight_mean": _f64(0.0003, 0.0017),
        "queue_length_mean": _f64(0.3, 0.4),
        "energy_active_j": _f64(150.0, 150.0),
        "energy_positioning_j": _f64(500.0, 0.0),
        "energy_idle_j": _f64(1500.0, 1900.0),
        "energy_standby_j": _f64(0.0, 0.0),
        "energy_spin_up_j": _f64(0.0, 0.0),
        "energy_spin_down_j": _f64(0.0, 0.0),
    }


def latency() -> dict[str, np.ndarray]:
    """Bins of 1000 ns whose upper ends are 1, 2, 3, 4, 5 ms (reads), 10 and 20 ms (writes)."""
    high = _u64(*(n * MS for n in (1, 2, 3, 4, 5, 10, 20)))
    return {
        "workload": np.zeros(7, dtype=np.uint32),
        "op": np.array([0] * 5 + [1] * 2, dtype=np.uint8),
        "low_ns": high - np.uint64(999),
        "high_ns": high,
        "count": _u64(*[1] * 7),
    }


def raw() -> dict[str, Any]:
    """What ``_core.simulate`` returns, with the summary as JSON."""
    return {"summary": json.dumps(SUMMARY), "intervals": intervals(), "latency": latency()}


def decoded() -> dict[str, Any]:
    """The same with the summary decoded."""
    return {**raw(), "summary": copy.deepcopy(SUMMARY)}


def plan() -> dict[str, Any]:
    """A plan file that fits, as far as Python looks into it."""
    drive = {"kind": "hdd", "sector_bytes": 500, "sectors": 2_000_000}
    raid = {"level": "0", "stripe_unit_bytes": 16_000}
    return {
        "schema": "iowatt.plan/1",
        "name": "handmade",
        "names": {
            "workloads": ["oltp"],
            "volumes": ["db"],
            "pools": ["disks"],
            "devices": [
                {
                    "name": f"disks.{i}",
                    "model": "test-disk",
                    "pool": "disks",
                    "kind": "hdd",
                    "raw_bytes": 10**9,
                    "ratings": {},
                    "idle_w": 20.0,
                }
                for i in (0, 1)
            ],
            "buses": ["scsi0"],
        },
        "notes": [{"code": "stand-in", "text": "test-disk is a stand-in", "decides": False}],
        "sources": [{"path": "trace.csv"}],
        "warmup": None,
        "simulation": {
            "seed": 7,
            "workloads": [{"volume": 0, "replay": {"mode": "open", "speed": 1.0}}],
            "volumes": [{"pool": 0, "offset_bytes": 0, "capacity_bytes": 2 * 10**9}],
            "pools": [
                {
                    "count": 2,
                    "device": drive,
                    "raid": raid,
                    "scheduler": "fcfs",
                    "power_policy": {"policy": "never"},
                    "bus_of_drive": [0, 0],
                }
            ],
            "buses": [{"bandwidth_bytes_per_s": 1e8, "arbitration_s": 0.0}],
            "observe": {"warmup_s": 0.0, "end_s": None, "interval_s": 50.0},
        },
    }
