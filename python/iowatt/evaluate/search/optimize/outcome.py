"""The outcome of an optimization: a document, and a table of every assessed point."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from iowatt.base.results import Note
from iowatt.evaluate.search.axes import short_names
from iowatt.evaluate.search.metrics import names as metrics
from iowatt.evaluate.search.metrics import table
from iowatt.evaluate.search.metrics.pareto import knee_of, nondominated, recommend
from iowatt.evaluate.search.metrics.table import TEXTS
from iowatt.evaluate.search.optimize.candidates import Assessor, CandidateEvaluator
from iowatt.evaluate.search.optimize.problem import SearchProblem
from iowatt.evaluate.search.optimize.result import (
    AxisResult,
    ConstraintResult,
    EstimatorUse,
    MetricErrors,
    ObjectiveResult,
    Optimization,
    PricingBasis,
    RateLimitUsed,
    SpaceCounts,
    WinnerExplanation,
)
from iowatt.evaluate.search.tasks.journal import error_text

if TYPE_CHECKING:
    import polars as pl

DOCUMENT: Final = "optimize.json"

NOT_EXPLAINED: Final = WinnerExplanation(
    winner=None, bottleneck=None, constraints=[], axes=[], runner_up=None, limits=[], shares=[]
)
"""Placeholder until the winner is explained."""


@dataclass(frozen=True)
class OptimizationOutcome:
    """The document and the table of all assessed points; ``faults`` are errors of iowatt."""

    document: Optimization
    frame: pl.DataFrame
    resumed: int = 0
    faults: Sequence[str] = ()
    machines: Sequence[str] = ()


@dataclass(frozen=True)
class FrontChoice:
    """Points of the front, its knee, the winner and the rule that chose it."""

    front: tuple[int, ...]
    knee: int | None
    winner: int | None
    by: str | None
    #: The simulated point that violates least, where none is feasible.
    nearest: int | None


def chosen(problem: SearchProblem, candidates: CandidateEvaluator) -> FrontChoice:
    """The choice among the simulated points; points with equal figures are all on the front."""
    feasible = candidates.feasible
    numbers = sorted(feasible)
    if not numbers:
        near = {
            n: problem.excess(row) for n, row in candidates.rows.items() if problem.losses(row) is not None
        }
        return FrontChoice((), None, None, None, min(near, key=lambda n: (near[n], n), default=None))
    order = [numbers[at] for at in nondominated([feasible[number] for number in numbers])]
    losses = [feasible[number] for number in order]
    choice, bend = recommend(losses), knee_of(losses)
    assert choice is not None
    return FrontChoice(tuple(order), None if bend is None else order[bend], order[choice[0]], choice[1], None)


def errors(
    problem: SearchProblem, assessor: Assessor, candidates: CandidateEvaluator
) -> dict[str, MetricErrors]:
    """The estimates' error against simulation, by metric, in per cent of the simulated value."""
    found = {}
    for name in problem.metrics:
        shares = np.array(
            [
                100 * (estimate[name] - row[name]) / abs(row[name])
                for number, row in candidates.rows.items()
                if (estimate := assessor(number).estimate) is not None
                and name in estimate
                and name not in assessor(number).known
                and isinstance(row.get(name), int | float)
                and row[name]
            ]
        )
        if len(shares):
            found[name] = MetricErrors(
                points=len(shares),
                median_percent=float(np.median(np.abs(shares))),
                p95_percent=float(np.quantile(np.abs(shares), 0.95)),
                worst_percent=float(np.max(np.abs(shares))),
                bias_percent=float(np.mean(shares)),
            )
    return found


def document(
    problem: SearchProblem,
    assessor: Assessor,
    candidates: CandidateEvaluator,
    reasons: Mapping[int, str],
    *,
    name: str,
    method: str,
    warnings: Sequence[Note],
    notes: Sequence[Note],
) -> Optimization:
    """All but ``why``, which is made of this and the table; ``warnings`` are of the winner."""
    space, best = assessor.space, chosen(problem, candidates)
    shown = best.winner if best.winner is not None else best.nearest
    assessed = assessor.seen.values()
    refused = sum(one.refused is not None for one in assessed)
    estimated = [one for one in assessed if one.estimate is not None]
    why_not = next((one.why_not for one in assessed if one.why_not), None)
    never_run = [reason for number, reason in reasons.items() if number not in candidates.records]
    infeasible = sum(_by_constraint(reason) for reason in never_run)
    names = short_names(space.columns)
    within = problem.within
    return Optimization(
        version=version("iowatt"),
        command=problem.command,
        scenario=name,
        method=method,
        seed=problem.seed,
        objectives=[
            ObjectiveResult(
                metric=one.metric,
                direction="minimize" if one.lower else "maximize",
                **_title_and_unit(one.metric),
            )
            for one in problem.objectives
        ],
        constraints=[
            ConstraintResult(
                metric=one.metric,
                operator=one.operator,
                value=one.value,
                text=one.text,
                **_title_and_unit(one.metric),
            )
            for one in problem.constraints
        ],
        judged=RateLimitUsed(
            within_ms=None if within is None else within.limit_s * 1e3,
            statistic=None if within is None else within.statistic,
        ),
        axes=[
            AxisResult(
                columns=list(axis.columns),
                names=[names[column] for column in axis.columns],
                values=[list(setting.values) for setting in axis.settings],
                ordered=space.ordered(at),
            )
            for at, axis in enumerate(space.axes)
        ],
        space=SpaceCounts(
            size=space.size,
            refused=refused,
            known_infeasible=infeasible,
            pruned=len(never_run) - infeasible,
            estimated=len(estimated),
            simulated=len(candidates.rows),
            failed=len(candidates.records) - len(candidates.rows),
            untouched=space.size - refused - len(never_run) - len(candidates.records),
        ),
        estimator=EstimatorUse(
            used=bool(estimated),
            why_not=None if estimated else why_not,
            points=sum(assessor(number).estimate is not None for number in candidates.rows),
            pilots=assessor.benchmarks,
            errors=errors(problem, assessor, candidates),
        ),
        front=list(best.front),
        knee=best.knee,
        winner=best.winner,
        winner_by=best.by,
        nearest=best.nearest,
        proof="exact" if method == "exact" and not candidates.unknown else "not proven",
        warnings=list(warnings),
        basis=table.basis_line(list(candidates.rows.values())) or None,
        pricing=None
        if problem.pricing is None or shown is None
        else PricingBasis.model_validate(problem.pricing.basis(assessor.plan(shown), candidates.rows[shown])),
        notes=list(notes),
        why=NOT_EXPLAINED,
    )


def _title_and_unit(name: str) -> dict[str, str]:
    column = metrics.metric_column(name)
    return {"title": column.title, "unit": column.unit}


def _by_constraint(reason: str) -> bool:
    return reason.endswith(" is asked")


def frame(
    problem: SearchProblem,
    assessor: Assessor,
    candidates: CandidateEvaluator,
    reasons: Mapping[int, str],
    best: FrontChoice,
) -> pl.DataFrame:
    """A row for each assessed point, in order of their numbers."""
    import polars as pl

    numbers = sorted(assessor.seen)
    columns: dict[str, list[Any]] = {table.POINT: numbers}
    for at, path in enumerate(assessor.space.columns):
        columns[path] = table.alike([assessor(number).point.values[at] for number in numbers])
    rows = candidates.rows
    columns[table.STATUS] = [_status(number, assessor, candidates, reasons) for number in numbers]
    columns[table.ERROR] = [_error(number, assessor, candidates) for number in numbers]
    columns["reason"] = [None if n in candidates.records else reasons.get(n) for n in numbers]
    feasible = candidates.feasible
    columns["feasible"] = [
        number in feasible if number in rows else (False if _infeasible(number, reasons) else None)
        for number in numbers
    ]
    columns["on_front"] = [number in best.front for number in numbers]
    columns["violated"] = [_violated(number, problem, rows, reasons) for number in numbers]
    columns["bottleneck"] = [assessor(number).bottleneck for number in numbers]
    for name in problem.metrics:
        columns[f"estimate.{name}"] = [_finite((assessor(n).estimate or {}).get(name)) for n in numbers]
    for key in dict.fromkeys(key for row in rows.values() for key in row):
        if key not in columns:
            columns[key] = table.alike([rows.get(number, {}).get(key) for number in numbers])
    for name in problem.metrics:  # those that are known need no run
        known = [assessor(number).known.get(name) for number in numbers]
        if any(value is not None for value in known):
            simulated = columns.get(name, [None] * len(numbers))
            columns[name] = table.alike(
                [value if other is None else other for value, other in zip(known, simulated, strict=True)]
            )
        elif name not in columns:
            columns[name] = [None] * len(numbers)
    texts = (table.STATUS, table.ERROR, "reason", "violated", "bottleneck", *TEXTS)
    return pl.DataFrame(
        {
            name: pl.Series(name, values, dtype=_kind(name, values, texts), strict=False)
            for name, values in columns.items()
        }
    )


def _kind(name: str, values: Sequence[Any], texts: Sequence[str]) -> Any:
    import polars as pl

    if name == table.POINT:
        return pl.Int64
    if name in texts:
        return pl.String
    if name in ("feasible", "on_front"):
        return pl.Boolean
    return None if any(value is not None for value in values) else pl.Float64


def _status(
    number: int, assessor: Assessor, candidates: CandidateEvaluator, reasons: Mapping[int, str]
) -> str:
    if number in candidates.records:
        return "simulated" if "row" in candidates.records[number] else "failed"
    if assessor(number).refused is not None:
        return "refused"
    return "pruned" if number in reasons else "estimated"


def _error(number: int, assessor: Assessor, candidates: CandidateEvaluator) -> str | None:
    record = candidates.records.get(number)
    if record is not None and "error" in record:
        return error_text(record["error"])
    return assessor(number).refused


def _infeasible(number: int, reasons: Mapping[int, str]) -> bool:
    return number in reasons and _by_constraint(reasons[number])


def _violated(
    number: int, problem: SearchProblem, rows: Mapping[int, Mapping[str, Any]], reasons: Mapping[int, str]
) -> str | None:
    if number in rows:
        return "; ".join(problem.violated(rows[number])) or None
    return (
        reasons[number].rpartition(", and ")[2].removesuffix(" is asked")
        if _infeasible(number, reasons)
        else None
    )


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
