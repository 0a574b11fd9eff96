"""Times that are known only by wide bins: means and quantiles interpolated in them.

Within a bin times are taken as spread evenly over the logarithm; the mean of a bin from ``a`` to ``b`` is
then ``(b - a) / ln(b / a)``. SimulatedCell times go into the same bins before they are compared.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from iowatt.evaluate.measured.cell import SHARES
from iowatt.run.histogram import Histogram

_LEAST_S = 1e-7


@dataclass(frozen=True)
class Bins:
    """Counts of requests between ``edges_s``, one more of these than ``counts``."""

    edges_s: Sequence[float]
    counts: Sequence[int]

    @classmethod
    def of(cls, histogram: Histogram, edges_s: Sequence[float]) -> Bins:
        """A fine histogram in these bins; what lies outside goes to the first or the last."""
        middle = (histogram.low_ns.astype(np.float64) + histogram.high_ns.astype(np.float64)) / 2e9
        at = np.clip(np.searchsorted(np.asarray(edges_s), middle, side="right") - 1, 0, len(edges_s) - 2)
        counts = np.bincount(at, weights=histogram.count.astype(np.float64), minlength=len(edges_s) - 1)
        return cls(edges_s, [int(count) for count in counts])

    @property
    def total(self) -> int:
        """Requests."""
        return sum(self.counts)

    @property
    def mean_s(self) -> float | None:
        """Mean; None where there are none."""
        if not self.total:
            return None
        return math.fsum(n * (b - a) / math.log(b / a) for a, b, n in self._filled()) / self.total

    def quantiles(self) -> Mapping[float, float]:
        """Seconds at each share of ``SHARES``; nothing where there are no requests."""
        return {share: self._quantile(share) for share in SHARES.values()} if self.total else {}

    def beyond(self, at_s: float) -> float:
        """Share of the requests in bins from ``at_s`` on."""
        return sum(n for a, _, n in self._filled() if a >= at_s * (1 - 1e-9)) / max(1, self.total)

    def histogram(self) -> Histogram:
        """The bins as a histogram."""
        rows = [(round(a * 1e9), round(b * 1e9) - 1, n) for a, b, n in self._filled()]
        return Histogram.of(*([row[part] for row in rows] for part in range(3)))

    def _filled(self) -> list[tuple[float, float, int]]:
        edges = [max(edge, _LEAST_S) for edge in self.edges_s]
        return [(a, b, n) for a, b, n in zip(edges, edges[1:], self.counts, strict=False) if n]

    def _quantile(self, share: float) -> float:
        wanted, before = share * self.total, 0
        for a, b, n in self._filled():
            if before + n >= wanted:
                return float(a * (b / a) ** ((wanted - before) / n))
            before += n
        return self._filled()[-1][1]
