"""Several metrics at once: the more are looked at, the more differ by chance.

Adjusted p-values are the chance that *any* metric of two Runs that do not differ looks as different as this
one. Where metrics were resampled together their common distribution is known and used (Westfall and Young,
Resampling-Based Multiple Testing, 1993: step-down maxT), so that p95 and p99, which nearly say the same, do
not count twice. Questions on different blocks (response times, joules) are put together by Bonferroni's
factor, which needs nothing.
"""

from __future__ import annotations

import numpy as np

from iowatt.lenses.compare.blocks import Floats


def step_down(observed: Floats, drawn: Floats) -> Floats:
    """Adjusted p-values (J) of statistics ``observed`` (J); ``drawn`` (R x J) is without any difference."""
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
