"""Why the winner wins: the effect of other settings, binding constraints, and shares of the axes.

A *neighbour* has one other setting, all else as the winner. Its figures are simulated where it was simulated;
else they are the estimator's, corrected by the winner's ratio of simulated to estimated, and marked. A
constraint *binds* where a point that breaks no other one would beat the winner.

Shares of axes: the metric is fitted by a sum of one effect a setting (the additive model, least squares by
backfitting: Buja, Hastie and Tibshirani, "Linear smoothers and additive models", 1989). What the sum explains
of the variance is divided among the axes. In a fully known space that is the variance of the mean at each
setting (the main effects of the analysis of variance); where points are missing, so that axes vary together,
each axis gets what it adds to the others, averaged over all orders in which they can be added (Lindeman,
Merenda and Gold, "Introduction to Bivariate and Multivariate Analysis", 1980), which agrees where nothing is
missing. The rest is explained by combinations only."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from iowatt.evaluate.search.optimize.result import (
    AxisExplanation,
    AxisShare,
    ConstraintCoverage,
    ConstraintResult,
    ConstraintStatus,
    Neighbour,
    ObjectiveChange,
    ObjectiveResult,
    ObjectiveShares,
    Optimization,
    OtherPoint,
    SettingDifference,
    WinnerConstraint,
    WinnerExplanation,
    WinnerWithout,
)
from iowatt.evaluate.search.optimize.view import (
    ESTIMATED,
    SIMULATED,
    AxisView,
    OptimizationView,
    ViewRow,
    percent,
)

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

_ROUNDS: Final = 300
_CLOSE: Final = 1e-9
_ORDERED: Final = 6
"""Axes up to which all orders are looked at; of more, each axis's own share is scaled to what they explain.
"""


@dataclass(frozen=True)
class VarianceShares:
    """Shares of the variance, which sum to 1 with ``together`` (0 everywhere where nothing varies)."""

    axes: tuple[float, ...]
    together: float
    variance: float


def variance_shares(values: Sequence[float], settings: Sequence[Sequence[Any]]) -> VarianceShares | None:
    """Shares of each axis in the spread of ``values``.

    Args:
        values: One a point.
        settings: For each point its setting on each axis.

    Returns:
        ``None`` where too few points are known to tell effects from chance: neither all combinations of the
        settings seen, nor two points for each effect of the model.
    """
    if not values:
        return None
    y: NDArray[np.float64] = np.asarray(values, dtype=np.float64)
    scale = float(np.max(np.abs(y))) or 1.0
    y = y / scale
    y = y - y.mean()
    codes = [np.unique(np.asarray(column), return_inverse=True)[1] for column in zip(*settings, strict=True)]
    levels = [int(code.max()) + 1 for code in codes]
    effects = 1 + sum(level - 1 for level in levels)
    if len(y) < 2 or (len(set(map(tuple, settings))) < math.prod(levels) and len(y) < 2 * effects):
        return None
    total = float(y @ y)
    variance = total / len(y) * scale * scale
    if total <= 1e-24 * len(y) or not variance:  # squares of tiny values may underflow
        return VarianceShares((0.0,) * len(codes), 0.0, 0.0)
    explained = _explains(y, codes, range(len(codes))) / total
    alone = [_explains(y, [code], [0]) / total for code in codes]
    if abs(sum(alone) - explained) > 1e-6:
        alone = _averaged(y, codes, total) if len(codes) <= _ORDERED else _scaled(alone, explained)
    axes = tuple(max(0.0, share) for share in alone)
    return VarianceShares(axes, max(0.0, 1 - sum(axes)), variance)


def _explains(y: NDArray[np.float64], codes: Sequence[NDArray[np.intp]], chosen: Sequence[int]) -> float:
    """Sum of squares that one effect a setting of the chosen axes explains."""
    left = y.copy()
    before = math.inf
    for _ in range(_ROUNDS):
        for at in chosen:
            code = codes[at]
            # Only what is left is averaged: the effects themselves are never needed.
            left = left - (np.bincount(code, left) / np.bincount(code))[code]
        now = float(left @ left)
        if len(chosen) < 2 or before - now <= _CLOSE * float(y @ y):
            break
        before = now
    return max(0.0, float(y @ y) - float(left @ left))


def _averaged(y: NDArray[np.float64], codes: Sequence[NDArray[np.intp]], total: float) -> list[float]:
    count = len(codes)
    worth = {
        chosen: _explains(y, codes, chosen) / total if chosen else 0.0
        for size in range(count + 1)
        for chosen in itertools.combinations(range(count), size)
    }
    found = []
    for axis in range(count):
        share = 0.0
        for chosen, before in worth.items():
            if axis not in chosen:
                weight = (
                    math.factorial(len(chosen))
                    * math.factorial(count - len(chosen) - 1)
                    / math.factorial(count)
                )
                share += weight * (worth[tuple(sorted((*chosen, axis)))] - before)
        found.append(share)
    return found


def _scaled(alone: Sequence[float], explained: float) -> list[float]:
    whole = sum(alone)
    return [share * explained / whole if whole else 0.0 for share in alone]


TIGHT: Final = 5.0
"""Slack in per cent of the limit below which a constraint is called tight."""


def explain_winner(document: Optimization, frame: pl.DataFrame) -> WinnerExplanation:
    """Why the winner of an outcome wins.

    Args:
        document: The outcome; its ``why`` is ignored.
        frame: A row for each assessed point.
    """
    explored = OptimizationView(document, frame)
    winner = explored.winner
    return WinnerExplanation(
        winner=None if winner is None else winner["point"],
        bottleneck=None if winner is None else winner.get("bottleneck"),
        constraints=[] if winner is None else [_constraint(explored, limit) for limit in explored.limits],
        axes=[] if winner is None else [_axis(explored, axis) for axis in explored.axes],
        runner_up=None if winner is None else _best(explored, lambda _: True),
        limits=[_kept_by(explored, limit) for limit in explored.limits],
        shares=[_shares(explored, goal) for goal in explored.goals],
    )


def _axis(explored: OptimizationView, axis: AxisView) -> AxisExplanation:
    assert explored.winner is not None
    own = axis.of(explored.winner)
    order = list(axis.settings)
    here = order.index(own) if own in order else None
    around = [
        _neighbour(
            explored,
            row,
            setting=setting,
            steps=None if here is None or setting not in order else order.index(setting) - here,
        )
        for setting, row in explored.neighbours(axis)
    ]
    return AxisExplanation(
        columns=list(axis.columns),
        name=axis.name,
        ordered=axis.ordered,
        setting=own,
        neighbours=around,
        edge=_edge(axis, around),
        otherwise=_best(explored, lambda row: axis.of(row) != own),
    )


def _edge(axis: AxisView, around: list[Neighbour]) -> Literal["first", "last"] | None:
    """``first`` or ``last`` where the winner is at that end of an axis with an order, and the step inwards is
    worse.

    Settings beyond that end, which were not offered, may be better still.
    """
    steps = [one.steps for one in around if one.steps is not None]
    if not axis.ordered or len(steps) < 2 or (min(steps) < 0 < max(steps)):
        return None
    inwards = 1 if min(steps) > 0 else -1
    step = next(one for one in around if one.steps == inwards)
    gains = [one.gain for one in step.objectives]
    if not gains or any(gain is None or gain >= 0 for gain in gains):
        return None
    return "first" if inwards > 0 else "last"


def _neighbour(
    explored: OptimizationView, row: ViewRow | None, *, setting: str, steps: int | None
) -> Neighbour:
    if row is None:
        return Neighbour(setting=setting, steps=steps)
    return Neighbour(
        setting=setting,
        steps=steps,
        point=row["point"],
        status=row.get("status"),
        feasible=explored.feasible(row),
        breaks=[limit.text for limit in explored.broken(row)],
        bottleneck=row.get("bottleneck"),
        why_not=row.get("error") or row.get("reason") or row.get("violated"),
        overloaded=bool(row.get("overloaded")),
        objectives=_changes(explored, row),
        constraints=[_kept(explored, row, limit) for limit in explored.limits],
    )


def _changes(explored: OptimizationView, row: ViewRow) -> list[ObjectiveChange]:
    """Each objective of a point against the winner's; ``gain`` is positive where the point is better."""
    assert explored.winner is not None
    changes = []
    for goal in explored.goals:
        found, own = explored.beside(row, goal.metric), explored.known(explored.winner, goal.metric)
        change = found[0] - own[0] if found is not None and own is not None else None
        gain = goal.gain(found[0], own[0]) if found is not None and own is not None else None
        against = 0.0 if own is None else own[0]
        changes.append(
            ObjectiveChange(
                metric=goal.metric,
                value=None if found is None else found[0],
                basis=None if found is None else found[1],
                change=change,
                percent=None if change is None else percent(change, against),
                gain=gain,
                gain_percent=None if gain is None else percent(gain, against),
            )
        )
    return changes


def _kept(explored: OptimizationView, row: ViewRow, limit: ConstraintResult) -> ConstraintStatus:
    """A constraint at a point: the value, and what is left to the limit."""
    found = explored.limited(row, limit)
    value, basis = found if found is not None else (None, None)
    slack = limit.slack(value)
    return ConstraintStatus(
        metric=limit.metric,
        text=limit.text,
        limit=limit.value,
        value=value,
        basis=basis,
        holds=limit.holds(value),
        slack=slack,
        slack_percent=None if slack is None else percent(slack, float(limit.value)),
    )


def _constraint(explored: OptimizationView, limit: ConstraintResult) -> WinnerConstraint:
    assert explored.winner is not None
    found = _kept(explored, explored.winner, limit)
    without = _without(explored, limit)
    left = found.slack_percent
    return WinnerConstraint(
        **dict(found), tight=left is not None and left < TIGHT, binds=without is not None, without=without
    )


def _kept_by(explored: OptimizationView, limit: ConstraintResult) -> ConstraintCoverage:
    """How many of the known points keep a constraint, and the point with the most slack."""
    known = kept = 0
    best: tuple[float, float, int] | None = None
    for row in explored.rows:
        found = explored.limited(row, limit)
        holds = None if found is None or row.get("overloaded") else limit.holds(found[0])
        if found is None or holds is None:
            continue
        known, kept = known + 1, kept + holds
        slack = limit.slack(found[0])
        if slack is not None and (best is None or slack > best[0]):
            best = slack, found[0], row["point"]
    nearest, point = (None, None) if best is None else best[1:]
    return ConstraintCoverage(text=limit.text, known=known, kept=kept, nearest=nearest, point=point)


def _without(explored: OptimizationView, limit: ConstraintResult) -> WinnerWithout | None:
    """The point that would win without a constraint: it breaks no other and beats the winner in every
    objective.
    """
    best: tuple[float, ViewRow] | None = None
    for row in explored.rows:
        if row.get("overloaded") or row.get("status") in ("failed", "refused"):
            continue
        if [broken.text for broken in explored.broken(row)] != [limit.text]:
            continue
        changes = _changes(explored, row)
        gains = [one.gain for one in changes]
        if not gains or any(gain is None or gain < 0 for gain in gains) or not any(gains):
            continue
        worth = sum(one.gain_percent or 0.0 for one in changes)
        if best is None or worth > best[0]:
            best = worth, row
    if best is None:
        return None
    return WinnerWithout(
        point=best[1]["point"],
        differs=_differs(explored, best[1]),
        objectives=_changes(explored, best[1]),
        constraint=_kept(explored, best[1], limit),
    )


def _best(explored: OptimizationView, wanted: Callable[[ViewRow], bool]) -> OtherPoint | None:
    """The best feasible simulated point besides the winner; of several objectives, by the sum of their
    losses.
    """
    assert explored.winner is not None
    best: tuple[float, int, ViewRow] | None = None
    for row in explored.rows:
        if row["point"] == explored.winner["point"] or row.get("status") != SIMULATED:
            continue
        if row.get("overloaded") or explored.feasible(row) is not True or not wanted(row):
            continue
        losses = explored.losses(row)
        if losses and (best is None or (sum(losses), row["point"]) < best[:2]):
            best = sum(losses), row["point"], row
    if best is None:
        return None
    return OtherPoint(
        point=best[2]["point"],
        differs=_differs(explored, best[2]),
        objectives=_changes(explored, best[2]),
        bottleneck=best[2].get("bottleneck"),
    )


def _differs(explored: OptimizationView, row: ViewRow) -> list[SettingDifference]:
    """The axes on which a point is not as the winner."""
    winner = explored.winner
    assert winner is not None
    return [
        SettingDifference(
            name=axis.name, columns=list(axis.columns), setting=axis.of(row), winner=axis.of(winner)
        )
        for axis in explored.axes
        if axis.of(row) != axis.of(winner)
    ]


def _shares(explored: OptimizationView, goal: ObjectiveResult) -> ObjectiveShares:
    """Shares of the axes in the spread of an objective over all points with a value, simulated or estimated.

    Estimates are multiplied by the mean ratio of simulation to estimate over the points that have both, so
    that their bias is no effect of what was chosen to be simulated.
    """
    metric = goal.metric
    both = [
        (run, estimate)
        for row in explored.rows
        if (run := explored.simulated(row, metric)) is not None
        and (estimate := explored.estimate(row, metric)) is not None
    ]
    estimates = sum(estimate for _, estimate in both)
    ratio = sum(run for run, _ in both) / estimates if estimates else 1.0
    values, settings, simulated = [], [], 0
    for row in explored.rows:
        found = explored.known(row, metric)
        if found is None or row.get("overloaded"):
            continue
        values.append(found[0] * ratio if found[1] == ESTIMATED else found[0])
        settings.append(explored.key(row))
        simulated += row.get("status") == SIMULATED
    split = variance_shares(values, settings) if explored.axes else None
    return ObjectiveShares(
        metric=metric,
        simulated=simulated,
        estimated=len(values) - simulated,
        axes=None
        if split is None
        else [
            AxisShare(name=axis.name, share=share)
            for axis, share in zip(explored.axes, split.axes, strict=True)
        ],
        together=None if split is None else split.together,
        std=None if split is None else split.variance**0.5,
    )
