"""The Pareto front of points under two metrics, and its knee. The page's own script does the same."""

from __future__ import annotations

import math
from collections.abc import Sequence

HIGHER_IS_BETTER = ("iops", "mib_per_s", "per_w", "hit_ratio", "bytes_ratio", "completions", "completed",
                    "usable", "effective", "fraction", "done_share")  # fmt: skip
"""Parts of names of metrics of which more is better; of all others less is."""


def lower_is_better(metric: str) -> bool:
    """Which way a metric improves, by its name."""
    last = metric.rpartition(".")[2]
    return not (last.endswith(HIGHER_IS_BETTER) and "delayed" not in last)


def front(
    x: Sequence[float | None], y: Sequence[float | None], *, lower: tuple[bool, bool] = (True, True)
) -> list[int]:
    """Positions of the points that no other point beats, from the best in ``x`` to the best in ``y``.

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
