"""Bins that the field reads response times by, and a fine histogram counted into them.

A fine bin belongs to the coarse one that holds its upper end, as percentiles take it. Where a fine bin
reaches over an edge its requests may belong one bin lower: how many these are is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from iowatt.run.histogram import Histogram

NS_PER_US: Final = 1_000
NS_PER_MS: Final = 1_000_000


@dataclass(frozen=True)
class Scale:
    """Edges in ns, ascending; a bin holds what is over one edge and at most at the next."""

    key: str
    title: str
    edges_ns: tuple[int, ...]


#: Service-time buckets of array reporters: doublings of an eighth of a millisecond.
ARRAY: Final = Scale("array", "Buckets of array reporters", tuple(125_000 << k for k in range(17)))
#: Doublings of a microsecond: what block-layer histograms print (bcc's biolatency and its kin).
POWERS: Final = Scale("powers-of-two", "Powers of two in µs", tuple(NS_PER_US << k for k in range(25)))
#: fio's "lat (usec)" and "lat (msec)" lines.
FIO: Final = Scale(
    "fio",
    "fio's lines",
    (
        *(step * NS_PER_US for step in (2, 4, 10, 20, 50, 100, 250, 500, 750, 1000)),
        *(step * NS_PER_MS for step in (2, 4, 10, 20, 50, 100, 250, 500, 750, 1000, 2000)),
    ),
)
SCALES: Final = (ARRAY, POWERS, FIO)


@dataclass(frozen=True)
class Counted:
    """Requests in each bin of a scale, the first up to its lowest edge and the last beyond its highest."""

    counts: Sequence[int]
    #: Requests of fine bins that reach over an edge: they may belong one bin lower.
    straddling: int


def counted(histogram: Histogram, scale: Scale) -> Counted:
    """A histogram on the bins of a scale."""
    edges = np.asarray(scale.edges_ns, dtype=np.uint64)
    by_high = np.searchsorted(edges, histogram.high_ns, side="left")
    by_low = np.searchsorted(edges, histogram.low_ns, side="left")
    counts = np.bincount(by_high, weights=histogram.count.astype(np.float64), minlength=edges.size + 1)
    # Weights are doubles, which hold every whole number up to 2^53 exactly.
    return Counted([int(value) for value in counts], int(histogram.count[by_high != by_low].sum()))
