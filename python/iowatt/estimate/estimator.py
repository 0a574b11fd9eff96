"""The estimator: a resolved scenario in, throughput, response time, power and stations out."""

from __future__ import annotations

import math
from pathlib import Path

from iowatt.estimate import unknown, watts
from iowatt.estimate.drives import Drives
from iowatt.estimate.estimate import Estimate, Station
from iowatt.estimate.load import flows
from iowatt.estimate.network import Network, Solved
from iowatt.estimate.system import System
from iowatt.evaluation import Prepared
from iowatt.lenses.efficiency import BYTES_PER_GB, BYTES_PER_MIB
from iowatt.sources.translation import capacity


class Estimator:
    """Estimates scenarios whose files are relative to ``base``; what single drives do is kept between them."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self._drives = Drives()

    @property
    def pilots(self) -> int:
        """Drives flown so far, by work."""
        return self._drives.pilots

    def of(self, work: Prepared) -> Estimate:
        """Estimate a scenario under the load that it says.

        Raises
        ------
        NotEstimated
            It has something that is not modelled.
        """
        plan = work.plan
        unknown.check(plan["simulation"], plan["names"])
        system = System(work, flows(work), self._drives)
        network, solved = system.solved()
        return _estimate(system, network, solved)


def _estimate(system: System, network: Network, solved: Solved) -> Estimate:
    work = system.work
    rates = solved.rates
    total = sum(rates)
    row: dict[str, float] = {
        "throughput.iops": total,
        "throughput.mib_per_s": sum(
            rate * flow.mean_bytes for rate, flow in zip(rates, system.flows, strict=True)
        )
        / BYTES_PER_MIB,
    }
    if not solved.saturated and total > 0:
        row |= _responses(network, solved)
    mean_w, idle_w = watts.of_drives(system, network, solved)
    row |= {"power_w.mean": mean_w, "power_w.idle": idle_w}
    held = capacity(work.plan["names"], work.plan["simulation"])
    row |= {"capacity_gb.raw": held.raw_bytes / BYTES_PER_GB}
    if held.usable_bytes is not None:
        row["capacity_gb.usable"] = held.usable_bytes / BYTES_PER_GB
    row["efficiency.iops_per_w"] = total / mean_w if mean_w > 0 else 0.0
    row["efficiency.mib_per_s_per_w"] = row["throughput.mib_per_s"] / mean_w if mean_w > 0 else 0.0
    row["energy.per_request_j"] = mean_w / total if total > 0 else math.inf
    row["devices.count"] = float(len(work.plan["names"]["devices"]))
    stations = tuple(
        Station(
            station.name,
            station.kind,
            station.number,
            min(1.0, station.load(rates)),
            station.load(rates) / total if total > 0 else 0.0,
        )
        for station in network.stations
    )
    return Estimate(row, stations, solved.saturated, tuple(system.assumptions))


def _responses(network: Network, solved: Solved) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, wanted in (("all", None), ("read", False), ("write", True)):
        parts = [
            (solved.rates[path.flow] * path.share, response)
            for path, response in zip(network.paths, solved.responses, strict=True)
            if wanted is None or path.write == wanted
        ]
        weight = sum(rate for rate, _ in parts)
        if weight > 0:
            found[f"response_time_ms.{name}.mean"] = 1e3 * sum(r * s for r, s in parts) / weight
    return found
