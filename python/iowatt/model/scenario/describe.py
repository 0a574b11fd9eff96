"""What a scenario amounts to, in a few figures, for whoever wants to see before running it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from iowatt.base.units import format_duration
from iowatt.model.library.drive import Drive
from iowatt.model.library.ssd.drive import Ssd
from iowatt.model.scenario import controller, path_alone
from iowatt.model.scenario.model import Scenario
from iowatt.model.scenario.resolved import ResolvedPool, usable_and_effective
from iowatt.model.scenario.system import resolve
from iowatt.model.scenario.workload import OpenReplay, Workload

if TYPE_CHECKING:
    from iowatt.model.power.plan import ArrayPlan
    from iowatt.model.scenario.synthetic import Made

CHECK_SCHEMA: Final = "iowatt.check/1"


def describe(scenario: Scenario, base_dir: str | Path = ".") -> dict[str, Any]:
    """The system of a checked scenario: drives, capacities in bytes, workloads, and notes on its figures."""
    system = resolve(scenario, Path(base_dir), traces_must_exist=False)
    virtual = [one.names() for one in system.virtual_pools]
    usable, effective = usable_and_effective(
        [pool.usable_bytes for pool in system.pools], virtual, {volume.pool for volume in system.volumes}
    )
    idle_w = [
        None if (watts := pool.drive.power.idle) is None else pool.pool.drives * watts
        for pool in system.pools
    ]
    return {
        "schema": CHECK_SCHEMA,
        "ok": True,
        "name": scenario.name,
        "drives": sum(pool.pool.drives for pool in system.pools),
        "raw_bytes": sum(pool.raw_bytes for pool in system.pools),
        "usable_bytes": usable,
        "effective_bytes": effective,
        "idle_w": None if None in idle_w else sum(w for w in idle_w if w is not None),
        "pools": [_pool(pool) for pool in system.pools],
        "virtual_pools": virtual,
        "volumes": [
            {"name": v.name, "pool": system.space_names[v.pool], "capacity_bytes": v.capacity}
            for v in system.volumes
        ],
        "buses": [{"name": bus.name, "bandwidth_bytes_per_s": bus.bandwidth} for bus in scenario.array.bus],
        "controller": controller.plan(scenario.array.controller),
        "paths": [path_alone.describe_path(path) for path in system.paths.resolved],
        "power": None if system.power is None else _power(system.power),
        "workloads": [
            {
                "name": workload.name,
                "volume": system.volumes[system.volume_of_workload[index]].name,
                "trace": f"profile {workload.profile.name}" if workload.profile else _trace(workload),
                "replay": _replay(workload, system.synthetic.get(index)),
            }
            for index, workload in enumerate(scenario.workload)
        ],
        "notes": system.notes,
    }


def _power(plan: ArrayPlan) -> dict[str, Any]:
    from iowatt.model.power.calculator import ACTIVITIES, total  # with numpy

    return {f"wall_{how}_w": total(plan, "normal", how).wall_w for how in ACTIVITIES}


def _pool(pool: ResolvedPool) -> dict[str, Any]:
    drive = pool.drive
    return {
        "name": pool.pool.name,
        "device": drive.name,
        "title": drive.title,
        "count": pool.pool.count,
        "spares": pool.pool.spares,
        "raid_level": pool.level if pool.joined else None,
        "stripe_unit_bytes": pool.stripe_unit if pool.joined else None,
        "chunklets": None if pool.chunklets is None else pool.chunklets.plan(),
        "scheduler": pool.scheduler,
        "queue_depth": pool.queue_depth,
        "drive_scheduler": pool.drive_scheduler,
        "write_cache": drive.write_cache,
        "power_policy": pool.pool.power.policy,
        "raw_bytes": pool.raw_bytes,
        "usable_bytes": pool.usable_bytes,
        "kind": "ssd" if isinstance(drive, Ssd) else "hdd",
        **(_ssd(drive) if isinstance(drive, Ssd) else _disk(drive)),
    }


def _disk(drive: Drive) -> dict[str, Any]:
    return {
        "rpm": drive.rpm,
        "average_seek_s": drive.average_seek_s,
        "outer_bytes_per_s": drive.sequential_rate(0),
        "inner_bytes_per_s": drive.sequential_rate(-1),
    }


def _ssd(drive: Ssd) -> dict[str, Any]:
    """Rates as published, and the flash behind them; what the data sheet alone does not have is null."""
    geometry, sheet = drive.geometry, drive.sheet
    return {
        "simulated_by": "data sheet" if geometry is None else "flash",
        "dies": None if geometry is None else geometry.dies,
        "flash_bytes": drive.flash_bytes,
        "over_provisioning": None if geometry is None else geometry.spare,
        "read_bytes_per_s": sheet.read_rate,
        "write_bytes_per_s": sheet.write_rate,
        "read_iops": sheet.read_iops,
        "write_iops": sheet.write_iops,
        "power_cap_w": drive.behaviour.cap_w,
    }


def _trace(workload: Workload) -> str:
    return "" if workload.trace is None else workload.trace.path


def _replay(workload: Workload, made: Made | None) -> str:
    replay = made.replay if made is not None and made.replay is not None else workload.replay
    if isinstance(replay, OpenReplay):
        return "open" if replay.speed == 1 else f"open at {replay.speed:g} times the recorded speed"
    whose = "for each stream" if replay.per == "stream" else "in all"
    think = f", {format_duration(replay.think)} think time" if replay.think else ""
    return f"closed, {replay.outstanding} outstanding {whose}{think}"
