"""Where volumes lie: on pools front to back, on chunklets of drives, and on virtual pools made of parts."""

from __future__ import annotations

from dataclasses import replace

from iowatt.base.problems import Reporter, suggestion
from iowatt.base.units import format_bytes
from iowatt.model.library import Disk
from iowatt.model.library.ssd import Ssd
from iowatt.model.scenario.chunklets import ChunkletAllocator, Region
from iowatt.model.scenario.keys.array import Pool, Raid, VolumeKeys
from iowatt.model.scenario.keys.scenario import Scenario
from iowatt.model.scenario.placement import assign_handles
from iowatt.model.scenario.resolved import PlacedVolume, ResolvedSystem
from iowatt.model.scenario.virtual_pool import Allocator, resolve_virtual_pools
from iowatt.model.scenario.zones import append_bytes, check_contents, pool_zone_bytes


def place_volumes(scenario: Scenario, system: ResolvedSystem) -> None:
    """Lay out virtual pools and volumes over the pools of ``system``."""
    _place(scenario, system)
    check_contents(system)
    for at, pool in enumerate(system.pools):
        if pool.chunklets is not None:
            pool.chunklets.close()
            system.pools[at] = replace(pool, usable_bytes=pool.chunklets.usable_bytes)
    assign_handles(system)


def _place(scenario: Scenario, system: ResolvedSystem) -> None:
    allocators = [
        pool.chunklets
        or Allocator(
            pool.pool.name,
            pool.usable_bytes,
            append_bytes(pool),
            zone_bytes=pool_zone_bytes(pool),
            solid=isinstance(pool.drive, Ssd),
        )
        for pool in system.pools
    ]
    report = system.report.at("array")
    faulty_pools = frozenset(p.path[2] for p in system.problems if p.path[:2] == ("array", "pool"))
    schemes, volumes = scenario.array.virtual_pool, scenario.array.volume
    system.virtual_pools, notes = resolve_virtual_pools(
        schemes, allocators, report.at("virtual_pool"), faulty_pools
    )
    system.notes.extend(notes)
    if len(system.virtual_pools) < len(schemes):
        return  # places and sizes mean nothing
    parts = [allocator.name for allocator in allocators if allocator.used]
    allocators += [Allocator(v.scheme.name, v.capacity_bytes, v.sector_bytes) for v in system.virtual_pools]
    # Volumes on a library are whole cartridges.
    allocators += [
        Allocator(one.keys.name, one.capacity_bytes, one.cartridge_bytes) for one in system.libraries
    ]
    for at, allocator in enumerate([] if volumes else allocators):
        if allocator.name not in parts:
            chunklets = isinstance(allocator, ChunkletAllocator)
            place = report.at(f"pool.{at}") if chunklets else Reporter()  # others are reported already
            taken = allocator.allocate(None, f"volume {allocator.name!r}", place)
            if taken is not None or not chunklets:
                system.volumes.append(PlacedVolume(allocator.name, at, *(taken or (0, 0))))
    for index, volume in enumerate(volumes):
        _volume(volume, report.at(f"volume.{index}"), allocators, faulty_pools, system)
    for index, virtual in enumerate(system.virtual_pools):
        on_it = system.volumes_on(len(system.pools) + index)
        virtual.scheme.check_volumes(on_it, report.at(f"virtual_pool.{index}"))
    for at, allocator in enumerate(allocators):
        if volumes and not allocator.used and not system.problems:
            system.note("no-volume", _unused(at, allocator.name, system), decides=True)


def _unused(at: int, name: str, system: ResolvedSystem) -> str:
    """What it means that a pool or virtual pool has no volume; other volumes may be on the same drives."""
    if at < len(system.pools):
        return f"pool {name!r} has no volume: its drives only idle"
    first = len(system.pools)
    if at >= first + len(system.virtual_pools):
        return f"library {name!r} has no volume: it only idles"
    busy = {v.pool for v in system.volumes if v.pool < first}
    for volume in system.volumes:
        if first <= volume.pool < first + len(system.virtual_pools):
            busy |= {part.pool for part in system.virtual_pools[volume.pool - first].parts}
    parts = system.virtual_pools[at - first].parts
    shared = dict.fromkeys(part.pool_name for part in parts if part.pool in busy)
    idle = "its drives only idle"
    if shared:
        idle = f"nothing is on its parts; pool {', '.join(map(repr, shared))} serves other volumes"
    return f"virtual pool {name!r} has no volume: {idle}"


def _volume(
    volume: VolumeKeys,
    report: Reporter,
    allocators: list[Allocator],
    faulty_pools: frozenset[int | str],
    system: ResolvedSystem,
) -> None:
    names = [allocator.name for allocator in allocators]
    if volume.pool not in names:
        hint = suggestion(volume.pool, names, "pools")
        report("unknown-name", "pool", f"there is no pool {volume.pool!r}", hint)
        return
    at = names.index(volume.pool)
    if at in faulty_pools and allocators[at].rest_taken_by is None:
        if volume.capacity is None:
            allocators[at].rest_taken_by = f"volume {volume.name!r}"
        return  # its size means nothing then
    taken = _allocate(volume, allocators[at], report)
    if taken is not None:
        qos = None if volume.qos is None else volume.qos.plan()
        system.volumes.append(PlacedVolume(volume.name, at, *taken, qos))


def _allocate(volume: VolumeKeys, allocator: Allocator, report: Reporter) -> tuple[int, int] | None:
    """Offset and bytes of a volume in its pool, with a redundancy of its own where it has one."""
    user = f"volume {volume.name!r}"
    if volume.raid is None:
        return allocator.allocate(volume.capacity, user, report)
    if not isinstance(allocator, ChunkletAllocator):
        message = f"pool {allocator.name!r} has no chunklets: its volumes have the redundancy of the pool"
        hint = 'divide its drives into chunklets (chunklet = "256MiB"), or leave raid out here'
        report("not-applicable", "raid", message, hint)
        return None
    kind = Region(volume.raid)
    if not kind.check(allocator.members, allocator.chunklet, allocator.sector_bytes, report.at("raid")):
        return None
    return allocator.allocate_sets(kind, volume.capacity, user, report)


def chunklet_allocator(pool: Pool, drive: Disk | Ssd, report: Reporter) -> ChunkletAllocator | None:
    """The drives in equal pieces, none of them taken; None where that is not possible."""
    chunklet = pool.chunklet or 0
    if chunklet % drive.sector_bytes:
        message = f"{chunklet} bytes are not a multiple of the drive's sector, {drive.sector_bytes} bytes"
        report("not-accepted", "chunklet", message, f"use a multiple of {drive.sector_bytes}")
        return None
    each = drive.raw_bytes // chunklet
    dedicated = pool.sparing == "dedicated"
    spare = 0 if dedicated else -(-each * pool.spares // pool.drives)
    if each <= spare:
        message = f"a drive ({format_bytes(drive.raw_bytes)}) has {each} chunklets, all of them spare"
        report("out-of-range", "chunklet", message, "make chunklets smaller")
        return None
    kind = Region(pool.raid or Raid(level=5))
    members = pool.count if dedicated else pool.drives
    if not kind.check(members, chunklet, drive.sector_bytes, report.at("raid")):
        return None
    return ChunkletAllocator(
        pool.name,
        0,
        drive.sector_bytes,
        chunklet=chunklet,
        default=kind,
        members=members,
        each=each - spare,
        spare=spare,
    )


def adaptive(
    pool: Pool, drive: Disk | Ssd, chunklets: ChunkletAllocator, system: ResolvedSystem
) -> Disk | Ssd:
    """The drive with its spare chunklets trimmed, where sparing is adaptive.

    An SSD has that flash to work with until a rebuild writes there.
    """
    if pool.sparing != "adaptive":
        return drive
    if not isinstance(drive, Ssd):
        message = "adaptive sparing is of SSDs, disks are not over-provisioned; it is the same as distributed"
        system.note("adaptive-as-distributed", f"pool {pool.name!r}: {message}", decides=True)
        return drive
    data = chunklets.each * chunklets.chunklet / drive.raw_bytes
    text = (
        f"pool {pool.name!r}: {1 - data:.3g} of each drive is spare and trimmed, flash to work with until it "
        "is needed"
    )
    system.note("spare-as-flash", text)
    return replace(drive, behaviour=replace(drive.behaviour, fill=min(drive.behaviour.fill, data)))
