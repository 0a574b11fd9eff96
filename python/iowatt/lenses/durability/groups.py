"""The redundancy groups of a system, from its plan: one function for each kind of pool.

A group is what fails as one: drives, and how many of them its data survives the loss of. To add a kind of
pool, write a function of the pool's plan and its place, and add it to ``_KINDS``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from iowatt.lenses.durability.domains import FailureDomain, apart, domains_of, places
from iowatt.lenses.durability.scheme import Redundancy, set_losses, set_redundancy, set_title
from iowatt.model.raid import region_bytes, usable_bytes_of

Json = Mapping[str, Any]


@dataclass(frozen=True)
class DataGroup:
    """Groups of one kind on one pool.

    ``code`` is ``CodePlan`` of the engine; ``survives`` the fewest lost drives that may cost data, less one.
    """

    name: str
    pool: str
    #: The scheme in words, such as ``RAID-5 of 17``.
    title: str
    members: int
    code: Json
    survives: int
    #: Bytes of users in one group, of those that it has room for, and of one drive of it.
    user_bytes: float
    usable_bytes: float
    drive_bytes: float
    spares: int
    #: The drive of the pool's first member, as the plan names it.
    drive: Json
    #: Least time from a failure to the start of a rebuild, and its highest rate in bytes/s, if limited.
    delay_s: float = 0.0
    rate_limit: float | None = None
    #: Like groups with drives of their own.
    count: int = 1
    #: Share of ``drive_bytes`` that holds data of volumes.
    filled: float = 1.0
    #: Whether a rebuild restores free space, too, as that of an array does and that of a cluster does not.
    restores_all: bool = True
    #: What takes several of the drives away at once.
    domains: tuple[FailureDomain, ...] = ()
    #: Units of a failure domain of which a set has one member in each; None where drives alone are apart.
    places: int | None = None
    #: ``title`` without numbers of drives: RAID-6, EC 4+2, 3 copies.
    scheme: str = ""
    #: None where another parity or copy has no one meaning.
    redundancy: Redundancy | None = None

    @property
    def rebuild_bytes(self) -> float:
        """Bytes of a drive that a rebuild restores."""
        return self.drive_bytes if self.restores_all else self.drive_bytes * self.filled


@dataclass(frozen=True)
class _PoolPlace:
    """A pool's place in the plan."""

    index: int
    name: str
    drive: Json
    #: First byte and length of each volume on it.
    ranges: tuple[tuple[int, int], ...]

    @property
    def user_bytes(self) -> float:
        return float(sum(length for _, length in self.ranges))

    def within(self, first: float, length: float) -> float:
        """Bytes of volumes from ``first`` on."""
        ends = ((max(first, at), min(first + length, at + own)) for at, own in self.ranges)
        return float(sum(max(0.0, end - start) for start, end in ends))


def groups_of(plan: Json) -> list[DataGroup]:
    """All groups that hold data, in the order of the pools; pools of copies alone are left out."""
    names, simulation = plan["names"], plan["simulation"]
    copies, found = _copies(plan), list[DataGroup]()
    placed = {one["pool"] for cluster in simulation.get("clusters") or [] for one in cluster["pools"]}
    for index, (pool, name) in enumerate(zip(simulation["pools"], names["pools"], strict=True)):
        drive = next((one for one in names["devices"] if one["pool"] == name), None)
        if drive is None:
            continue  # a plan that does not name its drives
        place = _PoolPlace(index, name, drive, tuple(_ranges(simulation, index)))
        if place.user_bytes > 0 and index not in copies:
            groups = _groups(pool, place)
            groups = (replace(group, restores_all=index not in placed) for group in groups)
            found.extend(_in_domains(plan, index, group) for group in groups)
    return found


def _in_domains(plan: Json, pool: int, group: DataGroup) -> DataGroup:
    """The group with the enclosures, nodes and racks that its drives are in."""
    domains, code = domains_of(plan, pool, group.members), dict(group.code)
    if code["code"] == "declustered":
        code["apart"] = apart(plan, pool, domains, code["width"])
    return replace(group, domains=domains, code=code, places=places(plan, pool, domains))


def _groups(pool: Json, place: _PoolPlace) -> Iterator[DataGroup]:
    if pool.get("chunklets") is not None:
        yield from _chunklets(pool, place)
        return
    yield _KINDS[str(pool["raid"]["level"])](pool, place)


def _ranges(simulation: Json, pool: int) -> Iterator[tuple[int, int]]:
    """Volumes on a pool, directly or as a part of a virtual pool that keeps data there alone."""
    parts = (
        part
        for virtual in simulation.get("virtual_pools") or []
        for number, part in enumerate(virtual["parts"])
        if not _is_clean_cache(virtual["scheme"], number)
    )
    for one in (*simulation["volumes"], *parts):
        if one["pool"] == pool:
            yield one["offset_bytes"], one["capacity_bytes"]


def _is_clean_cache(scheme: Json, part: int) -> bool:
    """Whether a part of a virtual pool holds copies alone: the fast part of a cache that writes through."""
    return bool(scheme["kind"] == "caching" and part == 0 and scheme.get("write") != "back")


def _copies(plan: Json) -> set[int]:
    """Pools whose volumes are all copies of a replication."""
    simulation = plan["simulation"]
    copies = {
        pair["copy"]
        for one in simulation.get("replications") or []
        for pair in one["volumes"]
        if pair.get("copy") is not None
    }
    volumes = simulation["volumes"]
    pools = {volumes[number]["pool"] for number in copies}
    return {
        pool
        for pool in pools
        if all(at in copies for at, volume in enumerate(volumes) if volume["pool"] == pool)
    }


def _of_drives(
    pool: Json,
    place: _PoolPlace,
    title: str,
    losses: int,
    code: Json | None = None,
    *,
    redundancy: Redundancy | None = None,
) -> DataGroup:
    """One group over the whole drives of a pool; distributed spare space adds a drive to it."""
    recovery = pool.get("recovery") or {}
    spread = recovery.get("sparing") == "distributed"
    spares = int(recovery.get("spares", 0))
    rebuild = recovery.get("rebuild") or {}
    return DataGroup(
        name=place.name,
        pool=place.name,
        title=title,
        members=pool["count"] + (spares if spread else 0),
        code=code or {"code": "any", "losses": losses},
        survives=losses,
        user_bytes=place.user_bytes,
        usable_bytes=float(usable_bytes_of(pool)),
        drive_bytes=float(place.drive["raw_bytes"]),
        spares=spares,
        drive=place.drive,
        delay_s=float(rebuild.get("delay_s") or 0.0),
        rate_limit=rebuild.get("rate_bytes_per_s"),
        scheme=title.partition(" of ")[0],
        redundancy=redundancy,
    )


def _striped(pool: Json, place: _PoolPlace) -> DataGroup:
    count = pool["count"]
    if count == 1:
        return _of_drives(pool, place, "one drive", 0, redundancy=Redundancy("copies", 1))
    return _of_drives(pool, place, f"RAID-0 of {count}", 0, redundancy=Redundancy("raid", count))


def _mirror(pool: Json, place: _PoolPlace) -> DataGroup:
    count = pool["count"]
    return _of_drives(pool, place, f"RAID-1 of {count}", count - 1, redundancy=Redundancy("copies", 1))


def _pairs(pool: Json, place: _PoolPlace) -> DataGroup:
    title, count = f"RAID-10 of {pool['count']}", pool["count"]
    copies = Redundancy("copies", count // 2)
    group = _of_drives(pool, place, title, 1, {"code": "spans", "width": 2, "losses": 1}, redundancy=copies)
    if group.members == count:
        return group
    # Copies and spare space rotate over all drives: any two of them share some pairs.
    return replace(group, code={"code": "any", "losses": 1}, redundancy=None)


def _parity(pool: Json, place: _PoolPlace) -> DataGroup:
    level, count = str(pool["raid"]["level"]), pool["count"]
    losses = 2 if level == "6" else 1
    kept = Redundancy("raid", count - losses)
    return _of_drives(pool, place, f"RAID-{level} of {count}", losses, redundancy=kept)


def _erasure(pool: Json, place: _PoolPlace) -> DataGroup:
    """Reed-Solomon k+m, or a local reconstruction code."""
    code = pool["raid"]["code"]
    data, parity, local = code["data"], code["parity"], code.get("local_groups", 0)
    if not local:
        return _of_drives(pool, place, f"EC {data}+{parity}", parity, redundancy=Redundancy("ec", data))
    lrc = {
        "code": "lrc",
        "data": data,
        "local_groups": local,
        "local_parities": 1,
        "global_parities": parity,
    }
    return _of_drives(pool, place, f"LRC {data}+{local}+{parity}", parity + 1, lrc)


_KINDS: Final[Mapping[str, Callable[[Json, _PoolPlace], DataGroup]]] = {
    "0": _striped,
    "1": _mirror,
    "10": _pairs,
    "4": _parity,
    "5": _parity,
    "6": _parity,
    "ec": _erasure,
}


def _chunklets(pool: Json, place: _PoolPlace) -> Iterator[DataGroup]:
    """RAID sets or placement groups over chunklets of different drives: any drives may share a set."""
    chunklets = pool["chunklets"]
    spare_drives = chunklets["spare"] * chunklets["bytes"] * pool["count"] // place.drive["raw_bytes"]
    filled = list(_filled(chunklets, place))
    for number, (region, used, length) in enumerate(filled):
        losses, width = set_losses(region), region["set_size"]
        group = _of_drives(pool, place, f"{set_title(region)} over {pool['count']}", losses)
        yield replace(
            group,
            name=place.name if len(filled) == 1 else f"{place.name}.{number}",
            scheme=set_title(region).partition(" of ")[0],
            redundancy=set_redundancy(region),
            members=pool["count"],
            code={"code": "declustered", "sets": float(region["sets"]), "width": width, "losses": losses},
            user_bytes=used,
            usable_bytes=length,
            filled=used / length,
            drive_bytes=region["sets"] * width * chunklets["bytes"] / pool["count"],
            spares=max(group.spares, int(spare_drives)),
        )


def _filled(chunklets: Json, place: _PoolPlace) -> Iterator[tuple[Json, float, float]]:
    """Regions with data of volumes: how many bytes, and how many there is room for."""
    first = 0.0
    for region in chunklets["regions"]:
        length = float(region_bytes(region, chunklets["bytes"]))
        if used := place.within(first, length):
            yield region, used, length
        first += length
