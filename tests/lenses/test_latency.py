"""The response-time block: percentiles capped at the maximum, nothing said about nothing."""

from __future__ import annotations

import math

import pytest

from iowatt.lenses.summary import response_time
from iowatt.run.histogram import Histogram
from iowatt.run.record import ResponseMoments

EMPTY = Histogram.of([], [], [])


def test_no_requests_have_no_response_time():
    block = response_time(ResponseMoments(count=0, mean_s=0.0, std_s=0.0, max_s=0.0), EMPTY).model_dump()
    assert block.pop("count") == 0
    assert set(block.values()) == {None}


def test_seconds_and_nanoseconds_become_milliseconds():
    # 999 requests of 1 ms and one of 1 s: mean 1.999 ms.
    bins = Histogram.of([999_500, 999_500_000], [1_000_500, 1_000_500_000], [999, 1])
    block = response_time(ResponseMoments(count=1000, mean_s=1.999e-3, std_s=0.0316, max_s=1.0), bins)
    assert block.mean == pytest.approx(1.999)
    assert block.std == pytest.approx(31.6)
    assert block.max == 1000
    # Rank ceil(.999 x 1000) = 999 is still in the first bin; ceil(.9999 x 1000) = 1000 is the last request.
    assert block.p999 == pytest.approx(1.0005)
    # Its bin ends at 1000.5 ms, but nothing took longer than 1000 ms.
    assert block.p9999 == 1000


def test_ten_batches_give_an_interval_in_ms():
    # Batch means 1..10 ms: 5.5 ms x/: exp(2.1658506 / 5.5) (tests/run/test_statistics.py).
    means = [n / 1e3 for n in (6, 1, 9, 4, 10, 2, 7, 3, 8, 5)]
    moments = ResponseMoments(count=100, mean_s=5.5e-3, std_s=1e-3, max_s=0.01, batch_means_s=means)
    low, high = response_time(moments, Histogram.of([1], [2], [100])).mean_ci95
    assert low == pytest.approx(5.5 * math.exp(-0.39379102))
    assert high == pytest.approx(5.5 * math.exp(0.39379102))


def test_requests_behind_the_last_whole_batch_are_in_the_interval():
    # 32 batches of 64 requests and 63 more, so slow that they alone decide the mean.
    means = [1e-3 + 1e-5 * (k % 3) for k in range(32)]
    rest, count = 0.5, 32 * 64 + 63
    mean = (64 * sum(means) + 63 * rest) / count
    moments = ResponseMoments.doubling(count, mean, 0.1, 0.6, means)
    assert moments.batches[-1] == (63, pytest.approx(rest))
    assert sum(n for n, _ in moments.batches) == count
    # Without them 1.0 ms would stand beside a mean of 15.9 ms.
    assert response_time(moments, Histogram.of([1], [2], [count])).mean_ci95 is None
