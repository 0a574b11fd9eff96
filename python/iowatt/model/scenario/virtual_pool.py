"""Virtual pools: address spaces that a scheme makes of ranges of pools, and where those ranges lie."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from iowatt.base.problems import KeyPath, Problem, suggestion
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
            "scheme": self.scheme.plan_with(self.parts, volumes),
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
class Room:
    """What of a pool (or virtual pool) is taken, front to back; ``rest_by`` took what was left."""

    name: str
    usable_bytes: int
    sector_bytes: int
    used: int = 0
    rest_by: str | None = None

    @property
    def whole(self) -> int:
        """Its bytes in whole sectors."""
        return self.sectors(self.usable_bytes)

    @property
    def free(self) -> int:
        """What is left."""
        return self.whole - self.used

    def sectors(self, size: int) -> int:
        """``size`` rounded down to whole sectors."""
        return size // self.sector_bytes * self.sector_bytes

    def take(
        self, capacity: int | None, who: str, path: KeyPath
    ) -> tuple[tuple[int, int] | None, Problem | None]:
        """The next ``capacity`` bytes (all that is left where None) for ``who``, a volume or a part.

        Returns
        -------
        tuple
            Offset and bytes; or what is wrong.
        """
        if self.rest_by is not None:
            message = f"{self.rest_by} already takes the rest of pool {self.name!r}"
            return None, Problem("conflict", path, message, f"give {self.rest_by} a capacity, or put it last")
        left = f"{self.free} of the {self.usable_bytes} usable bytes of pool {self.name!r} are left"
        if capacity is None:
            self.rest_by = who
            if self.free <= 0:
                return None, Problem("infeasible", (*path, "pool"), f"no room for it: {left}")
            size = self.free
        else:
            size = self.sectors(capacity)
            if not 0 < size <= self.free:
                hint = "leave capacity out to take what is left" if self.free > 0 else None
                return None, Problem(
                    "out-of-range", (*path, "capacity"), f"{capacity} bytes do not fit: {left}", hint
                )
        offset = self.used
        self.used += size
        return (offset, size), None


def resolve_virtual_pools(
    given: Sequence[Scheme], rooms: Sequence[Room], broken: Collection[int | str] = ()
) -> tuple[list[ResolvedVirtualPool], list[Problem], list[Note]]:
    """Place the parts of ``given`` on pools.

    Parameters
    ----------
    given:
        The virtual pools of a scenario.
    rooms:
        The pools in their order; what parts take is marked in them.
    broken:
        Pools of which something else is wrong: their sizes mean nothing.

    Returns
    -------
    tuple
        Virtual pools (all of them only where there are no problems), problems, notes.
    """
    found: list[ResolvedVirtualPool] = []
    problems: list[Problem] = []
    notes: list[Note] = []
    pools = [room.name for room in rooms]
    virtual = [scheme.name for scheme in given]
    for index, scheme in enumerate(given):
        path: KeyPath = ("array", "virtual_pool", index)
        if scheme.name in pools:
            message = f"the name {scheme.name!r} is taken by a pool"
            problems.append(Problem("duplicate", (*path, "name"), message, "give each a name of its own"))
        placed: list[PlacedRange] = []
        wrong = _twice(scheme, path)
        again = {problem.path for problem in wrong if problem is not None}
        for place, label, part in scheme.parts():
            if (*path, *place, "pool") in again:
                continue
            at, problem = _place(part, f"part {label!r} of {scheme.name!r}", (*path, *place), rooms, virtual)
            if problem is not None:
                wrong.append(problem)
            elif at is not None and at[0] in broken:
                wrong.append(None)
            elif at is not None:
                pool, offset, size = at
                sector = rooms[pool].sector_bytes
                placed.append(PlacedRange(label, pool, pools[pool], offset, size, sector))
        if not wrong:
            within = scheme.problems(placed)
            wrong.extend(Problem(p.code, (*path, *p.path), p.message, p.hint) for p in within)
        problems.extend(problem for problem in wrong if problem is not None)
        if not wrong:
            found.append(ResolvedVirtualPool(scheme, tuple(placed)))
            notes.extend(note.about(f"virtual pool {scheme.name!r}") for note in scheme.notes(placed))
    return found, problems, notes


def _twice(scheme: Scheme, path: KeyPath) -> list[Problem | None]:
    """A virtual pool of two parts of one pool: the drives would work against themselves."""
    parts = scheme.parts()
    counts = Counter(part.pool for _, _, part in parts)
    seen: set[str] = set()
    problems: list[Problem | None] = []
    for place, _, part in parts:
        if counts[part.pool] > 1 and part.pool in seen:
            message = f"pool {part.pool!r} is already a part of {scheme.name!r}"
            hint = "the parts of a virtual pool lie on different pools"
            problems.append(Problem("duplicate", (*path, *place, "pool"), message, hint))
        seen.add(part.pool)
    return problems


def _place(
    part: PoolRange, who: str, path: KeyPath, rooms: Sequence[Room], virtual: Sequence[str]
) -> tuple[tuple[int, int, int] | None, Problem | None]:
    """Pool, offset and bytes of a part, which are then taken; what is wrong where they are not there."""
    pools = [room.name for room in rooms]
    if part.pool not in pools:
        if part.pool in virtual:
            message = f"{part.pool!r} is a virtual pool; parts are ranges of pools of drives"
            return None, Problem("wrong-kind", (*path, "pool"), message, f"pools: {', '.join(pools)}")
        hint = suggestion(part.pool, pools, "pools")
        return None, Problem("unknown-name", (*path, "pool"), f"there is no pool {part.pool!r}", hint)
    at = pools.index(part.pool)
    taken, problem = rooms[at].take(part.capacity, who, path)
    return None if taken is None else (at, *taken), problem
