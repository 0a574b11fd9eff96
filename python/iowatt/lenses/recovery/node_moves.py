"""Nodes that joined or left: how much of their data moved, at what rate, and how long the rest takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from iowatt.model.raid import data_drives, level_of

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

Way = Literal["joined", "left"]

_ALL: Final = 1.0


@dataclass(frozen=True)
class NodeMove:
    """Nodes that joined, or began to leave, at one time, and the members of one pool that move for it.

    Times are seconds from the start of the Run; ``planned_bytes`` is what all ``members`` hold.
    """

    nodes: Sequence[str]
    way: Way
    pool: str
    at_s: float
    finished_s: float | None
    end_s: float
    members: int
    moved: int
    moved_bytes: int
    planned_bytes: int

    @property
    def share(self) -> float | None:
        """Moved share of the bytes to move; None where there are none."""
        if self.finished_s is not None:
            return _ALL
        return min(_ALL, self.moved_bytes / self.planned_bytes) if self.planned_bytes else None

    @property
    def bytes_per_s(self) -> float | None:
        """Mean rate of moving; None where it took no time."""
        took = (self.end_s if self.finished_s is None else self.finished_s) - self.at_s
        return self.moved_bytes / took if took > 0 else None

    @property
    def left_s(self) -> float | None:
        """Time that the rest takes at the mean rate so far; None where finished or without a rate."""
        if self.finished_s is not None or not self.bytes_per_s:
            return None
        return max(0, self.planned_bytes - self.moved_bytes) / self.bytes_per_s


def moves(run: Run) -> list[NodeMove]:
    """Moves of each pool by time and way, in order of time."""
    simulation = run.plan.get("simulation") or {}
    end_s = float(run.summary["window"]["end_s"])
    groups: dict[tuple[str, float, Way], list[Mapping[str, Any]]] = {}
    held: dict[str, int] = {}
    told, plans = run.summary.get("clusters") or (), simulation.get("clusters") or ()
    for cluster, plan in zip(told, plans, strict=False):
        names = [node["name"] for node in cluster["nodes"]]
        for pool, planned in zip(cluster["pools"], plan["pools"], strict=False):
            held[pool["name"]] = _held(simulation, planned["pool"])
            for move in pool["moves"]:
                node = plan["nodes"][names.index(move["node"])]
                way: Way = "joined" if node.get("joins_at_s") is not None else "left"
                groups.setdefault((pool["name"], move["at_s"], way), []).append(move)
    found = [
        _together(pool, at, way, rows, held=held[pool], end_s=end_s)
        for (pool, at, way), rows in groups.items()
    ]
    return sorted(found, key=lambda one: one.at_s)


def _together(
    pool: str, at: float, way: Way, rows: Sequence[Mapping[str, Any]], *, held: int, end_s: float
) -> NodeMove:
    finished = [row["finished_s"] for row in rows if row["finished_s"] is not None]
    members = sum(row["members"] for row in rows)
    return NodeMove(
        nodes=[row["node"] for row in rows],
        way=way,
        pool=pool,
        at_s=at,
        finished_s=max(finished) if len(finished) == len(rows) else None,
        end_s=end_s,
        members=members,
        moved=sum(row["moved"] for row in rows),
        moved_bytes=sum(row["moved_bytes"] for row in rows),
        planned_bytes=members * held,
    )


def _held(simulation: Mapping[str, Any], number: int) -> int:
    """Bytes that a member of a placement group of a pool holds of volumes: these lie evenly on all groups."""
    chunklets = simulation["pools"][number]["chunklets"]
    each = room = 0
    for region in chunklets["regions"]:
        (level, code), unit = level_of(region["raid"]), region["raid"]["stripe_unit_bytes"]
        each = chunklets["bytes"] // unit * unit
        room += region["sets"] * data_drives(level, region["set_size"], code) * each
    ends = [
        volume["offset_bytes"] + volume["capacity_bytes"]
        for volume in simulation["volumes"]
        if volume["pool"] == number
    ]
    return round(each * min(_ALL, max(ends, default=0) / room)) if room else 0
