"""The estimator: a resolved scenario in, throughput, response time, power and stations out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from iowatt.evaluate.estimate import unknown, watts
from iowatt.evaluate.estimate.drives import Drives
from iowatt.evaluate.estimate.estimate import Estimate, Station
from iowatt.evaluate.estimate.load import Flow, flows
from iowatt.evaluate.estimate.root import root
from iowatt.evaluate.estimate.stations import Servers, Sets
from iowatt.evaluate.estimate.system import Phase, System
from iowatt.evaluate.evaluation import Prepared
from iowatt.lenses.efficiency import BYTES_PER_MIB

#: With several workloads, how often their mix is found anew.
_ROUNDS = 4


class Estimator:
    """Estimates scenarios whose files are relative to ``base``; what single drives do is kept between
    them."""

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
        system = self._system(work, flows(work))
        return _estimate(system)

    def highest_rate(self, work: Prepared, limit_s: float) -> Estimate:
        """Estimate the highest rate of the first workload at which requests take ``limit_s`` on the mean.

        Its requests come at random then, closed loop or not; other workloads stay as they are. Where a
        station saturates before that, the estimate is at the rate at which it does. ``row["rate_iops"]`` is
        the rate.

        Raises
        ------
        NotEstimated
            It has something that is not modelled.
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

        Raises
        ------
        NotEstimated
            It has something that is not modelled.
        """
        opened = tuple(
            replace(
                flow, rate=1e9 * (flow.rate or float(flow.outstanding or 1)), outstanding=None, think_s=0.0
            )
            for flow in _some(work)
        )
        system = self._system(work, opened)
        return _estimate(system)

    def _system(self, work: Prepared, of: Sequence[Flow]) -> System:
        unknown.check_modelled(work.plan["simulation"], work.plan["names"])
        return System(work, of, self._drives)


def _some(work: Prepared) -> tuple[Flow, ...]:
    found = flows(work)
    if not found:
        raise unknown.not_modelled("a rate without a workload", "workload")
    return found


def highest(system: System, limit_s: float) -> float:
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


def _estimate(system: System) -> Estimate:
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
    drives, idle_w = watts.drive_watts(system, phases)
    row |= watts.power_row(system, drives, idle_w, total, moved)
    stations = _stations(phases, total)
    busy = [(one.servers, one.utilisation) for one in stations if one.kind in ("drives", "mirrors")]
    if busy:
        row["devices.utilisation.mean"] = sum(n * u for n, u in busy) / sum(n for n, _ in busy)
        row["devices.utilisation.max"] = max(u for _, u in busy)
    return Estimate(
        {key: float(value) for key, value in row.items()}, stations, saturated, tuple(system.assumptions)
    )


def _stations(phases: Sequence[Phase], total: float) -> tuple[Station, ...]:
    """Utilisation over all phases; a station that is quiet in one may be missing there."""
    loads: dict[str, float] = {}
    known: dict[str, Servers | Sets] = {}
    for phase in phases:
        every = phase.network.every(phase.solved.rates)
        for station in phase.network.stations:
            known[station.name] = station
            loads[station.name] = loads.get(station.name, 0.0) + phase.share * station.load(every)
    return tuple(
        Station(
            name=name,
            kind=station.kind,
            servers=station.number,
            utilisation=float(min(1.0, loads[name])),
            demand_s=float(loads[name] * station.number / total) if total > 0 else 0.0,
        )
        for name, station in known.items()
    )


def _responses(phases: Sequence[Phase]) -> dict[str, float]:
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
