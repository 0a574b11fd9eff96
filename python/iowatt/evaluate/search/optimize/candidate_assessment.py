"""Points looked at without a run: whether they can be built, what is known of them, what to expect."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from iowatt.base.errors import InputError
from iowatt.evaluate.search import prepare, pricing
from iowatt.evaluate.search.grid import SweepPoint
from iowatt.evaluate.search.optimize import bounds, metric
from iowatt.evaluate.search.optimize.problem import Problem
from iowatt.evaluate.search.optimize.space import Space
from iowatt.evaluate.search.optimize.static_metrics import static_metrics
from iowatt.evaluate.search.prepare import CheckedPoint, RefusedPoint
from iowatt.evaluate.search.record import error_record, error_text

if TYPE_CHECKING:
    from iowatt.evaluate import evaluation
    from iowatt.evaluate.estimate import Estimate, Estimator


@dataclass(frozen=True)
class Assessment:
    """A point before any run of it."""

    point: SweepPoint
    #: Why it cannot be built; None where it can.
    refused: str | None
    #: What its plan says, as its Run would.
    known: Mapping[str, float] = field(default_factory=dict)
    #: What each metric that is asked for can be at best and at worst, by its plan alone.
    ranges: Mapping[str, bounds.Range] = field(default_factory=dict)
    #: What the estimator expects of the metrics that are asked for; None where it says nothing.
    estimate: Mapping[str, float] | None = None
    bottleneck: str | None = None
    #: Where the search for its highest rate may begin, requests/s.
    rate_iops: float | None = None
    #: Why there is no estimate.
    why_not: str | None = None
    #: What tells its arrivals from others; None where they depend on the system.
    arrivals: str | None = None

    def range(self, name: str) -> bounds.Range:
        """What a metric may be."""
        if name in self.known:
            return self.known[name], self.known[name]
        return self.ranges.get(name, (-math.inf, math.inf))


class Assessor:
    """Looks at points of a problem's space; keeps what it saw."""

    def __init__(self, problem: Problem, space: Space) -> None:
        self._problem, self.space = problem, space
        self.seen: dict[int, Assessment] = {}
        self._estimator: Estimator | None = None
        #: Arrivals of open loads by their digest, as Runs had them.
        self.come: dict[str, bounds.Arrivals] = {}

    @property
    def pilots(self) -> int:
        """Short simulations of single drives that the estimates rest on."""
        return 0 if self._estimator is None else self._estimator.pilots

    def __call__(self, number: int) -> Assessment:
        """A point, looked at once."""
        if number not in self.seen:
            self.seen[number] = self._look(number)
        return self.seen[number]

    def checked(self, number: int) -> CheckedPoint | RefusedPoint:
        """The point as a task needs it."""
        one = self._examined(number)
        return one if isinstance(one, RefusedPoint) else one[0]

    def plan(self, number: int) -> Mapping[str, Any]:
        """The plan of a point that can be built."""
        one = self._examined(number)
        assert not isinstance(one, RefusedPoint)
        return one[1].plan

    def learn(self, number: int, row: Mapping[str, Any]) -> bool:
        """Take a Run's arrivals as those of all points with the same workloads; whether that was new."""
        digest = self(number).arrivals
        if digest is None or digest in self.come:
            return False
        examined = self._examined(number)
        if isinstance(examined, RefusedPoint):
            return False
        come = bounds.arrivals_of(row, examined[1].plan)
        if come is None:
            return False
        self.come[digest] = come
        return True

    def bound(self, number: int) -> Assessment:
        """The point with bounds that rest on arrivals, once these are known."""
        one = self(number)
        if one.arrivals not in self.come or one.refused is not None:
            return one
        examined = self._examined(number)
        assert not isinstance(examined, RefusedPoint)
        changed = replace(one, ranges=self._ranges(examined[1].plan, one.known, one.arrivals), arrivals=None)
        self.seen[number] = changed
        return changed

    def _examined(self, number: int) -> tuple[CheckedPoint, evaluation.Prepared] | RefusedPoint:
        given, point = self._problem.given, self.space.point(number)
        return prepare.examine(given, self.space.axes, point, (*given.overrides, *point.overrides))

    def _look(self, number: int) -> Assessment:
        examined = self._examined(number)
        if isinstance(examined, RefusedPoint):
            return Assessment(examined.point, error_text(error_record(examined.error)))
        checked, work = examined
        problem = self._problem
        try:
            sure = static_metrics(work.plan, problem.pricing)
        except InputError as error:
            return Assessment(checked.point, error_text(error_record(error)))
        arrivals = None if problem.within is not None else bounds.arrivals_digest(work.plan)
        estimate, made, why_not = self._estimate(work, sure)
        busiest = None if made is None else max(made.stations, key=lambda one: one.utilisation, default=None)
        return Assessment(
            checked.point,
            None,
            {name: value for name, value in sure.items() if name in problem.metrics},
            self._ranges(work.plan, sure, arrivals),
            estimate,
            None if busiest is None else busiest.name,
            None if made is None else made.row.get(metric.RATE),
            why_not,
            None if arrivals in self.come else arrivals,
        )

    def _ranges(
        self, plan: Mapping[str, Any], sure: Mapping[str, float], arrivals: str | None
    ) -> dict[str, bounds.Range]:
        warmed = self._problem.within is not None
        found = bounds.metric_bounds(plan, self.come.get(arrivals or ""), warmed=warmed)
        found |= bounds.capacity_per_watt(sure, found)
        return {name: found[name] for name in self._problem.metrics if name in found}

    def _estimate(
        self, work: evaluation.Prepared, sure: Mapping[str, float]
    ) -> tuple[dict[str, float] | None, Estimate | None, str | None]:
        from iowatt.evaluate.estimate import Estimator, NotEstimated

        if self._estimator is None:
            self._estimator = Estimator(self._problem.given.base)
        try:
            within = self._problem.within
            if within is None:
                made = self._estimator.of(work)
            else:
                made = self._estimator.highest_rate(work, within.limit_s)
        except NotEstimated as error:
            return None, None, error.message
        row = {**self._row(work, made), **sure}
        found = {name: row[name] for name in self._problem.metrics if row.get(name) is not None}
        return found, made, None

    def _row(self, work: evaluation.Prepared, made: Estimate) -> dict[str, float]:
        row = {name: value for name, value in made.row.items() if value is not None and math.isfinite(value)}
        prices = self._problem.pricing
        if prices is None:
            return row
        try:
            return row | pricing.expected(work.plan, row, prices)
        except InputError:
            return row


def impossible_because(one: Assessment, problem: Problem) -> str | None:
    """Why no run of a point can be feasible, in words; None where it may be."""
    for limit in problem.constraints:
        low, high = one.range(limit.metric)
        if not limit.possible(low, high):
            best = low if limit.operator == "<=" else high
            exact = "is" if low == high else "is at best"
            return f"{limit.metric} {exact} {best:.6g}, and {limit.text} is asked"
    return None


def best_losses(one: Assessment, problem: Problem) -> tuple[float, ...]:
    """The objectives at their best, as things to make small."""
    found = []
    for objective in problem.objectives:
        low, high = one.range(objective.metric)
        found.append(objective.loss(low if objective.lower else high))
    return tuple(found)
