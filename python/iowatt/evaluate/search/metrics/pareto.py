"""Pareto fronts under two or more objectives, their knee, and the point to recommend. sweep.js does the
same."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

HIGHER_IS_BETTER = ("iops", "mib_per_s", "per_w", "hit_ratio", "bytes_ratio", "completions", "completed",
                    "usable", "effective", "fraction", "done_share")  # fmt: skip
"""Endings of metrics where more is better; of all others less is better."""


def lower_is_better(metric: str) -> bool:
    """Which way a metric improves, by its name."""
    last = metric.rpartition(".")[2]
    return not (last.endswith(HIGHER_IS_BETTER) and "delayed" not in last)


def front(
    x: Sequence[float | None], y: Sequence[float | None], *, lower: tuple[bool, bool] = (True, True)
) -> list[int]:
    """Positions of the points that no other point dominates, from the best in ``x`` to the best in ``y``.

    A point beats another where it is at least as good in both metrics and better in one; equal points do
    not beat each other. Points without a value are left out. ``lower`` says of each metric whether less is
    better.
    """
    signs = tuple(1.0 if way else -1.0 for way in lower)
    known = sorted(
        (signs[0] * a, signs[1] * b, at)
        for at, (a, b) in enumerate(zip(x, y, strict=True))
        if a is not None and b is not None and math.isfinite(a) and math.isfinite(b)
    )
    kept: list[int] = []
    best = math.inf
    last: tuple[float, float] | None = None
    for a, b, at in known:
        if b < best or (a, b) == last:
            kept.append(at)
            best, last = min(best, b), (a, b)
    return kept


def knee(x: Sequence[float], y: Sequence[float]) -> int | None:
    """Position of the point of a front that lies farthest from the line between its ends, towards the better.

    Both metrics are scaled to the span of the front first (I. Das, "On characterizing the 'knee' of the
    Pareto curve based on Normal-Boundary Intersection", 1999). ``x`` and ``y`` are those of a front in its
    order, less being better (negate the others). ``None`` where no point lies beyond the line.
    """
    if len(x) < 3:
        return None
    wide, high = x[-1] - x[0], y[0] - y[-1]
    if wide <= 0 or high <= 0:
        return None
    # From (0, 1) to (1, 0) after scaling; what lies below the line has a positive gain.
    gains = [1 - (a - x[0]) / wide - (b - y[-1]) / high for a, b in zip(x, y, strict=True)]
    at = max(range(len(gains)), key=lambda i: gains[i])
    return at if gains[at] > 1e-9 else None


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
    """Position of the knee of a front of two objectives; None without a knee."""
    if not losses or len(losses[0]) != 2:
        return None
    return knee([one[0] for one in losses], [one[1] for one in losses])
