"""Student's t against tables and closed forms; batch means and MSER-5 against arithmetic by hand."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iowatt.run.statistics import MeanInterval, mean_interval, mser5, student_t_cdf, student_t_quantile

# Printed tables (Abramowitz and Stegun 26.10, three decimals): degrees, 0.95, 0.975, 0.995.
PRINTED = [
    (3, 2.353, 3.182, 5.841),
    (5, 2.015, 2.571, 4.032),
    (9, 1.833, 2.262, 3.250),
    (15, 1.753, 2.131, 2.947),
    (30, 1.697, 2.042, 2.750),
    (60, 1.671, 2.000, 2.660),
]


@pytest.mark.parametrize(("degrees", "p95", "p975", "p995"), PRINTED)
def test_quantiles_agree_with_printed_tables(degrees, p95, p975, p995):
    for probability, printed in ((0.95, p95), (0.975, p975), (0.995, p995)):
        assert student_t_quantile(probability, degrees) == pytest.approx(printed, abs=5.1e-4)


@given(st.floats(0.001, 0.999))
def test_one_and_two_degrees_have_closed_forms(p):
    # One degree is the Cauchy distribution; for two, t = (2p - 1) sqrt(2 / (4 p (1 - p))).
    assert student_t_quantile(p, 1) == pytest.approx(math.tan(math.pi * (p - 0.5)), rel=1e-9, abs=1e-12)
    closed = (2 * p - 1) * math.sqrt(2 / (4 * p * (1 - p)))
    assert student_t_quantile(p, 2) == pytest.approx(closed, rel=1e-9, abs=1e-12)


@given(st.floats(0.001, 0.999), st.integers(1, 400))
def test_the_quantile_inverts_the_distribution(p, degrees):
    assert student_t_cdf(student_t_quantile(p, degrees), degrees) == pytest.approx(p, abs=1e-12)


def test_many_degrees_approach_the_normal_distribution():
    assert student_t_quantile(0.975, 100_000) == pytest.approx(1.959964, abs=1e-4)


@pytest.mark.parametrize("probability", [0.0, 1.0, -1.0, math.nan])
def test_a_quantile_of_no_probability_is_refused(probability):
    with pytest.raises(ValueError):
        student_t_quantile(probability, 5)


def equal(means, requests=100):
    return [(requests, mean) for mean in means]


def test_interval_of_ten_batch_means():
    # 1..10 in no order: mean 5.5, variance 82.5 / 9, half width 2.262157 x sqrt(82.5 / 9 / 10) = 2.1658506,
    # about the logarithm 5.5 exp(-+ 2.1658506 / 5.5).
    found = mean_interval(equal([6, 1, 9, 4, 10, 2, 7, 3, 8, 5]))
    assert found.limits == pytest.approx((5.5 * math.exp(-0.39379102), 5.5 * math.exp(0.39379102)), rel=1e-7)
    assert found.withheld is None


def test_equal_batches_give_an_interval_of_no_width():
    assert mean_interval(equal([3.0] * 16, 10)).limits == (3.0, 3.0)
    assert mean_interval(equal([0.0] * 16, 10)).limits == (0.0, 0.0)


def test_too_few_batches_or_requests_give_no_interval():
    few = MeanInterval(None, None)
    assert mean_interval(equal([1.0] * 9, 1000)) == few
    assert mean_interval([(2, 1.0)] * 9 + [(1, 1.0)] * 2) == few
    assert mean_interval(equal([1.0] * 10, 2)).limits is not None
    assert mean_interval([]) == few
    # Thirty batches of which one holds nearly all requests know as much as one.
    assert mean_interval([(1000, 1.0), *equal([1.0, 1.1] * 15, 2)]) == few


def test_a_batch_weighs_as_in_the_mean():
    # A batch of twice the requests says what two halves with the same mean would, less their scatter.
    means = [5.0, 3.0, 4.0, 6.0, 2.0, 4.5, 3.5, 5.5, 2.5, 4.0, 3.0, 5.0, 4.0, 6.0]
    weighted = [(200 if number % 2 else 100, mean) for number, mean in enumerate(means)]
    total = sum(count for count, _ in weighted)
    mean = sum(count * value for count, value in weighted) / total
    worth = total**2 / sum(count**2 for count, _ in weighted)
    squares = sum((count * (value - mean)) ** 2 for count, value in weighted)
    half = student_t_quantile(0.975, math.floor(worth) - 1) * math.sqrt(squares * worth / (worth - 1)) / total
    low, high = mean_interval(weighted).limits
    assert math.sqrt(low * high) == pytest.approx(mean)
    assert math.log(high / low) == pytest.approx(2 * half / mean)


@given(
    st.lists(
        st.tuples(st.integers(1, 10_000), st.floats(0, 1e6, allow_subnormal=False)), min_size=1, max_size=80
    )
)
def test_an_interval_holds_its_mean_and_is_never_negative(batches):
    found = mean_interval(batches)
    if found.limits is None:
        return
    total = sum(count for count, _ in batches)
    mean = math.fsum(count * value for count, value in batches) / total
    low, high = found.limits
    assert 0 <= low <= mean * (1 + 1e-9)
    assert mean * (1 - 1e-9) <= high < math.inf
    assert found.withheld is None


def test_a_mean_that_a_few_bursts_decide_has_no_interval_and_says_so():
    draw = random.Random(1)
    means = [0.1 * draw.random() for _ in range(30)]
    means[7] = means[20] = 500.0
    found = mean_interval(equal(means))
    assert found.limits is None
    assert found.withheld is not None


@pytest.mark.parametrize("rho", [1.05, 1.5])
def test_a_queue_that_grows_has_no_interval_and_says_so(rho):
    waits = queue(rho, 32_000, seed=3)
    found = mean_interval(equal([sum(waits[k : k + 1000]) / 1000 for k in range(0, 32_000, 1000)], 1000))
    assert found.limits is None
    assert found.withheld is not None


def queue(rho, requests, seed):
    """Response times of M/M/1 with a service of 1, by Lindley's recursion, from empty."""
    draw = random.Random(seed)
    found, wait = [], 0.0
    for _ in range(requests):
        service = draw.expovariate(1.0)
        found.append(wait + service)
        wait = max(0.0, wait + service - draw.expovariate(rho))
    return found


def test_the_interval_covers_the_true_mean_about_as_often_as_it_says():
    # 1000 runs of 20 batches: 95 % covered, standard error sqrt(.95 x .05 / 1000) = 0.7 %; four of them.
    draw = random.Random(4)
    covered = 0
    for _ in range(1000):
        low, high = mean_interval(equal([draw.gauss(4, 1) for _ in range(20)])).limits
        covered += low <= 4 <= high
    assert 0.95 - 0.028 < covered / 1000 < 0.95 + 0.028


def test_batches_of_bursts_are_covered_too():
    # Requests come in bursts (1 to 400 of them) and are slower in long ones: the mean over requests is not
    # that of the batches. E[n m] / E[n] with m = n / 100 is E[n^2] / E[n] / 100. Each run is 60 batches.
    draw = random.Random(5)
    truth = sum(n * n for n in range(1, 401)) / sum(range(1, 401)) / 100
    covered = beside = 0
    for _ in range(600):
        sizes = [draw.randint(1, 400) for _ in range(60)]
        batches = [(n, n / 100 * draw.uniform(0.5, 1.5)) for n in sizes]
        low, high = mean_interval(batches).limits
        covered += low <= truth <= high
        beside += not low <= math.fsum(mean for _, mean in batches) / 60 <= high
    # The unweighted mean, which the interval is not of, is out of it nearly always.
    assert 0.95 - 0.036 < covered / 600 <= 1
    assert beside > 500


def brute_force_mser5(series):
    """The definition, term by term."""
    y = [sum(series[i : i + 5]) / 5 for i in range(0, len(series) - len(series) % 5, 5)]

    def value(d):
        rest = y[d:]
        mean = sum(rest) / len(rest)
        return sum((x - mean) ** 2 for x in rest) / len(rest) ** 2

    return 5 * min(range(len(y) - 4), key=value)


def test_a_transient_is_cut_where_it_ends():
    # 50 observations falling from 11, then 450 that alternate about 1.
    series = [11 - 0.2 * i for i in range(50)] + [1 + 0.1 * (-1) ** i for i in range(450)]
    found = mser5(series)
    assert found.settled
    assert 40 <= found.index <= 50
    assert found.index == brute_force_mser5(series)


def test_a_steady_series_is_not_cut():
    assert mser5([2.0, 4.0] * 100).index == 0


def test_a_series_that_never_settles_is_cut_in_half_and_says_so():
    found = mser5([float(i) for i in range(200)])
    assert not found.settled
    assert found.index == 100


@given(st.lists(st.floats(0, 1e3), max_size=300))
def test_the_cut_is_a_whole_number_of_batches_in_the_first_half(series):
    found = mser5(series)
    assert found.index % 5 == 0
    assert 0 <= found.index <= len(series) / 2


@pytest.mark.parametrize("seed", range(5))
def test_running_sums_agree_with_the_definition(seed):
    draw = random.Random(seed)
    series = [1e6 + 50 * math.exp(-i / 20) + draw.gauss(0, 1) for i in range(400)]
    assert mser5(series).index == brute_force_mser5(series)
