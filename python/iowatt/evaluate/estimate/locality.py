"""Where requests fall: an address law as bands of bytes that are asked for alike.

The laws are those of crates/iowatt-workload/src/access; the hot band's curve is the table of
``workload/export/zones.py`` (vdbench 5.04.06). A band may be scattered over its range (Zipf's and the skew
law's extents lie in a random order).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np

from iowatt.evaluate.estimate.load import Stream
from iowatt.sources.export.zones import CUMULATIVE, FIRST_BYTES, REACH_BYTES

#: Each band of Zipf's or the skew law reaches so many times as far as the one before; coarser ones miss hits.
_GROWTH: Final = 1.25
_PATTERNS: Final = ("uniform", "hot-band", "zipf", "skew")


@dataclass(frozen=True)
class Band:
    """``bytes`` of a volume that ``share`` of the requests go to, all alike, somewhere from ``first`` to
    ``last``."""

    first: int
    last: int
    bytes: float
    share: float


def is_banded(stream: Stream) -> bool:
    """Whether a law can be said in bands; sequences and laws of reuse cannot."""
    return stream.access["pattern"] in _PATTERNS


def bands(stream: Stream, *, write: bool) -> tuple[Band, ...]:
    """The bands of a stream that ``is_banded``; the shares add up to 1."""
    access = stream.access
    numbers = (
        float(access.get("exponent", 0)),
        float(access.get("k", 0)),
        int(access.get("extent_bytes", 0)),
    )
    order = str(access.get("order", "scattered"))
    return _bands(access["pattern"], numbers, order, (stream.start, stream.end), write=write)


@lru_cache(maxsize=4096)
def _bands(
    pattern: str, numbers: tuple[float, float, int], order: str, span: tuple[int, int], *, write: bool
) -> tuple[Band, ...]:
    start, end = span
    length = end - start
    if pattern == "uniform":
        return (Band(start, end, float(length), 1.0),)
    if pattern == "hot-band":
        return _hot(start, end, write)
    exponent, k, extent = numbers
    extents = max(1, length // max(extent, 1))
    cuts = _cuts(extents)
    if pattern == "skew":
        held = 1 - (1 - cuts / extents) ** k
    else:
        held = np.array([_harmonic(cut, exponent) for cut in cuts])
        held /= held[-1]
    found, below, share = [], 0.0, 0.0
    for cut, until in zip(cuts, held, strict=True):
        size = (cut - below) * length / extents
        first = start + int(below * length / extents) if order == "ascending" else start
        last = int(first + size) if order == "ascending" else end
        found.append(Band(first, last, size, float(until - share)))
        below, share = float(cut), float(until)
    return tuple(found)


def _cuts(extents: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    cuts = [1.0]
    while cuts[-1] * _GROWTH < extents:
        cuts.append(max(cuts[-1] + 1, round(cuts[-1] * _GROWTH)))
    return np.array([*(cut for cut in cuts if cut < extents), float(extents)])


def _harmonic(number: float, exponent: float) -> float:
    """Sum of i^-s up to a number; beyond 1000 by the midpoint rule."""
    whole = int(min(number, 1000))
    ranks = np.arange(1, whole + 1, dtype=float)
    total = float((ranks**-exponent).sum())
    if number > whole:
        low, high = whole + 0.5, number + 0.5
        if abs(exponent - 1) < 1e-9:
            return total + float(np.log(high / low))
        total += (high ** (1 - exponent) - low ** (1 - exponent)) / (1 - exponent)
    return total


def _hot(start: int, end: int, write: bool) -> tuple[Band, ...]:
    """The curve's segments, wrapped into the band; writes go a hundredth of it further."""
    length, shift = end - start, (end - start) // 100 if write else 0
    found: list[Band] = []
    left, below, everywhere = 0.0, 0.0, 0.0

    def put(first: float, last: float, share: float) -> None:
        at = start + int((first + shift) % length)
        found.append(Band(at, min(end, int(at + last - first)), last - first, share))

    ends = [*(FIRST_BYTES * 2**row for row in range(len(CUMULATIVE))), REACH_BYTES]
    for right, held in zip(ends, [*CUMULATIVE, 1.0], strict=True):
        share = held - below
        if right <= length:
            put(left, right, share)
        elif left >= length:
            everywhere += share
        else:
            within = (length - left) / (right - left)
            put(left, length, share * within)
            over = right - length
            if over >= length:
                everywhere += share * (1 - within)
            else:
                put(0.0, over, share * (1 - within))
        left, below = right, held
    if everywhere:
        found.append(Band(start, end, float(length), everywhere))
    return tuple(found)
