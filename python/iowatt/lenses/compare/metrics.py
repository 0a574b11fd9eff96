"""What is compared: the mean, quantiles, the share over a threshold, and ratios of amounts.

Every metric but a quantile is a ratio of two sums over blocks (nanoseconds over requests, requests over
seconds, joules over requests), and so are the shares that a quantile is found by.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from iowatt.lenses.compare.blocks import Blocks, Floats
from iowatt.lenses.compare.distribution import at_or_below

Kind = Literal["mean", "quantile", "share_over", "ratio"]
Better = Literal["lower", "higher"]

MS_PER_NS: Final = 1e-6


@dataclass(frozen=True)
class Metric:
    """A figure of a Run. Its values are in ``unit``; ``better`` says which direction is an improvement.

    ``q`` is the share of a quantile, ``threshold_ns`` the limit of a share over it; ``numerator`` and
    ``denominator`` name amounts of :class:`~iowatt.lenses.compare.blocks.Blocks`, or ``count`` or
    ``seconds``.
    """

    name: str
    kind: Kind
    unit: str
    better: Better = "lower"
    q: float | None = None
    threshold_ns: float | None = None
    numerator: str = ""
    denominator: str = ""

    @property
    def scale(self) -> float:
        """Unit of the metric over the unit of the blocks (ns)."""
        return MS_PER_NS if self.kind in ("mean", "quantile") else 1.0


def mean() -> Metric:
    """Mean response time in ms."""
    return Metric("mean", "mean", "ms")


def quantile(q: float) -> Metric:
    """Response time in ms that the share ``q`` of requests does not exceed; ``p99.9`` is the name of
    0.999."""
    if not 0 < q < 1:
        raise ValueError(f"a quantile to compare lies between 0 and 1, not {q}")
    return Metric(f"p{round(100 * q, 10):g}", "quantile", "ms", q=q)


def share_over(threshold_ns: float) -> Metric:
    """Share of requests (0..1) that take longer than ``threshold_ns``."""
    return Metric(f"over_{threshold_ns * MS_PER_NS:g}_ms", "share_over", "", threshold_ns=float(threshold_ns))


def ratio(name: str, numerator: str, denominator: str, unit: str, better: Better = "lower") -> Metric:
    """One sum over another, both over the same blocks: ``ratio("power", "wall_j", "seconds", "W")``."""
    return Metric(name, "ratio", unit, better, numerator=numerator, denominator=denominator)


def rate() -> Metric:
    """Completed requests per second."""
    return ratio("throughput", "count", "seconds", "1/s", "higher")


def bandwidth() -> Metric:
    """Bytes read and written per second."""
    return ratio("bandwidth", "bytes", "seconds", "B/s", "higher")


def power(amount: str = "device_j") -> Metric:
    """Mean power in W, of the drives (``device_j``) or at the wall (``wall_j``)."""
    return ratio("power", amount, "seconds", "W")


def energy_per_request(amount: str = "device_j") -> Metric:
    """Joules per completed request."""
    return ratio("energy_per_request", amount, "count", "J")


#: Quantiles that a comparison shows.
QUANTILES: Final = (0.5, 0.9, 0.95, 0.99, 0.999, 0.9999)


def response_times() -> list[Metric]:
    """Mean and :data:`QUANTILES` of the response time."""
    return [mean(), *(quantile(q) for q in QUANTILES)]


def sums(blocks: Blocks, metric: Metric, at_ns: float = 0.0) -> tuple[Floats, Floats]:
    """Numerator and denominator of a metric in each block; 0 in both where the block has no known value.

    For a quantile they are the requests at or below ``at_ns``, and all requests.
    """
    if metric.kind == "quantile":
        return at_or_below(blocks, at_ns), blocks.count
    if metric.kind == "share_over":
        return blocks.count - at_or_below(blocks, float(metric.threshold_ns or 0.0)), blocks.count
    if metric.kind == "mean":
        return blocks.sum_ns * metric.scale, blocks.count
    numerator, denominator = _amount(blocks, metric.numerator), _amount(blocks, metric.denominator)
    known = np.isfinite(numerator) & np.isfinite(denominator)
    return np.where(known, numerator, 0.0), np.where(known, denominator, 0.0)


def _amount(blocks: Blocks, name: str) -> Floats:
    """An amount per block by name; NaN everywhere where the Run has none of this name."""
    if name == "count":
        return blocks.count
    if name == "seconds":
        return blocks.seconds
    found = blocks.amounts.get(name)
    return np.full(blocks.blocks, np.nan) if found is None else found
