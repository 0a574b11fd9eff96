"""Lengths in bins of equal width on a logarithmic scale: memory is constant and each bin is 0.23 % wide.

Each bin keeps its number of periods and the sum of their lengths, so that counts and idle time at the bins'
edges are exact, and whatever is computed from a bin's mean is off by less than its width squared.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from iowatt.lenses.idle.periods import NS_PER_S, Floats
from iowatt.lenses.idle.result import LengthCurve

BINS_PER_DECADE: Final = 1_000
#: Bins for lengths of 1 ns to the greatest that a table holds.
BINS: Final = 19 * BINS_PER_DECADE
#: Points of a curve: every so many bins.
STEP: Final = 25


class LengthHistogram:
    """Lengths of idle periods."""

    def __init__(self) -> None:
        self.count = np.zeros(BINS, dtype=np.int64)
        self.sum_s = np.zeros(BINS)
        self.least_s = np.inf
        self.most_s = 0.0

    def add(self, length_ns: npt.NDArray[np.int64]) -> None:
        """Add lengths, each at least 1 ns."""
        if len(length_ns) == 0:
            return
        seconds = length_ns / NS_PER_S
        at = np.minimum((BINS_PER_DECADE * np.log10(length_ns)).astype(np.int64), BINS - 1)
        self.count += np.bincount(at, minlength=BINS)
        self.sum_s += np.bincount(at, weights=seconds, minlength=BINS)
        self.least_s = min(self.least_s, float(seconds.min()))
        self.most_s = max(self.most_s, float(seconds.max()))

    def add_counted(self, length_ns: npt.NDArray[np.int64], count: npt.NDArray[np.int64]) -> None:
        """Add lengths that occur so often each."""
        if len(length_ns) == 0:
            return
        seconds = length_ns / NS_PER_S
        at = np.minimum((BINS_PER_DECADE * np.log10(length_ns)).astype(np.int64), BINS - 1)
        np.add.at(self.count, at, count)
        np.add.at(self.sum_s, at, seconds * count)
        self.least_s = min(self.least_s, float(seconds.min()))
        self.most_s = max(self.most_s, float(seconds.max()))

    @property
    def total(self) -> int:
        """Number of lengths."""
        return int(self.count.sum())

    def curve(self) -> LengthCurve:
        """Share of the periods, and of the idle time, in periods up to a length; ends at 1."""
        if self.total == 0:
            return LengthCurve(length_s=[], periods=[], idle_time=[])
        used = np.flatnonzero(self.count)
        first = int(used[0]) // STEP * STEP
        last = -(-(int(used[-1]) + 1) // STEP) * STEP
        ends = np.arange(first, last + 1, STEP)
        counts = np.concatenate(([0], np.cumsum(self.count)))[np.minimum(ends, BINS)]
        seconds = np.concatenate(([0.0], np.cumsum(self.sum_s)))[np.minimum(ends, BINS)]
        return LengthCurve(
            length_s=edge_s(ends).tolist(),
            periods=(counts / self.total).tolist(),
            idle_time=(seconds / self.sum_s.sum()).tolist(),
        )


def edge_s(number: npt.NDArray[np.int64]) -> Floats:
    """Lower edge of a bin in s."""
    return np.power(10.0, number / BINS_PER_DECADE) / NS_PER_S
