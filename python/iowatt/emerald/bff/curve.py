"""Curves of a metric over rising numbers of drives: their peaks, and which points to simulate next."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from iowatt.emerald.bff.result import PeakKind, PeakPosition, PointFigures
from iowatt.emerald.family import Candidate, EmeraldMetric, Family, candidates

Values = Sequence[float | None]


class PointKey(NamedTuple):
    """The key of a point: a candidate in a metric."""

    metric: str
    candidate: Candidate
    #: Name of the family's ``[[configuration]]`` whose own loads apply; None: the metric's.
    configuration: str | None = None


def highest(values: Values) -> int | None:
    """The position of the highest value, the first among equals."""
    known = [at for at, value in enumerate(values) if value is not None]
    return max(known, key=lambda at: (values[at], -at), default=None)


def find_peak(values: Values, *, plateau_percent: float | None = None) -> PeakPosition | None:
    """The peak of a curve over rising numbers of drives; None where no point is known.

    ``plateau_percent``: of a family that need not have a peak (scale-out): points within so much of the
    highest one count as equal to it. None: the highest point is the peak.
    """
    top = highest(values)
    if top is None:
        return None
    known = [at for at, value in enumerate(values) if value is not None]
    if plateau_percent is not None and len(known) > 1:
        flat = _plateau(values, known, top, plateau_percent)
        if flat is not None:
            return flat
    if len(known) == 1:
        return peak_at(values, top, "peak", "the only known point")
    if top == known[-1]:
        return peak_at(values, top, "largest", "the metric still rises at the largest configuration")
    if top == known[0]:
        return peak_at(values, top, "smallest", "the metric falls from the smallest configuration on")
    return peak_at(values, top, "peak", "fewer and more drives are below it")


def _plateau(values: Values, known: Sequence[int], top: int, percent: float) -> PeakPosition | None:
    """The point to choose where an end of the curve is as good as its highest point."""
    near = [at for at in known if (values[at] or 0.0) >= (values[top] or 0.0) * (1 - percent / 100)]
    if known[-1] in near:
        below = [at for at in known if at not in near]
        start = known[known.index(below[-1]) + 1] if below else known[0]
        why = f"no peak: from this, the smallest, on the metric stays within {percent:g} % of its highest"
        return peak_at(values, start, "plateau", why)
    if known[0] in near:
        why = f"no peak: up to this, the largest, the metric stays within {percent:g} % of its highest"
        return peak_at(values, max(near), "before roll-off", why)
    return None


def peak_at(values: Values, at: int, kind: PeakKind, why: str) -> PeakPosition:
    """A point of a curve as its peak."""
    less, more = _change(values, at, -1), _change(values, at, 1)
    return PeakPosition(kind=kind, why=why, less_percent=less, more_percent=more, at=at)


def _change(values: Values, at: int, step: int) -> float | None:
    """To the next known point on one side, in percent."""
    here = values[at]
    side = values[at + 1 :] if step > 0 else values[:at][::-1]
    value = next((value for value in side if value is not None), None)
    return 100 * (value / here - 1) if value is not None and here else None


def next_to_peak(guess: Values, simulated: Mapping[int, float | None]) -> list[int]:
    """Positions to simulate, none when the highest simulated point lies between simulated neighbours.

    ``guess``: estimates of the whole curve. Where there are none, every point is to be simulated.
    ``simulated``: values by position so far; None where a point cannot be run.
    """
    if not any(value is not None for value in guess):
        return [at for at in range(len(guess)) if at not in simulated]
    top = highest([simulated.get(at) for at in range(len(guess))])
    if top is None:  # nothing yet, or nothing that can be run: the best estimate of those left
        top = highest([None if at in simulated else value for at, value in enumerate(guess)])
        if top is None:
            return []
    return [at for at in (top - 1, top, top + 1) if 0 <= at < len(guess) and at not in simulated]


@dataclass
class Refinement:
    """The peak of a long curve (single drives) by a grid that closes in on it.

    Points a grid apart are simulated around the best one; where an outer one is better the grid moves there,
    else it is halved, down to neighbours. Of a curve with one peak it finds that peak. A curve by single
    drives falls wherever another shelf begins, so each stretch of a shelf has a grid of its own.
    """

    first: int  #: Positions from ``first`` up to, not including, ``size``.
    size: int
    centre: int
    grid: int
    simulated: dict[int, float | None] = field(default_factory=dict)

    def wanted(self) -> list[int]:
        """Positions to simulate next; none when neighbours of the best point are known."""
        while True:
            around = (self.centre - self.grid, self.centre, self.centre + self.grid)
            missing = [at for at in around if self.first <= at < self.size and at not in self.simulated]
            if missing:
                return missing
            top = highest([self.simulated.get(at) for at in range(self.first, self.size)])
            if top is not None and self.first + top != self.centre:
                self.centre = self.first + top
            elif self.grid == 1:
                return []
            else:
                self.grid = max(1, self.grid // 2)


@dataclass
class KnownPoints:
    """All that is known, by metric and configuration."""

    estimated: dict[PointKey, PointFigures] = field(default_factory=dict)
    found: dict[PointKey, PointFigures] = field(default_factory=dict)
    failed: dict[PointKey, str] = field(default_factory=dict)  #: Why a point has no figures.
    unknown: dict[PointKey, str] = field(default_factory=dict)  #: Why a point was not estimated.

    def best(self, key: PointKey) -> PointFigures | None:
        """The best that is known: simulated or calculated, else estimated."""
        return self.found.get(key) or (None if key in self.failed else self.estimated.get(key))

    def error(self, key: PointKey) -> str | None:
        """Why a point has no figures or no estimate."""
        return self.failed.get(key) or self.unknown.get(key)

    def done(self, key: PointKey) -> bool:
        """Whether it need not be simulated again."""
        return key in self.found or key in self.failed


@dataclass(frozen=True)
class Series:
    """Configurations that differ in their number of drives alone, rising."""

    metric: EmeraldMetric
    drive: str
    raid: str
    controller: str
    points: tuple[Candidate, ...]
    per_node: int | None = None  #: Drives of a node, of a scale-out family.
    plateau_percent: float | None = None

    @property
    def name(self) -> str:
        """Drive, level, class, and drives a node."""
        node = "" if self.per_node is None else f", {self.per_node} drives a node"
        return f"{self.drive}, {self.raid}, {self.controller}{node}"

    def key(self, at: int) -> PointKey:
        """The key of a point."""
        return PointKey(self.metric.name, self.points[at])

    @property
    def keys(self) -> list[PointKey]:
        """The keys of all points."""
        return [self.key(at) for at in range(len(self.points))]

    def estimates(self, known: KnownPoints) -> list[float | None]:
        """The curve as estimated."""
        figures = (known.estimated.get(key) for key in self.keys)
        return [None if one is None else one.ep for one in figures]

    def simulated(self, known: KnownPoints) -> dict[int, float | None]:
        """Simulated values by position; None where a point cannot be run."""
        return {
            at: known.found[key].ep if key in known.found else None
            for at, key in enumerate(self.keys)
            if known.done(key)
        }

    def curve(self, known: KnownPoints) -> list[float | None]:
        """Simulated or calculated values; where there are none, the estimates.

        Of a family without a peak the whole curve counts: between simulated points it is estimated, times
        the mean ratio of simulations to estimates.
        """
        simulated, estimates = self.simulated(known), self.estimates(known)
        values = {at: value for at, value in simulated.items() if value is not None}
        if not values:
            return estimates
        if self.plateau_percent is None:
            return [simulated.get(at) for at in range(len(self.points))]
        ratios = [value / guess for at, value in values.items() if (guess := estimates[at])]
        ratio = math.fsum(ratios) / len(ratios) if ratios else None
        return [
            simulated[at] if at in simulated else None if guess is None or ratio is None else guess * ratio
            for at, guess in enumerate(estimates)
        ]

    def peak(self, known: KnownPoints) -> PeakPosition | None:
        """The peak of :meth:`curve`."""
        return find_peak(self.curve(known), plateau_percent=self.plateau_percent)

    def best(self, known: KnownPoints) -> PointFigures | None:
        """The figures at the peak."""
        top = self.peak(known)
        return None if top is None else known.best(self.key(top.at))

    def wanted(self, known: KnownPoints) -> list[int]:
        """Positions to simulate next, so that the peak is a simulated one.

        Of a curve without a peak these are the point chosen, its neighbours, the highest and both ends.
        """
        estimates, simulated = self.estimates(known), self.simulated(known)
        if self.plateau_percent is None or not any(value is not None for value in estimates):
            return next_to_peak(estimates, simulated)
        top, values = self.peak(known), self.curve(known)
        if top is None:
            return []
        ends = [at for at, value in enumerate(values) if value is not None]
        around = {top.at - 1, top.at, top.at + 1, ends[0], ends[-1], highest(values) or 0}
        return sorted(at for at in around if 0 <= at < len(values) and at not in simulated)


def all_series(
    family: Family,
    metrics: Sequence[EmeraldMetric],
    *,
    drives: Iterable[str],
    levels: Iterable[str],
    controllers: Iterable[str],
) -> list[Series]:
    """Every curve by whole shelves (or nodes). Ready idle has one for all levels: they do not matter."""
    offered = {
        drive: [one.name for one in family.levels_of(family.drive(drive)) if one.name in levels]
        for drive in drives
    }
    return [
        one
        for metric in metrics
        for drive, names in offered.items()
        for raid in names[: 1 if metric.kind == "idle" else None]
        for controller in controllers
        for one in _curves(family, metric, drive=drive, raid=raid, controller=controller)
    ]


def _curves(
    family: Family, metric: EmeraldMetric, *, drive: str, raid: str, controller: str
) -> Iterator[Series]:
    """One curve; of a scale-out family, one for each number of drives a node."""
    points = candidates(family, drive=drive, raid=raid, controller=controller)
    scale_out = family.file.scale_out
    if scale_out is None:
        if points:
            yield Series(metric, drive, raid, controller, points)
        return
    for per_node in sorted({point.drives // point.nodes for point in points}):
        own = tuple(one for one in points if one.drives // one.nodes == per_node)
        yield Series(metric, drive, raid, controller, own, per_node, scale_out.plateau_percent)
