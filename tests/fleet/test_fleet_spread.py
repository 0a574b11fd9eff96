"""Members that differ: the sum of their watts against each of them evaluated; counts of failures."""

from __future__ import annotations

import math

import numpy as np
import pytest
from fleets import followed, plan

from iowatt.evaluate.fleet.durability import any_loses, over_years
from iowatt.evaluate.fleet.poisson import poisson_above, poisson_quantile
from iowatt.evaluate.fleet.racks import rack_peak_w
from iowatt.evaluate.fleet.spread import LoadSpread

#: Watts that bend over the load, as those of drives with a queue do.
BENT = tuple((load, 100.0 + 200.0 * (1 - math.exp(-load / 300.0))) for load in np.linspace(20.0, 2000.0, 100))


def test_the_sum_of_watts_is_within_its_interval_as_often_as_it_says():
    # 20 members with loads of their own, which add up to the demand's: each is evaluated, 400 fleets of them.
    made = plan(years=1, demand={"load": 6000.0, "most_fill": 1.0, "load_spread": 0.4, "stored": "2PB"},
                member={"count": 20})  # fmt: skip
    (year,) = followed(made, curve=BENT).years
    generator = np.random.default_rng(7)
    spread, sums = LoadSpread.of(0.4), []
    for _ in range(400):
        factors = spread.draw(generator, (20,))
        loads = 6000.0 * factors / factors.sum()
        drawn = [100.0 + 200.0 * (1 - math.exp(-load / 300.0)) for load in loads]
        sums.append(sum(drawn))
    within = np.mean([year.watts.low <= one <= year.watts.high for one in sums])
    # 90 % of 400 are 360, with a standard deviation of 6; the distribution is not quite normal at 20 members.
    assert 0.85 <= within <= 0.95
    assert year.watts.expected == pytest.approx(np.mean(sums), rel=2e-3)
    assert year.watts.high - year.watts.low > 20.0


def test_a_straight_line_leaves_no_range():
    made = plan(years=1, demand={"most_fill": 1.0, "load_spread": 0.5})
    (year,) = followed(made).years
    assert year.watts.high - year.watts.low < 1e-6 * year.watts.expected


def test_measured_loads_are_taken_as_they_are():
    spread = LoadSpread.of([1.0, 1.0, 4.0])
    assert list(spread.nodes) == [0.5, 0.5, 2.0]
    assert (spread.quantile(0.5), spread.quantile(0.95)) == (0.5, 2.0)
    assert spread.share_above(1.0) == pytest.approx(1 / 3)


@pytest.mark.parametrize("cv", [0.1, 0.5, 1.5])
def test_the_log_normal_spread_has_the_stated_mean_and_variation(cv):
    drawn = LoadSpread.of(cv).draw(np.random.default_rng(3), (400_000,))
    assert drawn.mean() == pytest.approx(1.0, rel=0.02)
    assert drawn.std() == pytest.approx(cv, rel=0.05)
    spread = LoadSpread.of(cv)
    assert np.mean(drawn > spread.quantile(0.95)) == pytest.approx(0.05, abs=0.002)
    assert spread.share_above(spread.quantile(0.95)) == pytest.approx(0.05, rel=1e-9)


def test_racks_of_unlike_members_draw_more_than_their_mean():
    def watts(loads):
        return 100.0 + loads

    draw = {"watts": watts, "load": 100.0, "spread": LoadSpread.of(0.5)}
    one = rack_peak_w(10, 10, **draw, generator=np.random.default_rng(1))
    many = rack_peak_w(1000, 10, **draw, generator=np.random.default_rng(1))
    # A rack of ten has 2000 W in the mean with a deviation of 50 sqrt(10) = 158 W: 95 % at some 2270 W.
    assert one == pytest.approx(2270.0, abs=60.0)
    assert many > one + 150.0  # the highest of a hundred
    even = {**draw, "spread": LoadSpread.of(0.0)}
    assert rack_peak_w(1000, 10, **even, generator=np.random.default_rng(1)) == 2000.0


def test_poisson_quantiles_add_up():
    for mean in (0.01, 0.7, 3.0, 80.0, 9_999.0, 20_000.0):
        for share in (0.05, 0.5, 0.95, 0.999):
            count = poisson_quantile(mean, share)
            assert poisson_above(mean, count) <= 1 - share + 1e-6
            assert count == 0 or poisson_above(mean, count - 1) > 1 - share - 1e-6
    assert poisson_quantile(0.0, 0.99) == 0


def test_members_lose_data_independently():
    assert any_loses([(1e-15, 1000.0)]) == pytest.approx(1e-12, rel=1e-9)  # no rounding to 0
    assert any_loses([(0.5, 1.0), (0.5, 1.0)]) == 0.75
    assert any_loses([(None, 1.0)]) is None and any_loses([(None, 0.0)]) == 0.0
    assert over_years([0.1, 0.1]) == pytest.approx(0.19)
