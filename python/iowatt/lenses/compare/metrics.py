"""What is compared: the mean, quantiles, the share over a threshold, ratios of amounts; and their estimates.

Every metric but a quantile is a ratio of two sums over blocks, theta = sum A / sum D (nanoseconds over
requests, requests over seconds, joules over requests). To first order its error is the mean over blocks of
(A - theta D) / mean D, a plain mean, which the bootstrap can resample. A quantile is found by the share of
requests at or below it, which is such a ratio; the interval of the share, read off the distribution at both
ends, is that of the quantile (Woodruff, JASA 47, 1952), and needs no density.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from iowatt.base.digits import apart
from iowatt.lenses.compare.blocks import Blocks, Floats
from iowatt.lenses.compare.distribution import Distribution, at_or_below

Kind = Literal["mean", "quantile", "share_over", "ratio"]
Better = Literal["lower", "higher"]

MS_PER_NS: Final = 1e-6


@dataclass(frozen=True)
class RunMetric:
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


def mean() -> RunMetric:
    """Mean response time in ms."""
    return RunMetric("mean", "mean", "ms")


def quantile(q: float) -> RunMetric:
    """Response time in ms that the share ``q`` of requests does not exceed; ``p99.9`` is the name of
    0.999."""
    if not 0 < q < 1:
        raise ValueError(f"a quantile to compare lies between 0 and 1, not {q}")
    return RunMetric(f"p{round(100 * q, 10):g}", "quantile", "ms", q=q)


def share_over(threshold_ns: float) -> RunMetric:
    """Share of requests (0..1) that take longer than ``threshold_ns``."""
    return RunMetric(
        f"over_{threshold_ns * MS_PER_NS:g}_ms", "share_over", "", threshold_ns=float(threshold_ns)
    )


def ratio(name: str, numerator: str, denominator: str, unit: str, better: Better = "lower") -> RunMetric:
    """One sum over another, both over the same blocks: ``ratio("power", "wall_j", "seconds", "W")``."""
    return RunMetric(name, "ratio", unit, better, numerator=numerator, denominator=denominator)


def rate(requests: str = "count") -> RunMetric:
    """Completed requests per second."""
    return ratio("throughput", requests, "seconds", "1/s", "higher")


def bandwidth(amount: str = "bytes") -> RunMetric:
    """Bytes read and written per second, or those of one direction."""
    return ratio("bandwidth", amount, "seconds", "B/s", "higher")


def power(amount: str = "device_j") -> RunMetric:
    """Mean power in W, of the drives (``device_j``) or at the wall (``wall_j``)."""
    return ratio("power", amount, "seconds", "W")


def energy_per_request(amount: str = "device_j") -> RunMetric:
    """Joules per completed request."""
    return ratio("energy_per_request", amount, "count", "J")


def sums(blocks: Blocks, metric: RunMetric, at_ns: float = 0.0) -> tuple[Floats, Floats]:
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


#: Requests beyond a quantile, and blocks that they lie in, that its interval needs.
LEAST_EVENTS: Final = 30
LEAST_BLOCKS_WITH_EVENTS: Final = 10
#: As many independent requests the events must be worth: bursts count as little more than one.
LEAST_WORTH: Final = 15.0
#: Standard errors from the middle at which the width of a quantile's interval is taken for its scale.
SCALE_AT: Final = 2.0


@dataclass(frozen=True)
class SideEstimate:
    """A metric on one side, before its standard error is known.

    ``printed`` is the figure as reports have it, ``centre`` the one that intervals lie around (between the
    ends of a bin); both are ``None`` where there is none. ``figures`` are the linear parts of each Run, one
    array of its blocks each, for a quantile as shares; their mean is 0. ``weights`` are the Runs' parts of
    the denominator.
    """

    metric: RunMetric
    printed: float | None
    centre: float | None
    figures: list[Floats]
    weights: Floats
    events: int | None
    events_in_blocks: list[Floats]
    distribution: Distribution | None

    @classmethod
    def of(cls, runs: Sequence[Blocks], metric: RunMetric, distribution: Distribution | None) -> SideEstimate:
        """The metric on all requests of ``runs``; ``distribution`` is theirs, for quantiles."""
        printed = centre = None
        at_ns = 0.0
        if metric.kind == "quantile" and metric.q is not None and distribution is not None:
            printed = distribution.printed(metric.q) * metric.scale
            at_ns = distribution.value(metric.q)
            centre = at_ns * metric.scale
        both = [sums(run, metric, at_ns) for run in runs]
        whole = float(sum(denominator.sum() for _, denominator in both))
        none = [np.zeros(run.blocks) for run in runs]
        numerator = float(sum(part.sum() for part, _ in both))
        if not (whole > 0 and math.isfinite(numerator)) or (metric.kind == "quantile" and centre is None):
            return cls(metric, None, None, none, np.zeros(len(runs)), None, none, distribution)
        theta = numerator / whole
        if metric.kind != "quantile":
            printed = centre = theta
        figures = [
            (above - theta * below) * len(below) / max(float(below.sum()), 1e-300) for above, below in both
        ]
        weights = np.asarray([float(below.sum()) for _, below in both]) / whole
        beyond = none
        events = None
        if metric.kind == "quantile" and metric.q is not None:
            total = round(whole)
            events = total - math.ceil(round(metric.q * total, 6))
            beyond = [below - above for above, below in both]
        elif metric.kind == "share_over":
            events = round(numerator)
            beyond = [above for above, _ in both]
        return cls(metric, printed, centre, figures, weights, events, beyond, distribution)

    def limits(self, error: float, widths: float) -> tuple[float, float]:
        """Limits ``widths`` standard errors to either side, in the metric's unit; infinite without any."""
        if self.centre is None:
            return -math.inf, math.inf
        if self.metric.kind != "quantile" or self.distribution is None or self.metric.q is None:
            return self.centre - widths * error, self.centre + widths * error
        low, high = self.distribution.limits(self.metric.q - widths * error, self.metric.q + widths * error)
        return min(low * self.metric.scale, self.centre), max(high * self.metric.scale, self.centre)

    def scale_of(self, error: float) -> float:
        """Standard error in the metric's unit; of a quantile from the width of its interval."""
        if self.metric.kind != "quantile":
            return error
        low, high = self.limits(error, SCALE_AT)
        if self.centre is None:
            return 0.0
        if math.isinf(high):
            high = 2 * self.centre - low
        if math.isinf(low):
            low = 2 * self.centre - high
        return (high - low) / (2 * SCALE_AT) if math.isfinite(high - low) else math.inf

    def worth(self, error: float) -> float:
        """Independent events that the requests beyond a quantile (or over a threshold) are worth."""
        if self.metric.kind == "quantile" and self.metric.q is not None:
            share = min(self.metric.q, 1 - self.metric.q)
        elif self.metric.kind == "share_over" and self.centre is not None:
            share = min(self.centre, 1 - self.centre)
        else:
            return math.inf
        return (share / error) ** 2 if error > 0 else math.inf

    def blocks_with_events(self, length: int) -> int:
        """Blocks of ``length`` neighbours that hold at least one event."""
        found = 0
        for counts in self.events_in_blocks:
            padded = np.zeros(-(-len(counts) // length) * length)
            padded[: len(counts)] = counts
            found += int(np.count_nonzero(padded.reshape(-1, length).sum(axis=1) > 0))
        return found

    def too_few(self, error: float, length: int | None) -> str | None:
        """Why a quantile with few events has no interval; None where it has one.

        ``length`` is that of blocks that the events should be spread over, ``None`` without an order in time.
        """
        if self.events is None or self.metric.kind not in ("quantile", "share_over"):
            return None
        if self.events == 0 and self.metric.kind == "share_over":
            return None
        if self.events < LEAST_EVENTS:
            return f"rests on {self.events} requests beyond it: at least {LEAST_EVENTS} are needed"
        found = LEAST_BLOCKS_WITH_EVENTS if length is None else self.blocks_with_events(length)
        if found < LEAST_BLOCKS_WITH_EVENTS:
            return (
                f"the {self.events} requests beyond it lie in {found} blocks of time: "
                f"at least {LEAST_BLOCKS_WITH_EVENTS} are needed"
            )
        worth = self.worth(error)
        if worth < LEAST_WORTH:
            return (
                f"the {self.events} requests beyond it are clustered, worth {apart(worth, LEAST_WORTH)} "
                f"independent ones: at least {LEAST_WORTH:g} are needed"
            )
        return None
