"""What a pool makes of requests: operations of its sets of drives, by kind, and what a request waits for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from iowatt.evaluate.estimate import raid_work
from iowatt.evaluate.estimate.operations import How, Kind, Mix, Place, add_operations


@dataclass(frozen=True)
class Geometry:
    """A pool as its requests see it.

    ``level`` and ``width`` are those that requests are split by; ``sets`` stations of ``mirrored`` drives
    share the operations.
    """

    level: int
    width: int
    sets: int
    mirrored: int
    unit: int
    usable: int
    drives: int
    #: Whether its drives have arms.
    moving: bool

    @property
    def parity(self) -> int:
        """Parity units of a stripe."""
        return {4: 1, 5: 1, 6: 2}.get(self.level, 0)

    @classmethod
    def of(cls, pool: Mapping[str, Any], usable: int) -> Geometry:
        """Of a plan's pool."""
        raid, count = pool["raid"], pool["count"]
        moving = pool["device"]["kind"] == "hdd"
        spares = (pool["recovery"] or {}).get("spares", 0)
        level, unit = int(raid["level"]), raid["stripe_unit_bytes"]
        if level == 1:
            return cls(1, 1, 1, count, unit, usable, count + spares, moving)
        if level == 10:
            return cls(0, count // 2, count // 2, 2, unit, usable, count + spares, moving)
        return cls(level, count, count, 1, unit, usable, count + spares, moving)


@dataclass(frozen=True)
class RequestOperations:
    """What one request means: operations by kind, and the phases that it waits for.

    A phase: what its operations are, how often it occurs, how many of it are waited for together.
    """

    mix: Mix
    phases: tuple[tuple[How, float, float], ...]
    #: To drives, each copy of what is written among them.
    commands: float

    @property
    def together(self) -> float:
        """Operations, each times how many of them are asked together."""
        operations = sum(self.mix.values())
        counts = sum(times * abreast for _, times, abreast in self.phases)
        squares = sum(times * abreast**2 for _, times, abreast in self.phases)
        return operations * squares / counts if counts else 0.0


def request_operations(
    geometry: Geometry, size: int, *, write: bool, places: Sequence[tuple[Place, float]], step: int | None
) -> RequestOperations:
    """The mean request of ``size`` bytes; ``places`` and their shares on each drive."""
    if geometry.level == 1:
        work = raid_work.raid_work(0, 1, 1 << 40, size, write=write)
    else:
        work = raid_work.raid_work(
            geometry.level, geometry.width, geometry.unit, size, write=write, step=step
        )
    mix: Mix = {}
    for how, count, bytes_ in _kinds(geometry, work):
        for place, share in places:
            add_operations(mix, Kind(how, round(bytes_), place), share * count)
    return RequestOperations(mix, _phases(work, write), work.reads + work.writes * geometry.mirrored)


def _phases(work: raid_work.RaidWork, write: bool) -> tuple[tuple[How, float, float], ...]:
    if not write:
        return (("read", 1.0, max(1.0, work.reads)),)
    before = work.phases - 1  # how often there is something to read first
    if before <= 0:
        return (("write", 1.0, max(1.0, work.writes)),)
    updates, others = work.updates[0], work.plain_writes[0]
    if updates > others:
        whole: tuple[tuple[How, float, float], ...] = (("update", before, max(1.0, updates / before)),)
        return whole if before == 1 else (*whole, ("write", 1 - before, max(1.0, others / (1 - before))))
    return (("read", before, max(1.0, work.reads / before)), ("write", 1.0, max(1.0, work.writes)))


def _kinds(geometry: Geometry, work: raid_work.RaidWork) -> list[tuple[How, float, float]]:
    """Operations of a request: what they are, how many, bytes of each.

    On a disk an operation right behind another of the same request is one with it: it needs no seek.
    """
    (reads, read_bytes), (writes, write_bytes) = work.plain_reads, work.plain_writes
    updates, update_bytes = work.updates
    if work.behind and geometry.moving:
        # The other operation of each pair is one of a full stripe, a write.
        pairs = min(work.behind, writes)
        of_reads = min(pairs, reads)
        of_writes = min(pairs - of_reads, (writes - pairs) if writes > pairs else 0.0)
        joined = of_reads + of_writes
        if joined:
            total = of_reads * (read_bytes + write_bytes) + of_writes * 2 * write_bytes
            rest = max(0.0, writes - joined - of_writes)
            write_bytes = (total + rest * write_bytes) / (joined + rest)
            reads, writes = reads - of_reads, joined + rest
    return [
        ("read", reads, read_bytes),
        ("write", max(0.0, writes), write_bytes),
        ("update", updates, update_bytes),
    ]
