"""The distribution of response times between the ends of bins.

A printed percentile is the upper end of its bin (:mod:`iowatt.run.histogram`): a definition that needs no
assumption and moves in steps of a bin. Intervals need more than that, because the step may be as wide as they
are. Here values are taken to lie evenly within their bin, so that the share of requests at or below x is a
continuous function of x. A bin that holds far more than its neighbours is a lump (a cache that always answers
in the same time): where in it the values lie is not known, and limits that fall into it go to its ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from iowatt.lenses.compare.blocks import Blocks, Floats
from iowatt.run.histogram import Histogram

#: A lump has this many times the density of the two bins on either side, and at least so many requests.
LUMP_DENSITY: Final = 4.0
LUMP_REQUESTS: Final = 50.0


@dataclass(frozen=True)
class Distribution:
    """Requests at or below each of E edges (ns, ascending), linear in between; ``lump`` has E - 1 bins."""

    edges_ns: Floats
    cumulative: Floats
    lump: npt.NDArray[np.bool_]
    histogram: Histogram
    max_ns: float

    @classmethod
    def of(cls, runs: Sequence[Blocks]) -> Distribution:
        """All requests of several Runs, whose bins may differ."""
        edges = np.unique(np.concatenate([side for run in runs for side in (run.low_ns, run.high_ns + 1)]))
        cumulative = np.zeros(len(edges))
        for run in runs:
            at, below = _cumulative(run)
            cumulative += np.interp(edges, at, below)
        histogram = Histogram.merged(Histogram.of(run.low_ns, run.high_ns, run.histogram) for run in runs)
        largest = max(float(run.max_ns.max()) for run in runs)
        return cls(edges, cumulative, _lumps(edges, cumulative), histogram, largest)

    @property
    def total(self) -> float:
        """Requests."""
        return float(self.cumulative[-1])

    def printed(self, q: float) -> float:
        """The quantile in ns as reports print it: the upper end of its bin, at most the longest."""
        value = self.histogram.quantile(q)
        if value is None:
            raise ValueError("no requests, no quantile")
        return min(float(value), self.max_ns)

    def value(self, share: float) -> float:
        """Response time in ns that ``share`` (0..1) of requests do not exceed, values even within bins."""
        return float(np.interp(share * self.total, self.cumulative, self.edges_ns))

    def limits(self, low: float, high: float) -> tuple[float, float]:
        """Limits of an interval at two shares: to the ends of lumps, infinite beyond the data."""
        return (self._limit(low, 0) if low > 0 else -np.inf, self._limit(high, 1) if high < 1 else np.inf)

    def _limit(self, share: float, end: int) -> float:
        value = self.value(share)
        at = min(max(int(np.searchsorted(self.edges_ns, value, "right")) - 1, 0), len(self.lump) - 1)
        return float(self.edges_ns[at + end]) if self.lump[at] else value


def at_or_below(blocks: Blocks, at_ns: float) -> Floats:
    """Requests of each block that took at most ``at_ns``, values even within bins."""
    inside = np.clip((at_ns - blocks.low_ns) / (blocks.high_ns + 1 - blocks.low_ns), 0.0, 1.0)
    # Whole bins first: only one is cut, and a product with all of them would be the whole cost of a
    # comparison.
    whole = int((inside >= 1.0).sum())
    counted = blocks.bins[:, :whole].sum(axis=1)
    if whole < len(inside) and inside[whole] > 0:
        counted = counted + inside[whole] * blocks.bins[:, whole]
    return np.asarray(counted, dtype=np.float64)


def _cumulative(run: Blocks) -> tuple[Floats, Floats]:
    """Edges of a Run's bins and the requests below each, gaps between bins included."""
    number = run.histogram
    below = np.cumsum(number)
    edges = np.column_stack((run.low_ns, run.high_ns + 1)).ravel()
    values = np.column_stack((below - number, below)).ravel()
    return edges, values


def _lumps(edges: Floats, cumulative: Floats) -> npt.NDArray[np.bool_]:
    """Bins that are lumps."""
    mass, width = np.diff(cumulative), np.diff(edges)
    around_mass, around_width = np.zeros(len(mass)), np.zeros(len(mass))
    for step in (-2, -1, 1, 2):
        here = slice(max(0, -step), len(mass) - max(0, step))
        there = slice(max(0, step), len(mass) - max(0, -step))
        around_mass[here] += mass[there]
        around_width[here] += width[there]
    # Multiplied out: a bin alone has no neighbours, and is a lump.
    return np.asarray(
        (mass >= LUMP_REQUESTS) & (mass * around_width >= LUMP_DENSITY * around_mass * width), dtype=np.bool_
    )
