"""Where requests go: extents by weight, run lengths, and how often a run begins near the last one."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from itertools import accumulate
from typing import Any, Final

# Extents that a profile lists at most; beyond, neighbours are joined.
_EXTENTS: Final = 4096


def density(description: dict[str, Any]) -> tuple[int, dict[str, dict[int, int]]]:
    """Bytes of an extent, and the requests that begin in each by direction (``reads``, ``writes``)."""
    figures = description["density"]
    size, extents = figures["extent_bytes"], figures["extents"]
    numbers = [offset // size for offset in extents["offset_bytes"]]
    while len(set(numbers)) > _EXTENTS:
        size *= 2
        numbers = [number // 2 for number in numbers]
    found: dict[str, dict[int, int]] = {"reads": {}, "writes": {}}
    for way, counts in found.items():
        for number, count in zip(numbers, extents[way], strict=True):
            if count:
                counts[number] = counts.get(number, 0) + count
    return size, found


def runs(figures: dict[str, Any]) -> list[dict[str, float]]:
    """Run lengths of one direction and their shares of the runs, percent."""
    rows = figures["histogram"]
    total = sum(rows["runs"])
    if figures["sequential_request_share"] == 0 or not total:
        return []
    return [
        {"requests": requests / n, "share": 100 * n / total}
        for n, requests in zip(rows["runs"], rows["requests"], strict=True)
        if n
    ]


def near(description: dict[str, Any], extent: int, places: dict[int, int]) -> tuple[float, list[dict[str, Any]]]:
    """The share of runs that begin near the end of the last request, and the jumps to there.

    Of two independent draws from the density of extents, some lie near each other by chance. What the
    trace's jumps have beyond that, up to the distance where the excess is greatest, is locality: a mixture of
    independent places and of jumps. Returns the mixture's share (0 to 1) and its jumps.
    """
    table = description["jumps"]
    rows = [
        (way, low, high, share)
        for way, low, high, share in zip(
            table["direction"], table["from_bytes"], table["below_bytes"], table["request_share"], strict=True
        )
        if way != "zero" and share > 0
    ]
    moved = math.fsum(share for *_, share in rows)
    if not rows or moved <= 0:
        return 0.0, []
    chance = _Chance(extent, places)
    bounds = sorted({high for _, _, high, _ in rows})
    best, reach = 0.0, 0
    for bound in bounds:
        inside = math.fsum(share for _, _, high, share in rows if high <= bound) / moved
        by_chance = chance.within(bound)
        if by_chance < 1 and (inside - by_chance) / (1 - by_chance) > best:
            best, reach = (inside - by_chance) / (1 - by_chance), bound
    if best < 1e-4:
        return 0.0, []
    jumps = []
    for way, low, high, share in rows:
        if high > reach:
            continue
        expected = (chance.within(high) - chance.within(low)) / 2  # half of them forward
        excess = share / moved - (1 - best) * expected
        if excess > 0:
            sign = 1 if way == "forward" else -1
            jumps.append({"least": sign * low, "below": sign * high, "share": excess})
    total = math.fsum(jump["share"] for jump in jumps)
    for jump in jumps:
        jump["share"] *= 100 / total
    return best, jumps


def reuse(description: dict[str, Any], one: str) -> list[dict[str, Any]]:
    """Depths of the least-recently-used stack at which a direction's block references lie, percent of them."""
    rows = description["reuse"]["histogram"]
    columns = zip(rows["from_blocks"], rows["to_blocks"], rows[f"{one}_share"], strict=True)
    return [{"least": low, "most": high, "share": 100 * share} for low, high, share in columns if share > 0]


class _Chance:
    """How probably two independent draws from a density lie within a distance of each other."""

    def __init__(self, extent: int, places: dict[int, int]) -> None:
        self._extent = extent
        self._numbers = sorted(places)
        total = sum(places.values())
        self._weights = [places[number] / total for number in self._numbers]
        self._sums = [0.0, *accumulate(self._weights)]
        self._known: dict[int, float] = {}

    def within(self, distance: int) -> float:
        """Linear between whole numbers of extents, which is exact within one extent but for its square."""
        whole, rest = divmod(distance, self._extent)
        part = rest / self._extent
        low = 0.0 if whole == 0 else self._at(whole - 1)
        return low + (self._at(whole) - low) * part

    def _at(self, steps: int) -> float:
        if steps not in self._known:
            self._known[steps] = math.fsum(
                weight * (self._sums[bisect_right(self._numbers, n + steps)] - self._sums[bisect_left(self._numbers, n - steps)])
                for n, weight in zip(self._numbers, self._weights, strict=True)
            )
        return self._known[steps]


def alignment(description: dict[str, Any]) -> int:
    """The largest of the description's alignments that at least 99 % of the offsets keep, or 512 bytes."""
    kept = [row["bytes"] for row in description["alignment"] if row["offset_request_share"] >= 0.99]
    return max(kept, default=512)
