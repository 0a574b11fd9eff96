"""An address law as zones: parts of a range, each with a share of the requests and uniform inside.

The laws are those of crates/iowatt-workload/src/access: the hot band's curve is the table there (vdbench
5.04.06), the skew law is 1-(1-c)^k, Zipf's is a sum over ranks. Zones hold equal shares: the range is cut at
the quantiles.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from iowatt.model.profile.laws import Access, HotBand, Skew, Zipf
from iowatt.sources.export.loads import Op

# Cumulative probability at 16 kB x 2^row (unit 1000 bytes); the last segment ends at REACH_BYTES.
_CUMULATIVE: Final = (
    0.087217, 0.101010, 0.132206, 0.159946, 0.201713, 0.262602, 0.326450, 0.366902, 0.386175,
    0.436941, 0.482631, 0.523752, 0.560760, 0.594068, 0.624045, 0.651024, 0.675305, 0.697159,
    0.716827, 0.734528, 0.750459, 0.764797, 0.777701, 0.789314, 0.799767, 0.809174, 0.817640,
)  # fmt: skip
_FIRST_BYTES: Final = 16_000.0
REACH_BYTES: Final = 1.31322e12
# Ranks that Zipf's sum is taken over one by one; beyond, by its integral.
_RANKS: Final = 1 << 20

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class AddressZone:
    """A part of a range: bytes from its start on, and its weight."""

    weight: int
    start: int
    length: int


def hot_band_curve() -> list[tuple[float, float]]:
    """The corners of the hot band's curve: bytes from its start, and the share of requests before them."""
    ends = [_FIRST_BYTES * 2**row for row in range(len(_CUMULATIVE))]
    return [*zip(ends, _CUMULATIVE, strict=True), (REACH_BYTES, 1.0)]


def is_zoned(access: Access) -> bool:
    """Whether a law can be said in zones."""
    return isinstance(access, HotBand | Skew | Zipf)


def zones(
    access: Access, length: int, *, op: Op, size: float, unit: int, count: int, seed: int
) -> list[AddressZone]:
    """At most ``count`` zones of a law that ``is_zoned``, in the order of the range of ``length`` bytes.

    Parameters
    ----------
    op, size:
        Direction and mean bytes of the requests (a hot band's writes go 1 % of its records further).
    unit:
        What ends of zones are multiples of, in bytes; zones that would be smaller are joined, and their
        weights added.
    count:
        The sum of the weights.
    seed:
        Of the order in which zones lie, where the law scatters its extents.
    """
    ends, whole = _quantiles(access, length, op=op, size=size, count=count), length // unit
    cuts = np.clip(np.rint(ends / unit), 0, whole).astype(np.int64)
    found = [] if cuts[0] == 0 else [AddressZone(0, 0, int(cuts[0]) * unit)]
    taken = 0
    for begin, end in pairwise(np.unique(cuts).tolist()):
        # Of the quantiles that are rounded to this end, the nearest; at the last end, the last.
        at = np.flatnonzero(cuts == end)
        nearest = count if end == cuts[-1] else int(at[np.argmin(np.abs(ends[at] - end * unit))])
        found.append(AddressZone(nearest - taken, begin * unit, (end - begin) * unit))
        taken = nearest
    if getattr(access, "order", None) == "scattered":
        return _scattered(found, seed)
    return found


def _scattered(found: list[AddressZone], seed: int) -> list[AddressZone]:
    shuffled = list(found)
    random.Random(seed).shuffle(shuffled)
    at, placed = 0, []
    for zone in shuffled:
        placed.append(AddressZone(zone.weight, at, zone.length))
        at += zone.length
    return placed


def _quantiles(access: Access, length: int, *, op: Op, size: float, count: int) -> Floats:
    """The ``count`` + 1 places that cut the range into parts of equal shares."""
    q = np.linspace(0.0, 1.0, count + 1)
    if isinstance(access, Skew):
        return np.asarray(length * (1 - (1 - q) ** (1 / access.k)))
    if isinstance(access, Zipf):
        return _zipf(q, length, access.exponent, access.extent)
    edges, shares = hot_band(
        length, shift=int(length // max(1.0, size)) // 100 * size if op == "write" else 0.0
    )
    cumulative = np.concatenate([[0.0], np.cumsum(shares)])
    # From the first place that is used to the last.
    used = np.flatnonzero(shares > 0)
    first, last = int(used[0]), int(used[-1]) + 1
    scaled = cumulative / cumulative[-1]
    return np.interp(q, scaled[first : last + 1], edges[first : last + 1])


def hot_band(length: float, *, shift: float = 0.0) -> tuple[Floats, Floats]:
    """Edges (bytes, from 0 to ``length``), and the share of a hot band's requests between each two.

    ``shift`` moves the curve, as writes do. What lies beyond the band wraps into it.
    """
    pieces: list[tuple[float, float, float]] = []
    everywhere = 0.0
    for (x0, z0), (x1, z1) in pairwise([(0.0, 0.0), *hot_band_curve()]):
        rounds = math.floor((x1 - x0) / length)
        density = (z1 - z0) / (x1 - x0)
        everywhere += density * rounds
        begin = (x0 + shift) % length
        end = begin + (x1 - x0) - rounds * length
        pieces.append((begin, min(end, length), density))
        if end > length:
            pieces.append((0.0, end - length, density))
    edges = np.unique(np.array([0.0, length, *(x for begin, end, _ in pieces for x in (begin, end))]))
    densities = np.full(len(edges) - 1, everywhere)
    for begin, end, density in pieces:
        first, last = np.searchsorted(edges, [begin, end])
        densities[first:last] += density
    return edges, densities * np.diff(edges)


def _zipf(q: Floats, length: int, exponent: float, extent: int) -> Floats:
    extents = max(1, length // extent)
    single = min(extents, _RANKS)
    mass = np.arange(1, single + 1, dtype=np.float64) ** -exponent
    edges = np.arange(single + 1, dtype=np.float64)
    cumulative = np.concatenate([[0.0], np.cumsum(mass)])
    if extents > single:
        # Cuts of the tail at equal ratios; between them the integral of x^-exponent, from half a rank before.
        tail = np.geomspace(single, extents, 4097)[1:]
        x = np.concatenate([[float(single)], tail]) + 0.5
        integral = np.log(x) if exponent == 1.0 else x ** (1 - exponent) / (1 - exponent)
        edges = np.concatenate([edges, tail])
        cumulative = np.concatenate([cumulative, cumulative[-1] + integral[1:] - integral[0]])
    places = np.interp(q, cumulative / cumulative[-1], edges) * (length / extents)
    return np.asarray(places)
