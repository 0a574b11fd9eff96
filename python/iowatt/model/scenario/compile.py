"""A scenario into a plan: indices and SI numbers for the simulator, and the names of what results are about.

The plan keeps trace paths as the scenario gives them, so that it is the same on every machine;
``resolve_sources`` finds the files when it is run.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from iowatt.base.document import key_text
from iowatt.base.problems import DocumentError, Problem
from iowatt.model.heat import heat_plan
from iowatt.model.library import PurchaseInfo, device_file, device_names
from iowatt.model.library.electrical import FIRST_FURTHER, STANDBY
from iowatt.model.library.ssd import Ssd
from iowatt.model.recorded_trace import trace_spec
from iowatt.model.scenario import controller
from iowatt.model.scenario.keys import power
from iowatt.model.scenario.keys.array import BusKeys, Pool, Raid
from iowatt.model.scenario.keys.scenario import Scenario
from iowatt.model.scenario.keys.workload import ClosedReplay, OpenReplay, WorkloadKeys
from iowatt.model.scenario.reclaim import takes_trims
from iowatt.model.scenario.resolved import ResolvedPool, ResolvedSystem
from iowatt.model.scenario.resolved_library import STATES as LIBRARY_STATES
from iowatt.model.scenario.system import resolve

if TYPE_CHECKING:
    from iowatt.model.scenario.synthetic import Synthetic

PLAN_SCHEMA: Final = "iowatt.plan/1"


def compile_plan(
    scenario: Scenario, base_dir: str | Path = ".", *, traces_must_exist: bool = False
) -> dict[str, Any]:
    """The plan file of ``scenario``, ready for ``json.dumps``; device files are relative to ``base_dir``.

    It has ``schema``, ``name``, ``names``, ``notes``, ``sources`` (one trace specification per workload),
    ``warmup``, ``power`` (the array's own) and ``simulation`` (the ``Plan`` of iowatt-sim).
    Raises ``DocumentError`` where keys contradict one another.
    """
    system = resolve(scenario, Path(base_dir), traces_must_exist=traces_must_exist)
    if system.problems:
        raise DocumentError([_placed(problem) for problem in system.problems], f"scenario {scenario.name}")
    automatic = scenario.observe.warmup == "auto"
    further = {name: FIRST_FURTHER + i for i, name in enumerate(_states(system))}
    return {
        "schema": PLAN_SCHEMA,
        "name": scenario.name,
        "names": _names(scenario, system),
        "notes": [note.as_dict() for note in system.notes],
        **_present(warnings=_warnings(scenario, system) or None),
        "sources": [_source(w, system, i, scenario) for i, w in enumerate(scenario.workload)],
        "warmup": "auto" if automatic else None,
        **_present(power=None if system.power is None else system.power.as_dict()),
        "simulation": {
            "seed": scenario.seed,
            "workloads": [
                {
                    "volume": system.volume_of_workload[i],
                    "replay": _replay(w, system.synthetic.get(i)),
                    **_present(
                        zero_share=w.zero_share or None,
                        start_s=w.start or None,
                        end_s=w.end,
                        path=system.paths.of_workload(i),
                    ),
                }
                for i, w in enumerate(scenario.workload)
            ],
            "volumes": [
                {
                    "pool": v.pool,
                    "offset_bytes": v.offset,
                    "capacity_bytes": v.capacity,
                    **_present(qos=v.qos),
                }
                for v in system.volumes
            ],
            "pools": [_pool(pool, system.bus_of_drive[i], further) for i, pool in enumerate(system.pools)],
            **_present(virtual_pools=_virtual_pools(system) or None),
            **_present(
                libraries=[library.plan(further) for library in system.libraries] or None,
                clusters=[cluster.plan() for cluster in system.clusters] or None,
            ),
            "buses": [_bus(bus) for bus in scenario.array.bus],
            **_present(qos=None if scenario.array.qos is None else scenario.array.qos.plan()),
            "controller": controller.plan(scenario.array.controller),
            **_present(
                paths=[path.plan for path in system.paths.resolved] or None,
                replications=[one.plan for one in system.replications] or None,
            ),
            "observe": {
                "warmup_s": 0.0 if automatic else scenario.observe.warmup,
                "end_s": scenario.observe.duration,
                "interval_s": scenario.observe.interval,
                **_present(series_s=scenario.observe.series),
                "idle": bool(scenario.observe.idle),
                **heat_plan(scenario.observe.heat),
            },
        },
    }


def _warnings(scenario: Scenario, system: ResolvedSystem) -> list[str]:
    raw = {"array": {"pool": [{"name": pool.name} for pool in scenario.array.pool]}}
    return [f"{key_text(one.path, raw)}: {one.message}" for one in system.warnings]


def _present(**values: Any) -> dict[str, Any]:
    """The keys of a plan that have a value: one that would be None is left out."""
    return {key: value for key, value in values.items() if value is not None}


def _virtual_pools(system: ResolvedSystem) -> list[dict[str, Any]]:
    first = len(system.pools)
    return [virtual.plan(system.volumes_on(first + i)) for i, virtual in enumerate(system.virtual_pools)]


def resolve_sources(plan: dict[str, Any], base_dir: str | Path) -> list[dict[str, Any]]:
    """The plan's trace specifications with paths that open from anywhere; ``-`` stays standard input."""
    base = Path(base_dir).resolve()
    return [_resolved(source, base) for source in plan["sources"]]


def _resolved(source: dict[str, Any], base: Path) -> dict[str, Any]:
    if "synthetic" not in source:

        def placed(path: str) -> str:
            return path if path == "-" else str(base / path)

        more = {"more": [placed(path) for path in source["more"]]} if "more" in source else {}
        return {**source, "path": placed(source["path"])} | more
    plan = source["synthetic"]
    processes = [
        {**process, "law": {**process["law"], "trace": _resolved(process["law"]["trace"], base)}}
        if "trace" in process["law"]
        else process
        for process in plan["processes"]
    ]
    return {**source, "synthetic": {**plan, "processes": processes}}


def _placed(problem: Problem) -> Problem:
    where = ".".join(str(step) for step in problem.path)
    return Problem(problem.code, problem.path, problem.message, problem.hint, where)


def _names(scenario: Scenario, system: ResolvedSystem) -> dict[str, Any]:
    return {
        "workloads": [workload.name for workload in scenario.workload],
        "volumes": [volume.name for volume in system.volumes],
        "pools": [pool.pool.name for pool in system.pools],
        **_present(virtual_pools=[v.names() for v in system.virtual_pools] or None),
        "devices": [
            {"name": name, **alike, **({} if drives == 1 else {"drives": drives})}
            for own, alike in zip(_drive_names(system), _drives(system), strict=True)
            for name, drives in own
        ]
        + [device for library in system.libraries for device in library.devices()],
        **_present(
            libraries=[library.names() for library in system.libraries] or None,
            clusters=[cluster.names() for cluster in system.clusters] or None,
        ),
        "buses": [bus.name for bus in scenario.array.bus],
        **_present(
            paths=[path.names for path in system.paths.resolved] or None,
            replications=[one.names() for one in system.replications] or None,
        ),
        "states": _states(system),
    }


def _drive_names(system: ResolvedSystem) -> list[list[tuple[str, int]]]:
    """Names of the drives of each pool, each with the drives that it is of: a node's in large clusters."""
    names = [[(f"{pool.pool.name}.{at}", 1) for at in range(pool.pool.drives)] for pool in system.pools]
    for cluster in system.clusters:
        for pool in cluster.pools:
            names[pool.index] = cluster.drive_names(pool)
    return names


def _drives(system: ResolvedSystem) -> list[dict[str, Any]]:
    """What the drives of each pool have in common."""
    return [
        {
            "model": pool.drive.name,
            # A file of one's own with a library's name: the evidence for the library's is none for it.
            **_present(
                own_file=(pool.drive.name in device_names() and pool.pool.device.name != pool.drive.name)
                or None
            ),
            "pool": pool.pool.name,
            "kind": "ssd" if isinstance(pool.drive, Ssd) else "hdd",
            "raw_bytes": pool.drive.raw_bytes,
            "used_share": _used_share(system, index),
            "idle_w": pool.drive.power.idle,
            **({"most_w": pool.drive.work.limit} if isinstance(pool.drive, Ssd) else {}),
            **_present(missing_watts=pool.drive.missing_watts or None),
            "ratings": pool.drive.ratings,
            "levels": [name for name in pool.drive.ladder.names if name != STANDBY],
            **_sold(pool.drive.sold),
            **_present(
                reliability=None if pool.drive.reliability is None else pool.drive.reliability.as_dict()
            ),
        }
        for index, pool in enumerate(system.pools)
    ]


def _used_share(system: ResolvedSystem, pool: int) -> float:
    """Share of a pool that volumes and parts of virtual pools take, and so of each of its drives."""
    taken = sum(volume.capacity for volume in system.volumes if volume.pool == pool)
    taken += sum(
        part.capacity for virtual in system.virtual_pools for part in virtual.parts if part.pool == pool
    )
    return min(1.0, taken / system.pools[pool].usable_bytes)


def _sold(sold: PurchaseInfo | None) -> dict[str, Any]:
    """How a drive is sold, and the drive of the library that it equals (``based_on``)."""
    if sold is None:
        return {}
    known = sold.based_on is not None and sold.based_on in device_names()
    same = known and device_file(str(sold.based_on)).capacity == sold.capacity_bytes
    return sold.as_dict() | _present(based_on=sold.based_on if same else None)


def _states(system: ResolvedSystem) -> list[str]:
    """States that drives have beyond those that all have: power levels, by name."""
    names = [name for pool in system.pools for name in pool.drive.ladder.names if name != STANDBY]
    return list(dict.fromkeys([*names, *(LIBRARY_STATES if system.libraries else ())]))


def _takes_trims(scenario: Scenario, system: ResolvedSystem, pool: int) -> bool:
    """Whether trims on that pool mean anything.

    They go to SSDs without parity, with nothing between, or to a virtual pool that reclaims.
    """
    if scenario.array.controller is not None:
        return False
    virtual = pool - len(system.pools)
    if virtual >= len(system.virtual_pools):
        return False  # a library
    if system.virtual_pools:
        return virtual >= 0 and takes_trims(system.virtual_pools[virtual])
    resolved = system.pools[pool]
    plain = isinstance(resolved.drive, Ssd) and resolved.chunklets is None
    return plain and str(resolved.level) in ("0", "1", "10")


def _source(workload: WorkloadKeys, system: ResolvedSystem, index: int, scenario: Scenario) -> dict[str, Any]:
    if workload.profile is not None:
        return {"profile": workload.profile.name, "synthetic": system.synthetic[index].plan}
    trace = workload.trace
    assert trace is not None  # resolve has seen to it
    volume = system.volumes[system.volume_of_workload[index]]
    return {
        **trace_spec(trace, scenario.seed, order_only=isinstance(workload.replay, ClosedReplay)),
        "limit_bytes": volume.capacity,
        "limit_name": volume.name,
        **_present(include_other=_takes_trims(scenario, system, volume.pool) or None),
    }


def _replay(workload: WorkloadKeys, made: Synthetic | None) -> dict[str, Any]:
    replay = made.replay if made is not None and made.replay is not None else workload.replay
    if isinstance(replay, OpenReplay):
        return {"mode": "open", "speed": replay.speed}
    closed = {"mode": "closed", "outstanding": replay.outstanding, "per": replay.per}
    if replay.think:
        closed["think"] = {"mean_s": replay.think, "exponential": replay.think_law == "exponential"}
    return closed


def _pool(resolved: ResolvedPool, bus_of_drive: list[int], states: dict[str, int]) -> dict[str, Any]:
    pool, drive = resolved.pool, resolved.drive
    chunklets = resolved.chunklets
    log = None if resolved.parity_log is None else resolved.parity_log.plan()
    return {
        "count": pool.count,
        "device": drive.plan(states) if isinstance(drive, Ssd) else drive.plan(pool.phase, states),
        "raid": resolved.raid_plan
        or (pool.raid or Raid(level=0)).plan(resolved.level, resolved.stripe_unit, log),
        **_present(chunklets=None if chunklets is None else chunklets.plan()),
        "scheduler": resolved.scheduler,
        **_present(deadline_s=pool.scheduler_deadline),
        "command_queue": _command_queue(resolved),
        "power_policy": power.policy_plan(pool.power, resolved.drive.ladder),
        "batching": power.batching_plan(pool.power),
        "spin_ups_at_once": power.spin_ups_at_once(pool.power),
        "bus_of_drive": bus_of_drive,
        "recovery": _recovery(pool, paced=log is not None),
    }


def _command_queue(resolved: ResolvedPool) -> dict[str, Any] | None:
    """Commands that a drive holds; None where it takes one at a time."""
    depth = resolved.queue_depth
    if depth == 1:
        return None
    deadline = _present(deadline_s=resolved.pool.drive_deadline)
    return {"depth": depth, "scheduler": resolved.drive_scheduler, **deadline}


def _recovery(pool: Pool, *, paced: bool) -> dict[str, Any] | None:
    """Spares, failures and rebuild; None where neither set keys nor work ``paced`` by them need any."""
    spread = pool.chunklet is not None and pool.sparing != "dedicated"
    if not (pool.spares or pool.failure or spread or paced or "rebuild" in pool.model_fields_set):
        return None
    rebuild = pool.rebuild
    return {
        "spares": pool.spares,
        "sparing": "distributed" if pool.sparing == "adaptive" else pool.sparing,
        "failures": [{"drive": failure.drive, "at_s": failure.at} for failure in pool.failure],
        "rebuild": {
            "delay_s": rebuild.delay,
            "rate_bytes_per_s": rebuild.rate,
            "outstanding": rebuild.outstanding,
            "step_bytes": rebuild.step,
            "priority": rebuild.priority,
        },
    }


def _bus(bus: BusKeys) -> dict[str, Any]:
    return {"bandwidth_bytes_per_s": bus.bandwidth, "arbitration_s": bus.arbitration}
