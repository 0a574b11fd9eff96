"""An optimization from its problem to its outcome: points assessed, simulated as needed, kept in a journal.

It depends only on the problem and on results of simulations, so that resuming means running it again with a
journal that already holds most results.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from iowatt.base.errors import Argument, InputError
from iowatt.base.results import Note
from iowatt.evaluate.search import prepare
from iowatt.evaluate.search.metrics.table import row_warnings
from iowatt.evaluate.search.optimize import methods, outcome
from iowatt.evaluate.search.optimize.candidates import Assessor, CandidateEvaluator, impossible_because
from iowatt.evaluate.search.optimize.outcome import DOCUMENT, OptimizationOutcome
from iowatt.evaluate.search.optimize.problem import SearchProblem
from iowatt.evaluate.search.optimize.result import Optimization
from iowatt.evaluate.search.optimize.screen import pick
from iowatt.evaluate.search.optimize.sensitivity import explain_winner
from iowatt.evaluate.search.optimize.space import SearchSpace
from iowatt.evaluate.search.point import evaluate_point
from iowatt.evaluate.search.tasks.evaluator import Evaluator, SearchProgress
from iowatt.evaluate.search.tasks.executor import Executor
from iowatt.evaluate.search.tasks.folder import SWEEP, SearchFolder, refuse_target
from iowatt.evaluate.search.tasks.journal import error_at_point, error_text

EXACT_UP_TO: Final = 1000
"""Largest space with an exact answer by default."""

LOOKED_AT: Final = 20_000
"""Largest space of which every point is assessed before any simulation."""

AT_RANDOM: Final = 4_000
"""Points of a larger space that are assessed; each takes milliseconds."""

MOST_EXACT: Final = 1_000_000
"""Largest space that `method=exact` accepts."""

SHARE: Final = 0.05
_RESERVE: Final = 0.25
"""Most of them that are kept for the winner's neighbours."""

LEAST: Final = 48
MOST: Final = 2000
"""Simulations of a search that is given no number: this share of the space, within these."""


def optimize(
    problem: SearchProblem,
    *,
    output: Path | None = None,
    force: bool = False,
    resume: bool = False,
    jobs: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[SearchProgress], None] | None = None,
    page: Callable[[OptimizationOutcome, SearchProblem], str] | None = None,
) -> OptimizationOutcome:
    """Find the best configurations of a problem.

    Args:
        output: Directory for everything. Without it nothing is written.
        force, resume: Replace what is at ``output``, or go on with it.
        jobs, executor: As for :func:`iowatt.evaluate.search.sweep.run_sweep`; the outcome does not depend on
            them.
        progress: Called as points are assessed, and as they are simulated.
        page: Makes the page that is written to ``output`` (HTML).

    Raises ``InputError``: what is wrong with the problem: an unknown key or value, a space without any
    configuration that can be built, a metric that no point has.
    """
    if jobs is not None and jobs < 1:
        raise InputError("out-of-range", Argument("jobs"), f"expected at least one job, not {jobs}")
    if output is not None:
        refuse_target(output, force=force, resume=resume, shape=FOLDER)
    space = SearchSpace(problem.axes)
    method = _method(problem, space)
    assessor = Assessor(problem, space)
    _stop_at_bad(problem, space)
    with ExitStack() as stack:
        if executor is not None:
            stack.callback(executor.close)
        _look(space, assessor, problem, method, progress)
        folder = None
        if output is not None:
            manifest = _manifest(problem)
            folder = SearchFolder(
                output, manifest, problem.given.text, force=force, resume=resume, shape=FOLDER
            )
            stack.callback(folder.close)
        budget = space.size if method == "exact" else _budget(problem, space)
        journal = None if folder is None else folder.journal
        evaluator = Evaluator(evaluate_point, journal, executor, jobs, progress, min(budget, space.size))
        stack.callback(evaluator.close)
        resumed = 0
        if folder is not None:
            evaluator.records |= folder.journal.records
            resumed = len(folder.journal.records)
        candidates = CandidateEvaluator(problem, assessor, evaluator)
        _first(problem, assessor, candidates)

        def on_remaining(count: int) -> None:
            evaluator.total = evaluator.done + count

        notes: list[Note] = []
        if method == "exact":
            reasons = methods.search_exact(
                problem, assessor, candidates, _order(problem, assessor), on_remaining
            )
        else:
            spent = budget - min(space.most_neighbours, int(_RESERVE * budget))
            reasons, notes = methods.search_sampled(
                problem, assessor, candidates, budget=spent, on_remaining=on_remaining
            )
        notes += _around(problem, assessor, candidates, on_remaining, None if method == "exact" else budget)
        if candidates.records and not candidates.rows and not candidates.too_slow:
            raise _all_failed(candidates)
        best = outcome.chosen(problem, candidates)
        notes += _notes(problem, space, assessor, candidates, method)
        made = outcome.document(
            problem, assessor, candidates, reasons, name=problem.given.name, method=method, notes=notes,
            warnings=_of_winner(problem, assessor, candidates),
        )  # fmt: skip
        frame = outcome.frame(problem, assessor, candidates, reasons, best)
        made = made.model_copy(update={"why": explain_winner(made, frame)})
        found = OptimizationOutcome(made, frame, resumed, evaluator.faults, evaluator.machines)
        if folder is not None:
            _write(folder, found)
            if page is not None:
                text = page(found, problem)
                folder.write("report.html", lambda file: file.write_text(text, "utf-8", newline="\n"))
    return found


_FAR: Final = 0.25
"""Share by which an estimate of the winner may differ from its Run without a note."""

_FEW: Final = 8
"""Points that are run first, where the first one fails or lacks a metric."""

_PARTNERS: Final = 4
"""Points in which a value must fail before it is refused whatever the other settings."""

FOLDER: Final = replace(SWEEP, what="an optimization", results=(*SWEEP.results, DOCUMENT))
"""Its directory is a sweep's with the result besides."""


def _method(problem: SearchProblem, space: SearchSpace) -> str:
    if problem.method == "auto":
        fits = problem.most is None or problem.most >= space.size
        return "exact" if space.size <= EXACT_UP_TO and fits else "search"
    if problem.method == "exact" and space.size > MOST_EXACT:
        message = f"{space.size:,} points are too many to simulate one by one; the maximum is {MOST_EXACT:,}"
        hint = "`method=search` simulates a small part of them"
        raise InputError("too-large", Argument("method", "exact"), message, hint=hint)
    if problem.method == "exact" and problem.most is not None:
        message = "an exact answer simulates every point that may be best, however many there are"
        raise InputError("conflict", Argument("most"), message, hint="leave it out, or give `method=search`")
    return problem.method


def _budget(problem: SearchProblem, space: SearchSpace) -> int:
    if problem.most is not None:
        if problem.most < 1:
            raise InputError(
                "out-of-range", Argument("most"), f"expected at least one simulation, not {problem.most}"
            )
        return problem.most
    return min(MOST, max(LEAST, int(SHARE * space.size)))


def _stop_at_bad(problem: SearchProblem, space: SearchSpace) -> None:
    """Check each value in several combinations, to refuse at once a value that is wrong in all of them."""
    numbers = {*space.star(), *space.sample(2 * _PARTNERS * sum(space.shape), problem.seed)}
    found: list[prepare.CheckedPoint | prepare.RefusedPoint] = []
    for number in sorted(numbers):
        point = space.point(number)
        given = problem.given
        one = prepare.examine(given, space.axes, point, (*given.overrides, *point.overrides))
        found.append(one if isinstance(one, prepare.RefusedPoint) else one[0])
    prepare.stop_at_bad(space.axes, found, fewest=min(_PARTNERS, min(_others(space), default=1)))


def _others(space: SearchSpace) -> list[int]:
    """How many points each value of each axis is in."""
    return [space.size // length for length in space.shape]


def _look(
    space: SearchSpace,
    assessor: Assessor,
    problem: SearchProblem,
    method: str,
    progress: Callable[[SearchProgress], None] | None,
) -> None:
    whole = method == "exact" or space.size <= LOOKED_AT
    numbers = range(1, space.size + 1) if whole else space.sample(AT_RANDOM, problem.seed)
    for done, number in enumerate(numbers, 1):
        assessor(number)
        if progress is not None:
            progress(SearchProgress(done, len(numbers), 0, 0.0, "points looked at"))
    built = [one for one in assessor.seen.values() if one.refused is None]
    if not built:
        first = next(iter(assessor.seen.values()))
        message = (
            f"none of the {len(assessor.seen):,} configurations that were looked at can be built; the first: "
            f"{first.refused}"
        )
        raise InputError("infeasible", Argument("over"), message)


def _first(problem: SearchProblem, assessor: Assessor, candidates: CandidateEvaluator) -> None:
    """Run one point, and some others where it tells too little, so that an error common to all appears at
    once.

    Raises ``InputError`` where all of them fail for the same kind of reason, or none has a metric that is
    asked for.
    """
    order = [
        number
        for number in _order(problem, assessor)
        if impossible_because(assessor(number), problem) is None
    ]
    if not order:
        return
    few = dict.fromkeys(order[at * (len(order) - 1) // (_FEW - 1)] for at in range(_FEW))
    for number in few:
        candidates.run([number])
        row = candidates.rows.get(number)
        if row is not None:
            assessor.learn(number, row)
        missing = _missing(problem, assessor, candidates)
        if candidates.rows and not missing:
            return
    if not candidates.rows:
        if len(few) == len(order) or not candidates.too_slow:
            raise _all_failed(candidates)
        return
    unknown = next(
        (row["energy.unknown"] for row in candidates.rows.values() if row.get("energy.unknown")), None
    )
    message = f"none of {len(candidates.rows)} Runs of this scenario has the metric {missing[0]!r}" + (
        f": {unknown}" if unknown else ""
    )
    hint = "the table of `iowatt sweep` shows the metrics that a Run has"
    raise InputError("missing-figure", problem.argument_of(missing[0]), message, hint=hint)


def _missing(problem: SearchProblem, assessor: Assessor, candidates: CandidateEvaluator) -> list[str]:
    """Metrics that no Run so far has a figure for."""
    seen = {name for row in candidates.rows.values() for name, value in row.items() if value is not None}
    known = {name for one in assessor.seen.values() for name in one.known}
    return [name for name in problem.metrics if name not in seen | known]


def _all_failed(candidates: CandidateEvaluator) -> InputError:
    number, record = next(iter(candidates.records.items()))
    error = record["error"]
    message = f"none of the {len(candidates.records)} points that were tried can be simulated; the first"
    return error_at_point({**error, "message": f"{message}: {error['message']}"}, f"point {number}")


def _order(problem: SearchProblem, assessor: Assessor) -> list[int]:
    """All points that can be built, those that promise most first."""
    built = {number: one for number, one in assessor.seen.items() if one.refused is None}
    expected = {number: one.estimate for number, one in built.items() if one.estimate}
    random = np.random.Generator(np.random.PCG64(problem.seed))
    first = pick(expected, problem, len(expected), random)
    return [*first, *sorted(set(built) - set(first))]


def _around(
    problem: SearchProblem,
    assessor: Assessor,
    candidates: CandidateEvaluator,
    on_remaining: Callable[[int], None],
    budget: int | None,
) -> list[Note]:
    """Simulate the winner's neighbours, because they show why it wins.

    A better neighbour becomes the next winner, until there is none or the budget is spent (a note).
    """
    winner = None
    while (best := outcome.chosen(problem, candidates).winner) is not None and best != winner:
        winner = best
        near = [number for number in assessor.space.neighbours(winner) if assessor(number).refused is None]
        near = [number for number in near if number not in candidates.records]
        room = len(near) if budget is None else max(0, budget - len(candidates.records))
        on_remaining(min(room, len(near)))
        candidates.run(near[:room])
        if room < len(near):
            text = (
                f"{len(near) - room} of the winner's neighbours were not simulated: the budget of "
                f"{budget} simulations was spent"
            )
            return [Note(code="budget-spent", text=text, decides=True)]
    return []


def _notes(
    problem: SearchProblem,
    space: SearchSpace,
    assessor: Assessor,
    candidates: CandidateEvaluator,
    method: str,
) -> list[Note]:
    notes = [
        Note(
            code="simulated",
            text="every figure is of simulated Runs; estimates only choose which points are simulated",
        )
    ]
    failed = sorted(number for number, record in candidates.records.items() if "error" in record)
    if failed:
        first = error_text(candidates.records[failed[0]]["error"])
        text = f"{len(failed)} points could not be simulated; the first, point {failed[0]}: {first}"
        notes.append(Note(code="points-failed", text=text, decides=True))
    late = sum(row.get("overloaded") is True for row in candidates.rows.values())
    if late:
        text = (
            f"{late} simulated points could not keep up with their load: their figures depend on "
            "how long the run is, so that they are not feasible"
        )
        notes.append(Note(code="not-kept-up", text=text, decides=True))
    if method == "search":
        text = "not every point was simulated: there may be a better one among the others"
        notes.append(Note(code="not-proven", text=text))
    if len(assessor.seen) < space.size:
        text = (
            f"{len(assessor.seen):,} of {space.size:,} points were looked at: some at random, those "
            "that Optuna proposed, and those around the best"
        )
        notes.append(Note(code="looked-at", text=text))
    if problem.within is not None:
        within = problem.within
        text = (
            f"each point is judged at the highest rate whose {within.statistic} response time is "
            f"within {within.limit_s * 1e3:g} ms, found to {within.tolerance:.2%} of the rate"
        )
        notes.append(Note(code="judged-within", text=text))
    return notes


def _of_winner(problem: SearchProblem, assessor: Assessor, candidates: CandidateEvaluator) -> list[Note]:
    """Warnings of the winner's Run, and an estimate that contradicts it."""
    winner = outcome.chosen(problem, candidates).winner
    if winner is None:
        return []
    row = candidates.rows[winner]
    found = [Note(code="run-warning", text=text, decides=True) for text in row_warnings(row)]
    for goal in problem.objectives:
        expected, value = (assessor(winner).estimate or {}).get(goal.metric), row[goal.metric]
        if expected is not None and value and abs(expected / value - 1) > _FAR:
            message = (
                f"its {goal.metric} in steady state is {expected:.4g} by the estimate and "
                f"{value:.4g} by its Run: look at the Run (is it long enough?) before you trust either"
            )
            found.append(Note(code="estimate-differs", text=message, decides=True))
    return found


def _manifest(problem: SearchProblem) -> dict[str, Any]:
    manifest = prepare.manifest("optimize", problem.given, problem.axes, problem.command)
    return {**manifest, "result": Optimization.model_fields["schema_id"].default, "inputs": []}


def _write(folder: SearchFolder, found: OptimizationOutcome) -> None:
    folder.write("table.parquet", found.frame.write_parquet)
    folder.write("table.csv", found.frame.write_csv)
    text = json.dumps(found.document.as_dict(), indent=2, ensure_ascii=False) + "\n"
    folder.write(DOCUMENT, lambda file: file.write_text(text, "utf-8"))
