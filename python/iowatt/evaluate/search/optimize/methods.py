"""Which points to simulate: all that may be on the front, or a small part of a large space.

Exact: a point is left out where a constraint cannot be kept whatever a run says, or where a simulated point
is at least as good in every objective as this one can be at best, and better in one. So the front is that of
simulating all of them. Promising points go first, because a good point excludes many.

Sampled: rounds of a fixed number of points. In each some are the most promising by the estimate, corrected by
what was simulated so far (module ``screen``), some are Optuna's, and the rest surround the best point. It
ends when the budget is spent, or when the promising points have run and several rounds changed nothing. Where
the estimator does not model a scenario, Optuna alone chooses after a random start."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from iowatt.base.results import Note
from iowatt.evaluate.search.metrics.pareto import dominates, nondominated, recommend
from iowatt.evaluate.search.optimize.candidates import (
    Assessment,
    Assessor,
    CandidateEvaluator,
    best_losses,
    impossible_because,
)
from iowatt.evaluate.search.optimize.problem import SearchProblem
from iowatt.evaluate.search.optimize.screen import Correction, OptunaSampler, pick

BATCH: Final = 16
"""Points between two looks at what can be left out; whatever number of them runs at a time."""


def search_exact(
    problem: SearchProblem,
    assessor: Assessor,
    candidates: CandidateEvaluator,
    expected: Sequence[int],
    on_remaining: Callable[[int], None],
) -> dict[int, str]:
    """Simulate what has to be; the reason for each point that was left out.

    Args:
        expected: The points that can be built, those that promise most first.
        left: Told how many points may still be run.
    """
    waiting = list(expected)
    reasons: dict[int, str] = {}
    best: list[tuple[int, tuple[float, ...]]] | None = None
    learned = False
    while True:
        now = _front(candidates)
        if now != best or learned:  # else nothing more can be left out
            waiting = [number for number in waiting if not _left_out(problem, assessor, number, now, reasons)]
            best, learned = now, False
        on_remaining(len(waiting))
        if not waiting:
            return reasons
        # One point alone first: its arrivals are those of others, and say what these can be at best.
        batch, waiting = (
            (waiting[:1], waiting[1:]) if not candidates.records else (waiting[:BATCH], waiting[BATCH:])
        )
        candidates.run(batch)
        for number in batch:
            row = candidates.rows.get(number)
            learned |= row is not None and assessor.learn(number, row)


def _left_out(
    problem: SearchProblem,
    assessor: Assessor,
    number: int,
    best: Sequence[tuple[int, tuple[float, ...]]],
    reasons: dict[int, str],
) -> bool:
    one = assessor.bound(number)
    why = impossible_because(one, problem) or _beaten(one, problem, best)
    if why is not None:
        reasons[number] = why
    return why is not None


def _front(candidates: CandidateEvaluator) -> list[tuple[int, tuple[float, ...]]]:
    feasible = candidates.feasible
    numbers = sorted(feasible)
    return [
        (numbers[at], feasible[numbers[at]]) for at in nondominated([feasible[number] for number in numbers])
    ]


def _beaten(
    one: Assessment, problem: SearchProblem, best: Sequence[tuple[int, tuple[float, ...]]]
) -> str | None:
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


ROUND: Final = 16
"""Points of a round; whatever number of them runs at a time."""

_PROPOSED: Final = 3
_AROUND: Final = 3
#: Rounds without a change of the front after which it ends.
_PATIENCE: Final = 4
#: Share of the budget that is spent at random where nothing is expected of any point.
_RANDOM: Final = 0.25


def search_sampled(
    problem: SearchProblem,
    assessor: Assessor,
    candidates: CandidateEvaluator,
    *,
    budget: int,
    on_remaining: Callable[[int], None],
) -> tuple[dict[int, str], list[Note]]:
    """Simulate at most ``budget`` points; reasons of those that were left out by proof, and notes.

    ``on_remaining`` is called with the number of points that may still be run.
    """
    random = np.random.Generator(np.random.PCG64(problem.seed))
    course = _Rounds(problem, assessor, candidates, budget, random, OptunaSampler(problem, assessor.space))
    course.proposer.tell(candidates.rows)
    notes: list[Note] = []
    while course.room > 0:
        batch = course.next()
        if not batch:
            notes.append(Note(code="all-simulated", text="every point that may be feasible was simulated"))
            break
        on_remaining(course.room)
        course.run(batch)
        if course.settled():
            text = (
                f"{_PATIENCE} rounds of {ROUND} points changed nothing of the front, so that the "
                f"search ended before its budget of {budget}"
            )
            notes.append(Note(code="front-settled", text=text))
            break
    return course.reasons, notes


@dataclass
class _Rounds:
    problem: SearchProblem
    assessor: Assessor
    candidates: CandidateEvaluator
    budget: int
    random: np.random.Generator
    proposer: OptunaSampler
    #: Why points were left out, by number.
    reasons: dict[int, str] = field(default_factory=dict)
    _best: tuple[tuple[float, ...], ...] = ()
    _alike: int = 0

    @property
    def room(self) -> int:
        """Points that may still be run."""
        return self.budget - len(self.candidates.records)

    def next(self) -> list[int]:
        """The points of the next round."""
        candidates, assessor, problem = self.candidates, self.assessor, self.problem
        ready = self._ready()
        room = min(ROUND, self.room)
        correction = Correction(assessor.space, candidates.rows, assessor.seen)
        expected = {number: correction.expected(one) for number, one in ready.items() if one.estimate}
        batch: list[int] = []

        def take(numbers: Iterable[int], most: int = room) -> None:
            for number in numbers:
                if most <= 0 or len(batch) >= room:
                    return
                if number not in candidates.records and number not in batch and self._may_be(number):
                    batch.append(number)
                    most -= 1

        if not expected and len(candidates.records) < max(2 * ROUND, _RANDOM * self.budget):
            take(self._shuffled(ready))
            return batch
        best = _best(candidates)
        if best is not None:
            around = {number: assessor(number) for number in assessor.space.neighbours(best)}
            hopes = {number: correction.expected(one) for number, one in around.items() if one.estimate}
            take([*pick(hopes, problem, len(hopes), self.random), *sorted(around)], _AROUND)
        take(self.proposer.ask(_PROPOSED, [*candidates.records, *batch]), _PROPOSED)
        take(pick(expected, problem, 2 * room, self.random))
        take(self.proposer.ask(room, [*candidates.records, *batch]))
        take(self._shuffled(ready))
        return batch

    def run(self, batch: Sequence[int]) -> None:
        """Simulate them, and tell all that learn from it."""
        self.candidates.run(batch)
        for number in batch:
            if number in self.candidates.rows:
                self.assessor.learn(number, self.candidates.rows[number])
        self.proposer.tell(self.candidates.rows)

    def settled(self) -> bool:
        """Whether the front was the same for several rounds, to four digits."""
        losses = list(self.candidates.feasible.values())
        now = tuple(tuple(float(f"{value:.4g}") for value in losses[at]) for at in nondominated(losses))
        now = tuple(dict.fromkeys(now))
        self._alike = self._alike + 1 if now and now == self._best else 0
        self._best = now
        return self._alike >= _PATIENCE

    def _ready(self) -> dict[int, Assessment]:
        """Assessed points that were not run and may be feasible."""
        waiting = [number for number in self.assessor.seen if number not in self.candidates.records]
        return {number: self.assessor(number) for number in waiting if self._may_be(number)}

    def _may_be(self, number: int) -> bool:
        if number in self.reasons:
            return False
        one = self.assessor.bound(number)
        if one.refused is not None:
            return False
        why = impossible_because(one, self.problem)
        if why is not None:
            self.reasons[number] = why
        return why is None

    def _shuffled(self, ready: Mapping[int, Assessment]) -> list[int]:
        return [int(number) for number in self.random.permutation(sorted(ready))]


def _best(candidates: CandidateEvaluator) -> int | None:
    feasible = candidates.feasible
    numbers = sorted(feasible)
    order = nondominated([feasible[number] for number in numbers])
    chosen = recommend([feasible[numbers[at]] for at in order])
    return None if chosen is None else numbers[order[chosen[0]]]
