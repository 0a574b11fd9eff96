"""A scenario with its names resolved: drives found, capacities computed, volumes laid out, buses assigned.

Everything that can be wrong between keys is found here and in the modules that it calls, with the key to
blame and the fix; what can be wrong within one key, the models of ``keys`` say.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from iowatt.base.problems import KeyPath
from iowatt.model.scenario import controller
from iowatt.model.scenario.buses import connect_buses
from iowatt.model.scenario.keys.scenario import Scenario
from iowatt.model.scenario.libraries import resolve_libraries
from iowatt.model.scenario.placing import place_volumes
from iowatt.model.scenario.pools import note_drives, resolve_pool
from iowatt.model.scenario.qos import check_qos
from iowatt.model.scenario.reclaim import check_reclaim
from iowatt.model.scenario.resolved import ResolvedSystem
from iowatt.model.scenario.workloads import resolve_workloads


def resolve(scenario: Scenario, base_dir: Path, *, traces_must_exist: bool = True) -> ResolvedSystem:
    """Resolve all names of ``scenario``; the system is complete only where ``problems`` stays empty.

    Trace and device files are relative to ``base_dir``; ``traces_must_exist``: a missing trace is a problem.
    """
    system = ResolvedSystem()
    _unique_names(scenario, system)
    for index, pool in enumerate(scenario.array.pool):
        resolve_pool(
            pool,
            system.report.at(f"array.pool.{index}"),
            base_dir,
            system,
            wall_power=bool(scenario.array.power),
        )
    resolve_libraries(scenario, system)
    connect_buses(scenario, system)
    whole = len(system.libraries) == len(scenario.array.library)
    if whole and len(system.pools) == len(scenario.array.pool):
        place_volumes(scenario, system)
    if scenario.cluster:
        from iowatt.model.scenario.clusters import resolve_clusters

        resolve_clusters(scenario, base_dir, system)
    _controller(scenario, system)
    _array_power(scenario, base_dir, system)
    resolve_workloads(scenario, base_dir, system, traces_must_exist=traces_must_exist)
    _paths(scenario, system)
    if scenario.replication and len(system.pools) == len(scenario.array.pool):
        from iowatt.model.scenario.replication import resolve as resolve_replications

        resolve_replications(scenario, system)
    _observe(scenario, system)
    check_qos(scenario, system)
    check_reclaim(scenario, system)
    note_drives(system)
    return system


def _unique_names(scenario: Scenario, system: ResolvedSystem) -> None:
    groups: list[tuple[KeyPath, list[str]]] = [
        (("workload",), [w.name for w in scenario.workload]),
        (("array", "pool"), [p.name for p in scenario.array.pool]),
        (("array", "virtual_pool"), [v.name for v in scenario.array.virtual_pool]),
        (("array", "library"), [one.name for one in scenario.array.library]),
        (("array", "volume"), [v.name for v in scenario.array.volume]),
        (("array", "bus"), [b.name for b in scenario.array.bus]),
    ]
    for path, names in groups:
        counts = Counter(names)
        for index, name in enumerate(names):
            if counts[name] > 1 and names.index(name) != index:
                message = f"the name {name!r} is taken by another {path[-1]}"
                system.report("duplicate", (*path, index, "name"), message, "give each a name of its own")


def _controller(scenario: Scenario, system: ResolvedSystem) -> None:
    sectors = [pool.drive.sector_bytes for pool in system.pools]
    problems = list(controller.problems(scenario.array.controller, sectors))
    system.problems.extend(problems)
    if not problems:
        system.notes.extend(controller.notes(scenario.array.controller, sectors))


def _paths(scenario: Scenario, system: ResolvedSystem) -> None:
    if scenario.path:
        from iowatt.model.scenario.path_resolve import resolve as resolve_paths

        system.paths = resolve_paths(scenario)
    system.problems.extend(system.paths.problems)
    for path in (*system.paths.resolved, *system.paths.replicating.values()):
        system.notes.extend(path.notes)
    processing = scenario.array.controller and scenario.array.controller.processing
    if processing and not system.paths.resolved and not system.paths.problems:
        unused = [name for name in ("ready", "interrupt", "moderation") if getattr(processing, name)]
        if unused:
            text = f"controller: {', '.join(unused)} of processing has no effect: no workload goes by a path"
            system.note("processing-without-path", text, decides=True)


def _array_power(scenario: Scenario, base_dir: Path, system: ResolvedSystem) -> None:
    if system.clusters and not system.problems:
        from iowatt.model.scenario.cluster_power import resolve_cluster_power

        system.power = resolve_cluster_power(system, base_dir)
        return
    if scenario.array.power is None or any(p.path[:2] == ("array", "pool") for p in system.problems):
        return  # faulty drives are reported already
    from iowatt.model.scenario.array_power import resolve as resolve_power

    resolved = resolve_power(scenario, base_dir, simulated=True)
    system.power = resolved.plan
    system.problems.extend(resolved.problems)
    system.notes.extend(resolved.notes)


def _observe(scenario: Scenario, system: ResolvedSystem) -> None:
    duration, warmup = scenario.observe.duration, scenario.observe.warmup
    if not scenario.workload and duration is None:
        message = "there is no workload, so observe.duration must say how long to simulate"
        hint = 'add [[workload]], or [observe] with duration = "1h" for an idle array'
        system.report("missing", ("observe", "duration"), message, hint)
    if duration is not None and isinstance(warmup, float) and warmup >= duration:
        message = f"the warm-up ({warmup:g} s) leaves nothing of the duration ({duration:g} s)"
        system.report("out-of-range", ("observe", "warmup"), message)
