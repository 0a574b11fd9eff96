"""Student's t against tables and closed forms; batch means and MSER-5 against arithmetic by hand."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iowatt.run.statistics import mean_interval, mser5, student_t_cdf, student_t_quantile

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
    with pytest.raises(ValueError, match="between 0 and 1"):
        student_t_quantile(probability, 5)


def test_interval_of_ten_batch_means():
    # 1..10: mean 5.5, variance 82.5 / 9, half width 2.262157 x sqrt(82.5 / 9 / 10) = 2.1658506.
    low, high = mean_interval([float(n) for n in range(1, 11)], requests=1000)
    assert low == pytest.approx(5.5 - 2.1658506, abs=1e-6)
    assert high == pytest.approx(5.5 + 2.1658506, abs=1e-6)


def test_equal_batches_give_an_interval_of_no_width():
    assert mean_interval([3.0] * 16, requests=160) == (3.0, 3.0)


def test_too_few_batches_or_requests_give_no_interval():
    assert mean_interval([1.0] * 9, requests=9000) is None
    assert mean_interval([1.0] * 10, requests=19) is None
    assert mean_interval([1.0] * 10, requests=20) is not None
    assert mean_interval([], requests=0) is None


def test_the_interval_covers_the_true_mean_about_as_often_as_it_says():
    # 1000 runs of 20 batches: 95 % covered, standard error sqrt(.95 x .05 / 1000) = 0.7 %; four of them.
    draw = random.Random(4)
    covered = 0
    for _ in range(1000):
        low, high = mean_interval([draw.gauss(0, 1) for _ in range(20)], requests=2000)
        covered += low <= 0 <= high
    assert 0.95 - 0.028 < covered / 1000 < 0.95 + 0.028


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
