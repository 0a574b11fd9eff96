"""Several metrics at once: the more are looked at, the more differ by chance.

Adjusted p-values are the chance that *any* metric of two Runs that do not differ looks as different as this
one. Where metrics were resampled together their common distribution is known and used (Westfall and Young,
Resampling-Based Multiple Testing, 1993: step-down maxT), so that p95 and p99, which nearly say the same, do
not count twice. Where they were not, Holm's procedure (Scandinavian Journal of Statistics 6, 1979), which
needs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from iowatt.lenses.compare.blocks import Floats


def step_down(observed: Floats, drawn: Floats) -> Floats:
    """Adjusted p-values (J) of statistics ``observed`` (J) from those of resamples without difference (R x
    J)."""
    adjusted = np.ones(len(observed))
    greatest = np.zeros(len(drawn))
    order = np.argsort(observed, kind="stable")
    exceeded = np.ones(len(observed))
    # From the least: the greatest of those not yet passed is what a metric is held against.
    for column in order:
        greatest = np.maximum(greatest, drawn[:, column])
        exceeded[column] = (1 + np.count_nonzero(greatest >= observed[column])) / (len(drawn) + 1)
    worst = 0.0
    for column in order[::-1]:
        worst = max(worst, float(exceeded[column]))
        adjusted[column] = worst
    return adjusted


def holm(values: Sequence[float]) -> Floats:
    """Adjusted p-values by Holm's procedure."""
    count = len(values)
    adjusted = np.ones(count)
    worst = 0.0
    for place, column in enumerate(np.argsort(np.asarray(values), kind="stable")):
        worst = max(worst, min(1.0, (count - place) * float(values[column])))
        adjusted[column] = worst
    return adjusted
