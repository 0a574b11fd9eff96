"""Observations of two hosts as one: sums, weighted means, merged histograms; arithmetic in the tests."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from host_observations import seen
from iowatt.run.histogram import Histogram
from iowatt.sources.joined import joined, shifted
from iowatt.sources.observation import ObservedHop, ObservedShare, ResponseBlock
from refused import refused


def test_counts_add_up_and_means_are_weighted():
    a, b = seen(100.0, (300, 100), 0.001), seen(100.5, (100, 500), 0.003, busy_percent=40.0, errors=2)
    whole = joined({"a": a, "b": b})
    first, second = whole.intervals
    assert (first.start, first.end, second.end) == (100.25, 110.25, 120.25)
    assert (first.read.requests, second.read.requests) == (400, 600)
    assert first.read.bytes == 8192 * 400
    assert first.read.response_mean_s == pytest.approx((300 * 0.001 + 100 * 0.003) / 400)
    assert second.read.response_mean_s == pytest.approx((100 * 0.001 + 500 * 0.003) / 600)
    assert second.read.response_max_s == 0.006
    read, write = whole.totals
    assert (read.requests, write.requests) == (1000, 0)
    mean = (400 * 0.001 + 600 * 0.003) / 1000
    assert read.response_mean_s == pytest.approx(mean)
    # Two values alone: the variance is that between them.
    variance = (400 * (0.001 - mean) ** 2 + 600 * (0.003 - mean) ** 2) / 1000
    assert read.response_std_s == pytest.approx(math.sqrt(variance))
    assert whole.read.total == 1000 and whole.read.quantile(0.4) == 1_000_000
    assert whole.read.quantile(0.41) == 3_000_000
    assert whole.asked_iops == 50 and whole.outstanding == 128
    assert whole.busy_percent == 40.0 and whole.errors == 2


def test_what_one_host_does_not_say_is_not_known_of_all():
    a, b = seen(100.0, (300, 100), 0.001), seen(100.0, (100, 500), 0.003)
    whole = joined({"a": a, "b": replace(b, asked_iops=None, totals=None, read=Histogram.of([], [], []))})
    assert whole.asked_iops is None and whole.totals is None
    assert not whole.read.total and any("histogram" in text for text in whole.warnings)
    assert [i.read.requests for i in whole.intervals] == [400, 600]


def test_shares_are_of_the_requests_of_all():
    shares = [ObservedShare("hot", 60, 50), ObservedShare("cold", 40, 50)]
    others = [ObservedShare("hot", 60, 70), ObservedShare("cold", 40, 30)]
    a, b = (
        seen(0.0, (150, 150), 0.001, shares=shares),
        seen(0.0, (50, 50), 0.001, shares=others),
    )
    hot, cold = joined({"a": a, "b": b}).shares
    # 300 requests of the first host, 100 of the second.
    assert (hot.asked, hot.observed) == (pytest.approx(60), pytest.approx((300 * 50 + 100 * 70) / 400))
    assert (cold.asked, cold.observed) == (pytest.approx(40), pytest.approx((300 * 50 + 100 * 30) / 400))


def test_blocks_and_hops_are_added_on_one_grid():
    def parts(start, count):
        blocks = [
            ResponseBlock(
                "read", start + k, start + k + 1, count * 1000, 2000, Histogram.of([1000], [1000], [count])
            )
            for k in range(3)
        ]
        hop = ObservedHop("completion", "host", "read", 3 * count, 10, 20)
        return {"series": blocks, "hops": [hop]}

    a = seen(0.0, (15, 15), 0.001, **parts(0.0, 10))
    whole = joined({"a": a, "b": seen(0.1, (30, 30), 0.001, **parts(0.1, 20))})
    assert [round(block.start, 3) for block in whole.series] == [0.05, 1.05, 2.05]
    assert [block.histogram.total for block in whole.series] == [30, 30, 30]
    assert [block.sum_ns for block in whole.series] == [30_000] * 3
    assert all(one.end <= two.start + 1e-9 for one, two in zip(whole.series, whole.series[1:], strict=False))
    (hop,) = whole.hops
    assert (hop.requests, hop.wait_ns, hop.service_ns) == (90, 20, 40)


def test_a_leftover_of_one_host_belongs_to_the_interval_before():
    a = seen(0.0, (100, 100), 0.001)
    b = seen(0.0, (100, 100, 7), 0.001, edges=(0.0, 10.0, 20.0, 20.4))
    assert [i.read.requests for i in joined({"a": a, "b": b}).intervals] == [200, 207]


def test_a_clock_is_put_right():
    a = shifted(seen(1000.0, (1, 1), 0.001), -3.5)
    assert (a.start, a.end, a.intervals[0].end) == (996.5, 1016.5, 1006.5)


def test_hosts_that_did_not_run_together_are_refused():
    a = seen(0.0, (100, 100), 0.001)
    with refused("not-comparable", "host b"):
        joined({"a": a, "b": seen(6.0, (100, 100), 0.001)})
    with refused("not-comparable", "host b"):
        joined({"a": a, "b": seen(0.0, (100, 100), 0.001, version="fio-3.36")})
