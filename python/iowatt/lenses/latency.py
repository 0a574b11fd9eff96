"""Response times: moments from the source, percentiles from the histogram, an interval for the mean."""

from __future__ import annotations

import math

from iowatt.run.histogram import Histogram
from iowatt.run.record import Moments
from iowatt.run.statistics import mean_interval
from iowatt.run.summary_schema import ResponseTime

MS_PER_S = 1e3
NS_PER_MS = 1e6


def response_time(moments: Moments, histogram: Histogram) -> ResponseTime:
    """Response times of one kind of request, in ms.

    A percentile is the upper end of its bin, but never above the greatest response time seen. All
    figures but ``count`` are ``None`` where there were no requests.
    """
    if moments.count == 0:
        return ResponseTime(
            count=0, mean=None, std=None, p50=None, p90=None, p95=None, p99=None, p999=None, p9999=None,
            max=None, mean_ci95=None,
        )  # fmt: skip
    largest = None if moments.max_s is None else moments.max_s * MS_PER_S
    interval = mean_interval(moments.batches).limits

    def percentile(q: float) -> float | None:
        value = histogram.quantile(q)
        return None if value is None else min(value / NS_PER_MS, math.inf if largest is None else largest)

    return ResponseTime(
        count=moments.count,
        mean=moments.mean_s * MS_PER_S,
        std=None if moments.std_s is None else moments.std_s * MS_PER_S,
        p50=percentile(0.5),
        p90=percentile(0.9),
        p95=percentile(0.95),
        p99=percentile(0.99),
        p999=percentile(0.999),
        p9999=percentile(0.9999),
        max=largest,
        mean_ci95=None if interval is None else (interval[0] * MS_PER_S, interval[1] * MS_PER_S),
    )
