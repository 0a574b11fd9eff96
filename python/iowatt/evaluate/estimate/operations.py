"""Operations of drives: what a pool makes of requests, and what a request waits for.

The rules are those of the simulator's pool (docs/models/raid.md): a full stripe is written without reads; any
other write of a parity level reads old data and parity, or the data that stays, whichever is less.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from iowatt.model.erasure_code import Code
from iowatt.model.raid import Level, data_drives, level_of, parity_units

How = Literal["read", "write", "update"]


@dataclass(frozen=True)
class AccessRange:
    """Where operations fall on a drive: uniformly within a range, given in shares of the drive.

    ``cursors`` > 0: sequentially, in that many concurrent streams. ``sweep``: in ascending order.
    """

    first: float = 0.0
    last: float = 1.0
    cursors: int = 0
    sweep: bool = False


@dataclass(frozen=True)
class OperationKind:
    """Like operations: an ``update`` reads and then writes the same place, and counts as two."""

    how: How
    bytes: int
    place: AccessRange

    @property
    def commands(self) -> int:
        """Commands of a drive for one."""
        return 2 if self.how == "update" else 1


#: Operations by kind, for one request or a second.
Mix = dict[OperationKind, float]


def add_operations(mix: Mix, kind: OperationKind, count: float) -> None:
    """Count more of a kind."""
    if count > 0:
        mix[kind] = mix.get(kind, 0.0) + count


def count_commands(mix: Mix) -> float:
    """Commands of drives in a mix."""
    return sum(count * kind.commands for kind, count in mix.items())


_PLACES = 512


@dataclass(frozen=True)
class RaidWork:
    """Mean operations of drives for one request, their bytes, and what it waits for.

    ``phases`` are operations one after another, ``abreast`` how many of a phase are waited for together.
    """

    reads: float
    writes: float
    bytes: float
    phases: float
    abreast: float
    #: (operations, bytes of each) that only read, only write, and read then write the same place.
    plain_reads: tuple[float, float] = (0.0, 0.0)
    plain_writes: tuple[float, float] = (0.0, 0.0)
    updates: tuple[float, float] = (0.0, 0.0)
    #: Operations that come right behind another of the same request on the same drive.
    behind: float = 0.0

    @property
    def operations(self) -> float:
        """All of them."""
        return self.reads + self.writes


@lru_cache(maxsize=16384)
def raid_work(
    level: Level,
    count: int,
    stripe_unit: int,
    size: float,
    *,
    write: bool,
    step: int | None = None,
    code: Code | None = None,
) -> RaidWork:
    """The mean over where a request may begin.

    Args:
        code: The erasure code of level ``ec``.
        size: Bytes of the request, taken to the next whole 4 KiB (512 bytes where it is smaller).
        step: Its start is a multiple of this, in bytes; None: of the largest power of two within its size.
    """
    unit = 4096 if size >= 4096 else 512
    size = max(unit, round(size / unit) * unit)
    if level == 1:
        copies = count if write else 1
        whole, none = (float(copies), float(size)), (0.0, 0.0)
        read, written = (none, whole) if write else (whole, none)
        return RaidWork(read[0], written[0], float(size), 1.0, float(copies), read, written)
    step = step or 1 << (size.bit_length() - 1)
    data = data_drives(level, count, code)
    stripe = data * stripe_unit
    # Starts repeat with stripes; where that takes long, some hundreds of them spread over a stripe do.
    number = min(math.lcm(stripe, step) // step, _PLACES)
    starts = [(at * step) % stripe for at in range(number)]
    if size <= stripe_unit and stripe_unit % step == 0 and step % size == 0:
        starts = [0]  # it never crosses the border of a unit
    total = [0.0] * 9
    for start in starts:
        for at, value in enumerate(_at(level, data, stripe_unit, start, size=size, write=write, code=code)):
            total[at] += value
    plain_reads, read_bytes, plain_writes, write_bytes, updates, update_bytes, phases, abreast, behind = (
        value / len(starts) for value in total
    )
    reads, writes = plain_reads + updates, plain_writes + updates
    moved = read_bytes + write_bytes + 2 * update_bytes
    return RaidWork(
        reads,
        writes,
        moved / max(reads + writes, 1e-9),
        phases,
        abreast,
        _each(plain_reads, read_bytes),
        _each(plain_writes, write_bytes),
        _each(updates, update_bytes),
        behind,
    )


def _each(count: float, bytes_: float) -> tuple[float, float]:
    return count, bytes_ / count if count else 0.0


def _at(
    level: Level, data: int, unit: int, start: int, *, size: int, write: bool, code: Code | None
) -> tuple[float, ...]:
    """Plain reads, plain writes and updates (each with its bytes), phases, operations abreast and those
    behind others, at one place.

    Units that follow one another on a drive are one operation, so that a request without old data to read has
    no more of them than there are drives. An update reads and then writes the same place; its bytes count
    once.
    """
    parity = parity_units(level, code)
    copies = 2 if level == 10 and write else 1
    end = start + size
    units = (end - 1) // unit - start // unit + 1
    if not write or not parity:
        plain, moved = float(min(units, data + parity) * copies), float(size * copies)
        if write:
            return (0.0, 0.0, plain, moved, 0.0, 0.0, 1.0, plain, 0.0)
        return (plain, moved, 0.0, 0.0, 0.0, 0.0, 1.0, plain, 0.0)
    stripe = data * unit
    first_full, last_full = -(-start // stripe), end // stripe
    full = max(0, last_full - first_full)
    reads = read_bytes = updates = update_bytes = 0.0
    writes, phases = float(data + parity if full else 0), 1.0
    write_bytes = float(full * (data + parity) * unit)
    for low, high in _rests(start, end, stripe, full):
        touched = (high - 1) // unit - low // unit + 1
        hull = unit if touched > 1 else high - low
        edges = float((low % unit > 0) + (high % unit > 0)) if touched > 1 else 0.0
        phases = 2.0
        covering, parity_bytes = _covering((low % stripe, (high - 1) % stripe + 1), unit, hull, parity, code)
        new = (high - low) + parity_bytes
        if touched + covering <= data - touched + edges:
            # Read-modify-write: the old data and parity are read where the new is written.
            updates, update_bytes = updates + touched + covering, update_bytes + new
        else:
            other = data - touched + edges
            reads, read_bytes = reads + other, read_bytes + other * hull
            writes, write_bytes = writes + touched + covering, write_bytes + new
    abreast = max(1.0, (reads + writes + 2 * updates) / phases)
    others = reads + writes + updates - (data + parity if full else 0)
    behind = min(others, float(data + parity)) if full else 0.0
    return (reads, read_bytes, writes, write_bytes, updates, update_bytes, phases, abreast, behind)


def _covering(
    written: tuple[int, int], unit: int, hull: int, parity: int, code: Code | None
) -> tuple[int, float]:
    """Parity units that a write changes, and bytes of them.

    ``written`` is from and up to which byte of a stripe. The parity of a group covers what the write touches
    of the group, as that of a stripe does of the stripe.
    """
    if code is None or not code.local_groups:
        return parity, parity * hull
    (low, high), size, moved = written, code.group * unit, float(code.parity * hull)
    groups = range(low // size, (high - 1) // size + 1)
    for group in groups:
        first, end = max(low, group * size), min(high, (group + 1) * size)
        moved += unit if (end - 1) // unit > first // unit else end - first
    return code.parity + len(groups), moved


def _rests(start: int, end: int, stripe: int, full: int) -> list[tuple[int, int]]:
    """The parts of a write in stripes that it does not fill."""
    first_full = -(-start // stripe) * stripe
    if not full:
        # Within one stripe, or over the border of two.
        return (
            [(start, end)]
            if first_full >= end or start == first_full
            else [(start, first_full), (first_full, end)]
        )
    last_full = end // stripe * stripe
    return [part for part in ((start, first_full), (last_full, end)) if part[0] < part[1]]


@dataclass(frozen=True)
class PoolGeometry:
    """A pool as its requests see it.

    ``level`` and ``width`` are those that requests are split by; ``sets`` stations of ``mirrored`` drives
    share the operations.
    """

    level: Level
    width: int
    sets: int
    mirrored: int
    unit: int
    usable: int
    drives: int
    #: Whether its drives have arms.
    moving: bool
    #: The erasure code of level ``ec``.
    code: Code | None = None

    @property
    def updated_parity(self) -> int:
        """Parity units that a small write updates."""
        return self.parity if self.code is None else self.code.covering(0, 0)

    @property
    def parity(self) -> int:
        """Parity units of a stripe."""
        return parity_units(self.level, self.code)

    @classmethod
    def of(cls, pool: Mapping[str, Any], usable: int) -> PoolGeometry:
        """The geometry of a plan's pool."""
        raid, count = pool["raid"], pool["count"]
        moving = pool["device"]["kind"] == "hdd"
        spares = (pool["recovery"] or {}).get("spares", 0)
        (level, code), unit = level_of(raid), raid["stripe_unit_bytes"]
        if level == 1:
            return cls(1, 1, 1, count, unit, usable, count + spares, moving)
        if level == 10:
            return cls(0, count // 2, count // 2, 2, unit, usable, count + spares, moving)
        return cls(level, count, count, 1, unit, usable, count + spares, moving, code)


@dataclass(frozen=True)
class RequestOperations:
    """Operations of one request by kind, and the phases that it waits for.

    A phase: its operations, how often it occurs, how many of them a request waits for together.
    """

    mix: Mix
    phases: tuple[tuple[How, float, float], ...]
    #: Commands to drives, those to each copy included.
    commands: float

    @property
    def together(self) -> float:
        """Operations, each times how many of them are asked together."""
        operations = sum(self.mix.values())
        counts = sum(times * abreast for _, times, abreast in self.phases)
        squares = sum(times * abreast**2 for _, times, abreast in self.phases)
        return operations * squares / counts if counts else 0.0


def request_operations(
    geometry: PoolGeometry,
    size: int,
    *,
    write: bool,
    places: Sequence[tuple[AccessRange, float]],
    step: int | None,
) -> RequestOperations:
    """The mean request of ``size`` bytes; ``places`` and their shares on each drive."""
    if geometry.level == 1:
        work = raid_work(0, 1, 1 << 40, size, write=write)
    else:
        work = raid_work(
            geometry.level, geometry.width, geometry.unit, size, write=write, step=step, code=geometry.code
        )
    mix: Mix = {}
    for how, count, bytes_ in _kinds(geometry, work):
        for place, share in places:
            add_operations(mix, OperationKind(how, round(bytes_), place), share * count)
    return RequestOperations(mix, _phases(work, write), work.reads + work.writes * geometry.mirrored)


def _phases(work: RaidWork, write: bool) -> tuple[tuple[How, float, float], ...]:
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


def _kinds(geometry: PoolGeometry, work: RaidWork) -> list[tuple[How, float, float]]:
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
