"""Initial placement ``"hot"``: the extents that a virtual pool's workload accesses most.

A virtual pool of the scheme ``tiering`` or ``caching`` with ``initial = "hot"`` starts with them in its fast
part. The simulator counts accesses where the plan asks for hot extents without naming them; a first
simulation gives the list for the second.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Simulation = Mapping[str, Any]
Simulate = Callable[[Simulation], Mapping[str, Any]]


def places_hot_extents(simulation: Simulation) -> bool:
    """Whether a virtual pool asks for hot extents that are not counted yet."""
    return any(_asks(pool) for pool in simulation.get("virtual_pools", ()))


def with_hot_extents(simulation: Simulation, simulate: Simulate) -> dict[str, Any]:
    """The simulation with the hottest extents of each virtual pool that asks for them, from one run of it."""
    observe = {**simulation["observe"], "idle": False, "idle_rows": None, "heat": None, "warmup_s": 0.0}
    summary = simulate({**simulation, "observe": observe})["summary"]
    pools = zip(simulation["virtual_pools"], summary["virtual_pools"], strict=True)
    return _with(simulation, [raw["hottest"] if _asks(pool) else None for pool, raw in pools])


def without_hot_extents(simulation: Simulation) -> dict[str, Any]:
    """The simulation without the list of :func:`with_hot_extents`, which is no part of the plan."""
    if not simulation.get("virtual_pools"):
        return dict(simulation)
    return _with(simulation, [None] * len(simulation["virtual_pools"]))


def _asks(pool: Mapping[str, Any]) -> bool:
    initial = pool["scheme"].get("initial")
    return isinstance(initial, dict) and initial.get("placement") == "hot" and "extents" not in initial


def _with(simulation: Simulation, hottest: list[list[int] | None]) -> dict[str, Any]:
    pools = []
    for pool, extents in zip(simulation["virtual_pools"], hottest, strict=True):
        scheme = pool["scheme"]
        if "placement" in (scheme.get("initial") or ()):
            initial = {"placement": scheme["initial"]["placement"]}
            if extents is not None:
                initial["extents"] = extents
            scheme = {**scheme, "initial": initial}
        pools.append({**pool, "scheme": scheme})
    return {**simulation, "virtual_pools": pools}
