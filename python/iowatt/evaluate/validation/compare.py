"""Two sets of response times of the same requests, compared.

*Demerit* is Ruemmler and Wilkes' figure: the root mean square of the horizontal distance between two
distribution curves. Here it is taken from raw values: the quantiles of both at (k - 0.5) / 10000 for k = 1 to
10000, by linear interpolation between order statistics (the i-th smallest of n stands at (i - 0.5) / n, and
the ends hold beyond). *Paired RMSE* is that of the differences request by request.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from iowatt.evaluate.validation.result import TimesComparison

Times = NDArray[np.float64]
POINTS: Final = 10_000
PERCENTILES: Final = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99}


def compare(measured_ms: Times, simulated_ms: Times) -> TimesComparison | None:
    """The comparison of two arrays of equal length; None where they are empty."""
    if not len(measured_ms):
        return None
    measured, simulated = float(measured_ms.mean()), float(simulated_ms.mean())
    distance = demerit(measured_ms, simulated_ms)
    return TimesComparison(
        requests=len(measured_ms),
        measured_mean_ms=measured,
        simulated_mean_ms=simulated,
        mean_error=simulated / measured - 1,
        demerit_ms=distance,
        demerit_fraction=distance / measured,
        paired_rmse_ms=float(np.sqrt(np.mean((simulated_ms - measured_ms) ** 2))),
        measured_percentiles=percentiles(measured_ms),
        simulated_percentiles=percentiles(simulated_ms),
    )


def quantiles(times: Times, shares: Times) -> Times:
    """Quantiles by linear interpolation between order statistics, the i-th of n at (i - 0.5) / n."""
    ordered = np.sort(times)
    return np.interp(shares * len(ordered) - 0.5, np.arange(len(ordered)), ordered)


def demerit(one: Times, other: Times) -> float:
    """Root mean square of the horizontal distance between two distributions."""
    shares = (np.arange(1, POINTS + 1) - 0.5) / POINTS
    return float(np.sqrt(np.mean((quantiles(one, shares) - quantiles(other, shares)) ** 2)))


def percentiles(times: Times) -> dict[str, float]:
    """p50, p90, p95, p99 and max."""
    found = quantiles(times, np.array(list(PERCENTILES.values())))
    return {**dict(zip(PERCENTILES, map(float, found), strict=True)), "max": float(times.max())}
