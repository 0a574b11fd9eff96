"""Virtual pools of parts: which part serves what, and what is moved between them, in the steady state.

``tiering`` and ``caching`` take an extent to the fast part at its k-th access and let go of what was used
longest ago. An extent asked for at rate r is there, after its admission, as long as it is asked for within
the time T, so for (e^rT - 1)/r on the mean, and takes k/r to be admitted again: the share of the time in the
fast part is (e^rT - 1)/((e^rT - 1) + k) (the TTL approximation of k-filters; M. Garetto, E. Leonardi and V.
Martina, ACM ToMPECS 1(3), 2016). T is what fills the fast part. Moves that cannot keep up raise k.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from iowatt.evaluate.estimate.root import root_of_log
from iowatt.evaluate.estimate.unknown import not_modelled

_FAST, _SLOW = 0, 1


class AddressRange(NamedTuple):
    """A band of a virtual pool: ``bytes`` of it somewhere from ``first`` to ``last``, in pieces of
    ``grain``."""

    first: int
    last: int
    bytes: float
    grain: float
    cursors: int = 0
    sweep: bool = False

    @property
    def space(self) -> tuple[int, int, float]:
        """The data's identity: ranges of one space are the same data."""
        return self.first, self.last, self.bytes


class PartShare(NamedTuple):
    """A share of the requests to a band, on a range of a pool's bytes; ``beside`` another, which has them
    as well."""

    pool: int
    first: int
    last: int
    share: float


class ExtentMove(NamedTuple):
    """So many transfers a second of a whole extent, of a part."""

    pool: int
    write: bool
    bytes: int
    first: int
    last: int
    rate: float


@dataclass(frozen=True)
class Hybrid:
    """A virtual pool under a load. ``moves`` for it, of which ``outstanding`` extents go on at a time."""

    plan: Mapping[str, Any]
    _shares: Mapping[tuple[int, int, float], tuple[float, ...]]
    moves: tuple[ExtentMove, ...]
    outstanding: int

    def targets(self, where: AddressRange, *, write: bool) -> list[PartShare]:
        """Where requests to a band go."""
        parts, kind = self.plan["parts"], self.plan["scheme"]["kind"]
        if kind == "linear":
            return _linear(parts, where)
        shares = self._shares.get(where.space) or self._shares[_even(where)]
        found = []
        for number, (part, share) in enumerate(zip(parts, shares, strict=True)):
            first, last = part["offset_bytes"], part["offset_bytes"] + part["capacity_bytes"]
            if kind == "caching" and number == _SLOW:
                first, last = part["offset_bytes"] + where.first, part["offset_bytes"] + where.last
                own = 1.0 if write and self.plan["scheme"]["write"] == "through" else share
            else:
                own = share
            if own > 0:
                found.append(PartShare(part["pool"], first, last, own))
        return found


def steady_state(
    plan: Mapping[str, Any],
    loads: Mapping[AddressRange, tuple[float, float]],
    *,
    slower: float,
    cleaned: float,
) -> Hybrid:
    """The steady state of a plan's virtual pool.

    Args:
        loads: Reads and writes a second of each band.
        slower: By how much more accesses an extent needs than its threshold, as moves cannot keep up.
        cleaned: Share of the writes to copies that lead to a write-back.

    Raises ``NotEstimated``: another scheme, or a way of it that is not modelled.
    """
    scheme, parts = plan["scheme"], plan["parts"]
    kind = scheme["kind"]
    if kind == "linear":
        return Hybrid(plan, {}, (), 1)
    if kind == "tiered-pool":
        return _ranked(plan, loads)
    if kind not in ("tiering", "caching") or scheme.get("write") == "around":
        raise not_modelled(
            f"virtual pools by {kind}" + (" around copies" if kind == "caching" else ""), "array.virtual_pool"
        )
    if scheme.get("sector_bytes") is not None:
        raise not_modelled('caches that copy by sector (copy_unit = "sector")', "array.virtual_pool")
    extent = scheme["extent_bytes"]
    spaces, reads, writes, numbers = _spaces(loads, extent)
    rates = (reads + writes) / numbers
    room = float(parts[_FAST]["capacity_bytes"] // extent)
    wanted = scheme["promotion_threshold"] * slower
    inside = _filtered(rates, numbers, room, wanted)
    admitted = float((numbers * rates * (1 - inside)).sum()) / wanted
    fast, slow = (_range(part) for part in parts)
    if kind == "tiering":
        moved = [(fast, False), (slow, False), (slow, True), (fast, True)]
        moves = [ExtentMove(part[0], write, extent, part[1], part[2], admitted) for part, write in moved]
    else:
        moves = [
            ExtentMove(slow[0], False, extent, slow[1], slow[2], admitted),
            ExtentMove(fast[0], True, extent, fast[1], fast[2], admitted),
        ]
        if scheme["write"] == "back":
            back = cleaned * float((writes * inside).sum())
            moves += [
                ExtentMove(fast[0], False, extent, fast[1], fast[2], back),
                ExtentMove(slow[0], True, extent, slow[1], slow[2], back),
            ]
    shares = {space: (float(share), 1 - float(share)) for space, share in zip(spaces, inside, strict=True)}
    return Hybrid(plan, shares, tuple(move for move in moves if move.rate > 0), scheme["max_migrations"])


def _range(part: Mapping[str, Any]) -> tuple[int, int, int]:
    return part["pool"], part["offset_bytes"], part["offset_bytes"] + part["capacity_bytes"]


def _even(where: AddressRange) -> tuple[int, int, float]:
    """The band that represents bands with pieces smaller than an extent."""
    return where.first, where.last, float(where.last - where.first)


def _spaces(
    loads: Mapping[AddressRange, tuple[float, float]], extent: int
) -> tuple[list[tuple[int, int, float]], Any, Any, Any]:
    """Bands with their reads, writes and extents; pieces smaller than an extent share extents, and are one
    band."""
    found: dict[tuple[int, int, float], list[float]] = {}
    for where, (reads, writes) in loads.items():
        scattered = where.bytes < where.last - where.first - 1
        space = _even(where) if scattered and where.grain < extent else where.space
        sums = found.setdefault(space, [0.0, 0.0])
        sums[0] += reads
        sums[1] += writes
    numbers = np.array([max(1.0, space[2] / extent) for space in found])
    both = np.array(list(found.values())).reshape(-1, 2)
    return list(found), both[:, 0], both[:, 1], numbers


def _filtered(rates: Any, numbers: Any, room: float, wanted: float) -> Any:
    """Share of the time that extents are in the fast part."""

    def inside(time: float) -> Any:
        there = np.expm1(np.minimum(rates * time, 500.0))
        return there / (there + wanted)

    if float(numbers[rates > 0].sum()) <= room:
        return np.where(rates > 0, 1.0, 0.0)
    return inside(root_of_log(lambda time: float((numbers * inside(time)).sum()), room, -40.0, 60.0))


def _ranked(plan: Mapping[str, Any], loads: Mapping[AddressRange, tuple[float, float]]) -> Hybrid:
    """Pages by their accesses over the tiers, as far as these have room and performance."""
    scheme, parts = plan["scheme"], plan["parts"]
    if scheme["policies"] or scheme["window"] is not None:
        raise not_modelled("tiering policies and windows of relocation", "array.virtual_pool")
    page = scheme["page_bytes"]
    spaces, reads, writes, numbers = _spaces(loads, page)
    rates = (reads + writes) / numbers
    rooms, limits = [], []
    for tier, part in zip(scheme["tiers"], parts, strict=True):
        slots = part["capacity_bytes"] // page
        kept = min(max(int(tier["relocation_buffer"] * slots), 1), slots)
        rooms.append(float(slots - kept) - tier["new_page_buffer"] * slots)
        limits.append(math.inf if tier["performance_iops"] is None else float(tier["performance_iops"]))
    shares: dict[tuple[int, int, float], tuple[float, ...]] = {}
    for at in np.argsort(-rates):
        left, taken = float(numbers[at]), [0.0] * len(parts)
        for tier in range(len(parts)):
            last = tier == len(parts) - 1
            fits = left if last else max(0.0, min(left, rooms[tier], limits[tier] / max(rates[at], 1e-12)))
            taken[tier], left = fits, left - fits
            rooms[tier] -= fits
            limits[tier] -= fits * rates[at]
        shares[spaces[at]] = tuple(part / float(numbers[at]) for part in taken)
    return Hybrid(plan, shares, (), 1)


def _linear(parts: Sequence[Mapping[str, Any]], where: AddressRange) -> list[PartShare]:
    found, begin = [], 0
    for part in parts:
        first, last = max(where.first, begin), min(where.last, begin + part["capacity_bytes"])
        if first < last:
            own = part["offset_bytes"] - begin
            share = (last - first) / (where.last - where.first)
            found.append(PartShare(part["pool"], first + own, last + own, share))
        begin += part["capacity_bytes"]
    return found
