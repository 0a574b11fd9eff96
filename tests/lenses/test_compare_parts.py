"""The parts of the inference, each against what can be worked out without it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from iowatt.lenses.compare.blocks import Blocks
from iowatt.lenses.compare.bootstrap import (
    Tapered,
    block_length,
    correlation_length,
    step_down,
    taper,
    too_long,
    visible_share,
    without_cycles,
)
from iowatt.lenses.compare.distribution import Distribution, at_or_below
from iowatt.lenses.compare.repeats import chi_square_beyond


def histogram(low, high, count) -> Blocks:
    return Blocks.of_histogram(low, high, count, 1.0)


def test_values_lie_evenly_within_bins_and_the_printed_quantile_is_the_upper_end():
    bins = histogram([100, 200], [199, 399], [10, 30])
    known = Distribution.of([bins])
    assert known.printed(0.25) == 199
    assert known.printed(0.5) == 399
    # A third of the second bin's 30 requests lie in its first third.
    assert known.value(0.5) == pytest.approx(200 + 200 / 3)
    assert at_or_below(bins, known.value(0.5)).tolist() == [pytest.approx(20)]
    assert at_or_below(bins, 50.0).tolist() == [0]
    assert at_or_below(bins, 1e6).tolist() == [40]


def test_runs_with_different_bins_make_one_distribution():
    both = Distribution.of([histogram([100], [199], [10]), histogram([100, 150], [149, 199], [10, 10])])
    assert both.total == 30
    assert both.value(0.5) == pytest.approx(150)


def test_limits_in_a_lump_go_to_its_ends_and_beyond_the_data_there_are_none():
    lump = Distribution.of(
        [histogram([100, 110, 120, 130, 140], [109, 119, 129, 139, 149], [9, 9, 900, 9, 9])]
    )
    assert lump.limits(0.4, 0.6) == (120, 130)
    assert lump.limits(0.0, 1.0) == (-math.inf, math.inf)
    smooth = Distribution.of([histogram([100, 110, 120, 130, 140], [109, 119, 129, 139, 149], [90] * 5)])
    low, high = smooth.limits(0.45, 0.55)
    assert (low, high) == (pytest.approx(122.5), pytest.approx(127.5))


@pytest.mark.parametrize("length", [1, 2, 7, 16])
def test_a_taper_has_unit_power_and_is_symmetric(length):
    weights = taper(length)
    assert weights @ weights == pytest.approx(1)
    assert np.allclose(weights, weights[::-1])


def test_the_variance_of_a_mean_without_order_is_that_of_independent_figures():
    figures = np.random.default_rng(1).standard_normal((512, 400))
    error = np.sqrt(Tapered.of(figures, 16).variance.mean())
    # 400 series: the mean variance is known to about 0.25 * sqrt(2) / 20 of itself.
    assert error == pytest.approx(1 / math.sqrt(512), rel=0.02)


def autoregression(phi: float, count: int, columns: int, seed: int = 2) -> np.ndarray:
    noise = np.random.default_rng(seed).standard_normal((count + 200, columns))
    for at in range(1, count + 200):
        noise[at] += phi * noise[at - 1]
    return noise[200:]


def test_the_variance_of_a_correlated_mean_is_made_good():
    """Long-run variance of an autoregression with phi 0.6: 1 / (1 - phi)^2 = 6.25."""
    figures = autoregression(0.6, 512, 300)
    tau = correlation_length(figures)
    assert np.median(tau) == pytest.approx(2 * 0.6 / (1 - 0.36), rel=0.15)
    length = block_length(float(np.median(tau)), 512)
    found = Tapered.of(figures, length).variance.mean() * 512 / visible_share(1.875, length)
    assert found == pytest.approx(6.25, rel=0.06)
    assert visible_share(1.875, length) < 0.97


def test_a_walk_is_too_long_for_its_run_and_independent_figures_are_not():
    walk = np.cumsum(np.random.default_rng(3).standard_normal((512, 20)), axis=0)
    assert all(
        too_long(block_length(float(one), 512), 512) or math.isinf(one) for one in correlation_length(walk)
    )
    alone = correlation_length(np.random.default_rng(4).standard_normal((512, 20)))
    assert not any(too_long(block_length(float(one), 512), 512) for one in alone)


def test_cycles_are_taken_out_and_correlations_are_not():
    at = np.arange(512)
    random = np.random.default_rng(5)
    noise = random.standard_normal((512, 2))
    waves = np.column_stack((3 * np.sin(2 * np.pi * at / 12.3 + 1), 3 * np.sin(2 * np.pi * at / 130)))
    left, lines = without_cycles(noise + waves)
    assert lines == 1
    # The fast one is gone, the slow one, of which the run holds four, stays.
    assert np.var(left[:, 0]) == pytest.approx(np.var(noise[:, 0]), rel=0.05)
    assert np.var(left[:, 1]) > 4
    _, lines = without_cycles(autoregression(0.9, 512, 100))
    assert lines == 0


def test_step_down_is_worked_out_by_hand():
    drawn = np.array([[0.0, 3.0], [1.0, 1.0], [2.5, 0.0]])
    # Statistic 2.7 against the maxima 3, 1, 2.5: one of three. Statistic 2 of column 0 against that column
    # alone: one.
    assert step_down(np.array([2.0, 2.7]), drawn).tolist() == [0.5, 0.5]
    assert step_down(np.array([0.5, 9.0]), drawn).tolist() == [0.75, 0.25]


@pytest.mark.parametrize(
    # Published points: 3.841, 5.991, 7.815, 9.488, 18.307 leave 5 %.
    ("value", "degrees"),
    [(3.841459, 1), (5.991465, 2), (7.814728, 3), (9.487729, 4), (18.307038, 10)],
)
def test_chi_square_has_its_published_points(value, degrees):
    assert chi_square_beyond(value, degrees) == pytest.approx(0.05, abs=1e-7)
    assert chi_square_beyond(0.0, degrees) == 1
