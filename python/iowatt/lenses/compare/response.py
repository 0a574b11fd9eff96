"""How response times are spread on both sides: percentiles and what they rest on, bins, shares, curves.

A fine bin belongs to the coarse one that holds its upper end, as percentiles take it. Where a fine bin
reaches over an edge its requests may belong one bin lower: their number is given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Final

import numpy as np

from iowatt.lenses.compare.measurement import Side
from iowatt.lenses.compare.result import (
    Bin,
    BinCount,
    BothSides,
    OverThreshold,
    ResponsePercentiles,
    ScaleBins,
)
from iowatt.run.histogram import PERCENTILES, Histogram

NS_PER_US: Final = 1_000
NS_PER_MS: Final = 1_000_000


@dataclass(frozen=True)
class BinScale:
    """Edges in ns, ascending; a bin holds what is over one edge and at most at the next."""

    key: str
    title: str
    edges_ns: tuple[int, ...]


#: Service-time buckets of array reporters: doublings of an eighth of a millisecond.
ARRAY: Final = BinScale("array", "Buckets of array reporters", tuple(125_000 << k for k in range(17)))
#: Doublings of a microsecond: what block-layer histograms print (bcc's biolatency and its kin).
POWERS: Final = BinScale("powers-of-two", "Powers of two in µs", tuple(NS_PER_US << k for k in range(25)))
#: fio's "lat (usec)" and "lat (msec)" lines.
FIO: Final = BinScale(
    "fio",
    "fio's lines",
    (
        *(step * NS_PER_US for step in (2, 4, 10, 20, 50, 100, 250, 500, 750, 1000)),
        *(step * NS_PER_MS for step in (2, 4, 10, 20, 50, 100, 250, 500, 750, 1000, 2000)),
    ),
)
SCALES: Final = (ARRAY, POWERS, FIO)


@dataclass(frozen=True)
class ScaleCounts:
    """Requests in each bin of a scale, the first up to its lowest edge and the last beyond its highest."""

    counts: Sequence[int]
    #: Requests of fine bins that reach over an edge: they may belong one bin lower.
    straddling: int


def counted(histogram: Histogram, scale: BinScale) -> ScaleCounts:
    """A histogram on the bins of a scale."""
    edges = np.asarray(scale.edges_ns, dtype=np.uint64)
    by_high = np.searchsorted(edges, histogram.high_ns, side="left")
    by_low = np.searchsorted(edges, histogram.low_ns, side="left")
    counts = np.bincount(by_high, weights=histogram.count.astype(np.float64), minlength=edges.size + 1)
    # Weights are doubles, which hold every whole number up to 2^53 exactly.
    return ScaleCounts([int(value) for value in counts], int(histogram.count[by_high != by_low].sum()))


def percentile_ms(histogram: Histogram, q: float, max_ms: float | None) -> float | None:
    """A percentile of a histogram as every Run defines it: never above the longest response."""
    value = histogram.quantile(q)
    if value is None:
        return None
    return value / NS_PER_MS if max_ms is None else min(value / NS_PER_MS, max_ms)


def beyond(total: int, q: float) -> int:
    """Requests that the percentile leaves above itself, of ``total``: what it rests on."""
    return total - max(1, ceil(Fraction(str(q)) * total)) if total else 0


def percentiles(side: Side) -> ResponsePercentiles:
    """Mean, percentiles and maximum in ms, and how many requests lie beyond each percentile."""
    merged, longest = side.histogram, side.max_ms
    total = merged.total
    return ResponsePercentiles(
        requests=side.requests,
        mean=side.mean_ms,
        max=longest,
        beyond={name: beyond(total, q) for name, q in PERCENTILES.items()} if total else {},
        **{name.replace(".", ""): percentile_ms(merged, q, longest) for name, q in PERCENTILES.items()},
    )


def over(histogram: Histogram, threshold_s: float) -> OverThreshold:
    """Requests over a threshold: their number and share, and how many of them a bin leaves open."""
    threshold = round(threshold_s * 1e9)
    total = histogram.total
    above = histogram.high_ns > threshold
    number = int(histogram.count[above].sum())
    unsure = int(histogram.count[above & (histogram.low_ns <= threshold)].sum())
    return OverThreshold(requests=number, share=number / total if total else None, unsure=unsure)


def default_threshold_s(side: Side) -> float | None:
    """The 99th percentile of a side in s, of two digits: what one request in a hundred exceeds.

    None where no histogram was kept.
    """
    value = percentile_ms(side.histogram, 0.99, side.max_ms)
    return float(f"{value / 1e3:.2g}") if value else None


def histograms(sides: Sequence[Side]) -> list[ScaleBins]:
    """Both sides on every scale; bins that are empty on both at either end are left out."""
    merged = [side.histogram for side in sides]
    if not any(one.total for one in merged):
        return []
    return [
        _on(scale, [(side.key, one) for side, one in zip(sides, merged, strict=True)]) for scale in SCALES
    ]


def _on(scale: BinScale, merged: Sequence[tuple[str, Histogram]]) -> ScaleBins:
    found = {key: counted(histogram, scale) for key, histogram in merged}
    edges = [0, *scale.edges_ns, None]
    any_ = [at for at in range(len(edges) - 1) if any(one.counts[at] for one in found.values())]
    rows = []
    for at in range(min(any_), max(any_) + 1):
        low, high = edges[at], edges[at + 1]
        before, after = (_count(found[key].counts, at) for key in ("before", "after"))
        rows.append(
            Bin(
                over_ms=(low or 0) / NS_PER_MS,
                to_ms=None if high is None else high / NS_PER_MS,
                before=before,
                after=after,
            )
        )
    return ScaleBins(
        scale=scale.key,
        title=scale.title,
        straddling=BothSides(before=found["before"].straddling, after=found["after"].straddling),
        bins=rows,
    )


def _count(counts: Sequence[int], at: int) -> BinCount:
    total = sum(counts)
    return BinCount(
        requests=counts[at],
        share=counts[at] / total if total else None,
        share_to=sum(counts[: at + 1]) / total if total else None,
    )
