"""Which points to simulate next: by what the estimator expects of them, and what Optuna proposes.

Expectations are the estimator's, corrected by simulations: the logarithm of simulated over estimated is
fitted over the settings of the axes (main effects, with a ridge, so that a setting seen once moves little).
Optuna's multi-objective TPE is seeded and asked in the same order whoever runs the points, so the same
command proposes the same points."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from iowatt.evaluate.search.optimize.candidates import Assessment
from iowatt.evaluate.search.optimize.problem import SearchProblem
from iowatt.evaluate.search.optimize.space import SearchSpace

if TYPE_CHECKING:
    import optuna

Floats = npt.NDArray[np.float64]

#: Weight of the prior that a setting changes nothing, in observations.
_RIDGE: Final = 1.0
#: Fewest comparisons before anything is corrected by setting.
_FEWEST: Final = 4
#: Points for which the objectives are weighed anew; others go by equal weights.
_WEIGHED: Final = 256


class Correction:
    """How simulation differs from the estimate, by metric, as far as it is known."""

    def __init__(
        self,
        space: SearchSpace,
        simulated: Mapping[int, Mapping[str, float]],
        looked: Mapping[int, Assessment],
    ) -> None:
        self._space = space
        self._offsets = np.concatenate([[0], np.cumsum(space.shape)])
        self._effects: dict[str, Floats] = {}
        names = {name for row in simulated.values() for name in row}
        for name in sorted(names):
            pairs = [
                (number, math.log(row[name] / expected))
                for number, row in simulated.items()
                if name in row
                and (expected := (looked[number].estimate or {}).get(name, 0.0)) > 0
                and row[name] > 0
            ]
            if len(pairs) >= _FEWEST:
                self._effects[name] = self._fit(pairs)

    def _columns(self, number: int) -> list[int]:
        return [0, *(1 + int(self._offsets[axis]) + at for axis, at in enumerate(self._space.at(number)))]

    def _fit(self, pairs: Sequence[tuple[int, float]]) -> Floats:
        design = np.zeros((len(pairs), 1 + int(self._offsets[-1])))
        for row, (number, _) in enumerate(pairs):
            design[row, self._columns(number)] = 1.0
        ridge = np.full(design.shape[1], _RIDGE)
        ridge[0] = 1e-6
        target = np.array([ratio for _, ratio in pairs])
        found: Floats = np.linalg.solve(design.T @ design + np.diag(ridge), design.T @ target)
        return found

    def expected(self, one: Assessment) -> dict[str, float]:
        """Expected metrics of a point."""
        found = dict(one.estimate or {})
        for name, effects in self._effects.items():
            if name in found and name not in one.known:
                found[name] *= math.exp(float(effects[self._columns(one.point.number)].sum()))
        return found


def pick(
    expected: Mapping[int, Mapping[str, float]],
    problem: SearchProblem,
    count: int,
    random: np.random.Generator,
) -> list[int]:
    """Up to ``count`` points that are worth a run: feasible ones by their objectives, then by how little they
    violate.

    With several objectives each pick draws new weights (augmented Chebyshev, scaled to what is expected), so
    that the whole front is tried.
    """
    rows = {number: row for number, row in expected.items() if problem.losses(row) is not None}
    if not rows:
        return []
    numbers = sorted(rows)
    losses = np.array([problem.losses(rows[number]) for number in numbers], dtype=float)
    excess = np.array([problem.excess(rows[number]) for number in numbers])
    excess = np.where(np.isfinite(excess), excess, 0.0)  # a constraint that nobody can estimate
    allowed = excess <= 0
    basis = losses[allowed] if allowed.any() else losses
    low, span = basis.min(axis=0), np.ptp(basis, axis=0)
    scaled = (losses - low) / np.where(span > 0, span, 1.0)

    def merit(weights: Floats) -> Floats:
        weighed = scaled * weights
        found = weighed.max(axis=1) + 0.05 * weighed.sum(axis=1)
        ranked: Floats = np.where(allowed, found, 1e6 + 1e3 * excess + found)
        return ranked

    most, objectives = min(count, len(numbers)), losses.shape[1]
    left = np.ones(len(numbers), dtype=bool)
    picked: list[int] = []
    for _ in range(min(most, _WEIGHED) if objectives > 1 else 0):
        at = int(np.argmin(np.where(left, merit(random.dirichlet(np.ones(objectives))), np.inf)))
        left[at] = False
        picked.append(numbers[at])
    order = np.argsort(merit(np.full(objectives, 1 / objectives)), kind="stable")
    return [*picked, *(numbers[at] for at in order if left[at])][:most]


_TRIES: Final = 8
"""Proposals that are known already, for each that is wanted."""

_WORST: Final = 1e9
"""Excess of a constraint whose metric is not known."""


class OptunaSampler:
    """A study of Optuna's over a space."""

    def __init__(self, problem: SearchProblem, space: SearchSpace) -> None:
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
        """Tell Optuna the results of points; those without figures are skipped."""
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
            # The point is told to it as a separate trial once it has run.
            self._study.tell(trial, state=optuna.trial.TrialState.FAIL)
            if number not in seen:
                seen.add(number)
                found += 1
                yield number


def _figure(row: Mapping[str, Any], name: str) -> float | None:
    value = row.get(name)
    return float(value) if isinstance(value, int | float) and not math.isnan(value) else None
