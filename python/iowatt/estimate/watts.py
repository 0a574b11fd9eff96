"""Watts of an estimate: drives by what they do, and the array's own parts and supplies up to the wall."""

from __future__ import annotations

from collections.abc import Sequence

from iowatt.estimate.network import Sets, Solved
from iowatt.estimate.system import System


def of_drives(system: System, sets: Sequence[Sets], solved: Solved) -> tuple[float, float]:
    """Mean watts of all drives, and of all when idle."""
    idle = sum(float(device["idle_w"]) for device in system.work.plan["names"]["devices"])
    working = 0.0
    for station in sets:
        rate = station.rate(solved.rates)
        curve = station.curve
        most = min(rate, curve.most)
        depth = 1 + rate * min(curve.response(most * 0.9999), 1e3) if rate < curve.most else 1e3
        working += station.number * most * curve.operation_j(depth)
    return idle + working, idle
