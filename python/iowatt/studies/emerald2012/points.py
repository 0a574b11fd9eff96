"""What the study's sweeps are reduced to: throughput, response time, watts and the metric of each
configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from iowatt.studies.emerald2012.published import MIB
from iowatt.studies.emerald2012.systems import COUNT, RATE, SEQUENTIAL

if TYPE_CHECKING:
    from iowatt.studies.results import Results


@dataclass(frozen=True)
class Point:
    """One configuration under one profile."""

    kind: str
    metric: str
    raid: str
    drives: int
    iops: float
    mib_per_s: float
    ms: float | None
    wall_w: float
    idle_w: float
    raw_gb: float
    #: Busy share of the drives on average, and of the back end; of a family without its limit None.
    busy: float
    back_end: float | None
    #: Simulations that it took.
    runs: int
    #: Rate of a swept open load, requests per second.
    rate: float | None
    seed: int = 1

    @property
    def value(self) -> float:
        """The metric as the training prints it: IOPS/W, MB/s/W, GB/W."""
        if self.metric == "RI":
            return self.raw_gb / self.idle_w
        if self.metric in SEQUENTIAL:
            return self.mib_per_s * MIB / self.wall_w
        return self.iops / self.wall_w


def point(said: Mapping[str, Any], row: Mapping[str, Any]) -> Point:
    """A row of a sweep's table."""
    return Point(
        kind=said["kind"],
        metric=said["metric"],
        raid=said["raid"],
        drives=int(row.get(COUNT) or said["drives"]),
        iops=row["throughput.iops"],
        mib_per_s=row["throughput.mib_per_s"],
        ms=row["response_time_ms.all.mean"],
        wall_w=row["power_w.wall_mean"],
        idle_w=row["power_w.wall_idle"],
        raw_gb=row["capacity_gb.raw"],
        busy=row["devices.utilisation.mean"],
        back_end=row.get("controller.back_end.utilisation"),
        runs=int(row.get("rate.runs") or 1),
        rate=row.get(RATE),
        seed=int(row["seed"]),
    )


class Points:
    """All points, by sweep."""

    def __init__(self, results: Results) -> None:
        self.all = [
            point(stage.said, row) for key, stage in results.stages.items() for row in results.rows(key)
        ]

    def of(self, kind: str, **wanted: Any) -> list[Point]:
        """The points of a sweep with these values, fewest drives first."""
        found = [
            one
            for one in self.all
            if one.kind == kind and all(getattr(one, name) == value for name, value in wanted.items())
        ]
        return sorted(found, key=lambda one: one.drives)

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

    def some(self, kind: str) -> list[Point]:
        """The points of a sweep; ``LookupError`` where there are none."""
        found = self.of(kind)
        if not found:
            raise LookupError(f"no points of {kind}")
        return found

    def has(self, metric: str, raid: str, drives: int) -> bool:
        """Whether :meth:`at` has it."""
        try:
            self.at(metric, raid, drives)
        except LookupError:
            return False
        return True

    def curve(self, metric: str, raid: str) -> list[Point]:
        """By whole shelves."""
        return self.of(f"{metric.lower().replace('/', '-')}-{raid}")

    def at(self, metric: str, raid: str, drives: int) -> Point:
        """A point by whole shelves, or by single drives where it lies between them.

        Raises ``LookupError`` where neither has it.
        """
        found = [one for one in self.curve(metric, raid) if one.drives == drives]
        if metric == "MW1" and raid == "raid-5":
            found += [one for one in self.of("mw1-single") if one.drives == drives]
        if not found:
            raise LookupError(f"no point of {metric} with {drives} drives in {raid}")
        return found[0]

    def quarter(self, kind: str = "submission-mw2", *, whole: Point | None = None) -> float:
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


def best(points: Sequence[Point]) -> Point:
    """The peak."""
    return max(points, key=lambda one: one.value)


def _between(at: float, known: Sequence[float], values: Sequence[float]) -> float:
    """A figure between two known ones, by a straight line; beyond them, the same line."""
    if len(known) == 1:
        return values[0]
    pairs = list(zip(known, known[1:], values, values[1:], strict=False))
    low, high, first, second = next((pair for pair in pairs if at <= pair[1]), pairs[-1])
    return first + (at - low) / (high - low) * (second - first)
