"""Where volumes lie: on pools front to back, on chunklets of drives, and on virtual pools made of parts."""

from __future__ import annotations

from dataclasses import replace

from iowatt.base.problems import KeyPath, Problem, suggestion
from iowatt.base.units import format_bytes
from iowatt.model.library.drive import Drive
from iowatt.model.library.ssd.drive import Ssd
from iowatt.model.scenario.chunklets import ChunkletRoom, Region
from iowatt.model.scenario.keys.array import Pool, Raid, VolumeKeys
from iowatt.model.scenario.keys.scenario import Scenario
from iowatt.model.scenario.resolved import PlacedVolume, ResolvedSystem
from iowatt.model.scenario.virtual_pool import Room, resolve_virtual_pools


def place_volumes(scenario: Scenario, system: ResolvedSystem) -> None:
    """Lay out virtual pools and volumes over the pools of ``system``."""
    _place(scenario, system)
    for at, pool in enumerate(system.pools):
        if pool.chunklets is not None:
            pool.chunklets.close()
            system.pools[at] = replace(pool, usable_bytes=pool.chunklets.usable_bytes)


def _place(scenario: Scenario, system: ResolvedSystem) -> None:
    rooms = [p.chunklets or Room(p.pool.name, p.usable_bytes, p.drive.sector_bytes) for p in system.pools]
    broken = frozenset(p.path[2] for p in system.problems if p.path[:2] == ("array", "pool"))
    found = resolve_virtual_pools(scenario.array.virtual_pool, rooms, broken)
    system.virtual_pools, problems, notes = found
    system.problems.extend(problems)
    system.notes.extend(notes)
    if len(system.virtual_pools) < len(scenario.array.virtual_pool):
        return  # places and sizes mean nothing
    parts = [room.name for room in rooms if room.used]
    rooms += [Room(v.scheme.name, v.capacity_bytes, v.sector_bytes) for v in system.virtual_pools]
    if not scenario.array.volume:
        for at, room in enumerate(rooms):
            if room.name in parts:
                continue
            taken, problem = room.take(None, f"volume {room.name!r}", ("array", "pool", at))
            if taken is not None:
                system.volumes.append(PlacedVolume(room.name, at, *taken))
            elif isinstance(room, ChunkletRoom) and problem is not None:
                system.problems.append(problem)
            else:
                system.volumes.append(PlacedVolume(room.name, at, 0, 0))  # what is wrong has been said
    for index, volume in enumerate(scenario.array.volume):
        _volume(index, volume, rooms, broken, system)
    for index, virtual in enumerate(system.virtual_pools):
        for problem in virtual.scheme.volume_problems(system.volumes_on(len(system.pools) + index)):
            path: KeyPath = ("array", "virtual_pool", index, *problem.path)
            system.problems.append(Problem(problem.code, path, problem.message, problem.hint))
    for at, room in enumerate(rooms):
        if scenario.array.volume and not room.used and not system.problems:
            system.note("no-volume", _unused(at, room.name, system), decides=True)


def _unused(at: int, name: str, system: ResolvedSystem) -> str:
    """What it means that a pool or virtual pool has no volume; other volumes may be on the same drives."""
    if at < len(system.pools):
        return f"pool {name!r} has no volume: its drives only idle"
    first = len(system.pools)
    busy = {v.pool for v in system.volumes if v.pool < first}
    for volume in system.volumes:
        if volume.pool >= first:
            busy |= {part.pool for part in system.virtual_pools[volume.pool - first].parts}
    parts = system.virtual_pools[at - first].parts
    shared = dict.fromkeys(part.pool_name for part in parts if part.pool in busy)
    idle = "its drives only idle"
    if shared:
        idle = f"nothing is on its parts; pool {', '.join(map(repr, shared))} serves other volumes"
    return f"virtual pool {name!r} has no volume: {idle}"


def _volume(
    index: int, volume: VolumeKeys, rooms: list[Room], broken: frozenset[int | str], system: ResolvedSystem
) -> None:
    path: KeyPath = ("array", "volume", index)
    names = [room.name for room in rooms]
    if volume.pool not in names:
        hint = suggestion(volume.pool, names, "pools")
        system.problems.append(
            Problem("unknown-name", (*path, "pool"), f"there is no pool {volume.pool!r}", hint)
        )
        return
    at = names.index(volume.pool)
    if at in broken and rooms[at].rest_by is None:
        if volume.capacity is None:
            rooms[at].rest_by = f"volume {volume.name!r}"
        return  # its size means nothing then
    taken, problem = _take(volume, rooms[at], path, system)
    if problem is not None:
        system.problems.append(problem)
    elif taken is not None:
        system.volumes.append(PlacedVolume(volume.name, at, *taken))


def _take(
    volume: VolumeKeys, room: Room, path: KeyPath, system: ResolvedSystem
) -> tuple[tuple[int, int] | None, Problem | None]:
    """A volume's place in its pool, with a redundancy of its own where it has one."""
    who = f"volume {volume.name!r}"
    if volume.raid is None:
        return room.take(volume.capacity, who, path)
    if not isinstance(room, ChunkletRoom):
        message = f"pool {room.name!r} has no chunklets: its volumes have the redundancy of the pool"
        hint = 'divide its drives into chunklets (chunklet = "256MiB"), or leave raid out here'
        return None, Problem("not-applicable", (*path, "raid"), message, hint)
    kind = Region.of(volume.raid)
    wrong = list(kind.problems(room.members, room.chunklet, room.sector_bytes, (*path, "raid")))
    if wrong:
        system.problems.extend(wrong[:-1])
        return None, wrong[-1]
    return room.take_sets(kind, volume.capacity, who, path)


def chunklet_room(
    pool: Pool, drive: Drive | Ssd, path: KeyPath, system: ResolvedSystem
) -> ChunkletRoom | None:
    """The drives in equal pieces, none of them taken; None where that is not possible."""
    chunklet = pool.chunklet or 0
    if chunklet % drive.sector_bytes:
        message = f"{chunklet} bytes are not a multiple of the drive's sector, {drive.sector_bytes} bytes"
        hint = f"use a multiple of {drive.sector_bytes}"
        system.problems.append(Problem("not-accepted", (*path, "chunklet"), message, hint))
        return None
    each = drive.raw_bytes // chunklet
    dedicated = pool.sparing == "dedicated"
    spare = 0 if dedicated else -(-each * pool.spares // pool.drives)
    if each <= spare:
        message = f"a drive ({format_bytes(drive.raw_bytes)}) has {each} chunklets, all of them spare"
        system.problems.append(
            Problem("out-of-range", (*path, "chunklet"), message, "make chunklets smaller")
        )
        return None
    kind = Region.of(pool.raid or Raid(level=5))
    members = pool.count if dedicated else pool.drives
    wrong = list(kind.problems(members, chunklet, drive.sector_bytes, (*path, "raid")))
    system.problems.extend(wrong)
    if wrong:
        return None
    return ChunkletRoom(
        pool.name,
        0,
        drive.sector_bytes,
        chunklet=chunklet,
        default=kind,
        members=members,
        each=each - spare,
        spare=spare,
    )


def adaptive(pool: Pool, drive: Drive | Ssd, room: ChunkletRoom, system: ResolvedSystem) -> Drive | Ssd:
    """The drive with its spare chunklets trimmed, where sparing is adaptive.

    An SSD has that flash to work with until a rebuild writes there.
    """
    if pool.sparing != "adaptive":
        return drive
    if not isinstance(drive, Ssd):
        message = "adaptive sparing is of SSDs, disks are not over-provisioned; it is the same as distributed"
        system.note("adaptive-as-distributed", f"pool {pool.name!r}: {message}", decides=True)
        return drive
    data = room.each * room.chunklet / drive.raw_bytes
    text = (
        f"pool {pool.name!r}: {1 - data:.3g} of each drive is spare and trimmed, flash to work with until it "
        "is needed"
    )
    system.note("spare-as-flash", text)
    return replace(drive, behaviour=replace(drive.behaviour, fill=min(drive.behaviour.fill, data)))
