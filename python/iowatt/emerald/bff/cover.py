"""The reduced list: few configurations that come near every metric's peak, and the best single one.

A configuration covers a metric where it reaches the metric's peak within a given share. With at most a dozen
metrics the smallest set that covers all is found exactly, over sets of metrics (dynamic programming over
bit masks); among equally small ones the set that comes nearest to the peaks on the whole.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Which = TypeVar("Which", bound=Hashable)
#: Share of its peak that a configuration reaches, by metric.
Reached = Mapping[str, float]


@dataclass(frozen=True)
class Cover(Generic[Which]):
    """A set of configurations with the metrics that each is there for."""

    chosen: tuple[tuple[Which, tuple[str, ...]], ...]
    #: Metrics that no configuration covers.
    uncovered: tuple[str, ...]


def smallest(reached: Mapping[Which, Reached], metrics: Sequence[str], within_percent: float) -> Cover[Which]:
    """The fewest configurations so that each metric is reached within ``within_percent`` by one of them.

    ``reached`` is looked at in its order: of equals the first is taken.
    """
    least = 1 - within_percent / 100 - 1e-12
    masks: dict[int, list[tuple[float, int, Which]]] = {}
    for number, (which, shares) in enumerate(reached.items()):
        mask = sum(1 << at for at, name in enumerate(metrics) if shares.get(name, 0.0) >= least)
        if mask:
            worth = math.fsum(_capped(shares, name) for at, name in enumerate(metrics) if mask >> at & 1)
            masks.setdefault(mask, []).append((-worth, number, which))
    best_of = {mask: min(many, key=lambda one: one[:2]) for mask, many in masks.items()}
    goal = 0
    for mask in best_of:
        goal |= mask
    # By covered metrics: how many configurations, what they are worth less, their numbers.
    table: dict[int, tuple[int, float, tuple[int, ...]]] = {0: (0, 0.0, ())}
    for covered in range(goal + 1):
        if covered not in table:
            continue
        many, worth, chosen = table[covered]
        for mask, (less, _number, _which) in best_of.items():
            joined = covered | mask
            if joined == covered:
                continue
            better = (many + 1, worth + less, tuple(sorted((*chosen, mask))))
            if joined not in table or better < table[joined]:
                table[joined] = better
    named = []
    for mask in table[goal][2]:
        which = best_of[mask][2]
        named.append((which, tuple(name for at, name in enumerate(metrics) if mask >> at & 1)))
    uncovered = tuple(name for at, name in enumerate(metrics) if not goal >> at & 1)
    return Cover(tuple(named), uncovered)


def compromise(reached: Mapping[Which, Reached], metrics: Sequence[str]) -> Which | None:
    """The one configuration whose least share of a peak is highest; None where none has all metrics."""
    whole = [which for which, shares in reached.items() if all(name in shares for name in metrics)]
    return max(
        whole,
        key=lambda which: (
            min(_capped(reached[which], name) for name in metrics),
            math.fsum(_capped(reached[which], name) for name in metrics),
        ),
        default=None,
    )


def _capped(shares: Reached, name: str) -> float:
    """A share of a peak, at most 1: behind the first point of a plateau others may be a little above it."""
    return min(1.0, shares.get(name, 0.0))
