"""One curve: a metric over the drives of one option, level and controller class, and what is known of it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from iowatt.emerald.bff.climb import next_to_peak
from iowatt.emerald.bff.peak import Peak, find, highest
from iowatt.emerald.bff.point_result import Judged
from iowatt.emerald.family import Candidate, Family, Metric, candidates

#: A configuration under the load of a metric; the last is the [[configuration]] whose own loads hold.
Which = tuple[str, Candidate, str | None]


@dataclass
class Book:
    """All that is known, by metric and configuration."""

    estimated: dict[Which, Judged] = field(default_factory=dict)
    found: dict[Which, Judged] = field(default_factory=dict)
    #: Why a point has no figures.
    failed: dict[Which, str] = field(default_factory=dict)
    #: Why a point was not estimated.
    unknown: dict[Which, str] = field(default_factory=dict)

    def judged(self, which: Which) -> Judged | None:
        """The best that is known: simulated or calculated, else estimated."""
        return self.found.get(which) or (None if which in self.failed else self.estimated.get(which))

    def done(self, which: Which) -> bool:
        """Whether it need not be simulated again."""
        return which in self.found or which in self.failed


@dataclass(frozen=True)
class Series:
    """Configurations that differ in their number of drives alone, rising."""

    metric: Metric
    drive: str
    raid: str
    controller: str
    points: tuple[Candidate, ...]
    #: Drives of a node, of a scale-out family.
    per_node: int | None = None
    plateau_percent: float | None = None

    @property
    def name(self) -> str:
        """In words."""
        node = "" if self.per_node is None else f", {self.per_node} drives a node"
        return f"{self.drive}, {self.raid}, {self.controller}{node}"

    def which(self, at: int) -> Which:
        """The key of a point."""
        return self.metric.name, self.points[at], None

    def estimates(self, book: Book) -> list[float | None]:
        """The curve as estimated."""
        found = (book.estimated.get(self.which(at)) for at in range(len(self.points)))
        return [None if one is None else one.ep for one in found]

    def simulated(self, book: Book) -> dict[int, float | None]:
        """What was found by position; None where it cannot be run."""
        return {
            at: (book.found[which].ep if which in book.found else None)
            for at in range(len(self.points))
            if book.done(which := self.which(at))
        }

    def curve(self, book: Book) -> list[float | None]:
        """What was simulated or calculated, or where nothing was, the estimates.

        Of a family without a peak the whole curve counts: between simulated points it is estimated, times
        what simulations are of estimates on the mean.
        """
        simulated, estimates = self.simulated(book), self.estimates(book)
        seen = {at: value for at, value in simulated.items() if value is not None}
        if not seen:
            return estimates
        if self.plateau_percent is None:
            return [simulated.get(at) for at in range(len(self.points))]
        both = [value / guess for at, value in seen.items() if (guess := estimates[at])]
        ratio = math.fsum(both) / len(both) if both else None
        return [
            simulated[at] if at in simulated else None if guess is None or ratio is None else guess * ratio
            for at, guess in enumerate(estimates)
        ]

    def peak(self, book: Book, *, estimates: bool = False) -> Peak | None:
        """The peak of :meth:`curve`; with ``estimates`` of these alone."""
        values = self.estimates(book) if estimates else self.curve(book)
        return find(values, plateau_percent=self.plateau_percent)

    def wanted(self, book: Book) -> list[int]:
        """Positions that are to be simulated next, so that the peak is one by simulation.

        Of a curve without a peak these are the point chosen, its neighbours, the highest and both ends.
        """
        estimates, simulated = self.estimates(book), self.simulated(book)
        if self.plateau_percent is None or not any(value is not None for value in estimates):
            return next_to_peak(estimates, simulated)
        top, values = self.peak(book), self.curve(book)
        best = highest(values)
        known = [at for at, value in enumerate(values) if value is not None]
        if top is None:
            return []
        around = {top.at - 1, top.at, top.at + 1, known[0], known[-1], *([best] if best is not None else [])}
        return sorted(at for at in around if 0 <= at < len(values) and at not in simulated)

    def best(self, book: Book) -> Judged | None:
        """The figures at the peak."""
        top = self.peak(book)
        return None if top is None else book.judged(self.which(top.at))


def all_series(
    family: Family,
    metrics: Sequence[Metric],
    *,
    drives: Iterable[str],
    levels: Iterable[str],
    controllers: Iterable[str],
) -> list[Series]:
    """Every curve by whole shelves (or nodes). Ready idle has one for all levels: they do not matter."""
    wanted, owners = set(levels), list(controllers)
    return [
        one
        for metric in metrics
        for drive in drives
        for raid in _levels(family, drive, wanted)[: 1 if metric.kind == "idle" else None]
        for controller in owners
        for one in _curves(family, metric, drive=drive, raid=raid, controller=controller)
    ]


def _levels(family: Family, drive: str, wanted: set[str]) -> list[str]:
    return [one.name for one in family.levels_of(family.drive(drive)) if one.name in wanted]


def _curves(family: Family, metric: Metric, *, drive: str, raid: str, controller: str) -> Iterator[Series]:
    """One curve; of a scale-out family, one for each number of drives a node."""
    points = candidates(family, drive=drive, raid=raid, controller=controller)
    out = family.file.scale_out
    if out is None:
        if points:
            yield Series(metric, drive, raid, controller, points)
        return
    for per_node in _per_node(points):
        own = tuple(one for one in points if one.drives // one.nodes == per_node)
        yield Series(metric, drive, raid, controller, own, per_node, out.plateau_percent)


def _per_node(points: Sequence[Candidate]) -> list[int]:
    return sorted({point.drives // point.nodes for point in points})
