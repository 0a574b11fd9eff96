"""The study's points: throughput, response time, watts and the metric of each configuration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from iowatt.studies.emerald2012.published import MIB
from iowatt.studies.emerald2012.systems import COUNT, RATE, SEQUENTIAL
from iowatt.studies.stages import ArrayPoint, StudyPoints, figure, figures

if TYPE_CHECKING:
    from iowatt.studies.stages import Results


@dataclass(frozen=True, kw_only=True)
class FamilyPoint(ArrayPoint):
    """One configuration under one profile."""

    metric: str = figure("metric")
    raid: str = figure("raid")
    drives: int
    #: Busy share of the back end; None for a family without its limit.
    back_end: float | None = figure("controller.back_end.utilisation", optional=True)
    #: Simulations that it took.
    runs: int
    #: Rate of a swept open load, requests per second.
    rate: float | None = figure(RATE, optional=True)
    seed: int = figure("seed")

    @property
    def value(self) -> float:
        """The metric as the training prints it: IOPS/W, MB/s/W, GB/W."""
        if self.metric == "RI":
            return self.raw_gb / self.idle_w
        if self.metric in SEQUENTIAL:
            return self.mib_per_s * MIB / self.wall_w
        return self.iops / self.wall_w


def read(results: Results) -> FamilyPoints:
    """All points that were simulated."""
    return FamilyPoints(
        [
            FamilyPoint(
                **figures(FamilyPoint, stage.labels, row),
                drives=int(row.get(COUNT) or str(stage.labels["drives"])),
                runs=int(row.get("rate.runs") or 1),
            )
            for stage, row in results.rows()
        ]
    )


class FamilyPoints(StudyPoints[FamilyPoint]):
    """All points, by sweep, fewest drives first."""

    def __init__(self, points: Sequence[FamilyPoint]) -> None:
        super().__init__(sorted(points, key=lambda one: one.drives))

    def some(self, kind: str) -> list[FamilyPoint]:
        """The points of a sweep; ``LookupError`` where there are none."""
        found = self.of(kind)
        if not found:
            raise LookupError(f"no points of {kind}")
        return found

    def curve(self, metric: str, raid: str) -> list[FamilyPoint]:
        """By whole shelves."""
        return self.of(f"{metric.lower().replace('/', '-')}-{raid}")

    def find(self, metric: str, raid: str, drives: int) -> FamilyPoint | None:
        """A point by whole shelves, or by single drives where it lies between them."""
        known = self.curve(metric, raid)
        if metric == "MW1" and raid == "raid-5":
            known = [*known, *self.of("mw1-single")]
        return next((one for one in known if one.drives == drives), None)

    def at(self, metric: str, raid: str, drives: int) -> FamilyPoint:
        """The same; raises ``LookupError`` where there is none."""
        found = self.find(metric, raid, drives)
        if found is None:
            raise LookupError(f"no point of {metric} with {drives} drives in {raid}")
        return found

    def quarter(self, kind: str = "submission-mw2", *, whole: FamilyPoint | None = None) -> float:
        """MW2 of the submission's drives, IOPS/W at a quarter of MW1's rate.

        ``whole`` is the point of MW1; left out, that within 20 ms.
        """
        target = (whole or self.at("MW1", "raid-5", 50)).iops / 4
        known = sorted(self.some(kind), key=lambda one: one.iops)
        return target / _between(target, [one.iops for one in known], [one.wall_w for one in known])

    def within(self, kind: str, ms: float) -> float:
        """The metric at a mean response time, between the points of a sweep over requests outstanding.

        Raises ``LookupError`` where no number of them that was tried comes down, or up, to it.
        """
        known = sorted(self.some(kind), key=lambda one: one.ms or 0.0)
        times = [one.ms or 0.0 for one in known]
        if not times[0] <= ms <= times[-1]:
            raise LookupError(f"{ms:g} ms is outside {times[0]:.1f} to {times[-1]:.1f} ms of {kind}")
        return _between(ms, times, [one.value for one in known])


def best(points: Sequence[FamilyPoint]) -> FamilyPoint:
    """The peak."""
    return max(points, key=lambda one: one.value)


def _between(at: float, known: Sequence[float], values: Sequence[float]) -> float:
    """A figure between two known ones, by a straight line; beyond them, the same line."""
    if len(known) == 1:
        return values[0]
    pairs = list(zip(known, known[1:], values, values[1:], strict=False))
    low, high, first, second = next((pair for pair in pairs if at <= pair[1]), pairs[-1])
    return first + (at - low) / (high - low) * (second - first)
