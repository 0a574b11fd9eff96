"""The system of a scenario, resolved: pools with their drives, volumes with their addresses, problems."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from iowatt.base.problems import Problem, Reporter
from iowatt.base.results import Note
from iowatt.model.library import Disk
from iowatt.model.library.ssd import Ssd
from iowatt.model.parity_log import ParityLog
from iowatt.model.raid import Level
from iowatt.model.scenario.chunklets import ChunkletAllocator
from iowatt.model.scenario.keys.array import Pool
from iowatt.model.scenario.keys.replication import ReplicationKeys
from iowatt.model.scenario.virtual.scheme import VolumeRange
from iowatt.model.scenario.virtual_pool import ResolvedVirtualPool

if TYPE_CHECKING:
    from iowatt.model.power import ArrayPlan
    from iowatt.model.scenario.resolved_cluster import PlacementAllocator, ResolvedCluster
    from iowatt.model.scenario.resolved_library import ResolvedLibrary
    from iowatt.model.scenario.synthetic import Synthetic


@dataclass(frozen=True)
class ResolvedPool:
    """A pool with its drive; ``level`` and ``stripe_unit`` are those of the plan."""

    pool: Pool
    drive: Disk | Ssd
    level: Level
    stripe_unit: int
    usable_bytes: int
    chunklets: ChunkletAllocator | PlacementAllocator | None = None
    #: ``RaidPlan`` of iowatt-sim where it is not that of the keys: of a cluster's pool.
    raid_plan: Mapping[str, Any] | None = None
    #: Of a pool of whole drives that logs parity updates.
    parity_log: ParityLog | None = None

    @property
    def joined(self) -> bool:
        """Whether the pool joins drives, and is not a single drive."""
        return self.pool.raid is not None or self.chunklets is not None

    @property
    def scheduler(self) -> str:
        """Order in which a drive is handed its requests."""
        return "fcfs" if isinstance(self.drive, Ssd) else self.pool.scheduler

    @property
    def queue_depth(self) -> int:
        """Most commands outstanding at a drive."""
        held = self.drive.command_queue.depth if isinstance(self.drive, Ssd) else None
        return self.pool.queue_depth or held or 1

    @property
    def drive_scheduler(self) -> str:
        """Order in which a drive serves the commands that it holds."""
        return self.pool.drive_scheduler or self.drive.command_queue.scheduler

    @property
    def raw_bytes(self) -> int:
        """Capacity of all drives together."""
        return self.pool.drives * self.drive.raw_bytes


@dataclass(frozen=True)
class PlacedVolume:
    """A volume's place in its pool, in bytes. Virtual pools are numbered behind pools."""

    name: str
    pool: int
    offset: int
    capacity: int
    #: ``VolumeQosPlan`` of iowatt-sim, where it has limits or a standing.
    qos: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class ResolvedPath:
    """A path: its part of the plan, of the plan's names, the workloads on it (indices), and remarks."""

    plan: dict[str, Any]
    names: dict[str, Any]
    workloads: tuple[int, ...]
    notes: tuple[Note, ...]


@dataclass
class Paths:
    """All paths of a scenario; complete only where ``problems`` is empty."""

    resolved: list[ResolvedPath]
    problems: list[Problem]
    #: Those that replications go by, by name; no workload does.
    replicating: dict[str, ResolvedPath] = field(default_factory=dict)

    def of_workload(self, index: int) -> int | None:
        """The path that a workload goes by."""
        return next((i for i, path in enumerate(self.resolved) if index in path.workloads), None)


@dataclass(frozen=True)
class ResolvedReplication:
    """A replication with its part of the plan, and its path."""

    keys: ReplicationKeys
    plan: dict[str, Any]
    path: ResolvedPath

    def names(self) -> dict[str, Any]:
        """Its part of the plan's names."""
        return {
            "name": self.keys.name,
            "mode": self.keys.mode.name,
            "volumes": self.keys.volumes,
            "copies": self.keys.copies,
            "path": self.path.names,
        }


@dataclass
class ResolvedSystem:
    """All that a plan is compiled from; indices are positions in these lists."""

    pools: list[ResolvedPool] = field(default_factory=list)
    virtual_pools: list[ResolvedVirtualPool] = field(default_factory=list)
    libraries: list[ResolvedLibrary] = field(default_factory=list)
    clusters: list[ResolvedCluster] = field(default_factory=list)
    volumes: list[PlacedVolume] = field(default_factory=list)
    volume_of_workload: list[int] = field(default_factory=list)
    bus_of_drive: list[list[int]] = field(default_factory=list)
    synthetic: dict[int, Synthetic] = field(default_factory=dict)
    power: ArrayPlan | None = None
    paths: Paths = field(default_factory=lambda: Paths([], []))
    replications: list[ResolvedReplication] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    #: Values that are accepted and unusual.
    warnings: list[Problem] = field(default_factory=list)

    @property
    def report(self) -> Reporter:
        """Adds to ``problems``."""
        return Reporter((), self.problems)

    def note(self, code: str, text: str, *, decides: bool = False) -> None:
        """Keep what a reader of the figures must know."""
        self.notes.append(Note(code=code, text=text, decides=decides))

    @property
    def space_names(self) -> list[str]:
        """Names of pools and, behind them, virtual pools and libraries: what volumes lie on."""
        pools = [*(p.pool.name for p in self.pools), *(v.scheme.name for v in self.virtual_pools)]
        return [*pools, *(library.keys.name for library in self.libraries)]

    def volumes_on(self, space: int) -> list[VolumeRange]:
        """The volumes on a pool or virtual pool, by its number."""
        return [VolumeRange(v.name, v.offset, v.capacity) for v in self.volumes if v.pool == space]


def usable_and_effective(
    pools: Sequence[int],
    virtual: Sequence[Mapping[str, Any]],
    carrying: Collection[int],
    kept: Sequence[int] = (),
    libraries: Sequence[Mapping[str, Any]] = (),
) -> tuple[int, int]:
    """Usable bytes of what carries a volume, and effective bytes, after capacity optimisation.

    A virtual pool counts instead of its parts. ``pools`` are bytes after redundancy, ``virtual`` the
    ``ResolvedVirtualPool.names``; ``carrying`` are numbers of pools and, behind them, virtual pools. ``kept``
    are the bytes of each virtual pool that snapshots keep. ``libraries`` are the names of a plan.
    """
    usable = sum(size for number, size in enumerate(pools) if number in carrying)
    effective = float(usable)
    for number, one in enumerate(virtual):
        if number + len(pools) not in carrying:
            continue
        offered = one.get("usable_bytes", one["capacity_bytes"])
        usable += offered
        left = offered - (kept[number] if kept else 0)
        effective += left * one.get("capacity_factor", 1.0)
    for number, library in enumerate(libraries, len(pools) + len(virtual)):
        if number in carrying:
            usable += library["raw_bytes"]
            effective += library["capacity_bytes"]
    return usable, round(effective)
