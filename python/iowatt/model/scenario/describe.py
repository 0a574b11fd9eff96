"""The system of a scenario in a few figures, as ``iowatt check`` returns it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iowatt.base.units import format_duration
from iowatt.model.library import Disk
from iowatt.model.scenario import controller
from iowatt.model.scenario.keys.scenario import Scenario
from iowatt.model.scenario.keys.workload import OpenReplay, WorkloadKeys
from iowatt.model.scenario.loading import read
from iowatt.model.scenario.path_alone import describe_path
from iowatt.model.scenario.resolved import ResolvedPool, ResolvedSystem, usable_and_effective
from iowatt.model.scenario.resolved_cluster import ResolvedCluster
from iowatt.model.scenario.resolved_library import STATES, ResolvedLibrary
from iowatt.model.scenario.result import (
    ArrayWatts,
    CheckedBus,
    CheckedCluster,
    CheckedLibrary,
    CheckedNodes,
    CheckedReplication,
    CheckedScenario,
    CheckedVolume,
    CheckedWorkload,
    CheckWarning,
    DiskPool,
    SsdPool,
)
from iowatt.model.scenario.system import resolve
from iowatt.model.scenario.too_late import too_late

if TYPE_CHECKING:
    from iowatt.model.power import ArrayPlan
    from iowatt.model.scenario.synthetic import Synthetic


def check(
    path: Path, overrides: Sequence[str] = (), place_text: Callable[[str], str] = str
) -> CheckedScenario:
    """Check a scenario file and describe its system; ``place_text`` shows the place of a warning.

    Raises ``InputError`` for its problems, as :func:`iowatt.model.scenario.load` does.
    """
    scenario, system, document = read(path, overrides)
    warnings = [
        CheckWarning(where=place_text(document.place(one.path)), message=one.message)
        for one in (*system.warnings, *too_late(scenario, system))
    ]
    return _described(scenario, system, warnings)


def describe(scenario: Scenario, base_dir: str | Path = ".") -> CheckedScenario:
    """The system of a scenario without problems; files are relative to ``base_dir``."""
    return _described(scenario, resolve(scenario, Path(base_dir), traces_must_exist=False), [])


def _described(scenario: Scenario, system: ResolvedSystem, warnings: list[CheckWarning]) -> CheckedScenario:
    virtual = [pool.names() for pool in system.virtual_pools]
    usable, effective = usable_and_effective(
        [pool.usable_bytes for pool in system.pools],
        virtual,
        {volume.pool for volume in system.volumes},
        libraries=[library.names() for library in system.libraries],
    )
    idle_w = [(pool.pool.drives, pool.drive.power.idle) for pool in system.pools]
    idle_w += [(1, library.idle_w) for library in system.libraries]
    known = all(watts is not None for _, watts in idle_w)
    placements = {pool.index: pool.text() for cluster in system.clusters for pool in cluster.pools}
    return CheckedScenario(
        name=scenario.name,
        drives=sum(pool.pool.drives for pool in system.pools)
        + sum(library.keys.drives for library in system.libraries),
        raw_bytes=sum(pool.raw_bytes for pool in system.pools)
        + sum(library.raw_bytes for library in system.libraries),
        usable_bytes=usable,
        effective_bytes=effective,
        idle_w=sum(count * (watts or 0.0) for count, watts in idle_w) if known else None,
        pools=[_pool(pool, placements.get(index)) for index, pool in enumerate(system.pools)],
        virtual_pools=virtual,
        libraries=[_library(library) for library in system.libraries],
        clusters=[_cluster(cluster) for cluster in system.clusters],
        volumes=[
            CheckedVolume(name=v.name, pool=system.space_names[v.pool], capacity_bytes=v.capacity)
            for v in system.volumes
        ],
        buses=[CheckedBus(name=bus.name, bandwidth_bytes_per_s=bus.bandwidth) for bus in scenario.array.bus],
        controller=controller.plan(scenario.array.controller),
        paths=[describe_path(path) for path in system.paths.resolved],
        replications=[
            CheckedReplication(
                name=one.keys.name,
                mode=one.plan["mode"],
                volumes=one.keys.volumes,
                copies=one.keys.copies,
                service_s=one.keys.service,
                path=describe_path(one.path),
            )
            for one in system.replications
        ],
        power=None if system.power is None else _power(system.power),
        workloads=[
            CheckedWorkload(
                name=workload.name,
                volume=system.volumes[system.volume_of_workload[index]].name,
                trace=f"profile {workload.profile.name}" if workload.profile else _trace(workload),
                replay=_replay(workload, system.synthetic.get(index)),
            )
            for index, workload in enumerate(scenario.workload)
        ],
        notes=system.notes,
        warnings=warnings,
    )


def _power(plan: ArrayPlan) -> ArrayWatts:
    from iowatt.model.power import total

    idle, active = (total(plan, "normal", how).wall_w for how in ("idle", "active"))
    return ArrayWatts(wall_idle_w=idle, wall_active_w=active)


def _pool(pool: ResolvedPool, placement: str | None = None) -> DiskPool | SsdPool:
    drive = pool.drive
    code = None if pool.pool.raid is None else pool.pool.raid.code
    shared: dict[str, Any] = {
        "name": pool.pool.name,
        "device": drive.name,
        "title": drive.title,
        "count": pool.pool.count,
        "spares": pool.pool.spares,
        "raid_level": pool.level if pool.joined else None,
        "raid_code": None if code is None else code.plan(),
        "stripe_unit_bytes": pool.stripe_unit if pool.joined else None,
        "chunklets": None if pool.chunklets is None else pool.chunklets.plan(),
        "scheduler": pool.scheduler,
        "queue_depth": pool.queue_depth,
        "drive_scheduler": pool.drive_scheduler,
        "write_cache": drive.write_cache,
        "power_policy": pool.pool.power.policy,
        "raw_bytes": pool.raw_bytes,
        "usable_bytes": pool.usable_bytes,
        "placement": placement,
    }
    if isinstance(drive, Disk):
        return DiskPool(
            **shared,
            rpm=drive.rpm,
            average_seek_s=drive.average_seek_s,
            outer_bytes_per_s=drive.sequential_rate(0),
            inner_bytes_per_s=drive.sequential_rate(-1),
        )
    geometry, sheet = drive.geometry, drive.sheet
    return SsdPool(
        **shared,
        simulated_by="data sheet" if geometry is None else "flash",
        dies=None if geometry is None else geometry.dies,
        flash_bytes=drive.flash_bytes,
        over_provisioning=None if geometry is None else geometry.spare,
        read_bytes_per_s=sheet.read_rate,
        write_bytes_per_s=sheet.write_rate,
        read_iops=sheet.read_iops,
        write_iops=sheet.write_iops,
        power_cap_w=drive.behaviour.cap_w,
    )


def _cluster(cluster: ResolvedCluster) -> CheckedCluster:
    plan, keys = cluster.plan(), cluster.keys
    front, back = cluster.ports
    return CheckedCluster(
        name=keys.name,
        preset=keys.preset,
        racks=keys.racks,
        rack_units=cluster.rack_units,
        nodes=[
            CheckedNodes(
                name=kind.keys.name,
                count=kind.keys.count,
                server=kind.model,
                cores=kind.server.cores or 0,
                idle_w=kind.server.idle or 0.0,
                busy_w=kind.server.busy or 0.0,
                price_usd=kind.keys.price,
            )
            for kind in cluster.nodes
        ],
        pools=[pool.keys.name for pool in cluster.pools],
        network=plan["network"],
        front_bytes_per_s=front,
        back_bytes_per_s=back,
        failures=plan["failures"],
    )


def _library(library: ResolvedLibrary) -> CheckedLibrary:
    keys = library.keys
    drive = library.plan(dict.fromkeys(STATES, 0))["drive"]
    return CheckedLibrary(
        name=keys.name,
        drive=library.model,
        drives=keys.drives,
        robots=keys.robots,
        cartridges=keys.cartridges,
        cartridge_bytes=library.cartridge_bytes,
        raw_bytes=library.raw_bytes,
        bytes_per_s=drive["speed_bytes_per_s"][1],
        idle_w=library.idle_w,
    )


def _trace(workload: WorkloadKeys) -> str:
    return "" if workload.trace is None else workload.trace.path


def _replay(workload: WorkloadKeys, made: Synthetic | None) -> str:
    replay = made.replay if made is not None and made.replay is not None else workload.replay
    if isinstance(replay, OpenReplay):
        return "open" if replay.speed == 1 else f"open at {replay.speed:g} times the recorded speed"
    whose = "for each stream" if replay.per == "stream" else "in all"
    think = f", {format_duration(replay.think)} think time" if replay.think else ""
    return f"closed, {replay.outstanding} outstanding {whose}{think}"
