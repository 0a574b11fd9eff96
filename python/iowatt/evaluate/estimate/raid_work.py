"""What a RAID level makes of one request: operations of drives, and their size.

The rules are those of the simulator's pool (docs/models/raid.md): a full stripe is written without reads; any
other write of a parity level reads old data and parity, or the data that stays, whichever is less.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from iowatt.model.scenario.raid import data_drives

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
    #: (operations, bytes of each) of what is only read, only written, and read and then written where it was.
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
    level: int, count: int, stripe_unit: int, size: float, *, write: bool, step: int | None = None
) -> RaidWork:
    """The mean over where a request may begin.

    Parameters
    ----------
    size
        Bytes of the request, taken to the next whole 4 KiB (512 bytes where it is smaller).
    step
        What its start is a multiple of, in bytes; the largest power of two within its size where None.
    """
    unit = 4096 if size >= 4096 else 512
    size = max(unit, round(size / unit) * unit)
    if level == 1:
        copies = count if write else 1
        whole, none = (float(copies), float(size)), (0.0, 0.0)
        read, written = (none, whole) if write else (whole, none)
        return RaidWork(read[0], written[0], float(size), 1.0, float(copies), read, written)
    step = step or 1 << (size.bit_length() - 1)
    data = data_drives(level, count)
    stripe = data * stripe_unit
    # Starts repeat with stripes; where that takes long, some hundreds of them spread over a stripe do.
    number = min(math.lcm(stripe, step) // step, _PLACES)
    starts = [(at * step) % stripe for at in range(number)]
    if size <= stripe_unit and stripe_unit % step == 0 and step % size == 0:
        starts = [0]  # it never crosses the border of a unit
    total = [0.0] * 9
    for start in starts:
        for at, value in enumerate(_at(level, data, stripe_unit, start, size=size, write=write)):
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


def _at(level: int, data: int, unit: int, start: int, *, size: int, write: bool) -> tuple[float, ...]:
    """Plain reads, plain writes and updates (each with its bytes), phases, operations abreast and those
    behind others, at one place.

    Units that follow one another on a drive are one operation, so that a request without old data to read has
    no more of them than there are drives. An update reads and then writes the same place; its bytes count
    once.
    """
    parity = {4: 1, 5: 1, 6: 2}.get(level, 0)
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
        new = (high - low) + parity * hull
        if touched + parity <= data - touched + edges:
            # Read-modify-write: the old data and parity are read where the new is written.
            updates, update_bytes = updates + touched + parity, update_bytes + new
        else:
            other = data - touched + edges
            reads, read_bytes = reads + other, read_bytes + other * hull
            writes, write_bytes = writes + touched + parity, write_bytes + new
    abreast = max(1.0, (reads + writes + 2 * updates) / phases)
    others = reads + writes + updates - (data + parity if full else 0)
    behind = min(others, float(data + parity)) if full else 0.0
    return (reads, read_bytes, writes, write_bytes, updates, update_bytes, phases, abreast, behind)


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
