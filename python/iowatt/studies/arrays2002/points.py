"""The points of the design space with the figures that the study compares: T, E, E x T, energy by state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from iowatt.studies.arrays2002.systems import COUNT, LEVEL, SOURCES, UNIT
from iowatt.studies.stages import figure, figures, select

if TYPE_CHECKING:
    from iowatt.studies.stages import Results, Row, StudyStage

STATES: Final = ("idle", "positioning", "active")


@dataclass(frozen=True, kw_only=True)
class DesignPoint:
    """One array under one workload."""

    #: What differs from the study's array: "space" nothing, else "cache", "mechanics", "ahead", "spindles".
    kind: str = figure("kind")
    source: str = figure("source")
    workload: str = figure("workload")
    level: int = figure(LEVEL)
    disks: int = figure(COUNT)
    unit_kib: int
    #: Mean response time in ms and its 95 % confidence limits.
    t_ms: float = figure("response_time_ms.all.mean")
    t_low_ms: float | None = figure("response_time_ms.all.mean_ci95.low")
    t_high_ms: float | None = figure("response_time_ms.all.mean_ci95.high")
    #: J per request, in all and by state.
    e_j: float = figure("energy.per_request_j")
    states_j: Mapping[str, float]
    #: Mean time between requests, in s: the window over the requests completed in it.
    interarrival_s: float
    #: Accesses of disks for each request.
    accesses: float
    overloaded: bool = figure("overloaded")

    @property
    def et(self) -> float:
        """Energy-delay, J x s."""
        return self.e_j * self.t_ms / 1e3

    @property
    def case(self) -> tuple[str, str, int]:
        """Source, workload and level."""
        return self.source, self.workload, self.level

    @property
    def place(self) -> tuple[int, int]:
        """Disks and stripe unit in KiB."""
        return self.disks, self.unit_kib


METRICS: Final[dict[str, Callable[[DesignPoint], float]]] = {
    "T": lambda point: point.t_ms,
    "E": lambda point: point.e_j,
    "ET": lambda point: point.et,
}
NAMES: Final = {"T": "T", "E": "E", "ET": "E x T"}


KINDS: Final = ("space", "cache", "mechanics", "ahead", "spindles")


def read(results: Results) -> list[DesignPoint]:
    """All points of the sweeps over the design space."""
    return [_point(stage, row) for kind in KINDS for stage, row in results.rows(kind=kind)]


def _point(stage: StudyStage, row: Row) -> DesignPoint:
    completed = row["requests.completed"]
    return DesignPoint(
        **figures(DesignPoint, stage.labels, row),
        unit_kib=int(row[UNIT].removesuffix("KiB")),
        states_j={state: row[f"energy.by_state_j.{state}"] / completed for state in STATES},
        interarrival_s=row["window.duration_s"] / completed,
        accesses=row["devices.accesses"] / completed,
    )


def choose(points: Iterable[DesignPoint], **wanted: Any) -> list[DesignPoint]:
    """The points with these values, by disks and stripe unit."""
    return sorted(select(points, **wanted), key=lambda one: one.place)


def cases(points: Iterable[DesignPoint]) -> list[tuple[str, str, int]]:
    """Source, workload and level of the points, in the order in which tables have them."""
    return sorted({one.case for one in points}, key=lambda case: (SOURCES.index(case[0]), case[1], case[2]))


def by_case(points: Iterable[DesignPoint]) -> Iterator[tuple[str, str, int, list[DesignPoint]]]:
    """Source, workload and level of each case of the design space, with its points."""
    space = choose(points, kind="space")
    for source, workload, level in cases(space):
        yield source, workload, level, choose(space, source=source, workload=workload, level=level)


def best(points: Iterable[DesignPoint], metric: str) -> DesignPoint | None:
    """The point with the least of a metric; points that could not keep up have no such figures."""
    steady = [one for one in points if not one.overloaded]
    return min(steady, key=METRICS[metric], default=None)
