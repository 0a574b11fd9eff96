"""What a first simulation finds out for the second: hot extents to place, and the end of the warm-up.

A virtual pool of the scheme ``tiering`` or ``caching`` with ``initial = "hot"`` starts with the extents in
its fast part that its workload accesses most: the simulator counts accesses where the plan asks for hot
extents without naming them.

``warmup = "auto"`` cuts where the initial transient ends: the series is the mean response time of successive
intervals, the method MSER-5 (:func:`iowatt.run.statistics.mser5`). Response times and not power: a disk draws
its power from the first second, a queue has to fill.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from iowatt.run.statistics import MSER_BATCH, mser5

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
    return isinstance(initial, dict) and initial["placement"] == "hot" and "extents" not in initial


def _with(simulation: Simulation, hottest: list[list[int] | None]) -> dict[str, Any]:
    pools = []
    for pool, extents in zip(simulation["virtual_pools"], hottest, strict=True):
        scheme = pool["scheme"]
        if isinstance(scheme.get("initial"), dict):
            initial = {"placement": scheme["initial"]["placement"]}
            if extents is not None:
                initial["extents"] = extents
            scheme = {**scheme, "initial": initial}
        pools.append({**pool, "scheme": scheme})
    return {**simulation, "virtual_pools": pools}


#: A series shorter than this is taken again in finer intervals, of which there are then this many.
FINE_INTERVALS = 1000
COARSE_INTERVALS = 200
#: Ten batches of five: fewer say nothing about a transient.
LEAST_INTERVALS = 10 * MSER_BATCH


def observed(simulation: Simulation, **changes: Any) -> dict[str, Any]:
    """The simulation with other keys of ``observe``."""
    return {**simulation, "observe": {**simulation["observe"], **changes}}


def find_warmup(simulation: Simulation, simulate: Simulate) -> tuple[float, str]:
    """The end of the transient in seconds, and a note that says how it was found."""
    raw = simulate(observed(simulation, warmup_s=0.0, interval_s=None))
    if len(raw["intervals"]["start_ns"]) < COARSE_INTERVALS:
        span = raw["summary"]["window"]
        fine_s = (span["end_ns"] - span["start_ns"]) / 1e9 / FINE_INTERVALS
        if fine_s > 0:
            raw = simulate(observed(simulation, warmup_s=0.0, interval_s=fine_s))
    intervals = raw["intervals"]
    # An interval in which nothing completed has no mean response time.
    kept = np.flatnonzero(intervals["completions"] > 0)
    if len(kept) < LEAST_INTERVALS:
        return 0.0, (
            f"warm-up: nothing cut; requests completed in {len(kept)} intervals only, "
            f"and MSER-5 needs {LEAST_INTERVALS}"
        )
    means = intervals["response_sum_ns"][kept] / intervals["completions"][kept]
    cut = mser5(means.tolist())
    warmup_s = float(intervals["start_ns"][kept[cut.index]]) / 1e9 if cut.index else 0.0
    if cut.settled:
        return warmup_s, f"warm-up: {warmup_s:g} s cut, found by MSER-5 on the interval mean response times"
    return warmup_s, (
        f"warm-up: {warmup_s:g} s cut, half the run; by MSER-5 the response times had not settled by then, "
        "so their mean is not that of a steady state"
    )
