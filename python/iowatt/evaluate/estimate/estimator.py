"""The estimator: a resolved scenario in, throughput, response time, power and stations out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from iowatt.evaluate.estimate import unknown
from iowatt.evaluate.estimate.cluster import ClusterSystem
from iowatt.evaluate.estimate.drives import DriveBenchmarks
from iowatt.evaluate.estimate.load import EstimatedWorkload, flows
from iowatt.evaluate.estimate.queueing import Servers, Sets
from iowatt.evaluate.estimate.root import root
from iowatt.evaluate.estimate.system import DestagePhase, QueueingSystem
from iowatt.evaluate.evaluation import Prepared
from iowatt.lenses.efficiency import BYTES_PER_GB, BYTES_PER_MIB
from iowatt.model.power import ArrayPlan
from iowatt.sources.simulation import capacity


@dataclass(frozen=True)
class EstimatedStation:
    """Where time goes: ``demand_s`` is what a request takes of it (visits times service), over its
    servers."""

    name: str
    kind: str
    servers: int
    utilisation: float
    demand_s: float


@dataclass(frozen=True)
class Estimate:
    """An estimate of a scenario; ``row`` has the keys of a sweep's row
    (:func:`iowatt.evaluate.search.metrics.table.row_of_run`).

    ``saturated``: open requests come faster than they can be served; throughput is then what can be, and no
    response time is given. ``assumptions`` say what was taken for granted.
    """

    row: dict[str, float]
    stations: tuple[EstimatedStation, ...]
    saturated: bool
    assumptions: tuple[str, ...]

    @property
    def bottleneck(self) -> EstimatedStation | None:
        """The busiest station."""
        return max(self.stations, key=lambda station: station.utilisation, default=None)


def drive_watts(system: QueueingSystem, phases: Sequence[DestagePhase]) -> tuple[dict[str, float], float]:
    """Mean watts of the drives of each pool, and of all drives when idle."""
    found: dict[str, float] = {}
    for device in system.work.plan["names"]["devices"]:
        watts = device.get("drives", 1) * float(device["idle_w"])
        found[device["pool"]] = found.get(device["pool"], 0.0) + watts
    idle = sum(found.values())
    pools = dict(
        zip(system.work.plan["names"]["pools"], system.work.plan["simulation"]["pools"], strict=True)
    )
    for phase in phases:
        rates, seen = phase.network.every(phase.solved.rates), phase.network.seen(phase.solved.rates)
        for station in phase.network.stations:
            if isinstance(station, Sets):
                rate = min(station.rate(rates), station.curve.most)
                working = station.number * rate * station.operation_j(rates, seen)
                found[station.name] += phase.share * (
                    working + _awake(pools[station.name], station.number * rate)
                )
    return found, idle


def _awake(pool: Mapping[str, Any], rate: float) -> float:
    """Watts above idling of drives that sleep by themselves, some time after their last work, at ``rate`` a
    second for all of them, at random."""
    power = pool["device"]["power"]
    above = power["active_w"] - power["levels"]["idle_w"]
    lasts_s = power.get("awake_s", 0.0)
    return pool["count"] * above * -math.expm1(-rate / pool["count"] * lasts_s) if lasts_s else 0.0


@dataclass(frozen=True)
class WorkDone:
    """What a system does: requests and MiB a second, and the busy shares of its stations by name."""

    iops: float
    mib_per_s: float
    busy: Mapping[str, float] = field(default_factory=dict)


def power_row(
    system: QueueingSystem, drives: Mapping[str, float], idle_w: float, done: WorkDone
) -> dict[str, float]:
    """Power, energy, capacity and what a watt buys, as a row has them."""
    mean_w = sum(drives.values())
    row = {"power_w.mean": mean_w, "power_w.idle": idle_w}
    plan = system.work.plan
    if plan.get("power"):
        array = ArrayPlan.of(plan["power"])
        row["power_w.wall_mean"] = _wall(system, array, drives, done)
        idle = dict.fromkeys(drives, 0.0)
        for device in plan["names"]["devices"]:
            idle[device["pool"]] += device.get("drives", 1) * float(device["idle_w"])
        row["power_w.wall_idle"] = _wall(system, array, idle, WorkDone(0.0, 0.0))
    watts = row.get("power_w.wall_mean", mean_w)
    held = capacity(plan["names"], plan["simulation"])
    row["devices.count"] = float(sum(device.get("drives", 1) for device in plan["names"]["devices"]))
    if done.iops > 0:
        row["energy.per_request_j"] = watts / done.iops
    row["efficiency.iops_per_w"] = done.iops / watts if watts > 0 else 0.0
    row["efficiency.mib_per_s_per_w"] = done.mib_per_s / watts if watts > 0 else 0.0
    for name, bytes_ in (
        ("raw", held.raw_bytes),
        ("usable", held.usable_bytes),
        ("effective", held.effective_bytes),
    ):
        if bytes_ is not None:
            row[f"capacity_gb.{name}"] = bytes_ / BYTES_PER_GB
            row[f"efficiency.{name}_gb_per_w"] = bytes_ / BYTES_PER_GB / watts if watts > 0 else 0.0
    return row


def _wall(system: QueueingSystem, array: ArrayPlan, drives: Mapping[str, float], done: WorkDone) -> float:
    """The array at the wall, by the laws of its parts and the losses of its supplies."""
    counts: dict[str, int] = {}
    for device in system.work.plan["names"]["devices"]:
        counts[device["pool"]] = counts.get(device["pool"], 0) + device.get("drives", 1)
    iops, moved = np.array([done.iops]), np.array([done.mib_per_s * BYTES_PER_MIB])
    busy = np.array([_processors(system, done.iops)])
    links = {name: np.array([share]) for name, share in done.busy.items()}
    wall = 0.0
    for enclosure in array.enclosures:
        parts_w = at_wall_w = 0.0
        for part in enclosure.parts:
            used = float(part.utilisation(iops, moved, busy, links)[0])
            if part.at_wall:
                at_wall_w += part.watts(used)
            else:
                parts_w += part.watts(used)
        for number, mix in enclosure.filling:
            fed = parts_w + sum(
                drives[pool] / counts[pool] * held
                for pool, held in zip(enclosure.pools, mix, strict=True)
                if held
            )
            lost = 0.0 if enclosure.supplies is None else float(enclosure.supplies.input_w(fed)) - fed
            wall += number * (fed + lost + at_wall_w)
    loose = [pool for pool in drives if not any(pool in one.pools for one in array.enclosures)]
    return wall + sum(drives[pool] for pool in loose)


def _processors(system: QueueingSystem, total: float) -> float:
    """Busy share of the front processors."""
    processing = system.controller.get("processing")
    if not processing or not system.flows:
        return 0.0
    shares = [flow.read_share for flow in system.flows]
    read = sum(shares) / len(shares)
    busy = total * (read * processing["read_s"] + (1 - read) * processing["write_s"])
    return float(min(1.0, busy / processing["processors"]))


#: With several workloads, how often their mix is found anew.
_ROUNDS = 4


class Estimator:
    """Estimates scenarios whose files are relative to ``base``; what single drives do is kept between
    them."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self._drives = DriveBenchmarks()

    @property
    def benchmarks(self) -> int:
        """Benchmarks of drives so far."""
        return self._drives.benchmarks

    def of(self, work: Prepared) -> Estimate:
        """Estimate a scenario under its own load.

        Raises ``NotEstimated``: it has something that is not modelled.
        """
        system = self._system(work, flows(work))
        return _estimate(system)

    def highest_rate(self, work: Prepared, limit_s: float) -> Estimate:
        """Estimate the highest rate of the first workload at which requests take ``limit_s`` on the mean.

        Its requests come at random then, closed loop or not; other workloads stay as they are. Where a
        station saturates before that, the estimate is at the rate at which it does. ``row["rate_iops"]`` is
        the rate.

        Raises ``NotEstimated``: it has something that is not modelled.
        """
        first, *others = _some(work)
        rate = first.rate or float(first.outstanding or 1)
        for _ in range(_ROUNDS if others else 1):
            opened = replace(first, rate=rate, outstanding=None, think_s=0.0, variation=1.0)
            system = self._system(work, (opened, *others))
            found = highest(system, limit_s)
            settled = abs(found - rate) <= 0.01 * found
            rate = found
            if settled:
                break
        opened = replace(opened, rate=rate)
        system = self._system(work, (opened, *others))
        estimate = _estimate(system)
        return replace(estimate, row={**estimate.row, "rate_iops": rate})

    def most(self, work: Prepared) -> Estimate:
        """Estimate what all workloads together could do with any number of requests outstanding, as they are
        mixed.

        Rates keep the proportions of their rates, or of what they have outstanding; no response times.

        Raises ``NotEstimated``: it has something that is not modelled.
        """
        opened = tuple(
            replace(
                flow, rate=1e9 * (flow.rate or float(flow.outstanding or 1)), outstanding=None, think_s=0.0
            )
            for flow in _some(work)
        )
        system = self._system(work, opened)
        return _estimate(system)

    def _system(self, work: Prepared, of: Sequence[EstimatedWorkload]) -> QueueingSystem:
        unknown.check_modelled(work.plan["simulation"], work.plan["names"])
        clusters = work.plan["simulation"].get("clusters")
        return (ClusterSystem if clusters else QueueingSystem)(work, of, self._drives)


def _some(work: Prepared) -> tuple[EstimatedWorkload, ...]:
    found = flows(work)
    if not found:
        raise unknown.not_modelled("a rate without a workload", "workload")
    return found


def highest(system: QueueingSystem, limit_s: float) -> float:
    """The rate of the first flow, which is open, at which requests take ``limit_s`` on the mean."""
    rates = [flow.rate or float(flow.outstanding or 1) for flow in system.flows]
    network = system.network(rates)

    def at(rate: float) -> list[float]:
        return network.balanced([rate, *rates[1:]])

    def excess(rate: float) -> float:
        tried = at(rate)
        weights = [tried[path.flow] * path.share for path in network.paths]
        total = sum(weights)
        mean = sum(w * network.response(path, tried) for w, path in zip(weights, network.paths, strict=True))
        return mean / total - limit_s

    most = network.limit(0, rates)
    return root(excess, most * 1e-6, most * (1 - 1e-6)) if math.isfinite(most) else most


def _estimate(system: QueueingSystem) -> Estimate:
    phases = system.phases()
    saturated = any(phase.solved.saturated for phase in phases)
    rates = [
        sum(phase.share * phase.solved.rates[flow] for phase in phases) for flow in range(len(system.flows))
    ]
    total = sum(rates)
    moved = (
        sum(rate * flow.mean_bytes for rate, flow in zip(rates, system.flows, strict=True)) / BYTES_PER_MIB
    )
    row: dict[str, float] = {"throughput.iops": total, "throughput.mib_per_s": moved}
    if not saturated and total > 0:
        row |= _responses(phases)
    drives, idle_w = drive_watts(system, phases)
    stations = _stations(phases, total)
    busy_of = {one.name: one.utilisation for one in stations}
    row |= power_row(system, drives, idle_w, WorkDone(total, moved, busy_of))
    busy = [(one.servers, one.utilisation) for one in stations if one.kind in ("drives", "mirrors")]
    if busy:
        row["devices.utilisation.mean"] = sum(n * u for n, u in busy) / sum(n for n, _ in busy)
        row["devices.utilisation.max"] = max(u for _, u in busy)
    return Estimate(
        {key: float(value) for key, value in row.items()}, stations, saturated, tuple(system.assumptions)
    )


def _stations(phases: Sequence[DestagePhase], total: float) -> tuple[EstimatedStation, ...]:
    """Utilisation over all phases; a station that is quiet in one may be missing there."""
    loads: dict[str, float] = {}
    known: dict[str, Servers | Sets] = {}
    for phase in phases:
        every = phase.network.every(phase.solved.rates)
        for station in phase.network.stations:
            known[station.name] = station
            loads[station.name] = loads.get(station.name, 0.0) + phase.share * station.load(every)
    return tuple(
        EstimatedStation(
            name=name,
            kind=station.kind,
            servers=station.number,
            utilisation=float(min(1.0, loads[name])),
            demand_s=float(loads[name] * station.number / total) if total > 0 else 0.0,
        )
        for name, station in known.items()
    )


def _responses(phases: Sequence[DestagePhase]) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, wanted in (("all", None), ("read", False), ("write", True)):
        parts = [
            (phase.share * phase.solved.rates[path.flow] * path.share, response)
            for phase in phases
            for path, response in zip(phase.network.paths, phase.solved.responses, strict=True)
            if wanted is None or path.write == wanted
        ]
        weight = sum(rate for rate, _ in parts)
        if weight > 0:
            found[f"response_time_ms.{name}.mean"] = 1e3 * sum(r * s for r, s in parts) / weight
    return found
