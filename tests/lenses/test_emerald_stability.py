"""The stability rule under its three readings, and the trend test beside them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from iowatt.emerald.analyze.checks import stability, trend
from iowatt.emerald.rules import load

TRIALS = 2000
TOLERANCE = 0.05
#: sigma, drift: share judged stable with the weights A and B, under the readings a, b and c. The table of
#: the process below, which was first run for it; not from the specification.
TABLE = {
    (0.02, 0.00): {"a": (1.00, 1.00), "b": (1.00, 1.00), "c": (1.00, 1.00)},
    (0.02, 0.05): {"a": (0.99, 0.99), "b": (1.00, 1.00), "c": (0.27, 0.27)},
    (0.02, 0.10): {"a": (0.10, 0.15), "b": (1.00, 1.00), "c": (0.00, 0.00)},
    (0.04, 0.00): {"a": (0.99, 0.98), "b": (1.00, 1.00), "c": (0.41, 0.34)},
    (0.06, 0.00): {"a": (0.68, 0.60), "b": (0.93, 0.94), "c": (0.02, 0.01)},
}


def weights(name: str) -> list[float]:
    return load("emerald-4.0.0").value(f"stability.weights.{name}")


def series(sigma: float, drift: float, seed: int, trials: int = TRIALS, points: int = 40) -> np.ndarray:
    """Independent noise around a line that rises by ``drift`` over the last 30 of the points."""
    random = np.random.default_rng(seed)
    line = 1 + drift * (np.arange(points) - (points - 30)) / 29
    return line + sigma * random.standard_normal((trials, points))


def correlated(random: np.random.Generator, phi: float, trials: int, points: int) -> np.ndarray:
    """AR(1) of unit variance, in its steady state from the start."""
    found = random.standard_normal((trials, points))
    for at in range(1, points):
        found[:, at] = phi * found[:, at - 1] + math.sqrt(1 - phi**2) * found[:, at]
    return found


def share_stable(sigma: float, drift: float, name: str, reading: stability.Reading) -> float:
    # One seed for both weights: the table's columns are of the same trials.
    pe = series(sigma, drift, seed=20)
    averages = stability.weighted(pe, weights(name))[:, 10:]
    found = stability.deviations(averages, pe[:, 10:].mean(axis=1))
    return float(found.holds(reading, TOLERANCE).mean())


@pytest.mark.parametrize("reading", stability.READINGS)
@pytest.mark.parametrize(("sigma", "drift"), TABLE)
def test_the_readings_give_the_table_within_sampling_error(sigma, drift, reading):
    for name, expected in zip("AB", TABLE[sigma, drift][reading], strict=True):
        found = share_stable(sigma, drift, name, reading)
        # Two samples of 2000 trials, 3.5 standard errors of their difference, and the table's rounding.
        error = math.sqrt(2 * max(expected * (1 - expected), 1 / TRIALS) / TRIALS)
        assert abs(found - expected) <= 3.5 * error + 0.005, (name, found, expected)


def test_reading_b_does_not_see_drift_and_c_sees_noise():
    assert share_stable(0.02, 0.10, "B", "b") > 0.99
    assert share_stable(0.02, 0.10, "B", "a") < 0.25
    assert share_stable(0.04, 0.0, "B", "c") < 0.5


def test_ea_by_hand():
    pe = np.array([1.0, 2.0, 4.0, 8.0])
    found = stability.weighted(pe, [0.5, 0.3, 0.2])
    assert np.isnan(found[:2]).all()
    assert list(found[2:]) == pytest.approx([0.5 * 4 + 0.3 * 2 + 0.2 * 1, 0.5 * 8 + 0.3 * 4 + 0.2 * 2])


def test_deviations_by_hand():
    found = stability.deviations(np.array([10.0, 11.0, 9.9]), 10.0)
    assert found.a == pytest.approx(0.1)
    assert found.b == pytest.approx(0.1)
    assert found.c == pytest.approx(0.11)


def test_a_missing_minute_leaves_ten_averages_open_and_no_reading_holds():
    pe = np.ones(40)
    pe[20] = np.nan
    averages = stability.weighted(pe, weights("A"))
    assert list(np.flatnonzero(np.isnan(averages))) == [*range(9), *range(20, 30)]
    found = stability.deviations(averages[10:], 1.0)
    assert not any(found.holds(reading, 1.0) for reading in stability.READINGS)


def test_weights_that_do_not_add_to_one_are_refused():
    with pytest.raises(ValueError) as caught:
        stability.weighted(np.ones(10), [0.5, 0.4])
    assert "0.9" in str(caught.value)


def trends(values: np.ndarray) -> list[trend.Trend]:
    found = [trend.trend(row) for row in values]
    assert all(one is not None for one in found)
    return found


def test_a_drift_of_ten_percent_at_sigma_two_is_flagged_and_named():
    values = series(0.02, 0.10, seed=3)[:, 10:]
    found = trends(values)
    assert np.mean([one.significant for one in found]) >= 0.95
    assert np.mean([trend.verdict(one, True, TOLERANCE) == "drifting" for one in found]) >= 0.95
    # Relative to the mean of the rising line, which is 1.05.
    assert np.mean([one.drift for one in found]) == pytest.approx(0.10 / 1.05, abs=0.002)


@pytest.mark.parametrize(
    ("phi", "points", "most"),
    [(0.0, 30, 0.05), (0.3, 30, 0.08), (0.5, 30, 0.09), (0.7, 30, 0.10), (0.5, 120, 0.07), (0.7, 120, 0.08)],
)
def test_false_alarms_stay_near_the_stated_level_with_autocorrelation(phi, points, most):
    random = np.random.default_rng(7)
    values = 1 + 0.02 * correlated(random, phi, TRIALS, points)
    rate = np.mean([one.significant for one in trends(values)])
    # Three standard errors of a share of 2000 trials at 0.05.
    assert 0.02 <= rate <= most + 0.015


def test_least_squares_alone_would_raise_false_alarms_with_autocorrelation():
    """Why the test is not simpler: the same series with the autocorrelation ignored."""
    random = np.random.default_rng(7)
    values = correlated(random, 0.5, TRIALS, 30)
    at = np.arange(30) - 14.5
    slope = values @ at / (at @ at)
    residuals = values - values.mean(axis=1, keepdims=True) - slope[:, None] * at
    error = np.sqrt((residuals**2).sum(axis=1) / 28 / (at @ at))
    assert np.mean(np.abs(slope / error) > 2.048) > 0.2


def test_the_interval_of_the_drift_covers_it():
    random = np.random.default_rng(11)
    line = np.linspace(-0.02, 0.02, 30)
    found = trends(1 + line + 0.02 * correlated(random, 0.3, TRIALS, 30))
    covered = np.mean([abs(one.drift - 0.04) <= one.drift_half_width for one in found])
    assert 0.91 <= covered <= 0.98


@pytest.mark.parametrize(("sigma", "stable", "noisy"), [(0.02, 0.99, 0.0), (0.06, 0.0, 0.5)])
def test_the_verdict_calls_quiet_series_stable_and_wild_ones_noisy(sigma, stable, noisy):
    pe = series(sigma, 0.0, seed=4, trials=1000)
    averages = stability.weighted(pe, weights("B"))[:, 10:]
    found = stability.deviations(averages, pe[:, 10:].mean(axis=1))
    within = found.holds("a", TOLERANCE)
    verdicts = [
        trend.verdict(trend.trend(row), bool(held), TOLERANCE)
        for row, held in zip(pe[:, 10:], within, strict=True)
    ]
    assert verdicts.count("stable") >= stable * len(verdicts)
    assert verdicts.count("noisy") >= noisy * len(verdicts)
    assert verdicts.count("drifting") < 0.1 * len(verdicts)


def test_a_straight_line_and_a_constant():
    rising = trend.trend(np.linspace(1.0, 1.1, 30))
    assert rising.significant
    assert rising.drift == pytest.approx(0.1 / 1.05)
    flat = trend.trend(np.full(30, 5.0))
    assert not flat.significant
    assert trend.verdict(flat, True, TOLERANCE) == "stable"


def test_too_few_minutes_or_no_work_are_not_tested():
    assert trend.trend(np.ones(trend.FEWEST - 1)) is None
    assert trend.trend(np.zeros(30)) is None
    assert trend.trend(np.full(30, np.nan)) is None
    assert trend.verdict(None, True, TOLERANCE) == "noisy"


def test_missing_minutes_keep_the_places_of_the_others():
    line = np.linspace(1.0, 1.2, 30)
    holed = line.copy()
    holed[10:20] = np.nan
    assert trend.trend(holed).drift == pytest.approx(trend.trend(line).drift, rel=1e-6)
    assert trend.trend(holed).points == 20


def test_the_expected_autocorrelation_is_that_of_simulated_residuals():
    """The exact traces behind the estimate, against 20,000 series."""
    random = np.random.default_rng(2)
    law = trend._law(30)
    at = np.arange(30) - 14.5
    for phi in (0.0, 0.5, 0.8):
        values = correlated(random, phi, 20_000, 30)
        slope = values @ at / (at @ at)
        residuals = values - values.mean(axis=1, keepdims=True) - slope[:, None] * at
        squares = (residuals**2).sum(axis=1).mean()
        products = (residuals[:, 1:] * residuals[:, :-1]).sum(axis=1).mean()
        assert np.interp(phi, trend._GRID, law.squares) == pytest.approx(squares, rel=0.02)
        assert np.interp(phi, trend._GRID, law.autocorrelation) == pytest.approx(products / squares, abs=0.01)
        assert np.interp(phi, trend._GRID, law.slope) == pytest.approx(slope.var(), rel=0.04)
