"""What a RAID level makes of one request: operations of drives, and their size.

The rules are those of the simulator's pool (docs/models/raid.md): a full stripe is written without reads; any other
write of a parity level reads old data and parity, or the data that stays, whichever is less.
"""

from __future__ import annotations

from dataclasses import dataclass

from iowatt.scenario.raid import data_drives


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
        Bytes of the request; more than a stripe is whole stripes and a rest.
    """
    size = max(1, round(size))
    if level == 1:
        copies = count if write else 1
        return Work(0.0 if write else 1.0, float(copies if write else 0), float(size), 1.0, float(copies))
    step = min(1 << (size.bit_length() - 1), stripe_unit)
    data = data_drives(level, count)
    stripe = data * stripe_unit
    # Stripes repeat, and so do starts within one.
    starts = range(0, stripe, max(step, stripe // 4096 // step * step or step))
    total = [0.0, 0.0, 0.0, 0.0, 0.0]
    for start in starts:
        for at, value in enumerate(_at(level, data, stripe_unit, start, size, write)):
            total[at] += value
    reads, writes, moved, phases, abreast = (value / len(starts) for value in total)
    return Work(reads, writes, moved / max(reads + writes, 1e-9), phases, abreast)


def _at(
    level: int, data: int, unit: int, start: int, size: int, write: bool
) -> tuple[float, float, float, float, float]:
    """Reads, writes, bytes moved, phases and operations abreast of a request at one place."""
    stripe = data * unit
    parity = {4: 1, 5: 1, 6: 2}.get(level, 0)
    copies = 2 if level == 10 and write else 1
    reads = writes = moved = 0.0
    phases = 1.0
    at, end = start, start + size
    # All stripes between the first and the last are full: their sum in one step.
    full = max(0, end // stripe - -(-at // stripe))
    parts = [(at, min(end, -(-(at + 1) // stripe) * stripe))] if at % stripe or not full else []
    if end % stripe and end // stripe * stripe > at:
        parts.append((end // stripe * stripe, end))
    if full:
        per = float((data + parity) if write else data) * copies
        writes, reads = (full * per, 0.0) if write else (0.0, full * per)
        moved = full * per * unit
        parts = [part for part in parts if part[1] - part[0] < stripe]
    for low, high in parts:
        units = (high - 1) // unit - low // unit + 1
        covered = float(high - low)
        if not write or not parity:
            writes, reads = (writes + units * copies, reads) if write else (writes, reads + units)
            moved += covered * copies
            continue
        hull = unit if units > 1 else high - low
        if units == data and covered == stripe:
            writes += data + parity
            moved += (data + parity) * unit
            continue
        edges = float((low % unit > 0) + (high % unit > 0)) if units > 1 else 0.0
        modify, rebuild = units + parity, data - units + edges
        before = min(float(modify), rebuild)
        reads, writes, phases = reads + before, writes + units + parity, 2.0
        moved += before * hull + covered + parity * hull
    operations = reads + writes
    return reads, writes, moved, phases, max(1.0, operations / phases)
