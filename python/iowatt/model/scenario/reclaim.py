"""Reclaim of thin virtual pools: what stands between hosts and the pool must let it know."""

from __future__ import annotations

from iowatt.model.scenario.keys.scenario import Scenario
from iowatt.model.scenario.resolved import ResolvedSystem
from iowatt.model.scenario.virtual.reduced import Reduced
from iowatt.model.scenario.virtual_pool import ResolvedVirtualPool


def check_reclaim(scenario: Scenario, system: ResolvedSystem) -> None:
    """Report reclaim behind a controller, whose cache passes on neither trims nor what it knows of zeros."""
    if scenario.array.controller is None:
        return
    for number, virtual in enumerate(scenario.array.virtual_pool):
        if isinstance(virtual, Reduced) and virtual.reclaim is not None:
            message = "a controller in front passes on neither trims nor zeros"
            place = ("array", "virtual_pool", number, "reclaim")
            system.report("conflict", place, message, "leave it out, or the controller")


def takes_trims(virtual: ResolvedVirtualPool) -> bool:
    """Whether trims give up pages of a virtual pool."""
    scheme = virtual.scheme
    return isinstance(scheme, Reduced) and scheme.reclaim is not None and scheme.reclaim.unmap
