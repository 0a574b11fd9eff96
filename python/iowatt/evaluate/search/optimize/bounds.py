"""What is certain about a point before any run: metrics that follow from its plan, and sound bounds of
others.

Watts: every drive draws at least the watts of its lowest reachable state; the parts around it draw at least
their idle watts, and supplies deliver at most their best share. Throughput: requests at recorded times reach
every configuration alike (the arrivals of one Run are those of all with the same workloads), and processors
and links have a capacity. IOPS/W and joules follow. Because the bounds are sound, leaving a point out proves
something."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from iowatt.evaluate.search.metrics import names as metrics
from iowatt.evaluate.search.metrics import table
from iowatt.evaluate.search.pricing import Pricing
from iowatt.lenses.efficiency import BYTES_PER_GB
from iowatt.model.power import ArrayPlan, Enclosure
from iowatt.sources.simulation import capacity

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

PURCHASE: Final = "cost.purchase_usd"


def static_metrics(plan: Mapping[str, Any], prices: Pricing | None) -> dict[str, float]:
    """Drives, capacity, redundancy, the purchase where it is priced, idle watts.

    Raises ``InputError`` where something of it has no price.
    """
    found: dict[str, float] = {
        "devices.count": float(sum(one.get("drives", 1) for one in plan["names"]["devices"])),
        metrics.SURVIVED: float(table.failures_survived(plan)),
    }
    if not _reduced(plan):
        bytes_ = capacity(plan["names"], plan["simulation"])
        for name, value in (
            ("raw", bytes_.raw_bytes), ("usable", bytes_.usable_bytes), ("effective", bytes_.effective_bytes),
        ):  # fmt: skip
            if value is not None:
                found[f"capacity_gb.{name}"] = value / BYTES_PER_GB
    if prices is not None:
        found[PURCHASE] = prices.purchase(plan)
    return found


def _reduced(plan: Mapping[str, Any]) -> bool:
    """Whether what a volume is worth depends on what is written: snapshots keep data of their own."""
    return bool(plan["simulation"].get("virtual_pools"))


Range = tuple[float, float]

_MIB = 1 << 20
#: Rounding of sums of joules over intervals.
_SLACK = 1e-9
#: Error between the points at which a curve is sampled.
_BETWEEN = 1e-4


@dataclass(frozen=True)
class Arrivals:
    """Arrivals at every configuration under open loads: requests, their bytes, and the seconds they take."""

    requests: float
    bytes: float
    seconds: float


def arrivals_digest(plan: Mapping[str, Any]) -> str | None:
    """A digest of the arrivals; None where they depend on completions, or a warm-up cuts some."""
    simulation = plan["simulation"]
    if any(workload["replay"]["mode"] != "open" for workload in simulation["workloads"]):
        return None
    if simulation["observe"]["warmup_s"] or plan.get("warmup") == "auto" or not simulation["workloads"]:
        return None
    parts = [plan["sources"], simulation["workloads"], simulation["observe"], simulation["seed"]]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def arrivals_of(row: Mapping[str, Any], plan: Mapping[str, Any]) -> Arrivals | None:
    """The arrivals of a Run; None where its window does not hold them all.

    A window with an open end lasts to the last completion, so at least to the last arrival.
    """
    requests = row.get("requests.count")
    read, written = row.get("requests.bytes_read"), row.get("requests.bytes_written")
    end = plan["simulation"]["observe"]["end_s"]
    seconds = row.get("window.last_arrival_s") if end is None else end
    if not requests or not seconds or read is None or written is None or row.get("requests.errors"):
        return None
    if end is not None and row.get("requests.in_flight_at_end"):
        read = written = math.inf  # bytes are counted of what was completed
    return Arrivals(float(requests), float(read + written), float(seconds))


def metric_bounds(
    plan: Mapping[str, Any], arrivals: Arrivals | None, *, warmed: bool = False
) -> dict[str, Range]:
    """The range of each metric that something is known of; others may be anything.

    ``warmed``: Runs have a warm-up, whatever the plan says.
    """
    least = _least_watts(plan)
    found: dict[str, Range] = {"power_w.mean": (least, math.inf)}
    basis = least
    if plan.get("power"):
        basis = _least_wall(plan, least)
        found["power_w.wall_mean"] = found["power_w.wall_max"] = (basis, math.inf)
    iops, mib = _most(plan, arrivals, warmed=warmed)
    found["throughput.iops"], found["throughput.mib_per_s"] = (0.0, iops), (0.0, mib)
    if basis > 0:
        found["efficiency.iops_per_w"] = (0.0, iops / basis)
        found["efficiency.mib_per_s_per_w"] = (0.0, mib / basis)
    if arrivals is not None:
        found["energy.total_j"] = (basis * arrivals.seconds, math.inf)
        found["energy.per_request_j"] = (basis * arrivals.seconds / arrivals.requests, math.inf)
    return {name: (low * (1 - _SLACK), high * (1 + _SLACK)) for name, (low, high) in found.items()}


def capacity_per_watt(known: Mapping[str, float], found: Mapping[str, Range]) -> dict[str, Range]:
    """GB/W from capacity that is known and watts that are bounded."""
    low = found.get("power_w.wall_mean", found["power_w.mean"])[0]
    return {
        f"efficiency.{name}_gb_per_w": (0.0, known[f"capacity_gb.{name}"] / low * (1 + _SLACK))
        for name in ("raw", "usable", "effective")
        if f"capacity_gb.{name}" in known and low > 0
    }


def _least_watts(plan: Mapping[str, Any]) -> float:
    return math.fsum(pool["count"] * _least_of_drive(pool) for pool in plan["simulation"]["pools"])


def _least_of_drive(pool: Mapping[str, Any]) -> float:
    if (pool.get("recovery") or {}).get("failures"):
        return 0.0  # a failed drive draws nothing
    power = pool["device"]["power"]
    levels = power["levels"]
    states = [power["active_w"], power.get("positioning_w", power["active_w"]), levels["idle_w"]]
    if pool["power_policy"] != {"policy": "never"} or power.get("cap_w") is not None:
        for below in levels["below"]:
            states.append(below["watts"])
            for way in (below["enter"], below["leave"]):
                states.append(way["joules"] / way["seconds"] if way["seconds"] > 0 else 0.0)
    return 0.0 if None in states else float(min(states))


def _least_wall(plan: Mapping[str, Any], drives_w: float) -> float:
    array = ArrayPlan.of(plan["power"])
    holding = [one for one in array.enclosures if one.drives]
    total = 0.0
    for enclosure in array.enclosures:
        at_wall, fed = _least_parts(enclosure)
        total += enclosure.count * at_wall
        # The split of drive power among enclosures is unknown before a run. The input of convex supplies is
        # least at an even split; where enclosures differ, the best of them bounds it.
        alone = len(holding) == 1 and enclosure.drives > 0
        total += enclosure.count * _least_input(
            enclosure, fed + (drives_w / enclosure.count if alone else 0.0)
        )
    if len(holding) != 1:
        total += drives_w / max((_best_share(one) for one in holding), default=1.0)
    return total


def _least_parts(enclosure: Enclosure) -> tuple[float, float]:
    """Least watts of the parts of one enclosure: those at the wall, those that its supplies feed."""
    at_wall = fed = 0.0
    for part in enclosure.parts:
        watts = min(part.watts(0.0), part.watts(1.0))
        if part.at_wall:
            at_wall += watts
        else:
            fed += watts
    return at_wall, fed


def _least_input(enclosure: Enclosure, watts: float) -> float:
    """Input watts of supplies that deliver ``watts``, by the greatest convex function below their curve."""
    supplies = enclosure.supplies
    if supplies is None:
        return watts
    loads = np.linspace(0.0, max(1.5 * supplies.capacity_w, 1.01 * watts), 400)
    drawn = supplies.input_w(loads)
    hull: list[int] = []
    for at in range(len(loads)):
        while len(hull) > 1 and _above(loads, drawn, hull[-2], hull[-1], at):
            hull.pop()
        hull.append(at)
    return float(np.interp(watts, loads[hull], drawn[hull])) * (1 - _BETWEEN)


def _above(x: Floats, y: Floats, first: int, middle: int, last: int) -> bool:
    """Whether the middle point lies on or above the line between the others."""
    run = (x[last] - x[first]) * (y[middle] - y[first])
    return bool(run >= (y[last] - y[first]) * (x[middle] - x[first]))


def _best_share(enclosure: Enclosure) -> float:
    """Best efficiency of an enclosure's supplies."""
    if enclosure.supplies is None:
        return 1.0
    curve = enclosure.supplies.curve
    loads = np.concatenate([np.linspace(1e-3, 1.5, 300), [load for load, _ in curve.points]])
    return float(min(1.0, np.max(loads / curve.input_share(loads)) * (1 + _BETWEEN)))


def _most(plan: Mapping[str, Any], arrivals: Arrivals | None, *, warmed: bool) -> Range:
    """Most requests a second, and MiB a second."""
    iops = mib = math.inf
    if arrivals is not None:
        iops, mib = arrivals.requests / arrivals.seconds, arrivals.bytes / arrivals.seconds / _MIB
    if warmed or plan["simulation"]["observe"]["warmup_s"] or plan.get("warmup") == "auto":
        return iops, mib  # what was under way when the window began completes in it
    controller = plan["simulation"].get("controller") or {}
    processing = controller.get("processing")
    if processing is not None:
        each = min(processing["read_s"], processing["write_s"])
        iops = min(iops, processing["processors"] / each if each > 0 else math.inf)
    link = controller.get("host_bandwidth_bytes_per_s")
    if link:
        mib = min(mib, link / _MIB)
    return iops, mib
