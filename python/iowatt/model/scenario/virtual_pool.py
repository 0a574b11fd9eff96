"""Virtual pools: address spaces that a scheme makes of ranges of pools, and where those ranges lie."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from iowatt.base.problems import KeyPath, Reporter, suggestion
from iowatt.base.results import Note
from iowatt.model.scenario.virtual.scheme import PlacedRange, PoolRange, Scheme, VolumeRange, sector_bytes


@dataclass(frozen=True)
class ResolvedVirtualPool:
    """A virtual pool with its parts in their places."""

    scheme: Scheme
    parts: tuple[PlacedRange, ...]

    @property
    def capacity_bytes(self) -> int:
        """What it offers to volumes."""
        return self.scheme.capacity_bytes(self.parts)

    @property
    def sector_bytes(self) -> int:
        """The unit of its addresses."""
        return sector_bytes(self.parts)

    def plan(self, volumes: Sequence[VolumeRange] = ()) -> dict[str, Any]:
        """Its part of the plan (``VirtualPoolPlan`` of iowatt-sim), with ``volumes`` on it."""
        return {
            "parts": [
                {"pool": part.pool, "offset_bytes": part.offset, "capacity_bytes": part.capacity}
                for part in self.parts
            ],
            "scheme": self.scheme.plan(self.parts, volumes),
        }

    def names(self) -> dict[str, Any]:
        """What results call it and its parts."""
        return {
            "name": self.scheme.name,
            "scheme": self.scheme.scheme,  # type: ignore[attr-defined]  # every scheme has its tag
            "capacity_bytes": self.capacity_bytes,
            "parts": [{"name": part.label, "pool": part.pool_name} for part in self.parts],
            **self.scheme.space(self.parts),
        }


@dataclass
class Allocator:
    """Gives out the bytes of a pool or virtual pool, front to back; ``rest_taken_by`` took what was left.

    ``zone_bytes`` and ``solid`` are those of :class:`PlacedRange`.
    """

    name: str
    usable_bytes: int
    sector_bytes: int
    used: int = 0
    rest_taken_by: str | None = None
    zone_bytes: int | None = None
    solid: bool = False

    @property
    def whole_bytes(self) -> int:
        """Its bytes in whole sectors."""
        return self.sectors(self.usable_bytes)

    @property
    def free_bytes(self) -> int:
        """Bytes that are not taken."""
        return self.whole_bytes - self.used

    def sectors(self, size: int) -> int:
        """``size`` rounded down to whole sectors."""
        return size // self.sector_bytes * self.sector_bytes

    def allocate(self, capacity: int | None, user: str, report: Reporter) -> tuple[int, int] | None:
        """Offset and bytes of the next ``capacity`` bytes for ``user``, a volume or a part.

        ``None`` takes all that is left. Where they cannot be had, the reason is reported.
        """
        left = f"{self.free_bytes} of the {self.usable_bytes} usable bytes of pool {self.name!r} are left"
        size = self.size(capacity, self.free_bytes, left, user, report)
        if size is None:
            return None
        self.used += size
        return self.used - size, size

    def size(
        self, capacity: int | None, free_bytes: int, left: str, user: str, report: Reporter
    ) -> int | None:
        """Bytes that ``user`` gets of ``free_bytes`` ones; ``left`` says what is left, for the problem."""
        if self.rest_taken_by is not None:
            message = f"{self.rest_taken_by} already takes the rest of pool {self.name!r}"
            report("conflict", "", message, f"give {self.rest_taken_by} a capacity, or put it last")
            return None
        if capacity is None:
            self.rest_taken_by = user
            if free_bytes > 0:
                return free_bytes
            report("infeasible", "pool", f"no room for it: {left}")
            return None
        size = self.sectors(capacity)
        if 0 < size <= free_bytes:
            return size
        hint = "leave capacity out to take what is left" if free_bytes > 0 else None
        report("out-of-range", "capacity", f"{capacity} bytes do not fit: {left}", hint)
        return None


def resolve_virtual_pools(
    schemes: Sequence[Scheme],
    allocators: Sequence[Allocator],
    report: Reporter,
    faulty_pools: Collection[int | str] = (),
) -> tuple[list[ResolvedVirtualPool], list[Note]]:
    """The virtual pools with their parts placed on pools, but those with problems; and notes.

    ``allocators`` are those of the pools in their order; ``faulty_pools`` (by index) have other problems, so
    that their sizes mean nothing.
    """
    resolved: list[ResolvedVirtualPool] = []
    notes: list[Note] = []
    pools = [allocator.name for allocator in allocators]
    virtual = [scheme.name for scheme in schemes]
    for index, scheme in enumerate(schemes):
        here = report.at(f"{index}")
        if scheme.name in pools:
            message = f"the name {scheme.name!r} is taken by a pool"
            here("duplicate", "name", message, "give each a name of its own")
        before = len(report.problems)
        repeated = _repeated(scheme, here)
        placed: list[PlacedRange] = []
        for place, label, part in scheme.parts():
            if place in repeated or not _is_pool(part, pools, virtual, here.at(place)):
                continue
            pool = pools.index(part.pool)
            user = f"part {label!r} of {scheme.name!r}"
            taken = allocators[pool].allocate(part.capacity, user, here.at(place))
            if taken is not None and pool not in faulty_pools:
                of = allocators[pool]
                given = PlacedRange(label, pool, part.pool, *taken, of.sector_bytes, of.zone_bytes, of.solid)
                placed.append(given)
        if len(placed) == len(scheme.parts()):
            scheme.check(placed, here)
            if len(report.problems) == before:
                resolved.append(ResolvedVirtualPool(scheme, tuple(placed)))
                notes.extend(note.about(f"virtual pool {scheme.name!r}") for note in scheme.notes(placed))
    return resolved, notes


def _repeated(scheme: Scheme, report: Reporter) -> set[KeyPath]:
    """Places of parts on a pool that has another part: the drives would work against themselves."""
    pools: set[str] = set()
    repeated: set[KeyPath] = set()
    for place, _, part in scheme.parts():
        if part.pool in pools:
            message = f"pool {part.pool!r} is already a part of {scheme.name!r}"
            hint = "the parts of a virtual pool lie on different pools"
            report("duplicate", (*place, "pool"), message, hint)
            repeated.add(place)
        pools.add(part.pool)
    return repeated


def _is_pool(part: PoolRange, pools: Sequence[str], virtual: Sequence[str], report: Reporter) -> bool:
    if part.pool in pools:
        return True
    if part.pool in virtual:
        message = f"{part.pool!r} is a virtual pool; parts are ranges of pools of drives"
        report("wrong-kind", "pool", message, f"pools: {', '.join(pools)}")
    else:
        hint = suggestion(part.pool, pools, "pools")
        report("unknown-name", "pool", f"there is no pool {part.pool!r}", hint)
    return False
