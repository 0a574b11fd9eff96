"""What the study's points are reduced to: rate, response time, hit ratio, watts at the wall."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from iowatt.studies.hotband2013.systems import CACHE, CEILING_IOPS

if TYPE_CHECKING:
    from iowatt.studies.results import Results

AT_CEILING: Final = 0.98
"""Share of the assumed ceiling from which it sets a rate."""


@dataclass(frozen=True)
class Point:
    """One array under one workload."""

    kind: str
    workload: str
    #: Cache as the scenario has it.
    cache: str
    level: int | None
    iops: float
    mib_per_s: float
    ms: float
    p99_ms: float
    hit_ratio: float | None
    wall_w: float
    idle_w: float
    raw_gb: float
    usable_gb: float
    effective_gb: float
    busy: float
    read_hit_ratio: float | None = None
    write_hit_ratio: float | None = None

    @property
    def capped(self) -> bool:
        """Whether the assumed controller sets the rate."""
        return self.iops >= AT_CEILING * CEILING_IOPS

    @property
    def iops_per_w(self) -> float:
        """Over the power at the wall."""
        return self.iops / self.wall_w


def point(said: Mapping[str, Any], row: Mapping[str, Any]) -> Point:
    """A row of a sweep's table."""
    return Point(
        kind=said["kind"],
        workload=said["workload"],
        cache=str(row.get(CACHE, "")),
        level=row.get("array.pool.disks.raid.level"),
        iops=row["throughput.iops"],
        mib_per_s=row["throughput.mib_per_s"],
        ms=row["response_time_ms.all.mean"],
        p99_ms=row["response_time_ms.all.p99"],
        hit_ratio=row.get("cache.hit_ratio"),
        read_hit_ratio=row.get("cache.read_hit_ratio"),
        write_hit_ratio=row.get("cache.write_hit_ratio"),
        wall_w=row["power_w.wall_mean"],
        idle_w=row["power_w.wall_idle"],
        raw_gb=row["capacity_gb.raw"],
        usable_gb=row["capacity_gb.usable"],
        effective_gb=row["capacity_gb.effective"],
        busy=row["devices.utilisation.mean"],
    )


class Points:
    """All points, by sweep."""

    def __init__(self, results: Results) -> None:
        self.all = [
            point(stage.said, row) for key, stage in results.stages.items() for row in results.rows(key)
        ]

    def of(self, kind: str, **wanted: Any) -> list[Point]:
        """The points of a sweep with these values."""
        return [
            one
            for one in self.all
            if one.kind == kind and all(getattr(one, name) == value for name, value in wanted.items())
        ]

    def one(self, kind: str, **wanted: Any) -> Point:
        """The only such point.

        Raises
        ------
        LookupError
            There is none, or more.
        """
        found = self.of(kind, **wanted)
        if len(found) != 1:
            raise LookupError(f"{len(found)} points of {kind} with {wanted}")
        return found[0]
