"""What a law is fitted to: lengths with how often each occurs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from iowatt.lenses.idle.histogram import Histogram, edge_s
from iowatt.lenses.idle.periods import Floats


@dataclass(frozen=True)
class Sample:
    """Bins of a histogram: their means ``x_s`` in s (ascending), counts ``n``, and edges for distances."""

    x_s: Floats
    n: npt.NDArray[np.int64]
    lower_s: Floats
    upper_s: Floats
    least_s: float
    most_s: float

    @classmethod
    def of(cls, histogram: Histogram) -> Sample:
        """The bins that hold something."""
        used = np.flatnonzero(histogram.count)
        return cls(
            x_s=histogram.sum_s[used] / histogram.count[used],
            n=histogram.count[used],
            lower_s=edge_s(used),
            upper_s=edge_s(used + 1),
            least_s=histogram.least_s,
            most_s=histogram.most_s,
        )

    @property
    def total(self) -> int:
        """Number of lengths."""
        return int(self.n.sum())

    def mean(self, values: Floats) -> float:
        """Mean of a function of the lengths, given by bin."""
        return float(np.dot(self.n, values) / self.total)
