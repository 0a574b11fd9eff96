"""One drive, or one set of mirrored drives, flown by short simulations: so many operations outstanding at a time.

What comes of it is a curve over the depth: operations a second, their response time and its spread, and the joules
of an operation above idling. Scheduling, parallel flash, garbage collection, buffers and the turn that a disk
loses between the read and the write of a parity update are in it, because the simulator flies it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from iowatt.estimate.operations import Kind

#: Depths of the curve; between them it is interpolated, beyond them flat.
DEPTHS: Final = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48)
#: Operations of each simulation: rates are then known within 1 % or so.
OPERATIONS: Final = 3000
#: Of it, cut as warm-up.
_WARMUP: Final = 0.15
#: How often the write buffer of an SSD is written before anything counts.
_BUFFERS: Final = 1.5


@dataclass(frozen=True)
class Point:
    """At one depth: operations a second, mean and deviation of their response time (s), joules of each."""

    depth: int
    iops: float
    response_s: float
    deviation_s: float
    operation_j: float


@dataclass(frozen=True)
class Flown:
    """What the simulations of one set gave; ``drives`` it has, watts of all of them when idle."""

    points: tuple[Point, ...]
    drives: int
    idle_w: float


def fly(pool: Mapping[str, Any], mix: Sequence[tuple[Kind, float]], *, mirrored: int, seed: int) -> Flown:
    """Simulate one drive of a plan's pool, or ``mirrored`` drives that hold the same, under a mix of operations.

    Parameters
    ----------
    pool
        As ``plan["simulation"]["pools"]`` has it.
    mix
        Kinds and their shares.
    """
    plan = _plan(pool, mirrored, seed)
    capacity = plan["volumes"][0]["capacity_bytes"]
    updates = any(kind.how == "update" for kind, _ in mix)
    plan["workloads"][0]["replay"]["per"] = "stream" if updates else "workload"
    idle_w = pool["device"]["power"]["levels"]["idle_w"] * mirrored
    first = _buffered(pool, mix)
    points: list[Point] = []
    rate = _run(plan, _rows(mix, 1, 200, capacity, pool, seed), 1, None, 0.0).iops
    for depth in DEPTHS:
        ratio = 1.0 if not points else depth / points[-1].depth
        wanted = first + OPERATIONS
        rows = _rows(
            mix,
            depth,
            int(wanted * ratio * (1.15 if depth == 1 else 1.6)) + 40 * depth,
            capacity,
            pool,
            seed + depth,
        )
        seconds = wanted / rate
        point = _run(plan, rows, depth, seconds, max(_WARMUP, first / wanted) * seconds)
        points.append(
            Point(**{**point.__dict__, "operation_j": max(0.0, point.operation_j - idle_w / point.iops)})
        )
        rate = point.iops
    return Flown(tuple(points), mirrored, idle_w)


def _buffered(pool: Mapping[str, Any], mix: Sequence[tuple[Kind, float]]) -> int:
    """Operations until an SSD's write buffer has been filled: what comes before flatters it."""
    media = pool["device"].get("media") or {}
    written = sum(share * kind.bytes for kind, share in mix if kind.how != "read")
    if not written or not media.get("buffer_bytes"):
        return 0
    return min(60_000, int(_BUFFERS * media["buffer_bytes"] / written))


def _plan(pool: Mapping[str, Any], mirrored: int, seed: int) -> dict[str, Any]:
    device = pool["device"]
    unit = pool["raid"]["stripe_unit_bytes"]
    capacity = device["sectors"] * device["sector_bytes"] // unit * unit
    raid = {**pool["raid"], "level": "1" if mirrored > 1 else "0"}
    own = {key: value for key, value in pool.items() if key not in ("chunklets", "recovery")}
    return {
        "seed": seed,
        "workloads": [{"volume": 0, "replay": {"mode": "closed", "outstanding": 1, "per": "workload"}}],
        "volumes": [{"pool": 0, "offset_bytes": 0, "capacity_bytes": capacity}],
        "pools": [{**own, "count": mirrored, "raid": raid, "bus_of_drive": [], "recovery": None}],
        "buses": [],
        "controller": None,
        "observe": {"warmup_s": 0.0, "end_s": None, "interval_s": None, "idle": False},
    }


def _rows(
    mix: Sequence[tuple[Kind, float]],
    depth: int,
    count: int,
    capacity: int,
    pool: Mapping[str, Any],
    seed: int,
) -> dict[str, Any]:
    """A trace of at least ``count`` operations, dealt to ``depth`` streams; an update's two are one behind the other."""
    draw = np.random.default_rng(seed)
    shares = np.array([share for _, share in mix])
    count = -(-count // depth) * depth
    chosen = draw.choice(len(mix), size=count, p=shares / shares.sum())
    offset, size = np.empty(count, np.uint64), np.empty(count, np.uint32)
    write, twice = np.zeros(count, np.uint8), np.zeros(count, bool)
    sector = pool["device"]["sector_bytes"]
    for at, (kind, _) in enumerate(mix):
        mine = np.flatnonzero(chosen == at)
        bytes_ = max(sector, round(kind.bytes / sector) * sector)
        offset[mine] = _offsets(kind, bytes_, len(mine), capacity, sector, draw)
        size[mine], write[mine], twice[mine] = bytes_, kind.how == "write", kind.how == "update"
    stream = np.arange(count, dtype=np.uint32) % depth
    repeated = np.repeat(np.arange(count), 1 + twice)
    second = np.flatnonzero(np.diff(repeated, prepend=-1) == 0)
    op = write[repeated]
    op[second] = 1
    return {
        "time_ns": np.zeros(len(repeated), np.int64),
        "op": op,
        "offset": offset[repeated],
        "size": size[repeated],
        "stream": stream[repeated],
        "streams": [str(number) for number in range(depth)],
    }


def _offsets(
    kind: Kind, bytes_: int, count: int, capacity: int, sector: int, draw: np.random.Generator
) -> np.ndarray[Any, Any]:
    first, last = kind.place.first * capacity, kind.place.last * capacity
    align = 4096 if bytes_ % 4096 == 0 and 4096 % sector == 0 else sector
    low = int(first) // align
    high = max(low + 1, int(min(last, capacity) - bytes_) // align)
    if not kind.place.cursors:
        return draw.integers(low, high, size=count).astype(np.uint64) * np.uint64(align)
    cursors = kind.place.cursors
    begins = draw.integers(low, high, size=cursors)
    steps = np.arange(count) // cursors * (bytes_ // align)
    places = low + (begins[np.arange(count) % cursors] - low + steps) % (high - low)
    return places.astype(np.uint64) * np.uint64(align)


def _run(
    plan: dict[str, Any], rows: dict[str, Any], depth: int, end_s: float | None, warmup_s: float
) -> Point:
    from iowatt.sources.simulator import run_core

    replay = plan["workloads"][0]["replay"]
    replay["outstanding"] = 1 if replay["per"] == "stream" else depth
    plan["observe"] |= {"end_s": end_s, "warmup_s": warmup_s}
    spec = json.dumps({"path": "pilot", "order_only": True})
    raw = run_core(json.dumps(plan), [(spec, _once(rows))], lambda _fraction, _requests: None)
    summary = json.loads(raw["summary"])
    window, total = summary["window"], summary["total"]
    seconds = (window["end_ns"] - window["start_ns"]) / 1e9
    response = total["response"]["all"]
    joules = sum(sum(device["energy_j"].values()) for device in summary["devices"])
    done = max(1, total["completions"]["requests"])
    return Point(depth, done / seconds, response["mean_s"], response["std_s"], joules / done)


def _once(rows: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield rows
