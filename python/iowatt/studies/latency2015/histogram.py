"""Response times as counts in bins, merged over time and over Runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class LatencyHistogram:
    """Bins of whole ns, both ends included, ascending and apart."""

    low_ns: tuple[int, ...]
    high_ns: tuple[int, ...]
    counts: tuple[float, ...]

    @classmethod
    def of(cls, bins: Iterable[tuple[int, int, float]]) -> LatencyHistogram:
        """From bins in any order; equal ones are added."""
        found: dict[tuple[int, int], float] = {}
        for low, high, count in bins:
            found[low, high] = found.get((low, high), 0.0) + count
        ends = sorted(found)
        return cls(
            tuple(low for low, _ in ends), tuple(high for _, high in ends), tuple(found[end] for end in ends)
        )

    @classmethod
    def mixture(cls, parts: Mapping[int, float], of: Mapping[int, LatencyHistogram]) -> LatencyHistogram:
        """Several, each with so much of the whole, whatever its own number of requests."""
        return cls.of(
            (low, high, share * count / of[key].total)
            for key, share in parts.items()
            for low, high, count in of[key].bins()
        )

    @property
    def total(self) -> float:
        """All requests."""
        return sum(self.counts)

    def bins(self) -> Iterable[tuple[int, int, float]]:
        """Bin by bin."""
        return zip(self.low_ns, self.high_ns, self.counts, strict=True)

    def share_within(self, ms: float) -> float:
        """Share of the requests that took ``ms`` or less; within the bin of the limit they are spread
        evenly.
        """
        limit = ms * 1e6
        inside = 0.0
        for low, high, count in self.bins():
            if high <= limit:
                inside += count
            elif low <= limit:
                inside += count * (limit - low + 1) / (high - low + 1)
        return inside / self.total

    def quantile_ms(self, share: float) -> float:
        """The time within which this share of the requests lies: the upper end of its bin."""
        left = share * self.total
        for _, high, count in self.bins():
            left -= count
            if left <= 0:
                return high * 1e-6
        return self.high_ns[-1] * 1e-6
