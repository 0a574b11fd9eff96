"""Where I/O goes as a document, ``iowatt.heat/1``.

Densities are in I/Os per second and GB (1e9 bytes), shares from 0 to 1, times in s.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from iowatt.base.results import Note, Result, ResultDocument

PointName = Literal["front", "back", "trace"]
SharesOver = Literal["capacity", "touched"]


class HeatSkewPoint(Result):
    """Where the shares of I/O and of space add up to 1: 80 % of the I/O on 20 % of the space."""

    io_share: float
    space_share: float


class SkewLaw(Result):
    """``1 - (1 - c)^k`` fitted to the curve, and its distance from it."""

    k: float
    rms_error: float
    max_error: float


class HotShare(Result):
    """Share of the I/O on the hottest share of the space."""

    space_share: float
    io_share: float


class HeatSkew(Result):
    """Single figures of a curve."""

    gini: float
    #: Of an even load with as few I/Os to an extent.
    gini_by_chance: float
    skew_point: HeatSkewPoint
    law: SkewLaw
    hottest: list[HotShare]

    def on_hottest(self, space_share: float) -> float:
        """Share of the I/O on one of the shares of the space in ``hottest``."""
        return next(row.io_share for row in self.hottest if row.space_share == space_share)


class CurvePoints(Result):
    """Cumulative shares on the hottest ``space_share``; of reads and writes empty where there are none."""

    space_share: list[float]
    io_share: list[float]
    read_share: list[float]
    write_share: list[float]

    def at(self, share: float) -> float:
        """Share of the I/O at the nearest point."""
        nearest = min(range(len(self.space_share)), key=lambda at: abs(self.space_share[at] - share))
        return self.io_share[nearest]


class SortedDensity(Result):
    """Density of extents, the hottest first; steps end at ``space_share``."""

    space_share: list[float]
    iops_per_gb: list[float]


class AddressBand(Result):
    """Mean density of a range of addresses."""

    from_gb: float
    until_gb: float
    read_iops_per_gb: float
    write_iops_per_gb: float


class Directions(Result):
    """Reads and writes on the hottest share of the space; None where there are none."""

    space_share: float
    read_share: float | None
    write_share: float | None
    writes_of_io: float | None


class HeatOverTime(Result):
    """Density by band of addresses and period.

    ``start_s`` (n,) and ``address_gb`` (m,) are where columns and bands begin, ``end_s`` and ``end_gb`` where
    the last ones end; ``iops_per_gb`` (m, n) is None where there was no I/O.
    """

    start_s: list[float]
    end_s: float
    end_gb: float
    address_gb: list[float]
    iops_per_gb: list[list[float | None]]


class PeriodStability(Result):
    """A period's I/O on the hot set of the period before, and on its own."""

    start_s: float
    caught: float
    possible: float


class HotSetStability(Result):
    """How well the hottest extents of one period predict those of the next."""

    #: Share of the space that is called hot, and its number of extents.
    hot_share: float
    hot_extents: int
    periods: int
    period_s: float
    #: Share of a period's I/O on the hot set of the period before, weighted by I/O: what a fast tier of that
    #: size serves that is filled by the period before.
    caught: float
    #: The same on the period's own hot set, the most there is.
    possible: float
    #: Share of the hot set that was hot in the period before.
    kept: float
    #: Share of the I/O on one set for the whole time, the best one.
    whole: float
    by_period: list[PeriodStability]


class SpaceHeat(Result):
    """One volume, pool or device."""

    name: str
    capacity_bytes: int
    touched_bytes: int
    iops: float
    iops_per_gb: float
    gini: float
    k: float
    skew_point: HeatSkewPoint


class PointHeat(Result):
    """I/O at one point: in front of the cache, behind it, or of a trace."""

    point: PointName
    capacity_bytes: int
    extent_bytes: int
    extents: int
    touched_extents: int
    touched_bytes: int
    period_s: float
    reads: int
    writes: int
    bytes_read: int
    bytes_written: int
    iops: float
    iops_per_gb: float
    skew: HeatSkew
    curve: CurvePoints
    density_sorted: SortedDensity
    density_by_address: list[AddressBand]
    directions: list[Directions]
    over_time: HeatOverTime
    stability: HotSetStability | None
    spaces: list[SpaceHeat]


class BehindCache(Result):
    """I/O behind the cache over I/O in front of it; None where there is none in front."""

    io: float | None
    reads: float | None
    writes: float | None
    bytes_read: float | None
    bytes_written: float | None


class HeatResult(ResultDocument):
    """Where in its address space the I/O of a Run or of a trace goes, and how that changes."""

    schema_id: Literal["iowatt.heat/1"] = Field(default="iowatt.heat/1", alias="schema")
    run: str
    path: str | None
    shares_over: SharesOver
    window_s: float
    points: list[PointHeat]
    behind_cache: BehindCache | None
    notes: list[Note]
