"""Every point, but for those that cannot be on the front: what is left out is left out by proof.

A point is left out where a constraint cannot be kept whatever a run says, or where a point that was simulated
is at least as good in every objective as this one can be at best, and better in one. So the front is that of
simulating all of them. Points that promise most go first, because a good point leaves out many.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from iowatt.evaluate.search.optimize.candidate_assessment import Assessment, Assessor, best_losses, impossible_because
from iowatt.evaluate.search.optimize.evaluate import CandidateEvaluator
from iowatt.evaluate.search.optimize.front import dominates, nondominated
from iowatt.evaluate.search.optimize.problem import Problem

BATCH: Final = 16
"""Points between two looks at what can be left out; whatever number of them runs at a time."""


def search_exact(
    problem: Problem,
    looker: Assessor,
    judge: CandidateEvaluator,
    expected: Sequence[int],
    left: Callable[[int], None],
) -> dict[int, str]:
    """Simulate what has to be; the reason for each point that was left out.

    Parameters
    ----------
    expected:
        The points that can be built, those that promise most first.
    left:
        Told how many points may still be run.
    """
    waiting = list(expected)
    reasons: dict[int, str] = {}
    best: list[tuple[int, tuple[float, ...]]] | None = None
    learned = False
    while True:
        now = _front(judge)
        if now != best or learned:  # else nothing more can be left out
            waiting = [number for number in waiting if not _left_out(problem, looker, number, now, reasons)]
            best, learned = now, False
        left(len(waiting))
        if not waiting:
            return reasons
        # One point alone first: its arrivals are those of others, and say what these can be at best.
        batch, waiting = (
            (waiting[:1], waiting[1:]) if not judge.records else (waiting[:BATCH], waiting[BATCH:])
        )
        judge.run(batch)
        for number in batch:
            row = judge.rows.get(number)
            learned |= row is not None and looker.learn(number, row)


def _left_out(
    problem: Problem,
    looker: Assessor,
    number: int,
    best: Sequence[tuple[int, tuple[float, ...]]],
    reasons: dict[int, str],
) -> bool:
    one = looker.bound(number)
    why = impossible_because(one, problem) or _beaten(one, problem, best)
    if why is not None:
        reasons[number] = why
    return why is not None


def _front(judge: CandidateEvaluator) -> list[tuple[int, tuple[float, ...]]]:
    feasible = judge.feasible
    numbers = sorted(feasible)
    return [(numbers[at], feasible[numbers[at]]) for at in nondominated([feasible[number] for number in numbers])]


def _beaten(one: Assessment, problem: Problem, best: Sequence[tuple[int, tuple[float, ...]]]) -> str | None:
    hope = best_losses(one, problem)
    for number, losses in best:
        if dominates(losses, hope):
            said = ", ".join(
                f"{objective.metric} {'at least' if objective.lower else 'at most'} "
                f"{(loss if objective.lower else -loss):.6g}"
                for objective, loss in zip(problem.objectives, hope, strict=True)
                if abs(loss) != float("inf")
            )
            return f"{said}: point {number} is better"
    return None
