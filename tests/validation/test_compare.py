"""The figures of a validation, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from iowatt.evaluate.validation.replay import compare, demerit, percentiles, quantiles


def test_a_shift_is_its_own_demerit():
    times = np.array([1.0, 5.0, 2.0, 9.0])
    assert demerit(times, times + 0.25) == pytest.approx(0.25)
    # The order of requests does not matter to the demerit, and does to the paired error.
    turned = times[::-1].copy()
    assert demerit(times, turned) == 0
    found = compare(times, turned)
    # Differences 8, -3, 3, -8: the mean square is (64 + 9 + 9 + 64) / 4 = 36.5.
    assert found is not None and found.paired_rmse_ms == pytest.approx(36.5**0.5)


def test_the_definition_of_quantiles():
    # Two values stand at 1/4 and 3/4; half way between them is the mean, beyond them they hold.
    times = np.array([3.0, 1.0])
    shares = np.array([0.1, 0.25, 0.5, 0.75, 0.9])
    assert quantiles(times, shares).tolist() == [1.0, 1.0, 2.0, 3.0, 3.0]


def test_demerit_of_one_against_two():
    # Quantiles of (0, 2): 0 up to a quarter, then a line to 2 at three quarters, then 2. Against 1 always:
    # the square is 1 on half of the range, and on the other half that of a line from -1 to 1, a third:
    # sqrt(1/2 + 1/6) = sqrt(2/3).
    assert demerit(np.array([0.0, 2.0]), np.array([1.0])) == pytest.approx((2 / 3) ** 0.5, rel=1e-4)


def test_all_figures():
    found = compare(np.array([1.0, 3.0]), np.array([1.5, 3.5]))
    assert found is not None
    assert (found.requests, found.measured_mean_ms, found.simulated_mean_ms) == (2, 2.0, 2.5)
    assert (found.mean_error, found.demerit_ms, found.demerit_fraction) == pytest.approx((0.25, 0.5, 0.25))
    assert found.paired_rmse_ms == pytest.approx(0.5)
    assert found.simulated_percentiles["max"] == 3.5
    assert compare(np.array([]), np.array([])) is None


def test_percentiles():
    found = percentiles(np.arange(1.0, 101.0))
    # 100 values: the i-th stands at (i - 0.5) / 100, so that p50 is between the 50th and the 51st.
    assert (found["p50"], found["p99"], found["max"]) == pytest.approx((50.5, 99.5, 100.0))
