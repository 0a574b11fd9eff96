"""The response-time block: percentiles capped at the maximum, nothing said about nothing."""

from __future__ import annotations

import pytest

from iowatt.lenses.latency import response_time
from iowatt.run.histogram import Histogram
from iowatt.run.record import Moments

EMPTY = Histogram.of([], [], [])


def test_no_requests_have_no_response_time():
    block = response_time(Moments(count=0, mean_s=0.0, std_s=0.0, max_s=0.0), EMPTY).model_dump()
    assert block.pop("count") == 0
    assert set(block.values()) == {None}


def test_seconds_and_nanoseconds_become_milliseconds():
    # 999 requests of 1 ms and one of 1 s: mean 1.999 ms.
    bins = Histogram.of([999_500, 999_500_000], [1_000_500, 1_000_500_000], [999, 1])
    block = response_time(Moments(count=1000, mean_s=1.999e-3, std_s=0.0316, max_s=1.0), bins)
    assert block.mean == pytest.approx(1.999)
    assert block.std == pytest.approx(31.6)
    assert block.max == 1000
    # Rank ceil(.999 x 1000) = 999 is still in the first bin; ceil(.9999 x 1000) = 1000 is the last request.
    assert block.p999 == pytest.approx(1.0005)
    # Its bin ends at 1000.5 ms, but nothing took longer than 1000 ms.
    assert block.p9999 == 1000


def test_ten_batches_give_an_interval_in_ms():
    # Batch means 1..10 ms: 5.5 ms +- 2.1658506 ms (tests/run/test_statistics.py).
    moments = Moments(
        count=100, mean_s=5.5e-3, std_s=1e-3, max_s=0.01, batch_means_s=[n / 1e3 for n in range(1, 11)]
    )
    low, high = response_time(moments, Histogram.of([1], [2], [100])).mean_ci95
    assert low == pytest.approx(5.5 - 2.1658506, abs=1e-6)
    assert high == pytest.approx(5.5 + 2.1658506, abs=1e-6)
