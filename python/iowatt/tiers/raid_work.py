"""What a RAID level makes of one request: operations of drives, and their size.

The rules are those of the simulator's pool (docs/models/raid.md): a full stripe is written without reads; any
other write of a parity level reads old data and parity, or the data that stays, whichever is less.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from iowatt.scenario.raid import data_drives

_PLACES = 512


@dataclass(frozen=True)
class Work:
    """Mean operations of drives for one request, their bytes, and what it waits for.

    ``phases`` are operations one after another, ``abreast`` how many of a phase are waited for together.
    """

    reads: float
    writes: float
    bytes: float
    phases: float
    abreast: float

    @property
    def operations(self) -> float:
        """All of them."""
        return self.reads + self.writes


def of_request(level: int, count: int, stripe_unit: int, size: float, *, write: bool) -> Work:
    """The mean over where a request may begin, aligned to the largest power of two within its size.

    Parameters
    ----------
    size
        Bytes of the request, taken to the next whole 4 KiB (512 bytes where it is smaller).
    """
    unit = 4096 if size >= 4096 else 512
    size = max(unit, round(size / unit) * unit)
    if level == 1:
        copies = count if write else 1
        return Work(0.0 if write else 1.0, float(copies if write else 0), float(size), 1.0, float(copies))
    step = 1 << (size.bit_length() - 1)
    data = data_drives(level, count)
    stripe = data * stripe_unit
    # Starts repeat with stripes; where that takes long, some hundreds of them spread over a stripe do.
    number = min(math.lcm(stripe, step) // step, _PLACES)
    starts = [(at * step) % stripe for at in range(number)]
    total = [0.0, 0.0, 0.0, 0.0, 0.0]
    for start in starts:
        for at, value in enumerate(_at(level, data, stripe_unit, start, size=size, write=write)):
            total[at] += value
    reads, writes, moved, phases, abreast = (value / len(starts) for value in total)
    return Work(reads, writes, moved / max(reads + writes, 1e-9), phases, abreast)


def _at(
    level: int, data: int, unit: int, start: int, *, size: int, write: bool
) -> tuple[float, float, float, float, float]:
    """Reads, writes, bytes moved, phases and operations abreast of a request at one place.

    Units that follow one another on a drive are one operation, so that a request without old data to read has
    no more of them than there are drives.
    """
    parity = {4: 1, 5: 1, 6: 2}.get(level, 0)
    copies = 2 if level == 10 and write else 1
    end = start + size
    units = (end - 1) // unit - start // unit + 1
    if not write or not parity:
        drives = data + parity
        plain = float(min(units, drives) * copies)
        moved = float(size * copies)
        return (0.0, plain, moved, 1.0, plain) if write else (plain, 0.0, moved, 1.0, plain)
    stripe = data * unit
    first_full, last_full = -(-start // stripe), end // stripe
    full = max(0, last_full - first_full)
    reads, writes, phases = 0.0, float(data + parity if full else 0), 1.0
    moved = float(full * (data + parity) * unit)
    for low, high in _rests(start, end, stripe, full):
        touched = (high - 1) // unit - low // unit + 1
        hull = unit if touched > 1 else high - low
        edges = float((low % unit > 0) + (high % unit > 0)) if touched > 1 else 0.0
        before = min(float(touched + parity), data - touched + edges)
        reads, writes, phases = reads + before, writes + touched + parity, 2.0
        moved += before * hull + (high - low) + parity * hull
    return reads, writes, moved, phases, max(1.0, (reads + writes) / phases)


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
