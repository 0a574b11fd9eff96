"""The queueing estimate: its closed forms, and what it says of tiers that cannot keep up."""

from __future__ import annotations

import pytest
from made import front, load, technology

from iowatt.evaluate.tiers import predict
from iowatt.evaluate.tiers.choose import LaidOutTier


def tier(rate_share: float, **figures: float) -> predict.Prediction:
    """One drive of 100 operations a second at a share of its rate."""
    work = load([100.0 * rate_share])
    return predict.predict(
        work, [LaidOutTier(technology("slow", **figures), 1, 0, 1, 0.0)], front(iops=100.0 * rate_share)
    )


@pytest.mark.parametrize("rho", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("variation", [0.0, 0.5, 1.0])
def test_one_server_is_pollaczek_khinchine(rho, variation):
    found = tier(rho, variation=variation)
    wait = rho * 0.01 * (1 + variation**2) / (2 * (1 - rho))
    assert found.total.response_time_ms == pytest.approx(10 + 1e3 * wait)
    assert found.tiers[0].utilisation == pytest.approx(rho)
    assert found.total.power_w == pytest.approx(10 + 100 * rho * 0.01)
    assert found.total.most_iops == pytest.approx(100)


def test_more_servers_wait_less_than_one():
    one = tier(0.8)
    # As fast together, each four times as slow.
    four = tier(0.8, service_s=0.04, saturated_iops=100.0)
    assert four.tiers[0].read_s - 0.04 < one.tiers[0].read_s - 0.01


def test_a_tier_that_cannot_keep_up_has_no_response_time():
    found = tier(1.25)
    assert found.total.response_time_ms is None
    assert found.total.iops == pytest.approx(100.0)


def test_hits_and_buffered_writes_do_not_wait_for_the_back_end():
    work = load([50.0], read_share=0.4)
    tiers = [LaidOutTier(technology("slow"), 1, 0, 1, 0.0)]
    before = front(
        iops=200.0, read_share=0.5, read_miss=0.2, read_hit_s=1e-4, write_waits=False, write_hit_s=2e-4
    )
    found = predict.predict(work, tiers, before)
    back = found.tiers[0].read_s
    assert found.total.read_ms == pytest.approx(0.1 + 200 * back)
    assert found.total.write_ms == pytest.approx(0.2)
    assert found.total.response_time_ms == pytest.approx((found.total.read_ms + found.total.write_ms) / 2)
    waiting = predict.predict(work, tiers, front(iops=200.0, read_share=0.5))
    assert waiting.total.write_ms == pytest.approx(1e3 * back)


def test_mirrored_writes_wait_for_the_slower_copy():
    from iowatt.evaluate.tiers.benchmark import Technology

    mirrored = Technology("pair", "d", 10, 65536, 2, technology("slow").drive, None)
    work = load([20.0], read_share=0.5)
    found = predict.predict(work, [LaidOutTier(mirrored, 2, 0, 1, 0.0)], front(iops=20.0, read_share=0.5))
    assert found.tiers[0].operations == pytest.approx(30.0)
    assert found.total.write_ms > found.total.read_ms
