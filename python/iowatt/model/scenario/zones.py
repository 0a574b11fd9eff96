"""Pools of drives whose zones the host must write in order: how large a zone is, and what may lie on one."""

from __future__ import annotations

from typing import Final

from iowatt.base.problems import Reporter
from iowatt.model.library import Disk
from iowatt.model.raid import Level
from iowatt.model.scenario.keys.array import Pool
from iowatt.model.scenario.resolved import ResolvedPool, ResolvedSystem

#: Levels under which an append to the pool is an append to each of its drives.
_LEVELS: Final = (0, 1, 10)


def drive_zone_bytes(resolved: ResolvedPool) -> int | None:
    """Bytes of a zone of each drive; None where a drive takes writes anywhere."""
    return resolved.drive.zone_bytes


def append_bytes(resolved: ResolvedPool) -> int:
    """The unit of addresses: a sector, of zoned flash what it writes as one."""
    drive = resolved.drive
    if isinstance(drive, Disk) or drive.zone_bytes is None or drive.geometry is None:
        return drive.sector_bytes
    return max(drive.sector_bytes, drive.geometry.mapping_bytes)


def pool_zone_bytes(resolved: ResolvedPool) -> int | None:
    """Bytes of a zone of the pool: the zones of its drives side by side, copies counted once."""
    zone = drive_zone_bytes(resolved)
    if zone is None:
        return None
    mirrors: dict[Level, int] = {1: resolved.pool.count, 10: 2}
    copies = mirrors.get(resolved.level, 1)
    return zone * resolved.pool.count // copies


def check_redundancy(pool: Pool, resolved: ResolvedPool, report: Reporter) -> bool:
    """Whether the pool's redundancy keeps appends in order on every drive; reports what does not."""
    zone = drive_zone_bytes(resolved)
    if zone is None:
        return True
    name = resolved.drive.name
    before = len(report.problems)
    if resolved.chunklets is not None:
        message = f"{name!r} is written zone by zone, and chunklets are not zones"
        report("unsupported", "chunklet", message, "leave it out")
    elif resolved.level not in _LEVELS:
        message = f"{name!r} is written zone by zone, and parity is written in place"
        report("unsupported", "raid.level", message, "levels 0, 1 and 10 append on every drive")
    elif pool.raid is not None and resolved.level != 1 and zone % resolved.stripe_unit:
        message = f"{resolved.stripe_unit} bytes do not divide a zone of {name!r}, {zone} bytes"
        report("not-accepted", "raid.stripe_unit", message, "use a power of two up to the zone")
    if pool.failure or pool.spares:
        message = f"{name!r} is written zone by zone, which a rebuild does not keep to"
        report("unsupported", "failure" if pool.failure else "spares", message, "leave it out")
    return len(report.problems) == before


def check_contents(system: ResolvedSystem) -> None:
    """Report pools of zoned drives on which anything but the scheme zoned lies."""
    for index, resolved in enumerate(system.pools):
        if drive_zone_bytes(resolved) is None:
            continue
        on_it = [volume.name for volume in system.volumes if volume.pool == index]
        for virtual in system.virtual_pools:
            others = virtual.scheme.scheme != "zoned"  # type: ignore[attr-defined]  # every scheme has its tag
            if others and any(part.pool == index for part in virtual.parts):
                on_it.append(virtual.scheme.name)
        if on_it:
            name = resolved.drive.name
            message = f"the host must write {name!r} zone by zone, which {on_it[0]!r} does not"
            hint = f'a virtual pool does: scheme = "zoned", part = "{resolved.pool.name}"'
            system.report("unsupported", ("array", "pool", index, "device"), message, hint)
