"""Placement handles of SSDs (NVMe FDP): which volume writes with which, and where that is on a drive.

Under every level a range of a pool's addresses is one range of each drive's, parity included, so that the
address of a write at the drive tells its handle.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import attrgetter

from iowatt.base.problems import Reporter
from iowatt.model.library.ssd import Ssd
from iowatt.model.raid import data_drives
from iowatt.model.scenario.resolved import ResolvedPool, ResolvedSystem


@dataclass(frozen=True)
class _User:
    """What writes with one handle: a range of the pool, in bytes."""

    name: str
    offset: int


def assign_handles(system: ResolvedSystem) -> None:
    """Give the drives of pools with ``placement`` their handles by address; report what prevents it."""
    for index, resolved in enumerate(system.pools):
        if resolved.pool.placement is None:
            continue
        users = _users(system, index)
        report = system.report.at(f"array.pool.{index}")
        if not _possible(resolved, len(users), report):
            continue
        drive = resolved.drive
        assert isinstance(drive, Ssd)
        table = {_first_sector(resolved, user.offset): handle for handle, user in enumerate(users)}
        behaviour = replace(drive.behaviour, placement=tuple(table.items()))
        system.pools[index] = replace(resolved, drive=replace(drive, behaviour=behaviour))
        system.note("host-policy", _text(resolved, [user.name for user in users]))


def _users(system: ResolvedSystem, pool: int) -> list[_User]:
    """Volumes on the pool and parts of virtual pools, in the order of their addresses."""
    users = [_User(volume.name, volume.offset) for volume in system.volumes if volume.pool == pool]
    for virtual in system.virtual_pools:
        name = virtual.scheme.name
        users += [_User(f"{name}.{part.label}", part.offset) for part in virtual.parts if part.pool == pool]
    return sorted(users, key=attrgetter("offset"))


def _possible(resolved: ResolvedPool, users: int, report: Reporter) -> bool:
    """Whether the pool's drives have a handle for each of so many users; reports why not."""
    drive, before = resolved.drive, len(report.problems)
    name = drive.name
    if not isinstance(drive, Ssd):
        report("not-applicable", "placement", f"{name!r} is a disk, which has no placement handles")
    elif drive.geometry is None:
        message = f"{name!r} is simulated by its data sheet, which does not describe placement handles"
        report("not-applicable", "placement", message, "leave it out, or give the flash of the drive")
    elif drive.placement_handles == 1:
        hint = "give it some in a device file: [flash] placement_handles = 8"
        report("missing-figure", "placement", f"{name!r} has no placement handles", hint)
    elif users > drive.placement_handles:
        had = drive.placement_handles
        message = f"{users} volumes and parts of virtual pools need a handle each, and {name!r} has {had}"
        report("out-of-range", "placement", message, "put fewer on the pool, or leave placement out")
    if resolved.chunklets is not None:
        message = "over chunklets, a volume is no single range of a drive's addresses"
        report("unsupported", "placement", message, "leave placement out, or join whole drives")
    elif resolved.pool.sparing != "dedicated":
        message = "with spare space between the data, a rebuild moves them to addresses of others"
        report("unsupported", "placement", message, 'sparing = "dedicated" keeps the addresses')
    return len(report.problems) == before


def _first_sector(resolved: ResolvedPool, offset: int) -> int:
    """The first sector on each drive from which on the range at ``offset`` bytes of the pool is written.

    A stripe that two ranges share counts to the first of them.
    """
    sector, raid = resolved.drive.sector_bytes, resolved.pool.raid
    data = data_drives(resolved.level, resolved.pool.count, None if raid is None else raid.code)
    if data == 1:
        return -(-offset // sector)
    return -(-offset // (data * resolved.stripe_unit)) * resolved.stripe_unit // sector


def _text(resolved: ResolvedPool, names: list[str]) -> str:
    listed = ", ".join(f"{handle} {name}" for handle, name in enumerate(names))
    return (
        f"pool {resolved.pool.name!r}: hosts write with a placement handle for each volume ({listed}); data "
        "are apart when they are first written, what collection moves is not (initially isolated)"
    )
