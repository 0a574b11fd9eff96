"""Seek curves and zones from the figures of a data sheet, and average seek and rates from those."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from iowatt.base.errors import InputError

SeekCurve = tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class TrackZone:
    """Cylinders with the same number of sectors per track; skews and offsets in sectors.

    ``first_cylinder`` is -1 where the zone follows the one before it. The sparing scheme decides whether
    slips, spares and remaps count sectors or tracks.
    """

    cylinders: int
    sectors_per_track: int
    track_skew: float
    cylinder_skew: float
    first_cylinder: int = -1
    first_sector_offset: float = 0.0
    reserved_sectors: int = 0
    spares: int = 0
    slips: tuple[int, ...] = ()
    remaps: tuple[tuple[int, int], ...] = ()

    def plan(self, first_cylinder: int) -> dict[str, Any]:
        """``ZonePlan``; ``first_cylinder`` is used where the zone has none of its own."""
        return {
            "first_cylinder": first_cylinder if self.first_cylinder < 0 else self.first_cylinder,
            "cylinders": self.cylinders,
            "sectors_per_track": self.sectors_per_track,
            "first_sector_offset": float(self.first_sector_offset),
            "track_skew_sectors": float(self.track_skew),
            "cylinder_skew_sectors": float(self.cylinder_skew),
            "reserved_sectors": self.reserved_sectors,
            "spares": self.spares,
            "slips": list(self.slips),
            "remaps": [list(remap) for remap in self.remaps],
        }


def three_point_curve(single_s: float, average_s: float, full_s: float, cylinders: int) -> SeekCurve:
    """Lee's curve ``a sqrt(x-1) + b (x-1) + c`` through three figures, for distances 1 to ``cylinders - 1``.

    ``c`` is the single-cylinder time; ``a`` and ``b`` follow from the full stroke and from the mean over
    random pairs, in which distance x has the density ``2 (1 - x/N) / N`` (DiskSim 4.0's ``curve``).

    Raises ``InputError`` where the three figures give a curve that falls somewhere.
    """
    n = cylinders
    a = (-10 * single_s + 15 * average_s - 5 * full_s) / (3 * math.sqrt(n))
    b = (7 * single_s - 15 * average_s + 8 * full_s) / (3 * n)
    distances = _distances(max(1, n - 1))
    curve = tuple((x, a * math.sqrt(x - 1) + b * (x - 1) + single_s) for x in distances)
    if any(later[1] < earlier[1] for earlier, later in itertools.pairwise(curve)):
        raise InputError(
            "infeasible",
            None,
            "no rising seek curve passes through these three figures; the average is usually near half of "
            "the full stroke",
        )
    return curve


def hpl_curve(values: Sequence[float], first_ms: Sequence[float], cylinders: int) -> SeekCurve:
    """Ruemmler and Wilkes' curve by points, seconds: ``values`` are V1 to V6 (see ``HplSeek``)."""
    boundary, root, root_slope, line, line_slope, single = values
    first = list(first_ms) or ([single] if single >= 0 else [])

    def time_ms(x: int) -> float:
        if x <= len(first):
            return first[x - 1]
        return root + root_slope * math.sqrt(x) if x < boundary else line + line_slope * x

    return tuple((x, time_ms(x) / 1e3) for x in _distances(max(1, cylinders - 1)))


def _distances(longest: int) -> list[int]:
    """1, 2, 3 ... thinning out in steps of 4 %: linear interpolation then stays within 0.1 % of the curve."""
    distances, x = [1], 1
    while x < longest:
        x = min(longest, max(x + 1, round(x * 1.04)))
        distances.append(x)
    return distances


def linear_zones(
    sectors: int,
    surfaces: int,
    *,
    outer_spt: int,
    inner_spt: int,
    zone_count: int,
    track_skew_turns: float,
    cylinder_skew_turns: float,
) -> tuple[TrackZone, ...]:
    """Zones of equal width that hold at least ``sectors``; sectors per track fall linearly inwards.

    Skews are given in turns and rounded up to whole sectors: the next track never comes too early.
    """
    steps = max(1, zone_count - 1)
    spts = [max(1, round(outer_spt + (inner_spt - outer_spt) * i / steps)) for i in range(zone_count)]
    cylinders = math.ceil(sectors / (surfaces * sum(spts)))
    return tuple(
        TrackZone(cylinders, spt, math.ceil(track_skew_turns * spt), math.ceil(cylinder_skew_turns * spt))
        for spt in spts
    )


def seek_time(curve: SeekCurve, distance: int) -> float:
    """Seconds to move ``distance`` cylinders: linear between points, the last point's time beyond it."""
    if distance <= 0:
        return 0.0
    previous = curve[0]
    for point in curve:
        if distance <= point[0]:
            if point[0] == previous[0]:
                return point[1]
            share = (distance - previous[0]) / (point[0] - previous[0])
            return previous[1] + share * (point[1] - previous[1])
        previous = point
    return curve[-1][1]


def average_seek(curve: SeekCurve, cylinders: int) -> float:
    """Mean seconds over random pairs of cylinders, equal ones included: ``sum 2 (N - x) t(x) / N^2``.

    Exact up to 20,000 cylinders; beyond, the midpoint rule over 20,000 distances.
    """
    n = cylinders
    steps = min(n - 1, 20_000)
    if steps < 1:
        return 0.0
    width = (n - 1) / steps
    distances = [round((i + 0.5) * width + 0.5) for i in range(steps)]
    total = sum(2 * (n - x) * t * width for x, t in zip(distances, _times(curve, distances), strict=True))
    return total / n**2


def _times(curve: SeekCurve, distances: Sequence[int]) -> list[float]:
    """Seek times of rising distances: those up to each point of the curve in one go."""
    done = bisect_right(distances, curve[0][0])
    times = [curve[0][1]] * done
    for (near, near_s), (far, far_s) in itertools.pairwise(curve):
        end = bisect_right(distances, far, done)
        times += [near_s + (x - near) / (far - near) * (far_s - near_s) for x in distances[done:end]]
        done = end
    return times + [curve[-1][1]] * (len(distances) - done)


def sequential_rate(zone: TrackZone, rpm: float, sector_bytes: int, surfaces: int) -> float:
    """Bytes per second of reading a zone from end to end: per cylinder its data over its turns and skews."""
    turns = surfaces + ((surfaces - 1) * zone.track_skew + zone.cylinder_skew) / zone.sectors_per_track
    return surfaces * zone.sectors_per_track * sector_bytes * rpm / 60 / turns
