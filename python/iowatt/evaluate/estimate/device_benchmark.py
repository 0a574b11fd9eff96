"""One drive, or one set of mirrored drives, benchmarked by short simulations: at each number outstanding, at
a time.

The result is a curve over the depth: operations a second, their response time and its spread, and the joules
of an operation above idling. Scheduling, parallel flash, garbage collection, buffers and the turn that a disk
loses between the read and the write of a parity update are in it, because the simulator models them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from iowatt.evaluate.estimate.operations import OperationKind

#: Depths of the curve; between them it is interpolated, beyond them flat.
DEPTHS: Final = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48)
#: Requests outstanding at a group of a parity level.
_DEPTHS_OF_GROUPS: Final = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 80, 128)
#: Shares of the rate at saturation at which random arrivals are benchmarked.
_SHARES: Final = (0.25, 0.5, 0.7, 0.85, 0.93)
#: Sequences begin within this many bytes of one another, whatever the size of their requests.
_NEAR: Final = 1 << 20
#: Its stripe unit: every operation lies within one.
_UNIT: Final = 1 << 20
#: Operations of each simulation: rates are then known within 1 % or so.
OPERATIONS: Final = 3000
#: Share of it that is cut as warm-up.
_WARMUP: Final = 0.15
#: How often the write buffer of an SSD is written before anything counts.
_BUFFERS: Final = 1.5


@dataclass(frozen=True)
class ServiceMoments:
    """Mean and standard deviation of a response time, s."""

    mean_s: float
    deviation_s: float


@dataclass(frozen=True)
class BenchmarkPoint:
    """At one depth: operations a second, their responses (of all, of reads, of writes), joules of each.

    A direction that does not occur has the response of all.
    """

    depth: int
    iops: float
    both: ServiceMoments
    read: ServiceMoments
    write: ServiceMoments
    operation_j: float
    #: Mean number of operations in the system, at each drive or set: the depth itself where that is one.
    number_in_system: float


@dataclass(frozen=True)
class BenchmarkCurve:
    """The benchmark's points. For a group of a parity level, ``iops`` and joules are those of each drive's
    commands, and writes are whole parity updates of ``update_drives`` drives."""

    points: tuple[BenchmarkPoint, ...]
    drives: int
    update_drives: int = 0
    #: With random arrivals at shares of the rate at saturation: what a buffer that has room does for writes.
    open: tuple[tuple[float, BenchmarkPoint], ...] = ()


def benchmark(
    pool: Mapping[str, Any],
    mix: Sequence[tuple[OperationKind, float]],
    *,
    mirrored: int,
    parity: int,
    seed: int,
) -> BenchmarkCurve:
    """Simulate one drive of a plan's pool under a mix of operations, or ``mirrored`` drives that hold the
    same.

    With ``parity`` it is a group of two data units and so many parity units (RAID-5 with one): the reads and
    writes of an update meet others on the way, and the parity waits for data that another drive reads. What
    is only written is read there, which costs a disk nearly the same.

    Args:
        pool: An entry of ``plan["simulation"]["pools"]``.
        mix: Kinds and their shares.
    """
    total = sum(share for _, share in mix)
    asked = [(kind, share / total) for kind, share in mix]
    drives = mirrored if not parity else 2 + parity
    if parity:
        asked = [(_host(kind), share / (1 + parity if kind.how == "update" else 1)) for kind, share in asked]
    plan = _plan(pool, drives, parity, seed)
    capacity, sector = plan["volumes"][0]["capacity_bytes"], pool["device"]["sector_bytes"]
    updates = any(kind.how == "update" for kind, _ in asked)
    plan["workloads"][0]["replay"]["per"] = "stream" if updates else "workload"
    power = pool["device"]["power"]
    # A drive with a sleep timer is awake while there is work: `estimator.drive_watts` adds that.
    idle_w = drives * (power["active_w"] if power.get("awake_s") else power["levels"]["idle_w"])
    first = _buffered(pool, asked, drives if parity else 1)
    points: list[BenchmarkPoint] = []
    rate = (
        1
        / _run(
            plan,
            _rows(asked, 1, 200, capacity=capacity, sector=sector, seed=seed),
            1,
            end_s=None,
            warmup_s=0.0,
            idle_w=idle_w,
            parity=parity,
        ).both.mean_s
    )
    for depth in _DEPTHS_OF_GROUPS if parity else DEPTHS:
        ratio = 1.0 if not points else depth / points[-1].depth
        wanted = first + OPERATIONS * (2 if parity else 1)
        count = int(wanted * ratio * (1.15 if depth == 1 else 1.6)) + 40 * depth
        rows = _rows(asked, depth, count, capacity=capacity, sector=sector, seed=seed + depth)
        seconds = wanted / rate
        warmup_s = max(_WARMUP, first / wanted) * seconds
        points.append(_run(plan, rows, depth, end_s=seconds, warmup_s=warmup_s, idle_w=idle_w, parity=parity))
        rate = points[-1].depth / points[-1].both.mean_s
    opened: list[tuple[float, BenchmarkPoint]] = []
    if first and not parity:
        most = (points[-1].iops + points[-2].iops) / 2
        plan["workloads"][0]["replay"] = {"mode": "open", "speed": 1.0}
        for share in _SHARES:
            wanted = first + 2 * OPERATIONS
            rows = _rows(asked, 1, int(wanted * 1.05), capacity=capacity, sector=sector, seed=seed)
            gaps = np.random.default_rng(seed).exponential(1e9 / (share * most), len(rows["op"]))
            rows["time_ns"] = np.cumsum(gaps).astype(np.int64)
            seconds = wanted / (share * most)
            opened.append(
                (
                    share,
                    _run(
                        plan,
                        rows,
                        0,
                        end_s=seconds,
                        warmup_s=first / wanted * seconds,
                        idle_w=idle_w,
                        parity=parity,
                    ),
                )
            )
    return BenchmarkCurve(tuple(points), drives, 1 + parity if parity else 0, tuple(opened))


def _host(kind: OperationKind) -> OperationKind:
    """The host request that makes the drives of a group do operations of a kind."""
    return OperationKind("write" if kind.how == "update" else "read", kind.bytes, kind.place)


def _buffered(pool: Mapping[str, Any], mix: Sequence[tuple[OperationKind, float]], drives: int) -> int:
    """Operations until an SSD's write buffer has been filled: what comes before flatters it."""
    media = pool["device"].get("media") or {}
    written = sum(share * kind.bytes for kind, share in mix if kind.how != "read")
    if not written or not media.get("buffer_bytes"):
        return 0
    return min(60_000, int(_BUFFERS * drives * media["buffer_bytes"] / written))


def _plan(pool: Mapping[str, Any], drives: int, parity: int, seed: int) -> dict[str, Any]:
    device = pool["device"]
    unit = _UNIT if parity else pool["raid"]["stripe_unit_bytes"]
    capacity = device["sectors"] * device["sector_bytes"] // unit * unit * (2 if parity else 1)
    level = {0: "1" if drives > 1 else "0", 1: "5", 2: "6"}.get(parity, "ec")
    code = {"data": drives - parity, "parity": parity} if level == "ec" else None
    raid = {**pool["raid"], "level": level, "code": code, "stripe_unit_bytes": unit}
    if parity:
        raid["small_write"] = "read-modify-write"
    own = {key: value for key, value in pool.items() if key not in ("chunklets", "recovery")}
    return {
        "seed": seed,
        "workloads": [{"volume": 0, "replay": {"mode": "closed", "outstanding": 1, "per": "workload"}}],
        "volumes": [{"pool": 0, "offset_bytes": 0, "capacity_bytes": capacity}],
        "pools": [{**own, "count": drives, "raid": raid, "bus_of_drive": [], "recovery": None}],
        "buses": [],
        "controller": None,
        "observe": {"warmup_s": 0.0, "end_s": None, "interval_s": None, "idle": False},
    }


def _rows(
    mix: Sequence[tuple[OperationKind, float]],
    depth: int,
    count: int,
    *,
    capacity: int,
    sector: int,
    seed: int,
) -> dict[str, Any]:
    """A trace of at least ``count`` operations, dealt to ``depth`` streams; an update's two are one behind
    the other."""
    draw = np.random.default_rng(seed)
    shares = np.array([share for _, share in mix])
    count = -(-count // depth) * depth
    chosen = draw.choice(len(mix), size=count, p=shares / shares.sum())
    offset, size = np.empty(count, np.uint64), np.empty(count, np.uint32)
    write, twice = np.zeros(count, np.uint8), np.zeros(count, bool)
    for at, (kind, _) in enumerate(mix):
        mine = np.flatnonzero(chosen == at)
        bytes_ = max(sector, round(kind.bytes / sector) * sector)
        offset[mine] = _offsets(kind, bytes_, len(mine), capacity=capacity, sector=sector, draw=draw)
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
    kind: OperationKind, bytes_: int, count: int, *, capacity: int, sector: int, draw: np.random.Generator
) -> np.ndarray[Any, Any]:
    first, last = kind.place.first * capacity, kind.place.last * capacity
    align = 4096 if bytes_ % 4096 == 0 and 4096 % sector == 0 else sector
    low = int(first) // align
    high = max(low + 1, int(min(last, capacity) - bytes_) // align)
    if not kind.place.cursors:
        found = draw.integers(low, high, size=count) * align
        if kind.place.sweep:
            found.sort()
        # Within one unit, so that it is one operation of a drive.
        return (found - np.maximum(0, found % _UNIT + min(bytes_, _UNIT) - _UNIT)).astype(np.uint64)
    cursors = kind.place.cursors
    near = max(low + 1, min(high, low + _NEAR // align))
    begins = draw.integers(low, near, size=cursors)
    steps = np.arange(count) // cursors * (bytes_ // align)
    places = low + (begins[np.arange(count) % cursors] - low + steps) % (high - low)
    return places.astype(np.uint64) * np.uint64(align)


def _run(
    plan: dict[str, Any],
    rows: dict[str, Any],
    depth: int,
    *,
    end_s: float | None,
    warmup_s: float,
    idle_w: float,
    parity: int,
) -> BenchmarkPoint:
    from iowatt.sources.simulation import run_core

    replay = plan["workloads"][0]["replay"]
    if replay["mode"] == "closed":
        replay["outstanding"] = 1 if replay["per"] == "stream" else depth
    plan["observe"] |= {"end_s": end_s, "warmup_s": warmup_s}
    spec = json.dumps({"path": "benchmark", "order_only": replay["mode"] == "closed"})
    raw = run_core(json.dumps(plan), [(spec, _once(rows))], lambda _fraction, _requests: None)
    summary = json.loads(raw["summary"])
    window, total, devices = summary["window"], summary["total"], summary["devices"]
    seconds = (window["end_ns"] - window["start_ns"]) / 1e9
    response = {
        name: ServiceMoments(times["mean_s"], times["std_s"] or 0.0) if times["count"] else None
        for name, times in total["response"].items()
    }
    both = response["all"] or ServiceMoments(0.0, 0.0)
    joules = sum(sum(device["energy_j"].values()) for device in devices) - idle_w * seconds
    done, in_system = max(1, total["completions"]["requests"]), float(depth)
    if parity:
        done = max(1, sum(device["accesses"] for device in devices))
        in_system = sum(device["queue_length_mean"] for device in devices) / len(devices)
    return BenchmarkPoint(
        depth=depth,
        iops=done / seconds / (len(devices) if parity else 1),
        both=both,
        read=response["read"] or both,
        write=response["write"] or both,
        operation_j=max(0.0, joules / done),
        number_in_system=in_system,
    )


def _once(rows: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield rows
