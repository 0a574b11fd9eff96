"""The rebuild of a drive under the load of a system, simulated: one time for every verb that prices a loss.

A copy of the plan, in which the first drive of each pool has failed at the start and a spare takes its place,
is run for a while; what was rebuilt by then gives the rate. Answers are kept by the digest of that plan.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from iowatt.base.errors import InputError
from iowatt.evaluate.evaluation import Prepared, simulate
from iowatt.lenses.durability import (
    SLOW_REBUILD_S,
    DurableSystem,
    RebuildTime,
    groups_of,
    rebuild_of_run,
)
from iowatt.lenses.kept_up import LEAST_SHARE, kept_up
from iowatt.model.scenario import resolve_sources
from iowatt.run import provenance

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

Progress = Callable[[float | None, int], None]
#: Most simulated seconds of a rebuild: of disks, and of SSDs, which do more in a second.
DISK_WINDOW_S: Final = 60.0
SSD_WINDOW_S: Final = 2.0
_REBUILD: Final = {
    "delay_s": 0.0,
    "rate_bytes_per_s": None,
    "outstanding": 1,
    "step_bytes": 1 << 20,
    "priority": "host-first",
}
_MOST_KEPT: Final = 256
HALF_BUSY: Final = 0.5
"""Share of time that drives are busy from which a rebuild without progress is starved, not only begun."""
BUSY: Final = 0.95
"""Share of time that drives are busy from which a slow rebuild is starved, not slow."""


@dataclass(frozen=True)
class _DegradedLoad:
    """What the run of a degraded system says."""

    rebuilds: Mapping[str, RebuildTime]
    utilisation: Mapping[str, float]
    #: Why its load leaves no time of a rebuild to plan with; empty where it does.
    overload: str


_kept: OrderedDict[str, _DegradedLoad] = OrderedDict()
_lock = Lock()


def with_rebuilds(
    system: DurableSystem, *, window_s: float | None = None, progress: Progress | None = None
) -> DurableSystem:
    """The system with the times of rebuilds that its Run does not have, from a run of at most ``window_s``.

    A pool whose rebuild makes no progress has the load of its drives in that run, by which the book's rate is
    reduced: a scenario and its Run have one time.
    Where the load cannot be run again, ``unsimulated`` says why.
    """
    pools = {one.pool for one in groups_of(system.plan) if one.survives} - system.rebuilds.keys()
    if not pools:
        return system
    try:
        found = _found(system, pools, window_s, progress)
    except InputError as error:
        return replace(system, unsimulated=error.message)
    rebuilds = {pool: time for pool, time in found.rebuilds.items() if pool in pools}
    return replace(
        system,
        rebuilds={**system.rebuilds, **rebuilds},
        utilisation={**system.utilisation, **found.utilisation},
        overload=found.overload,
    )


def _found(
    system: DurableSystem, pools: set[str], window_s: float | None, progress: Progress | None
) -> _DegradedLoad:
    plan = degraded(system.plan, pools, window_s or _window_s(system.plan, pools))
    base = system.base
    if base is None:
        if _reads_files(plan):
            message = "the scenario that the Run was made from is not found, and with it its trace"
            raise InputError("not-found", system.where, message)
        base = Path()
    traces = resolve_sources(plan, base)
    digest = hashlib.sha256(json.dumps([plan, traces], sort_keys=True).encode()).hexdigest()
    with _lock:
        known = _kept.get(digest)
    if known is not None:
        return known
    # Without lens tables nothing asks for the scenario itself.
    work = Prepared(None, plan, traces, system.text)  # type: ignore[arg-type]
    run = simulate(work, inputs=list, started_at=provenance.now(), progress=progress)
    found = _of_run(run)
    with _lock:
        _kept[digest] = found
        while len(_kept) > _MOST_KEPT:
            _kept.popitem(last=False)
    return found


def _of_run(run: Run) -> _DegradedLoad:
    rebuilds, busy = rebuild_of_run(run, "simulated"), DurableSystem.of_run(run).utilisation
    return _DegradedLoad(rebuilds, busy, _overload(run, rebuilds, busy))


def _overload(run: Run, rebuilds: Mapping[str, RebuildTime], busy: Mapping[str, float]) -> str:
    """Why a load leaves no time to rebuild: a closed loop never falls behind, and still keeps drives busy."""
    load = kept_up(run)
    # A queue that only grew in so short a time may be that of a burst.
    burst = load.drain_s is None and (load.done_share or 0.0) >= LEAST_SHARE
    if not load.kept_up and not burst:
        return f"cannot keep up with its load (with a drive failed {load.why})"
    for pool, share in busy.items():
        found, drives = rebuilds.get(pool), f"those of {pool} are {share:.0%} busy"
        if found is None and share >= HALF_BUSY:
            return f"leaves its drives no time to rebuild ({drives}, and nothing was rebuilt)"
        if found is not None and found.seconds > SLOW_REBUILD_S and share >= BUSY:
            return f"leaves its drives no time to rebuild ({drives})"
    return ""


def _reads_files(plan: Mapping[str, Any]) -> bool:
    """Whether the load is of traces, not of a profile alone."""
    return any(
        "synthetic" not in source
        or any("trace" in process["law"] for process in source["synthetic"]["processes"])
        for source in plan["sources"]
    )


def _window_s(plan: Mapping[str, Any], pools: set[str]) -> float:
    kinds = {one["kind"] for one in plan["names"]["devices"] if one["pool"] in pools}
    return SSD_WINDOW_S if "ssd" in kinds else DISK_WINDOW_S


def degraded(plan: Mapping[str, Any], pools: set[str], window_s: float) -> dict[str, Any]:
    """A copy of the plan for ``window_s`` seconds at most, in which the first drive of ``pools`` has failed.

    A pool without spares gets one; what the array draws besides its drives is left out.
    """
    changed: dict[str, Any] = deepcopy({key: value for key, value in plan.items() if key != "power"})
    simulation, names = changed["simulation"], changed["names"]
    for name, pool in zip(names["pools"], simulation["pools"], strict=True):
        if name not in pools:
            continue
        recovery = pool.get("recovery") or recovery_of(0)
        recovery["rebuild"]["delay_s"] = 0.0
        recovery["failures"] = [{"drive": 0, "at_s": 0.0}]
        if not recovery["spares"] and not (pool.get("chunklets") or {}).get("spare"):
            recovery |= {"spares": 1, "sparing": "dedicated"}
            _add_drive(names["devices"], name)
            if pool["bus_of_drive"]:
                pool["bus_of_drive"].append(pool["bus_of_drive"][-1])
        pool["recovery"] = recovery
    for cluster in simulation.get("clusters") or []:
        cluster["failures"] = []
    observe = simulation["observe"]
    for table in ("heat", "idle_rows"):  # of a Run's own tables
        observe.pop(table, None)
    observe["warmup_s"], changed["warmup"] = 0.0, None
    if observe["end_s"] is not None:
        observe["end_s"] = min(window_s, observe["end_s"])
    # Without an end the run lasts to the last completion, so that no time without load is in it.
    for workload in simulation["workloads"]:
        workload["end_s"] = min(window_s, workload.get("end_s") or window_s)
    return changed


def recovery_of(spares: int) -> dict[str, Any]:
    """``RecoveryPlan`` of a pool that says nothing of its rebuild."""
    return {"spares": spares, "sparing": "dedicated", "rebuild": dict(_REBUILD)}


def _add_drive(devices: list[dict[str, Any]], pool: str) -> None:
    """Name a spare behind the last drive of a pool."""
    last = max(at for at, one in enumerate(devices) if one["pool"] == pool)
    number = sum(one["pool"] == pool for one in devices)
    devices.insert(last + 1, {**devices[last], "name": f"{pool}.{number}"})
