"""The study's points: rate, response time, hit ratio, watts at the wall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from iowatt.studies.hotband2013.systems import CACHE, CEILING_IOPS, LEVEL
from iowatt.studies.stages import ArrayPoint, StudyPoints, figure, figures

if TYPE_CHECKING:
    from iowatt.studies.stages import Results

AT_CEILING: Final = 0.98
"""Share of the assumed ceiling from which it sets a rate."""


@dataclass(frozen=True, kw_only=True)
class HotBandPoint(ArrayPoint):
    """One array under one workload."""

    workload: str = figure("workload")
    #: Cache as the scenario has it.
    cache: str
    level: int | None = figure(LEVEL, optional=True)
    p99_ms: float = figure("response_time_ms.all.p99")
    usable_gb: float = figure("capacity_gb.usable")
    effective_gb: float = figure("capacity_gb.effective")
    hit_ratio: float | None = figure("cache.hit_ratio", optional=True)
    read_hit_ratio: float | None = figure("cache.read_hit_ratio", optional=True)
    write_hit_ratio: float | None = figure("cache.write_hit_ratio", optional=True)

    @property
    def capped(self) -> bool:
        """Whether the assumed controller sets the rate."""
        return self.iops >= AT_CEILING * CEILING_IOPS

    @property
    def iops_per_w(self) -> float:
        """Over the power at the wall."""
        return self.iops / self.wall_w


class HotBandPoints(StudyPoints[HotBandPoint]):
    """All points, by sweep."""

    def cached(self, kind: str) -> HotBandPoint:
        """The point of a sweep with the published share of cache: the one with the most of it."""
        found = [one for one in self.of(kind) if one.hit_ratio is not None]
        return max(found, key=lambda one: one.hit_ratio or 0.0)


def read(results: Results) -> HotBandPoints:
    """All points that were simulated."""
    return HotBandPoints(
        [
            HotBandPoint(**figures(HotBandPoint, stage.labels, row), cache=str(row.get(CACHE, "")))
            for stage, row in results.rows()
        ]
    )
