"""What logs show over time: where writes slow down for good, and bursts that come back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: A knee: afterwards writes are at most this much as fast.
_DROP: Final = 0.8
_LEAST: Final = 4
#: Autocorrelation from which a period is one: of white noise, 1 in 400 of the highest lie above it.
_PERIODIC: Final = 0.3


@dataclass(frozen=True)
class Knee:
    """When a write buffer was full: seconds, and bytes a second before and after."""

    time_s: float
    before: float
    after: float

    @property
    def buffer_bytes(self) -> float:
        """What had been taken in beyond what was written out."""
        return self.time_s * (self.before - self.after)


@dataclass(frozen=True)
class Bursts:
    """Tails that come back: seconds from one to the next, seconds of each, and how regular (0 to 1)."""

    period_s: float
    length_s: float
    regularity: float


def knee(rate: Array, interval_s: float) -> Knee | None:
    """The knee in a rate of writes by interval: the cut that leaves the least squares about two means.

    None where the rate does not fall to ``_DROP`` of what it was, or a side has fewer than four intervals.
    """
    count = len(rate)
    if count < 2 * _LEAST:
        return None
    sums, squares = np.cumsum(rate), np.cumsum(rate**2)
    cuts = np.arange(_LEAST, count - _LEAST + 1)
    before = sums[cuts - 1] / cuts
    after = (sums[-1] - sums[cuts - 1]) / (count - cuts)
    left = squares[-1] - cuts * before**2 - (count - cuts) * after**2
    best = int(np.argmin(left))
    if after[best] > _DROP * before[best]:
        return None
    return Knee(float(cuts[best]) * interval_s, float(before[best]), float(after[best]))


def bursts(tail_s: Array, interval_s: float = 1.0) -> Bursts | None:
    """The period and the length of bursts in a series of tails (such as the p99 of each second).

    The period is the lag of the highest peak of the autocorrelation behind its first fall below 0, the length
    the mean of runs above the middle between median and greatest. None where nothing comes back.
    """
    count = len(tail_s)
    if count < 3 * _LEAST or np.ptp(tail_s) <= 0:
        return None
    centred = tail_s - tail_s.mean()
    lags = np.array([np.sum(centred[: count - lag] * centred[lag:]) for lag in range(count // 2 + 1)])
    correlation = lags / lags[0]
    fallen = np.flatnonzero(correlation < 0)
    if not len(fallen):
        return None
    first = int(fallen[0])
    peak = first + int(np.argmax(correlation[first:]))
    if correlation[peak] < _PERIODIC:
        return None
    high = tail_s > (np.median(tail_s) + tail_s.max()) / 2
    runs = np.diff(np.flatnonzero(np.diff(np.concatenate([[0], high.astype(np.int8), [0]]))))[::2]
    return Bursts(peak * interval_s, float(runs.mean()) * interval_s, float(correlation[peak]))
