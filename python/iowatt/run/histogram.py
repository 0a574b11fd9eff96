"""A latency histogram that can be merged, and the percentiles it gives.

Bins are inclusive integer ranges of nanoseconds, three significant digits wide, so parts of a run
(reads and writes, workloads, hosts) add up without loss. The definition of a percentile here, and
nowhere else:

    the quantile q of n requests is the value at rank ceil(q * n) in ascending order (rank at least 1),
    and the value of a rank is the upper end of the bin that holds it.

It therefore never understates, and overstates by at most one bin (0.1 %).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import polars as pl

Counts = npt.NDArray[np.uint64]

#: The percentiles that a Run reports, by name, as shares of the requests.
PERCENTILES: Final = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p99.9": 0.999, "p99.99": 0.9999}


@dataclass(frozen=True)
class Histogram:
    """Counts of requests by response time; arrays of equal length, sorted by upper end."""

    low_ns: Counts
    high_ns: Counts
    count: Counts

    @classmethod
    def of(cls, low_ns: Any, high_ns: Any, count: Any) -> Histogram:
        """A histogram from bins in any order; equal bins are added up, empty ones dropped."""
        low = np.asarray(low_ns, dtype=np.uint64)
        high = np.asarray(high_ns, dtype=np.uint64)
        number = np.asarray(count, dtype=np.uint64)
        keep = number > 0
        low, high, number = low[keep], high[keep], number[keep]
        if low.size == 0:
            return cls(low, high, number)
        order = np.lexsort((low, high))
        low, high, number = low[order], high[order], number[order]
        first = np.ones(low.size, dtype=bool)
        first[1:] = (high[1:] != high[:-1]) | (low[1:] != low[:-1])
        starts = np.flatnonzero(first)
        return cls(low[starts], high[starts], np.add.reduceat(number, starts))

    @classmethod
    def from_table(cls, latency: pl.DataFrame) -> Histogram:
        """All rows of a ``latency`` table (filter it first) as one histogram."""
        return cls.of(latency["low_ns"], latency["high_ns"], latency["count"])

    @classmethod
    def merged(cls, parts: Iterable[Histogram]) -> Histogram:
        """One histogram of all requests of ``parts``."""
        listed = list(parts)
        if not listed:
            return cls.of([], [], [])
        return cls.of(
            np.concatenate([part.low_ns for part in listed]),
            np.concatenate([part.high_ns for part in listed]),
            np.concatenate([part.count for part in listed]),
        )

    @property
    def total(self) -> int:
        """Number of requests."""
        return int(self.count.sum())

    def curve(self) -> list[tuple[float, float, float]]:
        """Points of the distribution: ms, share of requests within it, share beyond it.

        At the upper end of a bin both shares are exact. Points that cannot be told apart on a chart are left
        out: one is kept where the share has grown by 0.4 %, the time by 12 %, or the share beyond has shrunk
        by a tenth; the first and the last always.
        """
        total = self.total
        kept: list[tuple[float, float, float]] = []
        for high_ns, within in zip(self.high_ns.tolist(), np.cumsum(self.count).tolist(), strict=True):
            point = (high_ns / 1e6, within / total, (total - within) / total)
            if not kept or within == total or _distinct(kept[-1], point):
                kept.append(point)
        return kept

    def quantile(self, q: float) -> int | None:
        """Response time in ns that the share ``q`` (0..1) of requests does not exceed; ``None`` if empty."""
        if not 0 <= q <= 1:
            raise ValueError(f"a quantile lies between 0 and 1, not {q}")
        total = self.total
        if total == 0:
            return None
        # In exact decimals: 0.07 * 100 is 7.000000000000001 in binary, and its ceiling 8.
        rank = max(1, math.ceil(_exact(q) * total))
        at = int(np.searchsorted(self._cumulative, np.uint64(rank), side="left"))
        return int(self.high_ns[at])

    @cached_property
    def _cumulative(self) -> Counts:
        """Requests up to the end of each bin."""
        return np.cumsum(self.count)


@cache
def _exact(q: float) -> Fraction:
    """A share in the decimals that it is written with."""
    return Fraction(str(q))


def _distinct(last: tuple[float, float, float], point: tuple[float, float, float]) -> bool:
    return (
        point[1] - last[1] >= 0.004
        or point[0] >= 1.12 * last[0]
        or (last[2] > 0 and point[2] <= 0.9 * last[2])
    )
