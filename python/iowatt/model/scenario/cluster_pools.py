"""The pools of a cluster: drives found, redundancy placed over failure domains, capacity computed."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from iowatt.base.problems import Reporter, suggestion
from iowatt.base.units import format_bytes
from iowatt.model.library.clusters import Copies, ErasureCode, PlacementFigures, PresetFile
from iowatt.model.raid import DEFAULT_CHUNKLET
from iowatt.model.scenario.cluster_failures import failing_drives
from iowatt.model.scenario.keys.array import Pool, RebuildKeys
from iowatt.model.scenario.keys.cluster import ClusterPoolKeys
from iowatt.model.scenario.pools import resolve_drive
from iowatt.model.scenario.resolved import ResolvedPool, ResolvedSystem
from iowatt.model.scenario.resolved_cluster import (
    ClusterPool,
    PlacementAllocator,
    ResolvedCluster,
    given,
    merged_recovery,
)

_DEFAULTS: Final = PlacementFigures(
    failure_domain="node", placement_groups=100, object_size=4 << 20, reads="primary", copying="primary",
    acknowledge="all", reserve=0.15,
)  # fmt: skip

#: Keys of an array's pool that a cluster's has as well.
_OF_DRIVES: Final = ("scheduler", "queue_depth", "ssd", "write_cache", "power")

MOST_PARITY: Final = 8
"""Parity units of a stripe, those of local groups included, that the simulator takes."""


def place_pool(
    cluster: ResolvedCluster, number: int, report: Reporter, base_dir: Path, system: ResolvedSystem
) -> None:
    """Append a pool to ``system.pools`` and to the cluster, or report what is wrong with it."""
    keys = cluster.keys.pool[number]
    placement = _placement(keys, cluster.preset)
    before = len(report.problems)
    redundancy = placement.redundancy
    if redundancy is None:
        message = "the key `redundancy` is missing, and there is no preset"
        report("missing", "", message, "redundancy = { copies = 3 }, or level ec with data and parity")
        return
    _check_code(redundancy, report)
    kinds = _kinds(cluster, keys, report)
    if len(report.problems) > before:
        return
    nodes = [node for at in kinds for node in cluster.nodes[at].numbers]
    node_of_drive = [node for node in nodes for _ in range(keys.drives)]
    pool = _as_array_pool(cluster, keys, len(node_of_drive), report)
    drive = resolve_drive(pool, report, base_dir, system, wall_power=True)
    _domains(cluster, placement, node_of_drive, report)
    acks = placement.acknowledge
    if isinstance(acks, int) and not 1 <= acks <= redundancy.members:
        message = f"{acks} of the {redundancy.members} members of a placement group"
        report("out-of-range", "acknowledge", message, f"1 to {redundancy.members}, or 'all'")
    if drive is None or len(report.problems) > before:
        return
    domains = list(_drives_by_domain(cluster, placement, node_of_drive).values())
    allocator = _allocator(keys, placement, (drive.raw_bytes, drive.sector_bytes), domains, report)
    if allocator is None:
        return
    cluster.pools.append(ClusterPool(keys, len(system.pools), placement, node_of_drive))
    system.pools.append(
        ResolvedPool(pool, drive, 1, allocator.unit, allocator.usable_bytes, allocator, allocator.raid())
    )
    system.bus_of_drive.append([])


def _placement(keys: ClusterPoolKeys, known: PresetFile | None) -> PlacementFigures:
    """What a pool's keys give over what the preset does, over the defaults of the keys."""
    own = {
        name: value for name in PlacementFigures.model_fields if (value := getattr(keys, name)) is not None
    }
    return _DEFAULTS.model_copy(update=(given(known.pool) if known else {}) | own)


def _check_code(redundancy: Copies | ErasureCode, report: Reporter) -> None:
    if isinstance(redundancy, Copies):
        return
    units = redundancy.parity + redundancy.local_groups
    if units > MOST_PARITY:
        message = f"{units} parity units, those of local groups included; {MOST_PARITY} at most"
        report("out-of-range", "redundancy.parity", message)
    if redundancy.local_groups and redundancy.data % redundancy.local_groups:
        message = f"{redundancy.data} data units do not divide into {redundancy.local_groups} groups"
        report("conflict", "redundancy.local_groups", message, "a number that divides the data units")


def _kinds(cluster: ResolvedCluster, keys: ClusterPoolKeys, report: Reporter) -> list[int]:
    """Which kinds of nodes have drives of the pool."""
    names = [kind.keys.name for kind in cluster.nodes]
    for number, name in enumerate(keys.nodes or ()):
        if name not in names:
            hint = suggestion(name, names, "kinds of nodes")
            report("unknown-name", f"nodes.{number}", f"there are no nodes {name!r}", hint)
    return [at for at, name in enumerate(names) if keys.nodes is None or name in keys.nodes]


def _as_array_pool(cluster: ResolvedCluster, keys: ClusterPoolKeys, drives: int, report: Reporter) -> Pool:
    """The pool as its drives are simulated."""
    recovery = merged_recovery(keys.recovery, cluster.preset)
    return Pool(
        name=keys.name,
        device=keys.device,
        count=drives,
        chunklet=DEFAULT_CHUNKLET,  # in name only: the allocator has the members' size
        sparing="distributed",
        failure=failing_drives(cluster, keys, report),
        rebuild=RebuildKeys().model_copy(update=dict(recovery)),
        **{name: getattr(keys, name) for name in _OF_DRIVES if name in keys.model_fields_set},
    )


def _drives_by_domain(
    cluster: ResolvedCluster, placement: PlacementFigures, node_of_drive: list[int]
) -> dict[int, int]:
    """Drives of the pool that are there at the start, by failure domain."""
    there = {node for kind in cluster.nodes if kind.keys.joins is None for node in kind.numbers}
    found: dict[int, int] = {}
    for drive, node in enumerate(node_of_drive):
        if node in there:
            domain = {"drive": drive, "node": node, "rack": cluster.racks[node]}[
                placement.failure_domain or "node"
            ]
            found[domain] = found.get(domain, 0) + 1
    return found


def _domains(
    cluster: ResolvedCluster, placement: PlacementFigures, node_of_drive: list[int], report: Reporter
) -> None:
    """Report redundancy that needs more failure domains than there are at the start."""
    redundancy, domain = placement.redundancy, placement.failure_domain or "node"
    assert redundancy is not None
    count = len(_drives_by_domain(cluster, placement, node_of_drive))
    if count < redundancy.members:
        message = f"{redundancy.text} needs {redundancy.members} {domain}s, and there are {count}"
        narrower = {"rack": "node", "node": "drive"}.get(domain)
        hint = f"more {domain}s" + (f', or failure_domain = "{narrower}"' if narrower else "")
        report("infeasible", "failure_domain", message, hint)


def most_groups(room: list[int], members: int) -> int:
    """The most placement groups of ``members`` different domains that have ``room`` for so many members.

    ``n`` groups fit where the domains, each with ``n`` members at most, hold ``members * n``.
    """
    low, high = 0, sum(room) // members
    while low < high:
        groups = -(-(low + high) // 2)
        if sum(min(groups, one) for one in room) >= members * groups:
            low = groups
        else:
            high = groups - 1
    return low


def _allocator(
    keys: ClusterPoolKeys,
    placement: PlacementFigures,
    drive: tuple[int, int],
    domains: list[int],
    report: Reporter,
) -> PlacementAllocator | None:
    """Placement groups on drives of (bytes, sector bytes); ``domains``: drives of each. None: no room."""
    capacity, sector = drive
    redundancy = placement.redundancy
    assert redundancy is not None
    grid = max(sector, 4096)
    size = placement.object_size or 0
    data = redundancy.data if isinstance(redundancy, ErasureCode) else 1
    unit = -(-size // (data * grid)) * grid
    if isinstance(redundancy, Copies) and size % sector:
        message = f"{size} bytes are not a whole number of the drive's sectors of {sector} bytes"
        report("not-accepted", "object_size", message, "a power of two, such as 4MiB")
        return None
    each = placement.placement_groups or 1
    member = capacity // each // unit * unit
    if member < unit:
        message = (
            f"a member of a placement group has {format_bytes(capacity // each)}, less than a unit of an "
            f"object ({format_bytes(unit, binary=True)})"
        )
        report("out-of-range", "placement_groups", message, f"at most {capacity // unit}")
        return None
    each = capacity // member
    spare = -int(-each * (placement.reserve or 0.0) // 1)
    groups = most_groups([drives * (each - spare) for drives in domains], redundancy.members)
    if groups < 1:
        message = f"{spare} of {each} members of a drive are reserve: there is no room for a placement group"
        report("out-of-range", "reserve", message, "a smaller reserve")
        return None
    return PlacementAllocator(
        keys.name,
        groups * data * member,
        sector,
        redundancy=redundancy,
        member=member,
        unit=unit,
        each=each,
        spare=spare,
        groups=groups,
        small_write=keys.small_write,
    )
