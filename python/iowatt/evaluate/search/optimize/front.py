"""Which points no other beats, under any number of objectives, and which of them to take."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from iowatt.evaluate.search import pareto

Losses = Sequence[float]


def dominates(one: Losses, other: Losses) -> bool:
    """At least as good in all and better in one; less is better."""
    return all(a <= b for a, b in zip(one, other, strict=True)) and any(
        a < b for a, b in zip(one, other, strict=True)
    )


def nondominated(losses: Sequence[Losses]) -> list[int]:
    """Positions of those that none beats, by the first objective; equal ones do not beat each other."""
    order = sorted(range(len(losses)), key=lambda at: tuple(losses[at]))
    kept: list[int] = []
    for at in order:
        # Whoever beats it has come before it, and of those only the front counts.
        if not any(dominates(losses[other], losses[at]) for other in kept):
            kept.append(at)
    return kept


def recommend(losses: Sequence[Losses]) -> tuple[int, str] | None:
    """The position to recommend among those of a front (in its order), and by what.

    One objective: its best. Two: the knee, where there is one. More, or none: the least distance from the
    best of each objective, all scaled to the span of the front (the utopia point; M. Zeleny, "Compromise
    programming", 1973).
    """
    if not losses:
        return None
    if len(losses[0]) == 1 or len(losses) == 1:
        return 0, "the only objective" if len(losses[0]) == 1 else "the only point that none beats"
    if len(losses[0]) == 2:
        at = knee_of(losses)
        if at is not None:
            return at, "the knee of the front"
    table = np.array(losses, dtype=float)
    spans = table.max(axis=0) - table.min(axis=0)
    scaled = (table - table.min(axis=0)) / np.where(spans > 0, spans, 1.0)
    nearest = int(np.argmin(np.linalg.norm(scaled, axis=1)))
    return nearest, "nearest to the best of each objective, scaled to the front"


def knee_of(losses: Sequence[Losses]) -> int | None:
    """Position of the knee of a front of two objectives; None where there is none."""
    if not losses or len(losses[0]) != 2:
        return None
    return pareto.knee([one[0] for one in losses], [one[1] for one in losses])
