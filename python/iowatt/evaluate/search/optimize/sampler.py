"""What Optuna proposes: multi-objective TPE over the axes, told of every point that was simulated.

Axes of numbers are whole numbers to it (their places), others are choices. Seeded, and asked in the same
order whatever runs the points, so that the same command proposes the same points.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from iowatt.evaluate.search.optimize.problem import Problem
from iowatt.evaluate.search.optimize.space import Space

if TYPE_CHECKING:
    import optuna

_TRIES: Final = 8
"""Proposals that are known already, for each that is wanted."""

_WORST: Final = 1e9
"""Excess of a constraint whose metric is not known."""


class OptunaSampler:
    """A study of Optuna's over a space."""

    def __init__(self, problem: Problem, space: Space) -> None:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self._problem, self._space = problem, space
        self._distributions: dict[str, optuna.distributions.BaseDistribution] = {
            str(axis): optuna.distributions.IntDistribution(0, length - 1)
            if space.ordered(axis)
            else optuna.distributions.CategoricalDistribution(list(range(length)))
            for axis, length in enumerate(space.shape)
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)  # multivariate
            sampler = optuna.samplers.TPESampler(seed=problem.seed, multivariate=True)
        self._study = optuna.create_study(directions=["minimize"] * len(problem.objectives), sampler=sampler)
        self._told: set[int] = set()

    def tell(self, rows: Mapping[int, Mapping[str, Any]]) -> None:
        """What points gave; those without figures are passed over."""
        import optuna

        for number in sorted(set(rows) - self._told):
            self._told.add(number)
            losses = self._problem.losses(rows[number])
            if losses is None:
                continue
            excess = {
                one.text: min(_WORST, one.excess(_figure(rows[number], one.metric)))
                for one in self._problem.constraints
            }
            self._study.add_trial(
                optuna.trial.create_trial(
                    params={str(axis): at for axis, at in enumerate(self._space.at(number))},
                    distributions=self._distributions,
                    values=list(losses),
                    constraints=excess,
                )
            )

    def ask(self, count: int, known: Sequence[int]) -> Iterator[int]:
        """Up to ``count`` points that are not ``known``."""
        import optuna

        seen, found = set(known), 0
        for _ in range(count * _TRIES):
            if found == count:
                return
            trial = self._study.ask(self._distributions)
            number = self._space.number(
                [int(trial.params[str(axis)]) for axis in range(len(self._space.shape))]
            )
            # It is told of the point when that has been run, as a trial of its own.
            self._study.tell(trial, state=optuna.trial.TrialState.FAIL)
            if number not in seen:
                seen.add(number)
                found += 1
                yield number


def _figure(row: Mapping[str, Any], name: str) -> float | None:
    value = row.get(name)
    return float(value) if isinstance(value, int | float) and not math.isnan(value) else None
