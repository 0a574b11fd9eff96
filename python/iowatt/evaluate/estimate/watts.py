"""Watts of an estimate: drives by what they do, and the array's own parts and supplies up to the wall."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from iowatt.evaluate.estimate.stations import Sets
from iowatt.evaluate.estimate.system import Phase, System
from iowatt.lenses.efficiency import BYTES_PER_GB, BYTES_PER_MIB
from iowatt.model.power.plan import ArrayPlan
from iowatt.sources.simulation.counts import capacity


def of_drives(system: System, phases: Sequence[Phase]) -> tuple[dict[str, float], float]:
    """Mean watts of the drives of each pool, and of all drives when idle."""
    found: dict[str, float] = {}
    for device in system.work.plan["names"]["devices"]:
        found[device["pool"]] = found.get(device["pool"], 0.0) + float(device["idle_w"])
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


def rows(
    system: System, drives: Mapping[str, float], idle_w: float, total: float, mib_per_s: float
) -> dict[str, float]:
    """Power, energy, capacity and what a watt buys, as a row has them."""
    mean_w = sum(drives.values())
    row = {"power_w.mean": mean_w, "power_w.idle": idle_w}
    plan = system.work.plan
    if plan.get("power"):
        array = ArrayPlan.of(plan["power"])
        row["power_w.wall_mean"] = _wall(system, array, drives, total, mib_per_s)
        idle = dict.fromkeys(drives, 0.0)
        for device in plan["names"]["devices"]:
            idle[device["pool"]] += float(device["idle_w"])
        row["power_w.wall_idle"] = _wall(system, array, idle, 0.0, 0.0)
    watts = row.get("power_w.wall_mean", mean_w)
    held = capacity(plan["names"], plan["simulation"])
    row["devices.count"] = float(len(plan["names"]["devices"]))
    if total > 0:
        row["energy.per_request_j"] = watts / total
    row["efficiency.iops_per_w"] = total / watts if watts > 0 else 0.0
    row["efficiency.mib_per_s_per_w"] = mib_per_s / watts if watts > 0 else 0.0
    for name, bytes_ in (
        ("raw", held.raw_bytes),
        ("usable", held.usable_bytes),
        ("effective", held.effective_bytes),
    ):
        if bytes_ is not None:
            row[f"capacity_gb.{name}"] = bytes_ / BYTES_PER_GB
            row[f"efficiency.{name}_gb_per_w"] = bytes_ / BYTES_PER_GB / watts if watts > 0 else 0.0
    return row


def _wall(
    system: System, array: ArrayPlan, drives: Mapping[str, float], total: float, mib_per_s: float
) -> float:
    """The array at the wall, by the laws of its parts and the losses of its supplies."""
    counts: dict[str, int] = {}
    for device in system.work.plan["names"]["devices"]:
        counts[device["pool"]] = counts.get(device["pool"], 0) + 1
    iops, moved = np.array([total]), np.array([mib_per_s * BYTES_PER_MIB])
    busy = np.array([_processors(system, total)])
    wall = 0.0
    for enclosure in array.enclosures:
        parts_w = at_wall_w = 0.0
        for part in enclosure.parts:
            used = float(part.utilisation(iops, moved, busy)[0])
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


def _processors(system: System, total: float) -> float:
    """Busy share of the front processors."""
    processing = system.controller.get("processing")
    if not processing or not system.flows:
        return 0.0
    shares = [flow.read_share for flow in system.flows]
    read = sum(shares) / len(shares)
    busy = total * (read * processing["read_s"] + (1 - read) * processing["write_s"])
    return float(min(1.0, busy / processing["processors"]))
