"""Candidates of an optimization: assessed without a run, then simulated through the journal."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from iowatt.base.errors import InputError
from iowatt.evaluate.search import axes, prepare
from iowatt.evaluate.search.axes import SweepPoint
from iowatt.evaluate.search.metrics import names as metrics
from iowatt.evaluate.search.optimize import bounds
from iowatt.evaluate.search.optimize.bounds import static_metrics
from iowatt.evaluate.search.optimize.problem import SearchProblem
from iowatt.evaluate.search.optimize.space import SearchSpace
from iowatt.evaluate.search.point import TOO_SLOW, PointTask, key_of
from iowatt.evaluate.search.prepare import CheckedPoint, RefusedPoint
from iowatt.evaluate.search.tasks.evaluator import Evaluator, Job
from iowatt.evaluate.search.tasks.files import file_digests
from iowatt.evaluate.search.tasks.journal import error_text

if TYPE_CHECKING:
    from iowatt.evaluate import evaluation
    from iowatt.evaluate.estimate import Estimate, Estimator


@dataclass(frozen=True)
class Assessment:
    """A point before any run of it."""

    point: SweepPoint
    #: Why it cannot be built; None where it can.
    refused: str | None
    #: Metrics that follow from its plan, exactly as its Run would have them.
    known: Mapping[str, float] = field(default_factory=dict)
    #: Bounds of each requested metric, by its plan alone.
    ranges: Mapping[str, bounds.Range] = field(default_factory=dict)
    #: The estimator's values of the requested metrics; None where it does not model the point.
    estimate: Mapping[str, float] | None = None
    bottleneck: str | None = None
    #: Where the search for its highest rate may begin, requests/s.
    rate_iops: float | None = None
    #: Why there is no estimate.
    why_not: str | None = None
    #: Digest of its arrivals; None where they depend on the system.
    arrivals: str | None = None

    def range(self, name: str) -> bounds.Range:
        """Bounds of a metric."""
        if name in self.known:
            return self.known[name], self.known[name]
        return self.ranges.get(name, (-math.inf, math.inf))


class Assessor:
    """Assesses points of a problem's space and caches the assessments."""

    def __init__(self, problem: SearchProblem, space: SearchSpace) -> None:
        self._problem, self.space = problem, space
        self.seen: dict[int, Assessment] = {}
        self._estimator: Estimator | None = None
        #: Arrivals of open loads by their digest, as Runs had them.
        self.known_arrivals: dict[str, bounds.Arrivals] = {}

    @property
    def benchmarks(self) -> int:
        """Short simulations of single drives that the estimates rest on."""
        return 0 if self._estimator is None else self._estimator.benchmarks

    def __call__(self, number: int) -> Assessment:
        """The assessment of a point, made once."""
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
        if digest is None or digest in self.known_arrivals:
            return False
        examined = self._examined(number)
        if isinstance(examined, RefusedPoint):
            return False
        known_arrivals = bounds.arrivals_of(row, examined[1].plan)
        if known_arrivals is None:
            return False
        self.known_arrivals[digest] = known_arrivals
        return True

    def bound(self, number: int) -> Assessment:
        """The point with bounds that rest on arrivals, once these are known."""
        one = self(number)
        if one.arrivals not in self.known_arrivals or one.refused is not None:
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
            return Assessment(examined.point, error_text(examined.error))
        checked, work = examined
        problem = self._problem
        try:
            sure = static_metrics(work.plan, problem.pricing)
        except InputError as error:
            return Assessment(checked.point, error_text(error))
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
            None if made is None else made.row.get(metrics.RATE),
            why_not,
            None if arrivals in self.known_arrivals else arrivals,
        )

    def _ranges(
        self, plan: Mapping[str, Any], sure: Mapping[str, float], arrivals: str | None
    ) -> dict[str, bounds.Range]:
        warmed = self._problem.within is not None
        found = bounds.metric_bounds(plan, self.known_arrivals.get(arrivals or ""), warmed=warmed)
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
        prices, risk = self._problem.pricing, self._problem.risk
        if risk is not None:
            row |= risk.expected(work.plan)
        if prices is None:
            return row
        try:
            return row | prices.expected(work.plan, row)
        except InputError:
            return row


def impossible_because(one: Assessment, problem: SearchProblem) -> str | None:
    """Why no run of a point can be feasible, in words; None where it may be."""
    for limit in problem.constraints:
        low, high = one.range(limit.metric)
        if not limit.possible(low, high):
            best = low if limit.operator == "<=" else high
            exact = "is" if low == high else "is at best"
            return f"{limit.metric} {exact} {best:.6g}, and {limit.text} is asked"
    return None


def best_losses(one: Assessment, problem: SearchProblem) -> tuple[float, ...]:
    """The objectives at their best, as things to make small."""
    found = []
    for objective in problem.objectives:
        low, high = one.range(objective.metric)
        found.append(objective.loss(low if objective.lower else high))
    return tuple(found)


_START_ERROR: Final = 0.25
"""How near an estimated rate is thought to be to the one that is found, as a share."""


class CandidateEvaluator:
    """Runs points of a problem and keeps what they gave."""

    def __init__(self, problem: SearchProblem, assessor: Assessor, evaluator: Evaluator) -> None:
        self._problem, self._assessor, self._evaluator = problem, assessor, evaluator
        #: The record of each point that was run (``row`` or ``error``), by number.
        self.records: dict[int, Mapping[str, Any]] = {}

    @property
    def lost(self) -> bool:
        """Whether a point could not be run for a reason outside it, so that it remains unevaluated."""
        return bool(self._evaluator.faults or self._evaluator.machines)

    @property
    def too_slow(self) -> bool:
        """Whether a point failed because no rate of it is within the limit, which is an answer."""
        return any(_too_slow(record) for record in self.records.values())

    @property
    def unknown(self) -> bool:
        """Whether a point that can be built remains unevaluated."""
        failed = (record for record in self.records.values() if "error" in record)
        return self.lost or any(not _too_slow(record) for record in failed)

    @property
    def rows(self) -> dict[int, Mapping[str, Any]]:
        """Rows of the points with figures."""
        return {number: record["row"] for number, record in self.records.items() if "row" in record}

    @property
    def feasible(self) -> dict[int, tuple[float, ...]]:
        """The losses of those that keep all constraints."""
        found = {}
        for number, row in self.rows.items():
            losses = self._problem.losses(row)
            if losses is not None and not self._problem.violated(row):
                found[number] = losses
        return found

    def run(self, numbers: Sequence[int]) -> None:
        """Simulate those that were not; their records are there afterwards."""
        jobs: dict[str, Job] = {}
        keys: dict[int, str] = {}
        for number in numbers:
            if number in self.records:
                continue
            checked = self._assessor.checked(number)
            if isinstance(checked, RefusedPoint):
                continue
            digests = file_digests(path for _, path in checked.files)
            key = key_of(
                checked.key(digests), self._problem.within, self._problem.pricing, self._problem.risk
            )
            keys[number] = key
            if key not in jobs:
                jobs[key] = Job(
                    self._task(checked, key, digests),
                    axes.point_label(checked.point, self._assessor.space.columns),
                )
        known = [key for key in jobs if key in self._evaluator.records]
        self._evaluator.count(self._evaluator.records[key] for key in known)
        self._evaluator.evaluate(jobs)
        for number, key in keys.items():
            self.records[number] = self._evaluator.records[key]

    def _task(self, checked: CheckedPoint, key: str, digests: dict[Path, str]) -> PointTask:
        problem = self._problem
        within, start = problem.within, self._assessor(checked.point.number).rate_iops
        rate = within
        if within is not None:
            rate = replace(within, start=start, start_error=None if start is None else _START_ERROR)
        return PointTask.of(
            problem.given, checked, key, digests, command=problem.command, rate=rate, pricing=problem.pricing,
            risk=problem.risk,
        )  # fmt: skip


def _too_slow(record: Mapping[str, Any]) -> bool:
    return "error" in record and record["error"]["place"] == TOO_SLOW
