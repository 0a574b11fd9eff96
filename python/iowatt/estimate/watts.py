"""Watts of an estimate: drives by what they do, and the array's own parts and supplies up to the wall."""

from __future__ import annotations

from iowatt.estimate.network import Network, Sets, Solved
from iowatt.estimate.system import System


def of_drives(system: System, network: Network, solved: Solved) -> tuple[float, float]:
    """Mean watts of all drives, and of all when idle."""
    idle = sum(float(device["idle_w"]) for device in system.work.plan["names"]["devices"])
    rates, seen = network.every(solved.rates), network.seen(solved.rates)
    working = 0.0
    for station in network.stations:
        if isinstance(station, Sets):
            rate = min(station.rate(rates), station.curve.most)
            working += station.number * rate * station.operation_j(rates, seen)
    return idle + working, idle
