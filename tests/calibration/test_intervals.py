"""Intervals: how often they hold what was hidden, and what they do where a model bends."""

from __future__ import annotations

import numpy as np
import pytest

from iowatt.evaluate.calibration.intervals import half_widths, student
from iowatt.evaluate.calibration.least_squares import fit

DEPTH = np.array([1, 4, 16, 64, 256] * 2 + [1, 4, 16, 64], float)
SIZE = np.array([1] * 5 + [4] * 5 + [32] * 4, float)


def kinked(values):
    """A closed network's bounds: latency, a ceiling of commands or of bytes, whichever is more."""
    latency, commands, rate = np.exp(values)
    return np.log(np.maximum(latency, DEPTH * np.maximum(1 / commands, SIZE / rate)))


def smooth(values):
    latency, commands, rate = np.exp(values)
    return np.log((latency**4 + (DEPTH * (1 / commands + SIZE / rate)) ** 4) ** 0.25)


@pytest.mark.parametrize("model", [kinked, smooth])
def test_nineteen_of_twenty_intervals_hold_what_is_hidden(model):
    """2 % of noise; of 300 intervals, 95 % are 285, and their deviation is 4."""
    draw, held, told = np.random.default_rng(1), 0, 0
    for _ in range(100):
        true = np.log(draw.uniform(0.7, 1.4, 3) * (100.0, 0.4, 0.64))
        found = fit(model, model(true) + draw.normal(0, 0.02, len(DEPTH)), np.log((100.0, 0.4, 0.64)))
        within = (found.low <= true) & (true <= found.high)
        held, told = held + int(np.sum(within & ~found.flat)), told + int(np.sum(~found.flat))
    assert told > 280
    assert 0.91 < held / told < 0.985


def test_a_latency_that_a_rate_hides_is_bounded_above_only():
    """Writes that are alone take as long as the steady rate lets them: 25 us, whatever the latency below."""
    depth = np.array([1.0, 1.0, 4.0, 16.0, 64.0])

    def model(values):
        latency, rate = np.exp(values)
        return np.log(np.maximum(latency, depth / rate))

    noise = 0.01 * np.array([1, -1, 1, -1, 1])
    found = fit(model, model(np.log((15.0, 0.04))) + noise, np.log((25.3, 0.041)))
    assert found.flat.tolist() == [True, False]
    assert found.low[1] <= np.log(0.04) <= found.high[1]


def test_half_an_interval_is_students_t_times_the_deviation():
    slopes = np.ones((9, 1))
    residuals = 0.02 * np.array([1, -1, 1, -1, 0, 1, -1, 1, -1])
    spread = np.sqrt(np.sum(residuals**2) / 8)
    assert half_widths(slopes, residuals, 1) == pytest.approx(student(8) * spread / 3, rel=1e-6)
    # Neighbours that err alike know less.
    alike = np.sort(residuals)
    assert half_widths(slopes, alike, 1)[0] > 1.2 * student(8) * spread / 3


def test_a_figure_that_stays_in_the_base_widens_the_others():
    slopes, residuals = np.ones((9, 1)), 0.02 * np.array([1, -1, 1, -1, 0, 1, -1, 1, -1])
    alone = half_widths(slopes, residuals, 1)[0]
    beside = half_widths(slopes, residuals, 1, unknown=0.1 * np.ones((9, 1)))[0]
    # It may be half or twice as large: 0.1 log 2.
    assert beside == pytest.approx(np.hypot(alone, 0.1 * np.log(2)))


def test_a_wide_figure_is_told_where_its_start_is_ruled_out():
    """Half as large again or two thirds: not known well, but two fifths is no better guess."""
    depth = np.repeat((1.0, 2.0, 4.0, 8.0, 8.0), 2)

    def model(values):
        return np.log(330 + depth / np.exp(values[1])) + values[0]

    noise = 0.01 * np.array([1, -1, -1, 1, 1, -1, -1, 1, 1, -1])
    true = np.log((1.0, 0.5))
    near, far = (fit(model, model(true) + noise, np.log((1.0, start))) for start in (0.5, 0.2))
    assert near.flat[1]
    assert not far.flat[1]
    assert np.log(0.2) < far.low[1] < true[1] < far.high[1]
